import * as runs from '../../domain/runs/runs.ts';
import { onConflict } from '../../domain/storage/conflicts.ts';
import * as revisions from '../../domain/tree/revisions.ts';
import { cancelCalls } from '../calls/cancellation.ts';
import { announceEnd } from '../calls/run-ends.ts';
import { takeTurn } from '../evaluation/processor.ts';
import { secretReader } from '../evaluation/secrets.ts';
import { onAccountOf } from '../evaluation/tenants.ts';
import type { RunnerPorts } from '../ports.ts';
import { publishOutbox } from '../run/outbox.ts';
import { type ChooseExecution, type RunInPlace, StepUnit } from '../run/step-unit.ts';
import type { ResumeSignal } from '../run/suspension.ts';
import type { Ending } from '../run/unit-of-work.ts';
import { type BatchEnd, runBatch } from './batch.ts';
import { deadlinesOf } from './deadlines.ts';

/** How a run is advanced. */
export interface Advance {
  readonly revision: revisions.Revision;
  /** When the batch is cut by a checkpoint, milliseconds since 1970. */
  readonly until: number;
  /** What resumes the run; `due` by default. */
  readonly signal?: ResumeSignal;
  /** As in `Tools`; false by default. */
  readonly isBrief?: boolean;
  readonly chooseExecution?: ChooseExecution | undefined;
  /** Reports the end of the run; by default to its caller's machine. */
  readonly announce?: ((ports: RunnerPorts, run: runs.Run) => Promise<runs.Run>) | undefined;
  /** The wait that the run leaves. */
  readonly woken?: runs.Run['woken'];
}

/**
 * Runs a batch of a run and commits it once. Returns the run as committed. Throws Conflict when another call committed
 * first; then nothing is written.
 */
export async function advance(ports: RunnerPorts, run: runs.Run, how: Advance): Promise<runs.Run> {
  const unit = stepUnit(ports, run, how);
  unit.woken = how.woken;
  const end = await onAccountOf({ id: run.namespaceId }, () => runBatch(unit, how.signal ?? { kind: 'due' }));
  // The text of a large commit takes as long as a turn.
  await takeTurn(ports.clock, run.namespaceId);
  return onConflict(commit(ports, unit, end, how), async (conflict) => {
    await abandon(ports, unit);
    throw conflict;
  });
}

/** Whether a run that runs in place can go on here until `until`. */
export const mayGoOn = ({ status, wait }: runs.Run, now: number, until: number): boolean =>
  status === 'pending' && !wait?.isWaiting && now < until;

/**
 * Advances a run that is not stored yet as far as it comes without waiting, and stores it: in most cases when it has
 * ended, so that it becomes visible and final at once; else where it stands, for a machine to take it over. A run that is
 * stored under its id already was started by the same cause and is returned as it is, not committed by this call.
 */
export function beginInPlace(ports: RunnerPorts, run: runs.Run, how: Advance): Promise<runs.Committed> {
  let current = run;
  const advanceAll = async (): Promise<runs.Committed> => {
    do current = await advance(ports, current, how);
    while (current.machine === '' && mayGoOn(current, ports.clock.now(), how.until));
    return { run: current, isCommitted: true };
  };
  return onConflict(advanceAll(), async (conflict) => {
    const stored = await runs.find(ports, run.id);
    if (stored === undefined) throw conflict;
    return { run: stored, isCommitted: current.seq > run.seq };
  });
}

/** Runs new runs in place, with the time that their callers give them. */
export function runInPlace(ports: RunnerPorts, announce?: Advance['announce']): RunInPlace {
  return async (run, revision, until, chooseExecution) =>
    (await beginInPlace(ports, run, { revision, until, chooseExecution, announce })).run;
}

function stepUnit(ports: RunnerPorts, run: runs.Run, { revision, until, isBrief = false }: Advance): StepUnit {
  const plan = revisions.planOf(revision);
  return new StepUnit(ports, run, {
    plan,
    source: revision.source,
    until,
    isBrief,
    deadlines: deadlinesOf(plan, run.created),
    runInPlace: runInPlace(ports),
    readSecrets: secretReader(ports, run),
  });
}

async function commit(ports: RunnerPorts, unit: StepUnit, end: BatchEnd, how: Advance): Promise<runs.Run> {
  const { run, writes } = await unit.prepareCommit(endingOf(end));
  const mustMove = end.end === 'wait' || unit.mustMove || ports.clock.now() >= how.until;
  const execution = run.status === 'pending' && mustMove ? await how.chooseExecution?.(run) : undefined;
  const next = { ...run, ...execution, historyEvents: run.historyEvents + addedEvents(run) };
  const committed = await runs.commit(ports, next, writes);
  await publishOutbox(ports, committed);
  const { announce = announceEnd } = how;
  return committed.status === 'pending' ? committed : announce(ports, committed);
}

function endingOf(batch: BatchEnd): Ending {
  if (batch.end === 'wait' || batch.end === 'checkpoint') return {};
  if (batch.end === 'complete') return { status: 'complete' };
  return { status: batch.end, code: batch.code, message: batch.message };
}

/** About how many events a wait adds to the history of its execution. */
function addedEvents({ wait }: runs.Run): number {
  if (wait === undefined || !wait.isWaiting) return 0;
  return 20 + 20 * (wait.calls?.waiting.length ?? 0);
}

/** Cancels the calls of a wait that was never committed because the run was ended in the meantime. */
async function abandon(ports: RunnerPorts, { run, caller, wait }: StepUnit): Promise<void> {
  if (wait === undefined) return;
  const now = await runs.find(ports, run.id);
  if (now === undefined || now.status === 'pending' || now.waitCount >= wait.number) return;
  await cancelCalls(ports, caller, wait);
}
