import * as runs from '../../domain/runs/runs.ts';
import { onConflict } from '../../domain/storage/conflicts.ts';
import * as revisions from '../../domain/tree/revisions.ts';
import { isLarge } from '../../language/json-size.ts';
import { ConflictError } from '../../ports/table.ts';
import { cancelCalls } from '../calls/cancellation.ts';
import { announceEnd } from '../calls/run-ends.ts';
import { cancelByPast } from '../cancelling/by-event.ts';
import { takeLargeTurn } from '../evaluation/large-turns.ts';
import { takeTurn } from '../evaluation/processor.ts';
import { secretReader } from '../evaluation/secrets.ts';
import { OutOfTimeError, onAccountOf } from '../evaluation/tenants.ts';
import { countUntilStored } from '../limits/starts.ts';
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
  /** The signal that resumes the run; `due` by default. */
  readonly signal?: ResumeSignal;
  /** As in `Tools`; false by default. */
  readonly isBrief?: boolean;
  readonly chooseExecution?: ChooseExecution | undefined;
  /** Reports the end of the run; by default to its caller's machine. */
  readonly announce?: ((ports: RunnerPorts, run: runs.Run) => Promise<runs.Run>) | undefined;
  /** When the batch is given up, milliseconds since 1970; by default never. */
  readonly latest?: number;
  /** The wait that the run leaves. */
  readonly woken?: runs.Run['woken'];
  /** As in `StepUnit`; false by default. */
  readonly holdsEvent?: boolean;
}

/**
 * Runs a batch of a run and commits it once. Returns the run as committed. Throws Conflict when another call committed
 * first, and OutOfTimeError when the batch evaluates queries after `latest`; it then writes nothing.
 */
export async function advance(ports: RunnerPorts, run: runs.Run, how: Advance): Promise<runs.Run> {
  // The run has ended, so the work of this step is too late.
  if ((await cancelByPast(ports, run)) !== undefined) throw new ConflictError([]);
  const unit = stepUnit(ports, run, how);
  unit.woken = how.woken;
  unit.holdsEvent = how.holdsEvent ?? false;
  const { latest } = how;
  const timeLeft = latest === undefined ? {} : { timeLeft: () => latest - ports.clock.now() };
  const account = {
    id: run.namespaceId,
    ...timeLeft,
    takeLargeTurn: () => takeLargeTurn(ports.clock, run.namespaceId),
  };
  const end = await onAccountOf(account, () => runBatch(unit, how.signal ?? { kind: 'due' }));
  await takeTurnToCommit(ports, unit);
  return onConflict(commit(ports, unit, end, how), async (conflict) => {
    await abandon(ports, unit);
    throw conflict;
  });
}

/** The text of large data takes as long as a turn. */
function takeTurnToCommit({ clock }: RunnerPorts, { run, data }: Pick<StepUnit, 'run' | 'data'>): Promise<void> {
  return isLarge(data) ? takeLargeTurn(clock, run.namespaceId) : takeTurn(clock, run.namespaceId);
}

/** A state may evaluate queries for so long after the time of the batch; a machine does it again, and has more, ms. */
const [BRIEF_GRACE_MS, GRACE_MS] = [2_000, 15_000];

/** When a batch that runs in place is given up: the request, event or tick that began the run ends soon. */
export const latestOf = ({ until, isBrief = false }: Pick<Advance, 'until' | 'isBrief'>): number =>
  until + (isBrief ? BRIEF_GRACE_MS : GRACE_MS);

/** Whether a run that runs in place can go on here until `until`. */
export const mayGoOn = ({ status, wait }: runs.Run, now: number, until: number): boolean =>
  status === 'pending' && !wait?.isWaiting && now < until;

/**
 * Advances a run that is not stored yet as far as it comes without waiting, and stores it: in most cases when it has
 * ended, so that it becomes visible and final at once; else where it stands, for a machine to take it over, also where its
 * queries take too long. A run that is stored under its id already was started by the same cause and is returned as it is,
 * not committed by this call. Throws `too-many` where as many runs are active as may be.
 */
export async function beginInPlace(ports: RunnerPorts, run: runs.Run, how: Advance): Promise<runs.Committed> {
  let current = run;
  const bounded = { ...how, latest: latestOf(how) };
  const endBeginning = run.seq === 0 ? countUntilStored(ports, run) : () => undefined;
  const advanceAll = async (): Promise<runs.Committed> => {
    try {
      current = await advance(ports, current, bounded);
      endBeginning();
      while (current.machine === '' && mayGoOn(current, ports.clock.now(), how.until))
        current = await advance(ports, current, bounded);
    } catch (error) {
      if (!(error instanceof OutOfTimeError)) throw error;
      current = await storeWhereItStands(ports, current, how);
    }
    return { run: current, isCommitted: true };
  };
  return onConflict(advanceAll(), async (conflict) => {
    const stored = await runs.find(ports, run.id);
    if (stored === undefined) throw conflict;
    return { run: stored, isCommitted: current.seq > run.seq };
  }).finally(endBeginning);
}

/** Commits a run whose batch was given up, as it was before, for a machine. */
async function storeWhereItStands(ports: RunnerPorts, run: runs.Run, { chooseExecution }: Advance): Promise<runs.Run> {
  const execution = await chooseExecution?.(run);
  await takeTurnToCommit(ports, { run, data: run.data });
  return runs.commit(ports, { ...run, ...execution, seq: run.seq + 1 });
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
  // The first commit of a run notes its labels itself; its workflow sets them later where a machine begins it.
  if (next.seq > 1 && next.labels !== unit.run.labels) await runs.noteLabels(ports, next);
  const committed = await runs.commit(ports, next, writes);
  await publishOutbox(ports, committed);
  if (committed.wait?.isWaiting) {
    const cancelled = await cancelByPast(ports, committed);
    if (cancelled !== undefined) return cancelled;
  }
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
