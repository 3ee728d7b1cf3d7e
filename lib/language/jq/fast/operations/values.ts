import { isObject, setMember, sortedKeys } from '../../../json.ts';
import { isBuilt, JqError, LONGEST_VALUE, markBuilt, spend, spendText, UnknownOutcomeError } from './run.ts';

export type Json = Record<string, unknown>;

/** jq's truth: all but false and null. */
export function isTrue(value: unknown): boolean {
  return value !== false && value !== null;
}

/** Half a surrogate pair could meet its other half here, but not in jq, which has replaced it before. */
export function whole(text: string): string {
  spendText(text.length);
  if (!text.isWellFormed()) throw new UnknownOutcomeError();
  return text;
}

export function finite(value: number): number {
  if (!Number.isFinite(value)) throw new UnknownOutcomeError();
  return value;
}

/** A place in a list or text, or a count: jq rounds others in ways of its own. */
export function integer(value: unknown): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) throw new UnknownOutcomeError();
  return value;
}

export function listOf(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new UnknownOutcomeError();
  spend(value.length);
  return value;
}

export function textOf(value: unknown): string {
  if (typeof value !== 'string') throw new UnknownOutcomeError();
  return whole(value);
}

/** The keys in jq's order. JavaScript moves keys that look like numbers to the front: then jq's order is lost. */
export function keysOf(object: Json): string[] {
  const keys = storedKeys(object);
  if (keys.length > 1 && isBuilt(object) && /^\d/.test(keys[0] ?? '')) throw new UnknownOutcomeError();
  return keys;
}

function storedKeys(object: Json): string[] {
  const keys = isBuilt(object) ? Object.keys(object) : sortedKeys(object);
  spend(keys.length);
  for (const key of keys) whole(key);
  return keys;
}

/** A copy with its keys in jq's order, to be changed. */
export function copyObject(object: Json): Json {
  const copy: Json = markBuilt({});
  for (const key of storedKeys(object)) setMember(copy, key, object[key]);
  return copy;
}

/** Sets the members of the right one in a copy of the left one; `join` makes one value of two. */
export function mergeObjects(left: Json, right: Json, join: (left: unknown, right: unknown) => unknown): Json {
  const merged = copyObject(left);
  for (const key of storedKeys(right))
    setMember(merged, key, Object.hasOwn(merged, key) ? join(merged[key], right[key]) : right[key]);
  return merged;
}

/** Where jq has replaced half a surrogate pair, a name may mean another one. */
export function hasMember(object: Json, key: string): boolean {
  if (Object.hasOwn(object, key)) return true;
  if (whole(key).includes('\ufffd')) throw new UnknownOutcomeError();
  return false;
}

/** `value[key]`. */
export function index(value: unknown, key: unknown): unknown {
  if (typeof key === 'string') {
    if (isObject(value)) return hasMember(value, key) ? value[key] : null;
  } else if (typeof key === 'number') {
    const place = integer(key);
    if (Array.isArray(value)) return value[place < 0 ? value.length + place : place] ?? null;
  } else {
    throw new UnknownOutcomeError();
  }
  if (value === null) return null;
  throw new JqError();
}

/** `value[from:to]`; the ends may be null. */
export function slice(value: unknown, from: unknown, to: unknown): unknown {
  const start = from === null ? 0 : integer(from);
  const end = to === null ? undefined : integer(to);
  if (value === null) return null;
  if (typeof value === 'string') return characters(value).slice(start, end).join('');
  if (!Array.isArray(value)) throw new JqError();
  const part = value.slice(start, end);
  spend(part.length);
  return part;
}

/** The code points of a text, which are what jq counts. */
export function characters(text: string): string[] {
  spend(text.length);
  return [...whole(text)];
}

/** The outputs of `.[]`. */
export function membersOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) {
    spend(value.length);
    return value;
  }
  if (isObject(value)) return keysOf(value).map((key) => value[key]);
  throw new JqError();
}

/** A text or list of this length is not too long. */
export function within(length: number): void {
  if (length > LONGEST_VALUE) throw new UnknownOutcomeError();
}

export function lengthOf(value: unknown): number {
  if (value === null) return 0;
  if (typeof value === 'number') return Math.abs(value);
  if (typeof value === 'string') return characters(value).length;
  if (Array.isArray(value)) return value.length;
  if (isObject(value)) return storedKeys(value).length;
  throw new JqError();
}
