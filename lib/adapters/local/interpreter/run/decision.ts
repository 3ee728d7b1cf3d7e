import type { Clock } from '../../../../ports/clock.ts';
import type { Command } from '../context/command.ts';
import { handleError } from '../context/error-handling.ts';
import { EvaluationContext } from '../context/evaluation-context.ts';
import type { Limits } from '../context/limits.ts';
import { fromStoredError, toStatesError } from '../context/states-error.ts';
import type { Phase, Thread } from '../context/thread.ts';
import { STATE_HANDLERS } from '../states/handlers.ts';
import { startIteration } from '../states/map.ts';

/** The phases in which a thread has work to do at once. */
export type ActivePhase = Extract<Phase, 'item' | 'ready' | 'result' | 'failed'>;

interface Occasion {
  readonly thread: Thread;
  readonly clock: Clock;
  readonly limits: Limits;
}

const DECISIONS: Readonly<Record<ActivePhase, (occasion: Occasion) => Promise<Command>>> = {
  item: async ({ thread, clock, limits }) => {
    const { parent, place } = thread;
    if (!parent) throw new Error('an iteration without a Map');
    const context = new EvaluationContext({ thread: parent, clock, limits, iteration: thread });
    return startIteration(context, parent.branchGroup?.plan.items?.[place]);
  },
  ready: async (occasion) => STATE_HANDLERS[occasion.thread.state.type].enter(new EvaluationContext(occasion)),
  result: async (occasion) => {
    const { state, work } = occasion.thread;
    const { complete } = STATE_HANDLERS[state.type];
    if (!complete) throw new Error(`a state of type ${state.type} waits for no result`);
    return complete(new EvaluationContext(occasion), work ?? 'null');
  },
  failed: async (occasion) => {
    const error = occasion.thread.work ?? '{}';
    const command = await handleError(new EvaluationContext(occasion), error);
    return command ?? { kind: 'propagate', error: fromStoredError(error) };
  },
};

/** Retry and Catch do not apply to an error of their own, nor to an ItemSelector, which belongs to the Map. */
const UNGUARDED: ReadonlySet<Phase> = new Set(['item', 'failed']);

/** Whether a thread in this phase has work to do at once. */
export function isActive(phase: Phase): phase is ActivePhase {
  return Object.hasOwn(DECISIONS, phase);
}

/** Returns the next command of an active thread; an error becomes a command too. Never throws. */
export async function decide(phase: ActivePhase, occasion: Occasion): Promise<Command> {
  try {
    return await DECISIONS[phase](occasion);
  } catch (thrown) {
    return { kind: UNGUARDED.has(phase) ? 'propagate' : 'fail', error: toStatesError(thrown) };
  }
}
