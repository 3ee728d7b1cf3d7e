import { isObject } from '../../../language/json.ts';
import { isNumber } from '../../../language/json-numbers.ts';
import { evaluate } from '../../evaluation/evaluation.ts';
import { StateError } from '../../evaluation/failures.ts';
import type { Perform } from './work.ts';

/** Whether a condition's value counts as true (workflow-language reference, 10.6); every text does that is not empty. */
export function isTrue(value: unknown): boolean {
  if (isNumber(value)) return Number(value) !== 0;
  if (Array.isArray(value)) return value.length > 0;
  return isObject(value) ? Object.keys(value).length > 0 : Boolean(value);
}

/** Takes the first branch whose condition is true, else the default. */
export const choose: Perform<'choose'> = async (unit, work) => {
  for (const [index, branch] of work.conditions.entries()) {
    const value = await evaluate(branch.condition, unit.data).catch((error: unknown) => {
      if (!(error instanceof StateError)) throw error;
      const detail = `switch condition ${index} condition failed to run: ${error.message}`;
      throw new StateError(error.kind, error.code, error.message, { detail, evaluated: error.evaluated });
    });
    if (!isTrue(value)) continue;
    unit.log(`Switch condition ${index} succeeded`);
    unit.recorder.note({ because: `condition ${index}` });
    return branch;
  }
  unit.log('No switch conditions succeeded');
  unit.recorder.note({ because: 'default' });
  return work.otherwise;
};
