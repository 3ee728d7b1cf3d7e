import { rulesOf, type ScopeRules } from '../../domain/concurrency/limits.ts';
import * as concurrency from '../../domain/concurrency/places.ts';
import { ignoreNotFound } from '../../domain/errors.ts';
import * as runs from '../../domain/runs/runs.ts';
import { retryOnConflict } from '../../domain/storage/conflicts.ts';
import * as revisions from '../../domain/tree/revisions.ts';
import type { Write } from '../../ports/table.ts';
import { heldExecution, nextOfCall } from '../machines/call-machines.ts';
import { type ExecutionHandle, nextOfFirst, startOrMove } from '../machines/executions.ts';
import type { EnginePorts } from '../ports.ts';
import { LogBuffer } from '../run/commit/log-buffer.ts';
import { type Cancellation, endRun } from './cancellation.ts';
import { countedBy, isCallCountedInPlace, isCountedInPlace, nextOf } from './rate-counts.ts';

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
  readonly rules: ScopeRules;
  /** The holders that keep their places. */
  readonly staying: readonly string[];
}

const newHolders = ({ clock }: Pick<EnginePorts, 'clock'>, { version }: Turn, holders: readonly string[]) => ({
  ...{ holders, before: version, version: clock.uuid(), now: clock.now() },
});

/** A rate, and the value of its key for a run. */
interface Rate {
  readonly rule: NonNullable<ScopeRules['rate']>;
  readonly key: string;
}

/** How a queued run goes on with a place. */
interface Beginning {
  readonly execution: ExecutionHandle;
  /** Counts it before; absent: nothing does, or did when it was queued. */
  readonly rate?: Rate | undefined;
}

function beginningOfCall(call: runs.Call, { rate }: ScopeRules, execution: ExecutionHandle): Beginning {
  const { limits } = call.site;
  const isCounted = rate !== undefined && limits !== undefined && isCallCountedInPlace(limits);
  return { execution, rate: isCounted ? { rule: rate, key: limits.rateKey } : undefined };
}

/** How a queued run begins; undefined: its workflow is deleted. */
async function beginningOf(ports: EnginePorts, run: runs.Run, { rules }: Turn): Promise<Beginning | undefined> {
  if (run.kind === 'call') return beginningOfCall(run, rules, await nextOfCall(ports, run));
  // A workflow that is deleted has no limit, and its revisions may still be in the cache.
  const read = rules.limit === undefined ? revisions.needStored : revisions.need;
  const revision = await read(ports, run.workflowId, run.revision).catch(ignoreNotFound);
  if (revision === undefined) return undefined;
  const plan = revisions.planOf(revision);
  const key = plan.rate?.key === undefined ? '' : (run.concurrency?.key ?? '');
  const rate = plan.rate && isCountedInPlace(plan) ? { rule: plan.rate, key } : undefined;
  return { execution: await nextOfFirst(ports, revision, run), rate };
}

/** The run as it begins with a place, or as it keeps that until the rate lets it begin, and the write that counts it. */
async function placed(
  ports: EnginePorts,
  run: runs.Run,
  { owner, key }: concurrency.Group,
  { execution, rate }: Beginning,
): Promise<{ readonly next: runs.Run; readonly writes: readonly Write[] }> {
  const isUncounted = rate !== undefined && run.hold?.by !== 'rate';
  const start = isUncounted ? await nextOf(ports, run.id, rate.rule, { owner, key: rate.key }) : undefined;
  if (rate === undefined || start === undefined) {
    return { next: { ...admitted(ports, run, key), ...execution }, writes: [] };
  }
  const counted = { ...run, hold: countedBy(rate.key, start) };
  const next = start.isFree
    ? { ...admitted(ports, counted, key), ...execution }
    : { ...counted, concurrency: { key }, ...(await heldExecution(ports, run)) };
  return { next, writes: [start.write] };
}

/**
 * Gives a place to a queued run and starts it. Returns false for one that has ended: the process that cancelled it crashed
 * before it removed the row. Throws ConflictError if another process changed the places or the run.
 */
async function admitFirst(ports: EnginePorts, turn: Turn, row: concurrency.QueueRow): Promise<boolean> {
  const { group, staying } = turn;
  const run = await runs.find(ports, row.id);
  if (run === undefined || !runs.isQueued(run)) return false;
  const beginning = await beginningOf(ports, run, turn);
  if (beginning === undefined) {
    await endRun(ports, run, DELETED);
    return false;
  }
  const { next, writes } = await placed(ports, run, group, beginning);
  const begun = await runs.commit(
    ports,
    { ...next, seq: run.seq + 1 },
    [
      ...writes,
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
  // A run that is queued has no place: an earlier version may have stored it as a holder too.
  const idOf = (text: string) => concurrency.holderOf(text).id;
  const remaining = places.holders.filter((text) => idOf(text) !== leaving && idOf(text) !== first?.id);
  const isLeaving = remaining.length < places.holders.length;
  const rules = first === undefined ? {} : await rulesOf(table, group.owner);
  const limit = first === undefined ? 0 : (rules.limit ?? Number.POSITIVE_INFINITY);
  const isFull = remaining.length >= limit;
  // The process that ended a holder may have crashed before it released the place.
  const staying =
    first !== undefined && isFull && !isLeaving
      ? await concurrency.pendingOf(table, remaining, ports.clock.now())
      : remaining;
  const turn = { ...places, group, rules, staying };
  if (first !== undefined && staying.length < limit) {
    if (await admitFirst(ports, turn, first)) return staying.length + 1 < limit;
    await table.write([{ do: 'delete', key: first.at }]);
    return true;
  }
  if (staying.length === places.holders.length) return false;
  await table.write([concurrency.holdersWrite(group, newHolders(ports, turn, staying))]);
  // A call that came to the queue after it was read has seen a lease. One that sees a run or a call that has ended gives itself the place.
  return places.holders.some((text) => concurrency.holderOf(text).lease !== undefined && !staying.includes(text));
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
