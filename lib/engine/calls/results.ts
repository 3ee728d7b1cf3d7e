import type { StepUnit } from '../run/step-unit.ts';
import { Suspend } from '../run/suspension.ts';
import type { Returned, RoundResult } from './round.ts';

/** Puts what the calls of a state returned, or what `pick` takes of it, under `return` in the data; passes on a wait. */
export function keepReturned(
  unit: StepUnit,
  result: RoundResult,
  pick: (returned: Returned) => unknown = ({ results }) => results,
): Suspend | undefined {
  if (result instanceof Suspend) return result;
  unit.data = { ...unit.data, return: pick(result) };
  return undefined;
}
