import * as runs from '../../domain/runs/runs.ts';
import { onConflict } from '../../domain/storage/conflicts.ts';
import * as revisions from '../../domain/tree/revisions.ts';
import { cancelCalls } from '../calls/cancellation.ts';
import { announceEnd } from '../calls/run-ends.ts';
import { secretReader } from '../evaluation/secrets.ts';
import { onAccountOf } from '../evaluation/tenants.ts';
import type { EnginePorts, RunnerPorts } from '../ports.ts';
import { publishOutbox } from '../run/outbox.ts';
import { type RunInPlace, StepUnit } from '../run/step-unit.ts';
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
}

/**
 * Runs a batch of a run and commits it once. Returns the run as committed. Throws Conflict when another call committed
 * first; then nothing is written.
 */
export async function advance(
  ports: RunnerPorts,
  run: runs.Run,
  { revision, until, signal = { kind: 'due' } }: Advance,
): Promise<runs.Run> {
  const unit = stepUnit(ports, run, revision, until);
  const end = await onAccountOf({ id: run.namespaceId }, () => runBatch(unit, signal));
  return onConflict(commit(ports, unit, end), async (conflict) => {
    await abandon(ports, unit);
    throw conflict;
  });
}

/**
 * Advances a run that is not stored yet as far as it comes without waiting, and stores it: in most cases when it has
 * ended, so that it becomes visible and final at once; else where it stands, for a machine to take it over. A run that is
 * stored under its id already was started by the same cause and is returned as it is.
 */
export function runInPlace(ports: RunnerPorts): RunInPlace {
  const advanceAll = async (run: runs.Run, revision: revisions.Revision, until: number): Promise<runs.Run> => {
    let current = run;
    do current = await advance(ports, current, { revision, until });
    while (current.status === 'pending' && !current.wait?.isWaiting && ports.clock.now() < until);
    return current;
  };
  return (run, revision, until) =>
    onConflict(advanceAll(run, revision, until), async (conflict) => {
      const stored = await runs.find(ports, run.id);
      if (stored === undefined) throw conflict;
      return stored;
    });
}

function stepUnit(ports: RunnerPorts, run: runs.Run, revision: revisions.Revision, until: number): StepUnit {
  const plan = revisions.planOf(revision);
  return new StepUnit(ports, run, {
    plan,
    source: revision.source,
    until,
    deadlines: deadlinesOf(plan, run.created),
    runInPlace: runInPlace(ports),
    readSecrets: secretReader(ports, run),
  });
}

async function commit(ports: EnginePorts, unit: StepUnit, end: BatchEnd): Promise<runs.Run> {
  const { run, writes } = await unit.prepareCommit(endingOf(end));
  const committed = await runs.commit(ports, { ...run, historyEvents: run.historyEvents + addedEvents(run) }, writes);
  await publishOutbox(ports, committed);
  return committed.status === 'pending' ? committed : announceEnd(ports, committed);
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
