import type { ResumeSignal } from '../../compiler/emit/task-protocol.ts';
import * as runs from '../../domain/runs/runs.ts';
import type { LeftWait } from '../../domain/runs/waits.ts';
import { onConflict } from '../../domain/storage/conflicts.ts';
import * as revisions from '../../domain/tree/revisions.ts';
import { isLarge } from '../../language/json-size.ts';
import { ConflictError } from '../../ports/table.ts';
import { admit } from '../admission/admission.ts';
import { cancelCalls, type Delivery, deliver } from '../delivery/deliver.ts';
import { secretReader } from '../evaluation/secrets.ts';
import { accountOf, OutOfTimeError, onAccountOf } from '../evaluation/tenants.ts';
import { cancelByPast } from '../events/cancelling.ts';
import { countUntilStored, OverRateError } from '../limits/starts.ts';
import type { RunnerPorts } from '../ports.ts';
import { type ChooseExecution, type RunInPlace, StepUnit } from '../run/commit/step-unit.ts';
import type { Ending } from '../run/commit/unit-of-work.ts';
import { type BatchEnd, runBatch } from './batch.ts';
import { deadlinesOf } from './deadlines.ts';

/** How a run is advanced. */
export interface Advance {
  readonly revision: revisions.Revision;
  /** When the batch is cut by a checkpoint, milliseconds since 1970. */
  readonly until: number;
  /** The signal that resumes the run; `due` by default. */
  readonly signal?: ResumeSignal;
  /** As in `Tools`; false by default. */
  readonly isBrief?: boolean;
  /** Chooses the execution of a run that must continue in a machine; by default the run keeps the one that it has. */
  readonly chooseExecution?: ChooseExecution | undefined;
  /** When the batch is given up, milliseconds since 1970; by default never. Given where no machine calls the step again. */
  readonly latest?: number;
  /** The wait that the run leaves, and the tasks that go on where it stands then. */
  readonly leftWait?: LeftWait;
  /** As in `StepUnit`; false by default. */
  readonly holdsEvent?: boolean;
  /** How the last commit is delivered. */
  readonly delivery?: Pick<Delivery<RunnerPorts>, 'listeners' | 'wakeCaller'>;
  /** Called after each commit. */
  readonly onCommit?: () => void;
}

/** Resumes the caller of an ended run in this process. */
export type WakeCaller = NonNullable<Delivery<RunnerPorts>['wakeCaller']>;

/** Why a run does not go on in this process. */
export type Stop =
  | 'ended'
  | 'waits'
  /** A machine continues it: its time here is over, or its work may take long. */
  | 'moves'
  /** Its queries took too long, or the start of a run that it does not wait for is delayed: the last batch was not committed. */
  | 'late'
  /** Another process has committed it. */
  | 'taken over';

/** A run as it was committed last. */
export interface Advanced {
  readonly run: runs.Run;
  /** Absent: it goes on at once. */
  readonly stop?: Stop;
}

/**
 * Runs a batch of a run and commits it once. Throws Conflict when another call
 * committed first, and OutOfTimeError when the batch evaluates queries after `latest`; it then writes nothing.
 */
async function advance(ports: RunnerPorts, run: runs.Run, how: Advance): Promise<Advanced> {
  // The run has ended, so the work of this step is too late.
  if ((await cancelByPast(ports, run)) !== undefined) throw new ConflictError([]);
  const unit = stepUnit(ports, run, how);
  unit.leftWait = how.leftWait;
  unit.holdsEvent = how.holdsEvent ?? false;
  const { latest } = how;
  const timeLeft = latest === undefined ? {} : { timeLeft: () => latest - ports.clock.now() };
  const end = await onAccountOf({ ...accountOf(ports, run), ...timeLeft }, () =>
    runBatch(unit, how.signal ?? { kind: 'due' }),
  );
  await takeTurnToCommit(ports, unit);
  return onConflict(commit(ports, unit, end, how), async (conflict) => {
    await abandon(ports, unit);
    throw conflict;
  });
}

/**
 * Advances a run, with a commit for each batch, until it ends, waits, or must stop here for another reason. Delivers what each
 * commit owes; while the run goes on here, only its events. Throws ConflictError when another process committed before the
 * first batch; after it, such a conflict is the reason why the run stops. Throws OverRateError in a step of a machine.
 */
export async function advanceUntilWait(ports: RunnerPorts, run: runs.Run, how: Advance): Promise<Required<Advanced>> {
  const { signal: _, holdsEvent: __, ...onward } = how;
  let current: Advanced = { run };
  try {
    do {
      if (current.run !== run) await deliver(ports, current.run, { goesOn: true });
      current = await advance(ports, current.run, current.run === run ? how : onward);
    } while (current.stop === undefined);
  } catch (error) {
    const isLeft = error instanceof OverRateError && how.latest !== undefined;
    const stop = isLeft || error instanceof OutOfTimeError ? 'late' : 'taken over';
    if (stop === 'taken over' && (!(error instanceof ConflictError) || current.run === run)) throw error;
    current = { run: current.run, stop };
  }
  const { run: committed, stop = 'ended' } = current;
  if (committed !== run) await deliver(ports, committed, how.delivery);
  const cancelled = stop === 'waits' ? await cancelByPast(ports, committed) : undefined;
  if (cancelled === undefined) return { run: committed, stop };
  return { run: cancelled, stop: cancelled.status === 'pending' ? 'moves' : 'ended' };
}

