import { isObject, requireString, typeError } from './checks.ts';
import { UnknownOutcomeError } from './errors.ts';
import { codePoints, hasMember, type JsonObject } from './members.ts';
import { compare, typeOrder } from './order.ts';
import { countSteps } from './run.ts';

/** `contains(part)`. Throws JqError for values of different types. */
export function contains(value: unknown, part: unknown): boolean {
  if (typeOrder(value) !== typeOrder(part)) throw typeError(value, part);
  return includes(value, part);
}

function includes(value: unknown, part: unknown): boolean {
  countSteps();
  if (typeof value === 'string' && typeof part === 'string') return requireString(value).includes(requireString(part));
  if (Array.isArray(value) && Array.isArray(part))
    return part.every((inner) => value.some((member) => includes(member, inner)));
  if (isObject(value) && isObject(part)) return includesMembers(value, part);
  return compare(value, part) === 0;
}

function includesMembers(value: JsonObject, part: JsonObject): boolean {
  return Object.keys(part).every((key) => hasMember(value, key) && includes(value[key], part[key]));
}

/** `has(key)`. Throws UnknownOutcomeError where the key does not suit the value. */
export function has(value: unknown, key: unknown): boolean {
  if (isObject(value) && typeof key === 'string') return hasMember(value, key);
  if (!Array.isArray(value) || typeof key !== 'number' || !Number.isSafeInteger(key)) throw new UnknownOutcomeError();
  return key >= 0 && key < value.length;
}

/** `index(part)` of a string: the index of the first occurrence in code points, null if there is none. */
export function indexIn(value: unknown, part: unknown): number | null {
  const text = requireString(value);
  const at = part === '' ? -1 : text.indexOf(requireString(part));
  return at < 0 ? null : codePoints(text.slice(0, at)).length;
}
