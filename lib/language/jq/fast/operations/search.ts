import { isObject } from '../../../json.ts';
import { compare, rank } from './order.ts';
import { JqError, spend, UnknownOutcomeError } from './run.ts';
import { characters, hasMember, type Json, textOf } from './values.ts';

/** `contains(part)`. */
export function contains(value: unknown, part: unknown): boolean {
  if (rank(value) !== rank(part)) throw new JqError();
  return holds(value, part);
}

function holds(value: unknown, part: unknown): boolean {
  spend();
  if (typeof value === 'string' && typeof part === 'string') return textOf(value).includes(textOf(part));
  if (Array.isArray(value) && Array.isArray(part))
    return part.every((inner) => value.some((member) => holds(member, inner)));
  if (isObject(value) && isObject(part)) return holdsMembers(value, part);
  return compare(value, part) === 0;
}

function holdsMembers(value: Json, part: Json): boolean {
  return Object.keys(part).every((key) => hasMember(value, key) && holds(value[key], part[key]));
}

/** `has(key)`. */
export function has(value: unknown, key: unknown): boolean {
  if (isObject(value) && typeof key === 'string') return hasMember(value, key);
  if (!Array.isArray(value) || typeof key !== 'number' || !Number.isSafeInteger(key)) throw new UnknownOutcomeError();
  return key >= 0 && key < value.length;
}

/** `index(part)` of a text: where it first stands. */
export function placeOf(value: unknown, part: unknown): number | null {
  const text = textOf(value);
  const at = part === '' ? -1 : text.indexOf(textOf(part));
  return at < 0 ? null : characters(text.slice(0, at)).length;
}
