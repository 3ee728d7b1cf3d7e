import type { WorkOf } from '../../compiler/plan/plan.ts';
import { isObject } from '../../language/json.ts';
import { evaluate } from '../evaluation/evaluation.ts';
import { failure } from '../evaluation/failures.ts';

/** The elements of a loop. Throws the catchable `foreach.badArray` for a value that is no list. */
export async function elementsOf({ array }: WorkOf<'each'>, data: unknown): Promise<readonly unknown[]> {
  const elements = await evaluate(array, data);
  if (Array.isArray(elements)) return elements;
  throw failure('foreach.badArray', 'jq produced non-array output', { query: array, data, result: elements });
}

/**
 * The element is the only data of its call (reference, 10.4). Throws the catchable `jq.notObject` for an element that is
 * no object.
 */
export function elementAt(elements: readonly unknown[], i: number): unknown {
  const element = elements[i];
  if (isObject(element)) return element;
  const evaluated = { result: element, hints: [`element ${i} of the array is no object`] };
  if (element === null) {
    throw failure('jq.badCommand', 'failed to evaluate jq/js: error in jq query .: no results', evaluated);
  }
  throw failure('jq.notObject', 'the `jq` or `js` command produced a non-object output', evaluated);
}