/** The text of large data takes as long as a turn. */
async function takeTurnToCommit(
  { processor }: RunnerPorts,
  { run, data }: Pick<StepUnit, 'run' | 'data'>,
): Promise<void> {
  if (processor === undefined) return;
  await (isLarge(data) ? processor.takeLargeTurn(run.namespace) : processor.takeTurn(run.namespace));
}

/** How long a state may evaluate queries after the time of the batch is over; a machine repeats it with more time, ms. */
const [BRIEF_GRACE_MS, GRACE_MS] = [2_000, 15_000];

/** When a batch that runs in place is given up: the request, event or tick that began the run ends soon. */
export const latestOf = ({ until, isBrief = false }: Pick<Advance, 'until' | 'isBrief'>): number =>
  until + (isBrief ? BRIEF_GRACE_MS : GRACE_MS);

/**
 * Advances a run that is not stored yet as far as it comes without waiting, and stores it: in most cases when it has
 * ended, so that it becomes visible and final at once; else where it stands, for a machine to take it over, also where its
 * queries take too long. A run that is stored under its id already was started by the same cause and is returned as it is,
 * not committed by this call; a queued run is committed and does not begin. Throws `too-many` where as many runs are active as
 * may be, and what `admit` throws.
 */
export async function beginInPlace(ports: RunnerPorts, run: runs.Run, how: Advance): Promise<runs.Committed> {
  const endBeginning = run.seq === 0 ? countUntilStored(ports, run) : () => undefined;
  const bounded = { ...how, latest: latestOf(how), onCommit: endBeginning };
  const begin = async (): Promise<runs.Committed> => {
    const { run: asked, verdict } = await admit(ports, how.revision, run);
    if (verdict !== 'admitted') return { run: asked, isCommitted: verdict === 'notAdmitted' };
    const { run: advanced, stop } = await advanceUntilWait(ports, asked, bounded);
    if (stop !== 'late' && stop !== 'taken over') return { run: advanced, isCommitted: true };
    const stored = stop === 'late' ? storeWhereItStands(ports, advanced, how) : needStored(ports, run.id);
    const byOther = async () => ({ run: await needStored(ports, run.id), isCommitted: advanced.seq > run.seq });
    return onConflict(
      stored.then((one) => ({ run: one, isCommitted: true })),
      byOther,
    );
  };
  return onConflict(begin(), async (conflict) => {
    const stored = await runs.find(ports, run.id);
    if (stored === undefined) throw conflict;
    return { run: stored, isCommitted: false };
  }).finally(endBeginning);
}

async function needStored(ports: RunnerPorts, id: string): Promise<runs.Run> {
  const stored = await runs.find(ports, id);
  if (stored === undefined) throw new ConflictError([]);
  return stored;
}

/** Commits a run whose batch was given up, as it was before, for a machine. */
async function storeWhereItStands(ports: RunnerPorts, run: runs.Run, { chooseExecution }: Advance): Promise<runs.Run> {
  const execution = await chooseExecution?.(run);
  await takeTurnToCommit(ports, { run, data: run.data });
  return runs.commit(ports, { ...run, ...execution, seq: run.seq + 1 });
}

/** Runs new runs in place, with the time that their callers give them. */
export function runInPlace(ports: RunnerPorts, wakeCaller?: WakeCaller): RunInPlace {
  const delivery = wakeCaller === undefined ? {} : { wakeCaller };
  return async (run, revision, until, chooseExecution) =>
    (await beginInPlace(ports, run, { revision, until, chooseExecution, delivery })).run;
}

function stepUnit(ports: RunnerPorts, run: runs.Run, { revision, until, isBrief = false }: Advance): StepUnit {
  const plan = revisions.planOf(revision);
  return new StepUnit(ports, run, {
    plan,
    source: revision.source,
    until,
    isBrief,
    deadlines: deadlinesOf(plan, run.began ?? run.created),
    runInPlace: runInPlace(ports),
    readSecrets: secretReader(ports, run),
  });
}

async function commit(ports: RunnerPorts, unit: StepUnit, end: BatchEnd, how: Advance): Promise<Advanced> {
  const { run, writes } = await unit.prepareCommit(endingOf(end));
  const stop = stopOf(end, unit.mustMove || ports.clock.now() >= how.until);
  const execution = stop === 'waits' || stop === 'moves' ? await how.chooseExecution?.(run) : undefined;
  const moved = { ...run, ...execution };
  const next = { ...moved, historyEvents: moved.historyEvents + addedEvents(run) };
  // The first commit of a run notes its labels itself; its workflow sets them later where a machine begins it.
  if (next.seq > 1 && next.labels !== unit.run.labels) await runs.noteLabels(ports, next);
  const committed = await runs.commit(ports, next, writes);
  how.onCommit?.();
  return stop === undefined ? { run: committed } : { run: committed, stop };
}

/** Why a run does not go on here after a batch; undefined if it does. */
function stopOf({ end }: BatchEnd, mustMove: boolean): Stop | undefined {
  if (end === 'wait') return 'waits';
  if (end === 'checkpoint') return mustMove ? 'moves' : undefined;
  return 'ended';
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
