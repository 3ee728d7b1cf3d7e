import { toValue } from '../../language/byte-values.ts';
import { isObject } from '../../language/json.ts';

/** The instance data of an input (rest-api reference, 6.1): an object as it is, any other value under the key `input`. */
export function inputData(input: Uint8Array): Record<string, unknown> {
  const value = toValue(input);
  return isObject(value) ? value : { input: value };
}
