import { isObject, setMember } from './json.ts';

/** Only the real jq can tell: an error, or something whose outcome here is not certainly the same. */
export class Unsure extends Error {
  override readonly name = 'Unsure';
}

export type Key = string | number;

/** jq's truth: all but false and null. */
export function isTrue(value: unknown): boolean {
  return value !== false && value !== null;
}

/** `.[key]`. */
export function index(value: unknown, key: Key): unknown {
  if (value === null) return null;
  if (typeof key === 'number' && Array.isArray(value)) return value[key] ?? null;
  if (typeof key === 'number' || !isObject(value)) throw new Unsure();
  return Object.hasOwn(value, key) ? value[key] : null;
}

/** The value with its member at the path replaced, or removed when that is undefined; all on the way is an object or null. */
export function change(value: unknown, [key, ...rest]: readonly Key[], to: unknown): unknown {
  if (key === undefined) return to;
  if (typeof key === 'number' || !(value === null || isObject(value))) throw new Unsure();
  if (to === undefined && !Object.hasOwn(value ?? {}, key)) return value;
  const { [key]: _, ...changed } = value ?? {};
  const member = change(index(value, key), rest, to);
  if (member !== undefined) setMember(changed, key, member);
  return changed;
}

/** Two halves of a surrogate pair would meet here, but not in jq, which has replaced each before. */
function whole(text: string): string {
  if (!text.isWellFormed()) throw new Unsure();
  return text;
}

function finite(value: number): number {
  if (!Number.isFinite(value)) throw new Unsure();
  return value;
}

export function add(left: unknown, right: unknown): unknown {
  if (left === null) return right;
  if (right === null) return left;
  if (typeof left === 'number' && typeof right === 'number') return finite(left + right);
  if (typeof left === 'string' && typeof right === 'string') return whole(left) + whole(right);
  if (Array.isArray(left) && Array.isArray(right)) return [...left, ...right];
  if (isObject(left) && isObject(right)) return { ...left, ...right };
  throw new Unsure();
}

export function subtract(left: unknown, right: unknown): unknown {
  if (typeof left !== 'number' || typeof right !== 'number') throw new Unsure();
  return finite(left - right);
}

const RANKS: Readonly<Record<string, number>> = {
  null: 0,
  false: 1,
  true: 2,
  number: 3,
  string: 4,
  array: 5,
  object: 6,
};

function rank(value: unknown): number | undefined {
  if (value === null || typeof value === 'boolean') return RANKS[String(value)];
  return RANKS[Array.isArray(value) ? 'array' : typeof value];
}

/** By type first, as jq orders them; two lists or two objects are left to jq. */
export function compare(left: unknown, right: unknown): number {
  const byType = (rank(left) ?? 0) - (rank(right) ?? 0);
  if (byType !== 0) return byType;
  if (typeof left === 'number' && typeof right === 'number') return left - right;
  // Bytes, as jq compares: UTF-16 units order surrogates differently.
  if (typeof left === 'string' && typeof right === 'string')
    return Buffer.compare(Buffer.from(whole(left)), Buffer.from(whole(right)));
  if (typeof left === 'object' && left !== null) throw new Unsure();
  return 0;
}

export function lengthOf(value: unknown): unknown {
  if (typeof value === 'string') return [...whole(value)].length;
  if (typeof value === 'object') return Object.keys(value ?? {}).length;
  throw new Unsure();
}
