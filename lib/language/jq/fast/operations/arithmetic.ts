import { isObject } from '../../../json.ts';
import { compare } from './order.ts';
import { JqError, spend, UnknownOutcomeError } from './run.ts';
import { characters, finite, integer, mergeObjects, whole, within } from './values.ts';

export function add(left: unknown, right: unknown): unknown {
  if (left === null) return right;
  if (right === null) return left;
  if (typeof left === 'number' && typeof right === 'number') return finite(left + right);
  if (typeof left === 'string' && typeof right === 'string') return concatenate(left, right);
  if (Array.isArray(left) && Array.isArray(right)) {
    spend(left.length + right.length);
    return [...left, ...right];
  }
  if (isObject(left) && isObject(right)) return mergeObjects(left, right, (_, member) => member);
  throw new JqError();
}

function concatenate(left: string, right: string): string {
  within(left.length + right.length);
  return whole(left) + whole(right);
}

export function subtract(left: unknown, right: unknown): unknown {
  if (typeof left === 'number' && typeof right === 'number') return finite(left - right);
  if (!Array.isArray(left) || !Array.isArray(right)) throw new JqError();
  return left.filter((member) => {
    spend();
    return !right.some((other) => compare(member, other) === 0);
  });
}

export function multiply(left: unknown, right: unknown): unknown {
  if (typeof left === 'number' && typeof right === 'number') return finite(left * right);
  if (typeof left === 'string' && typeof right === 'number') return repeat(left, right);
  if (typeof left === 'number' && typeof right === 'string') return repeat(right, left);
  if (isObject(left) && isObject(right)) return mergeDeeply(left, right);
  throw new JqError();
}

function repeat(text: string, times: number): string | null {
  const count = integer(times);
  if (count <= 0) throw new UnknownOutcomeError();
  within(text.length * count);
  return whole(text).repeat(count);
}

function mergeDeeply(left: unknown, right: unknown): unknown {
  return isObject(left) && isObject(right) ? mergeObjects(left, right, mergeDeeply) : right;
}

export function divide(left: unknown, right: unknown): unknown {
  if (typeof left === 'number' && typeof right === 'number') return finite(left / right);
  if (typeof left === 'string' && typeof right === 'string') return split(left, right);
  throw new JqError();
}

/** `split(separator)`. */
export function split(text: string, separator: string): string[] {
  if (text === '') return [];
  if (separator === '') return characters(text);
  spend(text.length);
  return whole(text).split(whole(separator));
}

/** Of whole numbers: jq cuts off fractions. */
export function remainder(left: unknown, right: unknown): unknown {
  if (typeof left !== 'number' || typeof right !== 'number') throw new JqError();
  const divisor = integer(Math.trunc(right));
  if (divisor === 0) throw new UnknownOutcomeError();
  // jq computes in integers, which know no negative zero.
  return (integer(Math.trunc(left)) % divisor) + 0;
}

/** Whether a zero gets a sign depends on whether jq still knows its text. */
export function negate(value: unknown): unknown {
  if (typeof value !== 'number') throw new JqError();
  if (value === 0) throw new UnknownOutcomeError();
  return -value;
}
