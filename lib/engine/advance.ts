import type { Plan } from '../compiler/plan.ts';
import * as revisions from '../domain/revisions.ts';
import * as runs from '../domain/runs.ts';
import { Conflict } from '../ports.ts';
import { Draft, type EnginePorts, type RunInPlace } from './draft.ts';
import { conclude } from './endings.ts';
import { deadlinesOf, type Left, runSegment } from './segment.ts';
import type { Signal } from './work.ts';

type Ending = Partial<Pick<runs.Run, 'status' | 'code' | 'message'>>;

const endingOf = (left: Left): Ending => {
  if (left.end === 'budget' || left.end === 'pause') return {};
  if (left.end === 'complete') return { status: 'complete' };
  return { status: left.end, code: left.code, message: left.message };
};

function draftOf(ports: EnginePorts, run: runs.Run, plan: Plan, until: number): Draft {
  return new Draft(ports, run, {
    plan,
    until,
    deadlines: deadlinesOf(plan, run.created),
    runInPlace: runInPlace(ports),
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
  return committed.status === 'pending' ? committed : conclude(ports, committed);
}

/** Runs a segment and commits it once. Throws Conflict when another call committed first; nothing is written then. */
export async function advance(
  ports: EnginePorts,
  run: runs.Run,
  revision: revisions.Revision,
  until: number,
  signal: Signal = { kind: 'due' },
): Promise<runs.Run> {
  const draft = draftOf(ports, run, revisions.planOf(revision), until);
  return commit(ports, draft, await runSegment(draft, signal));
}

/**
 * Runs a run that is not stored yet to its end and stores it once, over: it becomes visible and final at one moment.
 * Undefined when it would have to wait or takes too long: then nothing is stored and it is begun anew in a machine.
 */
export function runInPlace(ports: EnginePorts): RunInPlace {
  return async (run, revision, until) => {
    const draft = draftOf(ports, run, revisions.planOf(revision), until);
    const left = await runSegment(draft, { kind: 'due' });
    if (left.end === 'pause' || left.end === 'budget') return undefined;
    try {
      return await commit(ports, draft, left);
    } catch (error) {
      // The id follows from the call, so whoever was first ran the same.
      const stored = error instanceof Conflict ? await runs.find(ports, run.id) : undefined;
      if (stored === undefined) throw error;
      return stored.status === 'pending' ? undefined : stored;
    }
  };
}
