import { limitOf } from '../../domain/concurrency/limits.ts';
import * as concurrency from '../../domain/concurrency/places.ts';
import { ignoreNotFound } from '../../domain/errors.ts';
import * as runs from '../../domain/runs/runs.ts';
import { retryOnConflict } from '../../domain/storage/conflicts.ts';
import * as revisions from '../../domain/tree/revisions.ts';
import { nextOfCall } from '../machines/call-machines.ts';
import { type ExecutionHandle, nextOfFirst, startOrMove } from '../machines/executions.ts';
import type { EnginePorts } from '../ports.ts';
import { LogBuffer } from '../run/commit/log-buffer.ts';
import { type Cancellation, endRun } from './cancellation.ts';

/** The run as it begins: it goes on where it stands. */
export function unqueued(ports: Pick<EnginePorts, 'clock'>, run: runs.Run): runs.Run {
  const { queued, ...rest } = run;
  if (queued === undefined) return run;
  const now = ports.clock.now();
  const begun = { ...rest, began: now, updated: now, executionBegan: now };
  if (run.kind === 'call') return begun;
  const log = new LogBuffer(ports.clock, run);
  log.add('Workflow leaves the queue.', 'info', '');
  return { ...begun, ...log.stored };
}

/** The run as it begins with a place. */
export const admitted = (ports: Pick<EnginePorts, 'clock'>, run: runs.Run, key: string): runs.Run => ({
  ...unqueued(ports, run),
  concurrency: { key },
});

/** A queued run whose workflow is deleted cannot begin. The reconciler delivers its end, as of all that are cancelled. */
export const DELETED: Cancellation = {
  reason: 'cancels.api',
  message: 'the workflow was deleted while the run was queued',
};

interface Turn extends concurrency.Places {
  readonly group: concurrency.Group;
  readonly limit: number;
  /** The holders that keep their places. */
  readonly staying: readonly string[];
}

const newHolders = ({ clock }: Pick<EnginePorts, 'clock'>, { version }: Turn, holders: readonly string[]) => ({
  ...{ holders, before: version, version: clock.uuid(), now: clock.now() },
});

/** The execution in which a queued run of a workflow begins; undefined: the workflow is deleted. */
async function nextExecutionFor(
  ports: EnginePorts,
  run: runs.Run,
  limit: number,
): Promise<ExecutionHandle | undefined> {
  // A workflow that is deleted has no limit, and its revisions may still be in the cache.
  const read = limit === Number.POSITIVE_INFINITY ? revisions.needStored : revisions.need;
  const revision = await read(ports, run.workflowId, run.revision).catch(ignoreNotFound);
  return revision && nextOfFirst(ports, revision, run);
}

/**
 * Gives a place to a queued run and starts it. Returns false for one that has ended: the process that cancelled it crashed
 * before it removed the row. Throws ConflictError if another process changed the places or the run.
 */
async function admitFirst(ports: EnginePorts, turn: Turn, row: concurrency.QueueRow): Promise<boolean> {
  const { group, limit, staying } = turn;
  const run = await runs.find(ports, row.id);
  if (run === undefined || !runs.isQueued(run)) return false;
  const execution = run.kind === 'call' ? await nextOfCall(ports, run) : await nextExecutionFor(ports, run, limit);
  if (execution === undefined) {
    await endRun(ports, run, DELETED);
    return false;
  }
  const next = { ...admitted(ports, run, group.key), ...execution };
  const begun = await runs.commit(
    ports,
    { ...next, seq: run.seq + 1 },
    [
      concurrency.holdersWrite(group, newHolders(ports, turn, [...staying, run.id])),
      { do: 'delete', key: row.at, when: { present: true } },
    ],
    'queued',
  );
  await startOrMove(ports, begun);
  return true;
}

/** Removes the leaving run from the holders and gives one free place to the first queued run. Returns whether to call it again. */
async function handOverOne(
  ports: EnginePorts,
  group: concurrency.Group,
  leaving: string | undefined,
): Promise<boolean> {
  const { table } = ports;
  const places = await concurrency.read(table, group, 1);
  const [first] = places.queue;
  const remaining = places.holders.filter((text) => concurrency.holderOf(text).id !== leaving);
  const isLeaving = remaining.length < places.holders.length;
  const limit = first === undefined ? 0 : await limitOf(table, group.owner);
  const isFull = remaining.length >= limit;
  // The process that ended a holder may have crashed before it released the place.
  const staying =
    first !== undefined && isFull && !isLeaving
      ? await concurrency.pendingOf(table, remaining, ports.clock.now())
      : remaining;
  const turn = { ...places, group, limit, staying };
  if (first !== undefined && staying.length < limit) {
    if (await admitFirst(ports, turn, first)) return staying.length + 1 < limit;
    await table.write([{ do: 'delete', key: first.at }]);
    return true;
  }
  if (staying.length === places.holders.length) return false;
  await table.write([concurrency.holdersWrite(group, newHolders(ports, turn, staying))]);
  // A run that came to the queue after it was read has seen no free place.
  return true;
}

/**
 * Gives the free places of a group to its queued runs, in their order, and starts these; before, a run that has ended leaves its
 * place. A place is released and given in one transaction. Idempotent.
 */
export async function handOver(ports: EnginePorts, group: concurrency.Group, leaving?: string): Promise<void> {
  while (await retryOnConflict(() => handOverOne(ports, group, leaving)));
}

/** Lets a change of the limit of a workflow act at once: free places go to the runs that are queued. */
export async function handOverAll(ports: EnginePorts, workflowId: string): Promise<void> {
  for await (const group of concurrency.queuedGroups(ports.table, workflowId)) await handOver(ports, group);
}

/** Releases what an ended run has in the concurrency of its workflow: its place, which the next one takes, or its row in the queue. */
export async function release(ports: EnginePorts, run: runs.Run): Promise<void> {
  const group = concurrency.groupOf(run);
  const queuedAt = run.concurrency?.queuedAt;
  if (queuedAt === undefined) return handOver(ports, group, run.id);
  await ports.table.write([{ do: 'delete', key: concurrency.queueEntryOf(group, queuedAt) }]);
}
