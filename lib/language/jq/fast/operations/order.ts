import { sortedKeys } from '../../../json.ts';
import { spend, spendText } from './run.ts';
import { type Json, whole } from './values.ts';

const RANKS: Readonly<Record<string, number>> = {
  null: 0,
  false: 1,
  true: 2,
  number: 3,
  string: 4,
  array: 5,
  object: 6,
};

/** The place of the value's type in jq's order of types. */
export function rank(value: unknown): number {
  const isWord = value === null || typeof value === 'boolean';
  return RANKS[isWord ? String(value) : Array.isArray(value) ? 'array' : typeof value] ?? 0;
}

const SURROGATE = /[\ud800-\udfff]/;

/** Bytes, as jq compares: UTF-16 units order surrogates differently. */
function compareTexts(left: string, right: string): number {
  spendText(Math.min(left.length, right.length));
  if (SURROGATE.test(left) || SURROGATE.test(right))
    return Buffer.compare(Buffer.from(whole(left)), Buffer.from(whole(right)));
  return left < right ? -1 : 1;
}

function compareLists(left: readonly unknown[], right: readonly unknown[]): number {
  const length = Math.min(left.length, right.length);
  for (let at = 0; at < length; at += 1) {
    const order = compare(left[at], right[at]);
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

function compareObjects(left: Json, right: Json): number {
  const keys = sortedKeys(left);
  const byKeys = compareLists(keys.map(whole), sortedKeys(right).map(whole));
  if (byKeys !== 0) return byKeys;
  for (const key of keys) {
    const order = compare(left[key], right[key]);
    if (order !== 0) return order;
  }
  return 0;
}

/** Negative, zero or positive as jq orders the two: by type first, objects by their keys before their values. */
export function compare(left: unknown, right: unknown): number {
  spend();
  if (left === right) return 0;
  const byType = rank(left) - rank(right);
  if (byType !== 0) return byType;
  if (typeof left === 'number' && typeof right === 'number') return left - right;
  if (typeof left === 'string' && typeof right === 'string') return compareTexts(left, right);
  if (Array.isArray(left) && Array.isArray(right)) return compareLists(left, right);
  return compareObjects(left as Json, right as Json);
}

/** A value and what it is ordered by. */
export interface Keyed {
  readonly key: unknown;
  readonly value: unknown;
}

export function sortKeyed(list: readonly Keyed[]): Keyed[] {
  return [...list].sort((left, right) => compare(left.key, right.key));
}

/** The values of equal keys together, in the order of the keys. */
export function groupKeyed(list: readonly Keyed[]): unknown[][] {
  const groups: unknown[][] = [];
  let last: Keyed | undefined;
  for (const one of sortKeyed(list)) {
    if (last !== undefined && compare(last.key, one.key) === 0) groups.at(-1)?.push(one.value);
    else groups.push([one.value]);
    last = one;
  }
  return groups;
}

/** Of several least the first one, of several greatest the last one; null of none. */
export function extremeOf(list: readonly Keyed[], which: 'least' | 'greatest'): unknown {
  let [best] = list;
  for (const one of list.slice(1))
    if (best === undefined || compare(one.key, best.key) < 0 === (which === 'least')) best = one;
  return best === undefined ? null : best.value;
}
