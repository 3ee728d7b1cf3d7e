import type { Work } from '../../compiler/plan/plan.ts';
import { isObject } from '../../language/json.ts';
import { type CallList, CallRound } from '../calls/rounds.ts';
import { evaluate } from '../evaluation/evaluation.ts';
import { failure } from '../evaluation/failures.ts';
import type { Draft } from '../run/unit-of-work.ts';
import { Hold, type Perform, type Resume } from '../run/work.ts';

type Each = Extract<Work, { readonly do: 'each' }>;

async function elementsOf(draft: Draft, { array }: Each): Promise<readonly unknown[]> {
  const elements = await evaluate(array, draft.data);
  if (!Array.isArray(elements)) throw failure('foreach.badArray', 'jq produced non-array output');
  return elements;
}

/** An element is all that its call sees (reference, 10.4). */
function elementAt(elements: readonly unknown[], i: number): unknown {
  const element = elements[i];
  if (element === null) throw failure('jq.badCommand', 'failed to evaluate jq/js: error in jq query .: no results');
  if (isObject(element)) return element;
  throw failure('jq.notObject', 'the `jq` or `js` command produced a non-object output');
}

const listOf = (elements: readonly unknown[], { action, timeout }: Each): CallList => ({
  total: elements.length,
  mode: 'and',
  timeout,
  isLoop: true,
  at: (i) => ({ action, data: elementAt(elements, i) }),
  said: (i, returned) => `[${i}] Action returned. (${returned}/${elements.length})`,
});

function finish(draft: Draft, results: Hold | readonly unknown[]): Hold | undefined {
  if (results instanceof Hold) return results;
  draft.data = { ...draft.data, return: results };
  return undefined;
}

/** Calls the action for every element; `return` is the list of what they return. No element: nothing happens. */
export const each: Perform<'each'> = async (draft, work) => {
  const elements = await elementsOf(draft, work);
  if (elements.length === 0) return undefined;
  draft.log(`Generated ${elements.length} objects to loop over.`);
  return finish(draft, await new CallRound(draft, listOf(elements, work)).advance());
};

export const resumeEach: Resume<'each'> = async (draft, work, _state, pause, signal) => {
  const elements = await elementsOf(draft, work);
  return finish(draft, await new CallRound(draft, listOf(elements, work), pause.calls).resume(signal));
};
