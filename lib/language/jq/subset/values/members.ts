import { setMember, sortedKeys } from '../../../json.ts';
import { isObject, requireInteger, requireWellFormed, typeError } from './checks.ts';
import { UnknownOutcomeError } from './errors.ts';
import { countSteps } from './run.ts';

/** A JSON object. */
export type JsonObject = Record<string, unknown>;

/** Truth in jq: every value but false and null. */
export function isTruthy(value: unknown): boolean {
  return value !== false && value !== null;
}

/** Returns the keys in the order of gojq, which sorts them. */
export function orderedKeys(object: JsonObject): string[] {
  const keys = sortedKeys(object);
  countSteps(keys.length);
  for (const key of keys) requireWellFormed(key);
  return keys;
}

/** Returns a copy that may be changed. */
export function copyObject(object: JsonObject): JsonObject {
  const copy: JsonObject = {};
  for (const key of orderedKeys(object)) setMember(copy, key, object[key]);
  return copy;
}

/** Returns a copy of the left object with the members of the right one; `join` combines two values of one key. */
export function mergeObjects(
  left: JsonObject,
  right: JsonObject,
  join: (left: unknown, right: unknown) => unknown,
): JsonObject {
  const merged = copyObject(left);
  for (const key of orderedKeys(right))
    setMember(merged, key, Object.hasOwn(merged, key) ? join(merged[key], right[key]) : right[key]);
  return merged;
}

/** Throws UnknownOutcomeError for an absent key with U+FFFD, by which jq has replaced a half surrogate pair. */
export function hasMember(object: JsonObject, key: string): boolean {
  if (Object.hasOwn(object, key)) return true;
  if (requireWellFormed(key).includes('\ufffd')) throw new UnknownOutcomeError();
  return false;
}

/** `value[key]`; of a text, the character, or an empty text behind its end. Throws JqError, and UnknownOutcomeError for a key that is neither a string nor an integer. */
export function memberAt(value: unknown, key: unknown): unknown {
  if (typeof key === 'string') {
    if (isObject(value)) return hasMember(value, key) ? value[key] : null;
  } else if (typeof key === 'number') {
    const index = requireInteger(key);
    if (Array.isArray(value)) return value[index < 0 ? value.length + index : index] ?? null;
    if (typeof value === 'string') return codePoints(value).at(index) ?? '';
  } else {
    throw new UnknownOutcomeError();
  }
  if (value === null) return null;
  throw typeError(value);
}

/** `value[from:to]`; a null bound is an open one. Throws as `memberAt` does. */
export function slice(value: unknown, from: unknown, to: unknown): unknown {
  const start = from === null ? 0 : requireInteger(from);
  const end = to === null ? undefined : requireInteger(to);
  if (value === null) return null;
  if (typeof value === 'string') return codePoints(value).slice(start, end).join('');
  if (!Array.isArray(value)) throw typeError(value);
  const part = value.slice(start, end);
  countSteps(part.length);
  return part;
}

/** Returns the code points of a string, by which jq counts. */
export function codePoints(text: string): string[] {
  countSteps(text.length);
  return [...requireWellFormed(text)];
}

/** Returns the outputs of `.[]`. Throws JqError for a value that is neither an array nor an object. */
export function membersOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) {
    countSteps(value.length);
    return value;
  }
  if (isObject(value)) return orderedKeys(value).map((key) => value[key]);
  throw typeError(value);
}

/** `length`. Throws JqError for a boolean. */
export function lengthOf(value: unknown): number {
  if (value === null) return 0;
  if (typeof value === 'number') return Math.abs(value);
  if (typeof value === 'string') return codePoints(value).length;
  if (Array.isArray(value)) return value.length;
  if (isObject(value)) return orderedKeys(value).length;
  throw typeError(value);
}
