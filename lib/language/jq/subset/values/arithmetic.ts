import { isObject, requireFinite, requireInteger, requireLength, requireWellFormed, typeError } from './checks.ts';
import { UnknownOutcomeError } from './errors.ts';
import { codePoints, mergeObjects } from './members.ts';
import { compare } from './order.ts';
import { countSteps } from './run.ts';

/** `left + right`. Throws JqError for types that have no sum. */
export function add(left: unknown, right: unknown): unknown {
  if (left === null) return right;
  if (right === null) return left;
  if (typeof left === 'number' && typeof right === 'number') return requireFinite(left + right);
  if (typeof left === 'string' && typeof right === 'string') return concatenate(left, right);
  if (Array.isArray(left) && Array.isArray(right)) {
    countSteps(left.length + right.length);
    return [...left, ...right];
  }
  if (isObject(left) && isObject(right)) return mergeObjects(left, right, (_, member) => member);
  throw typeError(left, right);
}

function concatenate(left: string, right: string): string {
  requireLength(left.length + right.length);
  return requireWellFormed(left) + requireWellFormed(right);
}

/** `left - right`. Throws JqError for types that have no difference. */
export function subtract(left: unknown, right: unknown): unknown {
  if (typeof left === 'number' && typeof right === 'number') return requireFinite(left - right);
  if (!Array.isArray(left) || !Array.isArray(right)) throw typeError(left, right);
  return left.filter((member) => {
    countSteps();
    return !right.some((other) => compare(member, other) === 0);
  });
}

/** `left * right`. Throws JqError for types that have no product. */
export function multiply(left: unknown, right: unknown): unknown {
  if (typeof left === 'number' && typeof right === 'number') return requireFinite(left * right);
  if (typeof left === 'string' && typeof right === 'number') return repeat(left, right);
  if (typeof left === 'number' && typeof right === 'string') return repeat(right, left);
  if (isObject(left) && isObject(right)) return mergeDeeply(left, right);
  throw typeError(left, right);
}

function repeat(text: string, times: number): string | null {
  const count = requireInteger(times);
  if (count <= 0) throw new UnknownOutcomeError();
  requireLength(text.length * count);
  return requireWellFormed(text).repeat(count);
}

function mergeDeeply(left: unknown, right: unknown): unknown {
  return isObject(left) && isObject(right) ? mergeObjects(left, right, mergeDeeply) : right;
}

/** `left / right`; strings are split. Throws JqError for types that have no quotient. */
export function divide(left: unknown, right: unknown): unknown {
  if (typeof left === 'number' && typeof right === 'number') return requireFinite(left / right);
  if (typeof left === 'string' && typeof right === 'string') return split(left, right);
  throw typeError(left, right);
}

/** `split(separator)`: by code points if the separator is empty. */
export function split(text: string, separator: string): string[] {
  if (text === '') return [];
  if (separator === '') return codePoints(text);
  countSteps(text.length);
  return requireWellFormed(text).split(requireWellFormed(separator));
}

/** `left % right`, of integers: jq truncates fractions. Throws JqError for other types. */
export function remainder(left: unknown, right: unknown): unknown {
  if (typeof left !== 'number' || typeof right !== 'number') throw typeError(left, right);
  const divisor = requireInteger(Math.trunc(right));
  if (divisor === 0) throw new UnknownOutcomeError();
  // jq computes in integers, which have no negative zero.
  return (requireInteger(Math.trunc(left)) % divisor) + 0;
}

/** `-value`. Throws UnknownOutcomeError for zero: whether jq prints a sign depends on how the zero was written. */
export function negate(value: unknown): unknown {
  if (typeof value !== 'number') throw typeError(value);
  if (value === 0) throw new UnknownOutcomeError();
  return -value;
}
