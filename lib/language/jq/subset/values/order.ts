import { sortedKeys } from '../../../json.ts';
import { isObject, requireWellFormed } from './checks.ts';
import type { JsonObject } from './members.ts';
import { countCharacters, countSteps } from './run.ts';

/** jq's order of types. */
const TYPE_ORDER: Readonly<Record<string, number>> = {
  null: 0,
  false: 1,
  true: 2,
  number: 3,
  string: 4,
  array: 5,
  object: 6,
};

/** Returns the position of the value's type in jq's order of types. Throws UnknownOutcomeError for an ExactNumber. */
export function typeOrder(value: unknown): number {
  if (isObject(value)) return TYPE_ORDER['object'] ?? 0;
  const isWord = value === null || typeof value === 'boolean';
  return TYPE_ORDER[isWord ? String(value) : Array.isArray(value) ? 'array' : typeof value] ?? 0;
}

const SURROGATE = /[\ud800-\udfff]/;

/** Compares by UTF-8 bytes, as jq does: UTF-16 units order surrogate pairs differently. */
function compareStrings(left: string, right: string): number {
  countCharacters(Math.min(left.length, right.length));
  if (SURROGATE.test(left) || SURROGATE.test(right))
    return Buffer.compare(Buffer.from(requireWellFormed(left)), Buffer.from(requireWellFormed(right)));
  return left < right ? -1 : 1;
}

function compareArrays(left: readonly unknown[], right: readonly unknown[]): number {
  const length = Math.min(left.length, right.length);
  for (let at = 0; at < length; at += 1) {
    const order = compare(left[at], right[at]);
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

function compareObjects(left: JsonObject, right: JsonObject): number {
  const keys = sortedKeys(left);
  const byKeys = compareArrays(keys.map(requireWellFormed), sortedKeys(right).map(requireWellFormed));
  if (byKeys !== 0) return byKeys;
  for (const key of keys) {
    const order = compare(left[key], right[key]);
    if (order !== 0) return order;
  }
  return 0;
}

/**
 * Returns a negative number, zero or a positive number, as jq orders the two values: by type first, objects by their
 * keys before their values.
 */
export function compare(left: unknown, right: unknown): number {
  countSteps();
  if (left === right) return 0;
  const byType = typeOrder(left) - typeOrder(right);
  if (byType !== 0) return byType;
  if (typeof left === 'number' && typeof right === 'number') return left - right;
  if (typeof left === 'string' && typeof right === 'string') return compareStrings(left, right);
  if (Array.isArray(left) && Array.isArray(right)) return compareArrays(left, right);
  return compareObjects(left as JsonObject, right as JsonObject);
}

/** A value and the key by which it is ordered. */
export interface Keyed {
  readonly key: unknown;
  readonly value: unknown;
}

/** Returns the members in the order of their keys; members of equal keys keep their order. */
export function sortKeyed(members: readonly Keyed[]): Keyed[] {
  return [...members].sort((left, right) => compare(left.key, right.key));
}

/** Returns one group of values for each key, in the order of the keys. */
export function groupKeyed(members: readonly Keyed[]): unknown[][] {
  const groups: unknown[][] = [];
  let last: Keyed | undefined;
  for (const one of sortKeyed(members)) {
    if (last !== undefined && compare(last.key, one.key) === 0) groups.at(-1)?.push(one.value);
    else groups.push([one.value]);
    last = one;
  }
  return groups;
}

/** Returns the value of the least key (the first of several) or of the greatest (the last of several); null if there is none. */
export function extremeOf(members: readonly Keyed[], which: 'least' | 'greatest'): unknown {
  let [best] = members;
  for (const one of members.slice(1))
    if (best === undefined || compare(one.key, best.key) < 0 === (which === 'least')) best = one;
  return best === undefined ? null : best.value;
}
