import { elementAt, elementsOf } from '../../calls/elements.ts';
import type { CallList } from '../../calls/list.ts';
import { CallRound, keepReturned, type Returned } from '../../calls/round.ts';
import type { Perform, Resume, WorkOf } from './work.ts';

const listOf = (elements: readonly unknown[], { action, width, collect, timeout }: WorkOf<'each'>): CallList => ({
  total: elements.length,
  actions: [action],
  mode: collect === undefined ? 'and' : 'collect',
  width,
  timeout,
  isLoop: true,
  callAt: (i) => ({ action, data: elementAt(elements, i) }),
  lineFor: (i, returned) => `[${i}] Action returned. (${returned}/${elements.length})`,
});

/** The value of `return`: the list of the results; for a state that collects errors, both lists. */
const pickOf =
  ({ collect }: WorkOf<'each'>) =>
  ({ results, errors }: Returned): unknown => {
    if (collect === undefined) return results;
    return { results, errors: errors.map(({ i, code, message }) => ({ index: i, code, message })) };
  };

/**
 * Calls the action for each element; `return` becomes the list of the results. Without elements it makes no call, and
 * leaves `return` as it is unless it collects errors.
 */
export const each: Perform<'each'> = async (unit, work) => {
  const elements = await elementsOf(work, unit.data);
  const pick = pickOf(work);
  if (elements.length === 0) {
    return work.collect === undefined ? undefined : keepReturned(unit, { results: [], errors: [] }, pick);
  }
  unit.log(`Generated ${elements.length} objects to loop over.`);
  return keepReturned(unit, await new CallRound(unit, listOf(elements, work)).advance(), pick);
};

/** Takes in the results of the calls. */
export const resumeEach: Resume<'each'> = async (unit, work, { wait, signal }) => {
  const elements = await elementsOf(work, unit.data);
  return keepReturned(unit, await new CallRound(unit, listOf(elements, work), wait.calls).resume(signal), pickOf(work));
};
