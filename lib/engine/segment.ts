import type { Plan, StatePlan } from '../compiler/plan.ts';
import { addDuration, parseDuration } from '../language/durations.ts';
import type { Draft } from './draft.ts';
import { failure, internalFailure, type StateFailure } from './failures.ts';
import { type Next, runState } from './state.ts';
import { nextTurn } from './turns.ts';

/** How a segment was left: the run is over, or it has used up its budget and goes on with `draft.at`. */
export type Left = Exclude<Next, { readonly to: string }> | { readonly end: 'budget' };

/** When a segment stops to commit what it has. */
export interface Budget {
  /** Milliseconds since 1970. */
  readonly until: number;
}

/** A commit is one transaction of at most 100 writes. */
const MOST_VARIABLES = 60;
/** Log lines are text in memory until the commit. */
const MOST_LINES = 4000;
/** Other requests of the process get their turn after this long. */
const LONGEST_TURN_MS = 10;

const DEFAULT_INTERRUPT = 'PT15M';
const DEFAULT_KILL = 'PT20M';
const AFTER_INTERRUPT = 'PT5M';

const at = (from: number, text: string): number => {
  const duration = parseDuration(text);
  if (duration === undefined) throw internalFailure(`'${text}' is not a duration`);
  return addDuration(from, duration);
};

/** When a run started at `from` is interrupted and killed (workflow-language reference, section 8). */
export function deadlinesOf(plan: Plan, from: number): { interrupt: number; kill: number } {
  const { interrupt, kill } = plan.timeouts;
  const soft = at(from, interrupt ?? DEFAULT_INTERRUPT);
  if (kill !== undefined) return { interrupt: soft, kill: at(from, kill) };
  return { interrupt: soft, kill: interrupt === undefined ? at(from, DEFAULT_KILL) : at(soft, AFTER_INTERRUPT) };
}

function timeout(draft: Draft, deadlines: { interrupt: number; kill: number }): StateFailure | undefined {
  const now = draft.ports.clock.now();
  if (draft.raised !== undefined) return undefined;
  if (now >= deadlines.kill) return failure('cancels.timeout.hard', 'workflow timed out');
  if (now < deadlines.interrupt || draft.interrupted) return undefined;
  draft.interrupted = true;
  return failure('cancels.timeout.soft', 'operation timed out');
}

function needState(plan: Plan, id: string): StatePlan {
  const state = Object.hasOwn(plan.states, id) ? plan.states[id] : undefined;
  if (state === undefined) throw internalFailure(`the plan has no state '${id}'`);
  return state;
}

const isSpent = (draft: Draft, budget: Budget): boolean =>
  draft.weight >= MOST_VARIABLES || draft.lines >= MOST_LINES || draft.ports.clock.now() >= budget.until;

/** Runs states one after the other until the run ends or the budget is spent. Commits nothing. */
export async function runSegment(draft: Draft, plan: Plan, budget: Budget): Promise<Left> {
  const deadlines = deadlinesOf(plan, draft.run.created);
  const { clock } = draft.ports;
  let turn = clock.now();
  for (;;) {
    const next = await runState(draft, needState(plan, draft.at), timeout(draft, deadlines));
    if (!('to' in next)) return next;
    draft.at = next.to;
    if (isSpent(draft, budget)) return { end: 'budget' };
    if (clock.now() - turn < LONGEST_TURN_MS) continue;
    await nextTurn();
    turn = clock.now();
  }
}
