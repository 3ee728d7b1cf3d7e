import type { CatchPlan, Plan, StatePlan } from '../compiler/plan/plan.ts';
import { exitsOf } from '../compiler/plan/traits.ts';
import { ownMember } from '../language/own-members.ts';
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
  /** Entries of catch lists; one of the workflow's list counts once for all states. */
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

/** The names of all entries of catch lists. An entry of the workflow is the same object in the lists of several states. */
function catchNames(states: readonly StatePlan[]): ReadonlyMap<CatchPlan, string> {
  const names = new Map<CatchPlan, string>();
  for (const { id, catch: list } of states) {
    for (const [index, one] of list.entries())
      names.set(one, names.has(one) ? `catch of the workflow: ${one.error}` : `${id}: catch[${index}] ${one.error}`);
  }
  return names;
}

function reachedOf(all: readonly string[], seen: ReadonlySet<string>): Reached {
  const missed = all.filter((one) => !seen.has(one));
  return { reached: all.length - missed.length, total: all.length, missed };
}

/** The coverage of a workflow by runs of it. */
export function coverageOf(plan: Plan, runs: readonly ObservedRun[]): Coverage {
  const states = Object.values(plan.states);
  const names = catchNames(states);
  const caught = runs.flatMap((run) =>
    run.caught.map(({ state, index }) => ownMember(plan.states, state)?.catch[index]),
  );
  return {
    states: reachedOf(Object.keys(plan.states), new Set(runs.flatMap((run) => run.states))),
    transitions: reachedOf(
      states.flatMap(transitionsOf),
      new Set(runs.flatMap((run) => run.transitions.map(([from, to]) => arrow(from, to)))),
    ),
    catches: reachedOf([...names.values()], new Set(caught.flatMap((one) => (one && names.get(one)) ?? []))),
  };
}
