import { takeSlot } from '../../../domain/instances/waiting-requests.ts';
import type { Namespace } from '../../../domain/namespaces/namespaces.ts';
import * as runs from '../../../domain/runs/runs.ts';
import { callTraceparent } from '../../../domain/runs/spans.ts';
import type { Lease } from '../../../domain/runs/waits.ts';
import { takeable } from '../../../domain/workers/queues.ts';
import { toTimestamp } from '../../../time/timestamps.ts';
import { openInput } from '../../native/inputs.ts';
import type { EnginePorts, RunnerPorts } from '../../ports.ts';
import { durationOf, isTakeable, leaseMsOf } from '../leases.ts';
import { isTask, type Task } from '../offering.ts';
import { beginWait, wakePoll } from '../waiting-polls.ts';

export type WorkerPorts = EnginePorts & Pick<RunnerPorts, 'sealer'>;

/** A request for tasks. Durations are ISO 8601 texts. */
export interface Poll {
  /** The name of the worker, for people. */
  readonly worker: string;
  readonly max: number;
  /** How long the worker may be silent; by default as the function says. */
  readonly lease?: string | undefined;
  /** How long the request waits for the first task. */
  readonly wait: string;
}

/** The longest wait of one request, milliseconds. */
const MAX_WAIT_MS = 60_000;
const MIN_INTERVAL_MS = 100;
const MAX_INTERVAL_MS = 1_000;
/** Rows that are read beyond what is wanted: other workers may take the first ones at the same time. */
const SPARE_ROWS = 20;

/** Ends a task that nothing waits for any more: its time is over. */
const expired = (ports: EnginePorts, task: runs.Run): runs.Run => ({
  ...task,
  status: 'failed',
  code: `${ports.settings.brand}.cancels.timeout.soft`,
  message: 'operation timed out',
  updated: ports.clock.now(),
});

type Leased = Task & { readonly service: { readonly worker: { readonly lease: Lease } } };

/** Takes a task if it may be taken at this moment; undefined: it may not. Of two that take it at once one gets it. */
async function take(ports: EnginePorts, id: string, poll: Poll): Promise<Leased | undefined> {
  const found = await runs.find(ports, id);
  if (found === undefined) return undefined;
  const { run, isCommitted } = await runs.update(ports, found, (current) => {
    const now = ports.clock.now();
    if (!isTask(current) || current.status !== 'pending' || !isTakeable(current.service.worker, now)) return undefined;
    if (current.service.until <= now) return { run: expired(ports, current) };
    const { notBefore: _, ...worker } = current.service.worker;
    const until = now + leaseMsOf(poll.lease, worker);
    const lease = { id: ports.clock.uuid(), worker: poll.worker, until };
    const service = { ...current.service, worker: { ...worker, taken: worker.taken + 1, lease } };
    return { run: { ...current, service, updated: now } };
  });
  return isCommitted && run.status === 'pending' ? (run as Leased) : undefined;
}

/** A task as its worker gets it. */
async function toReply(ports: WorkerPorts, task: Leased) {
  const { id, created, service, parent, root, trace } = task;
  const { worker, caller, workflow, state, until } = service;
  return {
    task: id,
    lease: worker.lease.id,
    leaseUntil: toTimestamp(worker.lease.until),
    until: toTimestamp(until),
    key: worker.key,
    attempt: parent?.k ?? 0,
    taken: worker.taken,
    priority: worker.priority,
    createdAt: toTimestamp(created),
    instance: caller,
    workflow: workflow.path,
    state,
    traceparent: callTraceparent({ id: caller, root, trace }, id),
    input: JSON.parse(Buffer.from(await openInput(ports, task)).toString()) as unknown,
  };
}

/** Takes what there is, at most as much as the poll wants. Another poll that waits is woken for what is left. */
async function takeSome(ports: WorkerPorts, namespace: Namespace, queue: string, poll: Poll): Promise<Leased[]> {
  const rows = await takeable(ports, namespace, { queue, now: ports.clock.now(), limit: poll.max + SPARE_ROWS });
  const taken: Leased[] = [];
  let from = 0;
  while (from < rows.length && taken.length < poll.max) {
    const some = rows.slice(from, from + poll.max - taken.length);
    from += some.length;
    const results = await Promise.all(some.map(({ id }) => take(ports, id, poll)));
    taken.push(...results.filter((one) => one !== undefined));
  }
  if (from < rows.length) wakePoll(namespace.id, queue);
  return taken;
}

/**
 * Takes tasks of a queue for a worker, the highest priority and the oldest first. Waits for the first one, at most until
 * `deadline` (milliseconds since 1970). Each task is leased: it is offered again when the lease is over. Throws `too-many` if
 * it would have to wait and no further request may.
 */
export async function pollTasks(
  ports: WorkerPorts,
  namespace: Namespace,
  queue: string,
  { deadline, ...poll }: Poll & { readonly deadline: number },
) {
  const end = Math.min(ports.clock.now() + durationOf(poll.wait, 'wait', [0, MAX_WAIT_MS]), deadline);
  const taken = await takeSome(ports, namespace, queue, poll);
  const mustWait = taken.length === 0 && ports.clock.now() < end;
  const all = mustWait ? await waitAndTake(ports, { namespace, queue, poll, end }) : taken;
  return Promise.all(all.map((task) => toReply(ports, task)));
}

interface Waiting {
  readonly namespace: Namespace;
  readonly queue: string;
  readonly poll: Poll;
  /** Milliseconds since 1970. */
  readonly end: number;
}

async function waitAndTake(ports: WorkerPorts, { namespace, queue, poll, end }: Waiting): Promise<Leased[]> {
  const slot = await takeSlot(ports, end);
  const waiting = beginWait(() => ports.clock.now(), namespace.id, queue);
  try {
    for (let interval = MIN_INTERVAL_MS; ; interval = Math.min(interval * 2, MAX_INTERVAL_MS)) {
      const left = end - ports.clock.now();
      if (left <= 0) return [];
      const mustRead = await waiting.wait(Math.min(interval, left));
      const taken = mustRead ? await takeSome(ports, namespace, queue, poll) : [];
      if (taken.length > 0) return taken;
    }
  } finally {
    waiting.end();
    await slot.release();
  }
}
