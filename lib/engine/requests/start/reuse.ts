import { isDeepStrictEqual } from 'node:util';
import type { Plan } from '../../../compiler/plan/plan.ts';
import { actionsOf } from '../../../compiler/plan/traits.ts';
import type { RecordedStep } from '../../../domain/runs/records.ts';
import type * as runs from '../../../domain/runs/runs.ts';
import type { CallingVisit, ReusedCalls } from '../../../domain/runs/waits.ts';
import { ownMember } from '../../../language/own-members.ts';

type Data = Readonly<Record<string, unknown>>;

/** A state as a run visited it, or as a repetition will: by the plan, with the data at its entry. */
export interface Entry {
  readonly plan: Plan;
  readonly state: string;
  readonly data: Data;
}

/** How many earlier visits of a state a chain of repetitions remembers. */
const MAX_VISITS = 20;

/** The visits whose calls a repetition takes over: that one, and those that it took over itself. */
function visitsOf({ id, reuse }: runs.Run, { n, origin = 0 }: RecordedStep): readonly CallingVisit[] {
  const earlier = n === 1 ? (reuse?.visits ?? []) : [];
  return [{ id, step: n, origin }, ...earlier].slice(0, MAX_VISITS);
}

/** The functions that a state calls, and their arguments: queries over its data, which the steps of a run evaluate. */
const callsIn = ({ plan, state }: Entry) => {
  const work = ownMember(plan.states, state)?.work;
  const actions = work === undefined ? [] : actionsOf(work);
  const calls = actions.map(({ function: name, input, secrets, files }) => [
    ownMember(plan.functions, name),
    input,
    secrets,
    files,
  ]);
  return { calls, array: work?.do === 'each' ? work.array : undefined };
};

/**
 * The calls that a repetition from a state takes over: those that succeeded, if the state failed or one of its calls did.
 * Undefined for a state whose calls all succeeded: it is repeated as a whole.
 */
export function reuseOf(run: runs.Run, step: RecordedStep, before: Entry, now: Entry): ReusedCalls | undefined {
  if (step.origin === undefined) return undefined;
  const visits = visitsOf(run, step);
  const { results } = step;
  if (results === undefined || !isDeepStrictEqual(callsIn(before), callsIn(now))) return { visits };
  return { visits, results, ...(isDeepStrictEqual(before.data, now.data) ? {} : { before: before.data }) };
}
