import { takeSlot } from '../../../domain/instances/waiting-requests.ts';
import type { Namespace } from '../../../domain/namespaces/namespaces.ts';
import { type KnownHome, knownNow } from '../../../domain/namespaces/partitions.ts';
import type { Lease } from '../../../domain/runs/calls.ts';
import * as runs from '../../../domain/runs/runs.ts';
import { callTraceparent } from '../../../domain/runs/spans.ts';
import { type Reading, readingsOf, takeable, turnOf } from '../../../domain/workers/queues.ts';
import { parseJson } from '../../../language/json-numbers.ts';
import { toTimestamp } from '../../../time/timestamps.ts';
import { openInput } from '../../native/inputs.ts';
import type { EnginePorts, RunnerPorts } from '../../ports.ts';
import { durationOf, isTakeable, leaseMsOf } from '../../workers/leases.ts';
import type { Task } from '../../workers/offering.ts';
import { beginWait, wakePoll } from '../../workers/waiting-polls.ts';

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
/** Rows of a partition read beyond the wanted number: other workers may take the first ones at the same time. */
const SPARE_ROWS = 20;

/** Returns a task as failed: its time is over, and no call waits for it any more. */
const expired = (ports: EnginePorts, task: runs.Run): runs.Run => ({
  ...task,
  status: 'failed',
  code: `${ports.settings.brand}.cancels.timeout.soft`,
  message: 'operation timed out',
  updated: ports.clock.now(),
});

type Leased = Task & { readonly callee: { readonly lease: Lease } };

/** Takes a task if it may be taken at this moment; undefined: it may not. Of two that take it at once one gets it. */
async function take(ports: EnginePorts, id: string, poll: Poll): Promise<Leased | undefined> {
  const found = await runs.find(ports, id);
  if (found === undefined) return undefined;
  const { run, isCommitted } = await runs.update(ports, found, (current) => {
    const now = ports.clock.now();
    if (!runs.isTask(current) || current.status !== 'pending' || !isTakeable(current.callee, now)) return undefined;
    if (current.site.until <= now) return { run: expired(ports, current) };
    const { notBefore: _, ...callee } = current.callee;
    const until = now + leaseMsOf(poll.lease, callee);
    const lease = { id: ports.clock.uuid(), worker: poll.worker, until };
    return { run: { ...current, callee: { ...callee, taken: callee.taken + 1, lease }, updated: now } };
  });
  return isCommitted && run.status === 'pending' ? (run as Leased) : undefined;
}

/** A task as its worker gets it. */
async function toReply(ports: WorkerPorts, task: Leased) {
  const { id, created, callee, parent, root, trace } = task;
  const { caller, workflow, state, until } = task.site;
  return {
    task: id,
    lease: callee.lease.id,
    leaseUntil: toTimestamp(callee.lease.until),
    until: toTimestamp(until),
    key: callee.key,
    attempt: parent?.k ?? 0,
    taken: callee.taken,
    priority: callee.priority,
    createdAt: toTimestamp(created),
    instance: caller,
    workflow: workflow.path,
    state,
    traceparent: callTraceparent({ id: caller, root, trace }, id),
    input: parseJson(Buffer.from(await openInput(ports, task)).toString()) as unknown,
  };
}

/** A queue, and the poll of a worker. */
interface Polled {
  readonly home: KnownHome;
  readonly queue: string;
  readonly poll: Poll;
}

/**
 * Takes the tasks that a reading finds, at most `most`; none only if the queue had none. Wakes another waiting poll for those
 * that are left.
 */
async function takeOf(
  ports: WorkerPorts,
  { home, queue, poll }: Polled,
  reading: Reading,
  most: number,
): Promise<Leased[]> {
  const tried = new Set<string>();
  for (;;) {
    const limit = most + SPARE_ROWS + tried.size;
    const rows = await takeable(ports, home, { ...reading, queue, now: ports.clock.now(), limit });
    const fresh = rows.filter(({ id }) => !tried.has(id));
    const taken: Leased[] = [];
    let from = 0;
    while (from < fresh.length && taken.length < most) {
      const some = fresh.slice(from, from + most - taken.length);
      from += some.length;
      for (const { id } of some) tried.add(id);
      const results = await Promise.all(some.map(({ id }) => take(ports, id, poll)));
      taken.push(...results.filter((one) => one !== undefined));
    }
    if (from < fresh.length) wakePoll(home.id, queue);
    // Other polls have taken all of these rows at the same time: behind them the queue may have more.
    const mayHaveMore = rows.length >= limit && fresh.length > 0;
    if (taken.length > 0 || !mayHaveMore) return taken;
  }
}

/** A random number of 16 bits. */
const randomNumber = ({ clock }: Pick<WorkerPorts, 'clock'>): number => Number.parseInt(clock.uuid().slice(-4), 16);

/** Takes tasks from all partitions, at most as many as the poll wants. */
async function takeSome(ports: WorkerPorts, polled: Polled): Promise<Leased[]> {
  const taken: Leased[] = [];
  for (const reading of readingsOf(polled.home, randomNumber(ports))) {
    taken.push(...(await takeOf(ports, polled, reading, polled.poll.max - taken.length)));
    if (taken.length >= polled.poll.max) break;
  }
  return taken;
}

/**
 * Takes tasks of a queue for a worker, the highest priority and the oldest first; in a namespace of more than two partitions,
 * of those of some that are chosen at random. Waits for the first one, at most until `deadline` (milliseconds since 1970).
 * Each task is leased: it is offered again when the lease is over. Throws `too-many` if it would have to wait and no further
 * request may.
 */
export async function pollTasks(
  ports: WorkerPorts,
  namespace: Namespace,
  queue: string,
  { deadline, ...poll }: Poll & { readonly deadline: number },
) {
  const { id, name, spread } = namespace;
  const now = ports.clock.now();
  const end = Math.min(now + durationOf(poll.wait, 'wait', [0, MAX_WAIT_MS]), deadline);
  const polled = { home: { id, name, spread, readAt: now }, queue, poll };
  const taken = await takeSome(ports, polled);
  const mustWait = taken.length === 0 && ports.clock.now() < end;
  const all = mustWait ? await waitAndTake(ports, polled, end) : taken;
  return Promise.all(all.map((task) => toReply(ports, task)));
}

/** Reads a part of the queue in each turn, and all of it when a task was offered here. `end`: milliseconds since 1970. */
async function waitAndTake(ports: WorkerPorts, first: Polled, end: number): Promise<Leased[]> {
  const slot = await takeSlot(ports, end);
  const waiting = beginWait(() => ports.clock.now(), first.home.id, first.queue, randomNumber(ports));
  let polled = first;
  try {
    for (let interval = MIN_INTERVAL_MS; ; interval = Math.min(interval * 2, MAX_INTERVAL_MS)) {
      const left = end - ports.clock.now();
      if (left <= 0) return [];
      const wake = await waiting.wait(Math.min(interval, left));
      if (wake === undefined) continue;
      polled = { ...polled, home: await knownNow(ports, polled.home) };
      const taken =
        wake.why === 'offer'
          ? await takeSome(ports, polled)
          : await takeOf(ports, polled, turnOf(polled.home, wake.turn), polled.poll.max);
      if (taken.length > 0) return taken;
    }
  } finally {
    waiting.end();
    await slot.release();
  }
}
