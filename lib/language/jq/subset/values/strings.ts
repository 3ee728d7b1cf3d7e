import { ExactNumber } from '../../../json-numbers.ts';
import { isObject, requireLength, requireWellFormed } from './checks.ts';
import { UnknownOutcomeError } from './errors.ts';
import { orderedKeys } from './members.ts';
import { countSteps } from './run.ts';

/** Throws UnknownOutcomeError for a number that jq may print as it was written rather than as the double is printed. */
function formatNumber(value: number): string {
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e15)) throw new UnknownOutcomeError();
  return Object.is(value, -0) ? '-0' : String(value);
}

/** jq prints integers as they were written, and may print other numbers in another notation. */
const INTEGER = /^-?\d+$/;

/** JSON.stringify and jq differ in the delete character alone. */
function quote(text: string): string {
  countSteps(text.length);
  return JSON.stringify(requireWellFormed(text)).replaceAll('\u007f', '\\u007f');
}

/** Values nested deeper are left to jq-wasm: jq may cut them off, and the call stack here may overflow. */
const MAX_DEPTH = 200;

/** `tojson`. Throws UnknownOutcomeError for a value nested too deeply. */
export function formatJson(value: unknown, depth = 0): string {
  countSteps();
  if (typeof value === 'string') return quote(value);
  if (typeof value === 'number') return formatNumber(value);
  if (value instanceof ExactNumber && INTEGER.test(value.text)) return value.text;
  if (depth > MAX_DEPTH) throw new UnknownOutcomeError();
  if (Array.isArray(value)) return `[${value.map((member) => formatJson(member, depth + 1)).join()}]`;
  if (!isObject(value)) return String(value as boolean | null);
  const members = orderedKeys(value).map((key) => `${quote(key)}:${formatJson(value[key], depth + 1)}`);
  return `{${members.join()}}`;
}

/** `tostring`. */
export function formatString(value: unknown): string {
  return typeof value === 'string' ? requireWellFormed(value) : formatJson(value);
}

/** `fromjson`. Throws UnknownOutcomeError for a text that is not JSON or has a number in another notation than ours. */
export function parseJson(text: string): unknown {
  requireLength(text.length);
  try {
    return JSON.parse(text, checkMember);
  } catch (error) {
    throw error instanceof SyntaxError ? new UnknownOutcomeError() : error;
  }
}

function checkMember(key: string, value: unknown, { source }: { source?: string } = {}): unknown {
  countSteps();
  requireWellFormed(key);
  if (typeof value === 'number' && formatNumber(value) !== source) throw new UnknownOutcomeError();
  if (typeof value === 'string') requireWellFormed(value);
  return value;
}

/** `tonumber`. Throws UnknownOutcomeError for a text that is not a number in our own notation. */
export function parseNumber(value: unknown): number {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string' || !/^-?\d/.test(value)) throw new UnknownOutcomeError();
  const number = Number(value);
  if (formatNumber(number) !== value) throw new UnknownOutcomeError();
  return number;
}
