import type { Plan, StatePlan } from '../compiler/plan/plan.ts';
import { exitsOf } from '../compiler/plan/traits.ts';
import type { ObservedRun } from './observation.ts';

/** How much of something the cases have reached. */
export interface Reached {
  readonly reached: number;
  readonly total: number;
  /** The parts that no case has reached, in the workflow's order: `charge`, `charge → refund`, `charge: bank.busy`. */
  readonly missed: readonly string[];
}

/** How much of a workflow the cases have reached. */
export interface Coverage {
  readonly states: Reached;
  /** From state to state, and to the end of the run. */
  readonly transitions: Reached;
  /** Entries of catch lists. */
  readonly catches: Reached;
}

const END = 'the end';
const arrow = (from: string, to: string | undefined): string => `${from} → ${to ?? END}`;

/** The transitions of a state to others and to the end, without those of its catch list. */
function transitionsOf({ id, exit, work }: StatePlan): string[] {
  const chosen = exitsOf(work);
  // Work that chooses an exit never takes that of its state.
  const exits = chosen.length > 0 ? chosen : [exit];
  return [...new Set(exits.map(({ transition }) => arrow(id, transition || undefined)))];
}

const catchName = (state: string, error: string, index: number): string => `${state}: catch[${index}] ${error}`;

function reachedOf(all: readonly string[], seen: ReadonlySet<string>): Reached {
  const missed = all.filter((one) => !seen.has(one));
  return { reached: all.length - missed.length, total: all.length, missed };
}

/** The coverage of a workflow by runs of it. */
export function coverageOf(plan: Plan, runs: readonly ObservedRun[]): Coverage {
  const states = Object.values(plan.states);
  const caught = runs.flatMap((run) => run.caught.map(({ state, index }) => `${state} ${index}`));
  const catches = states.flatMap(({ id, catch: list }) => list.map(({ error }, index) => ({ id, error, index })));
  const reachedCatches = catches
    .filter(({ id, index }) => caught.includes(`${id} ${index}`))
    .map(({ id, error, index }) => catchName(id, error, index));
  return {
    states: reachedOf(Object.keys(plan.states), new Set(runs.flatMap((run) => run.states))),
    transitions: reachedOf(
      states.flatMap(transitionsOf),
      new Set(runs.flatMap((run) => run.transitions.map(([from, to]) => arrow(from, to)))),
    ),
    catches: reachedOf(
      catches.map(({ id, error, index }) => catchName(id, error, index)),
      new Set(reachedCatches),
    ),
  };
}
