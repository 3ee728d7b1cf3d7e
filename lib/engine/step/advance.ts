import type { Plan } from '../../compiler/plan/plan.ts';
import * as runs from '../../domain/runs/runs.ts';
import * as revisions from '../../domain/tree/revisions.ts';
import { ConflictError } from '../../ports/table.ts';
import { cancelCalls } from '../calls/cancel.ts';
import { secretReader } from '../evaluation/secrets.ts';
import type { EnginePorts, RunnerPorts } from '../ports.ts';
import { conclude } from '../run/endings.ts';
import { sendAll } from '../run/outbox.ts';
import { Draft, type RunInPlace } from '../run/unit-of-work.ts';
import type { Signal } from '../run/work.ts';
import { deadlinesOf, type Left, runSegment } from './batch.ts';

type Ending = Partial<Pick<runs.Run, 'status' | 'code' | 'message'>>;

const endingOf = (left: Left): Ending => {
  if (left.end === 'budget' || left.end === 'pause') return {};
  if (left.end === 'complete') return { status: 'complete' };
  return { status: left.end, code: left.code, message: left.message };
};

function draftOf(ports: RunnerPorts, run: runs.Run, plan: Plan, until: number): Draft {
  return new Draft(ports, run, {
    ports,
    plan,
    until,
    deadlines: deadlinesOf(plan, run.created),
    runInPlace: runInPlace(ports),
    readSecrets: secretReader(ports, run),
  });
}

/** About how many events a pause adds to the history of its execution. */
function eventsOf({ pause }: runs.Run): number {
  if (pause === undefined || !pause.isWaiting) return 0;
  return 20 + 20 * (pause.calls?.waiting.length ?? 0);
}

async function commit(ports: EnginePorts, draft: Draft, left: Left): Promise<runs.Run> {
  const { run, writes } = await draft.settle(endingOf(left));
  const committed = await runs.commit(ports, { ...run, events: run.events + eventsOf(run) }, writes);
  await sendAll(ports, committed);
  return committed.status === 'pending' ? committed : conclude(ports, committed);
}

/**
 * Runs a segment and commits it once. Throws ConflictError when another call committed first; nothing is written then.
 */
export async function advance(
  ports: RunnerPorts,
  run: runs.Run,
  revision: revisions.Revision,
  until: number,
  signal: Signal = { kind: 'due' },
): Promise<runs.Run> {
  const draft = draftOf(ports, run, revisions.planOf(revision), until);
  const left = await runSegment(draft, signal);
  return commit(ports, draft, left).catch(async (error: unknown) => {
    if (error instanceof ConflictError) await abandon(ports, draft);
    throw error;
  });
}

/** The calls of a pause that never came to be, because somebody ended the run meanwhile, end with it. */
async function abandon(ports: RunnerPorts, { run, caller, pause }: Draft): Promise<void> {
  if (pause === undefined) return;
  const now = await runs.find(ports, run.id);
  if (now === undefined || now.status === 'pending' || now.pauses >= pause.number) return;
  await cancelCalls(ports, { ...caller, pause });
}

/**
 * Runs a run that is not stored yet as far as it comes without waiting, and stores it: over in most cases, and then it
 * becomes visible and final at one moment; else where it stands, for a machine to take it up. A run that is stored
 * already is answered as it is: its id follows from what began it, so whoever was first ran the same.
 */
export function runInPlace(ports: RunnerPorts): RunInPlace {
  return async (run, revision, until) => {
    let current = run;
    try {
      do current = await advance(ports, current, revision, until);
      while (current.status === 'pending' && !current.pause?.isWaiting && ports.clock.now() < until);
      return current;
    } catch (error) {
      const stored = error instanceof ConflictError ? await runs.find(ports, run.id) : undefined;
      if (stored === undefined) throw error;
      return stored;
    }
  };
}
