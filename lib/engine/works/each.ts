import { isObject } from '../../language/json.ts';
import type { CallList } from '../calls/list.ts';
import { keepReturned } from '../calls/results.ts';
import { CallRound } from '../calls/round.ts';
import { evaluate } from '../evaluation/evaluation.ts';
import { failure } from '../evaluation/failures.ts';
import type { StepUnit } from '../run/step-unit.ts';
import type { Perform, Resume, WorkOf } from './work.ts';

async function elementsOf(unit: StepUnit, { array }: WorkOf<'each'>): Promise<readonly unknown[]> {
  const elements = await evaluate(array, unit.data);
  if (!Array.isArray(elements)) throw failure('foreach.badArray', 'jq produced non-array output');
  return elements;
}

/** The element is the only data of its call (reference, 10.4). */
function elementAt(elements: readonly unknown[], i: number): unknown {
  const element = elements[i];
  if (element === null) throw failure('jq.badCommand', 'failed to evaluate jq/js: error in jq query .: no results');
  if (isObject(element)) return element;
  throw failure('jq.notObject', 'the `jq` or `js` command produced a non-object output');
}

const listOf = (elements: readonly unknown[], { action, timeout }: WorkOf<'each'>): CallList => ({
  total: elements.length,
  actions: [action],
  mode: 'and',
  timeout,
  isLoop: true,
  callAt: (i) => ({ action, data: elementAt(elements, i) }),
  lineFor: (i, returned) => `[${i}] Action returned. (${returned}/${elements.length})`,
});

/** Calls the action for each element; `return` becomes the list of the results. Without elements it does nothing. */
export const each: Perform<'each'> = async (unit, work) => {
  const elements = await elementsOf(unit, work);
  if (elements.length === 0) return undefined;
  unit.log(`Generated ${elements.length} objects to loop over.`);
  return keepReturned(unit, await new CallRound(unit, listOf(elements, work)).advance());
};

/** Takes in what the calls returned. */
export const resumeEach: Resume<'each'> = async (unit, work, { wait, signal }) => {
  const elements = await elementsOf(unit, work);
  return keepReturned(unit, await new CallRound(unit, listOf(elements, work), wait.calls).resume(signal));
};
