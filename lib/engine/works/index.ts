import type { Exit, StatePlan, Work } from '../../compiler/plan.ts';
import type { Draft } from '../draft.ts';
import { internalFailure } from '../failures.ts';
import type { Perform } from '../work.ts';
import { choose } from './choose.ts';
import { nothing } from './nothing.ts';
import { raise } from './raise.ts';
import { read } from './read.ts';
import { validate } from './validate.ts';
import { write } from './write.ts';

/** The works that need no waiting; a segment is a chain of them. */
const WORKS: { readonly [Kind in Work['do']]?: Perform<Kind> } = { nothing, choose, validate, raise, read, write };

/** Does a state's work. */
export async function perform(draft: Draft, state: StatePlan): Promise<Exit | undefined> {
  const work = WORKS[state.work.do] as Perform<Work['do']> | undefined;
  if (work === undefined) throw internalFailure(`the work '${state.work.do}' waits, and a segment cannot`);
  return work(draft, state.work, state);
}
