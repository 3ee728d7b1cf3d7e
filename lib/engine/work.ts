import type { Exit, StatePlan, Work } from '../compiler/plan.ts';
import type { Draft } from './draft.ts';

/** Does one kind of work for a state. Answers the exit it chose, or undefined for the state's own. Throws StateFailure. */
export type Perform<Kind extends Work['do']> = (
  draft: Draft,
  work: Extract<Work, { readonly do: Kind }>,
  state: StatePlan,
) => Promise<Exit | undefined>;
