import { ExactNumber } from '../../../json-numbers.ts';
import { JqError, UnknownOutcomeError } from './errors.ts';
import { countCharacters, countSteps } from './run.ts';

/** The longest string or array that the subset makes: jq-wasm has a memory cap and a deadline for longer ones. */
const MAX_LENGTH = 1_000_000;

/** True for a JSON object. Throws UnknownOutcomeError for an ExactNumber: only jq itself computes with it. */
export function isObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  if (value instanceof ExactNumber) throw new UnknownOutcomeError();
  return true;
}

/** The error of an operation that values of these types do not have. Throws as `isObject` does. */
export function typeError(...values: readonly unknown[]): JqError {
  for (const value of values) isObject(value);
  return new JqError();
}

/**
 * Returns the string. Throws UnknownOutcomeError if it holds half a surrogate pair: jq has replaced it on reading, while
 * a concatenation here could complete the pair.
 */
export function requireWellFormed(text: string): string {
  countCharacters(text.length);
  if (!text.isWellFormed()) throw new UnknownOutcomeError();
  return text;
}

/** Returns the number. Throws UnknownOutcomeError for NaN and the infinities, which jq prints in its own way. */
export function requireFinite(value: number): number {
  if (!Number.isFinite(value)) throw new UnknownOutcomeError();
  return value;
}

/** Returns an index or a count. Throws UnknownOutcomeError for other values, which jq rounds or rejects. */
export function requireInteger(value: unknown): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) throw new UnknownOutcomeError();
  return value;
}

/** Returns the array. Throws UnknownOutcomeError for any other value. */
export function requireArray(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new UnknownOutcomeError();
  countSteps(value.length);
  return value;
}

/** Returns the string, which is well-formed. Throws UnknownOutcomeError for any other value. */
export function requireString(value: unknown): string {
  if (typeof value !== 'string') throw new UnknownOutcomeError();
  return requireWellFormed(value);
}

/** Throws UnknownOutcomeError if a string or an array of this length would be too long. */
export function requireLength(length: number): void {
  if (length > MAX_LENGTH) throw new UnknownOutcomeError();
}
