import type { Clock } from '../../../../ports/clock.ts';
import { type Move, Scene } from '../context/evaluation-context.ts';
import { ERRORS, failureOf, StateFailure } from '../context/failure.ts';
import type { Limits } from '../context/limits.ts';
import { recover } from '../context/recovery.ts';
import type { Phase, Thread } from '../context/thread.ts';
import { KINDS } from '../states/kinds.ts';
import { selectItem } from '../states/map.ts';

/** The phases in which a thread has something to do by itself. */
export type ActivePhase = Extract<Phase, 'item' | 'ready' | 'result' | 'failed'>;

interface Occasion {
  readonly thread: Thread;
  readonly clock: Clock;
  readonly limits: Limits;
}

type Act = (occasion: Occasion) => Promise<Move>;

const ACTS: Readonly<Record<ActivePhase, Act>> = {
  item: async ({ thread, clock, limits }) => {
    const { parent, place } = thread;
    if (!parent) throw new Error('an item without a Map');
    const item = parent.family?.plan.items?.[place];
    return selectItem(new Scene(parent, clock, limits, thread), item);
  },
  ready: async (occasion) => KINDS[occasion.thread.step.type].enter(sceneOf(occasion)),
  result: async (occasion) => {
    const { step, work } = occasion.thread;
    const { leave } = KINDS[step.type];
    if (!leave) throw new Error(`a state of type ${step.type} waits for no result`);
    return leave(sceneOf(occasion), work ?? 'null');
  },
  failed: async (occasion) => {
    const work = occasion.thread.work ?? '{}';
    return (await recover(sceneOf(occasion), work)) ?? { move: 'give-up', failure: failureOf(work) };
  },
};

// The Retry and Catch of a state do not guard themselves, nor the choice of an item, which belongs to the Map.
const UNGUARDED: ReadonlySet<Phase> = new Set(['item', 'failed']);

export function isActive(phase: Phase): phase is ActivePhase {
  return Object.hasOwn(ACTS, phase);
}

/** What an active thread does next; a failure is a move as well. Never throws. */
export async function decide(phase: ActivePhase, occasion: Occasion): Promise<Move> {
  try {
    return await ACTS[phase](occasion);
  } catch (thrown) {
    return { move: UNGUARDED.has(phase) ? 'give-up' : 'fail', failure: toFailure(thrown) };
  }
}

function sceneOf({ thread, clock, limits }: Occasion): Scene {
  return new Scene(thread, clock, limits);
}

/** A fault of the interpreter itself is a States.Runtime, as in Step Functions. */
export function toFailure(thrown: unknown): StateFailure {
  if (thrown instanceof StateFailure) return thrown;
  return new StateFailure(ERRORS.runtime, thrown instanceof Error ? thrown.message : String(thrown));
}
