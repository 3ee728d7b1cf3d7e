import { isObject } from '../../../json.ts';
import { markBuilt, spend, UnknownOutcomeError } from './run.ts';
import { keysOf, whole, within } from './values.ts';

/** Numbers whose text is the same whether jq kept it as written or made it of a double. */
function numberText(value: number): string {
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e15)) throw new UnknownOutcomeError();
  return Object.is(value, -0) ? '-0' : String(value);
}

/** JSON.stringify and jq agree but for the delete character. */
function quote(text: string): string {
  spend(text.length);
  return JSON.stringify(whole(text)).replaceAll('\u007f', '\\u007f');
}

/** Deeper values may be cut off by jq, or break the call stack here. */
const DEEPEST = 200;

/** `tojson`. */
export function printJson(value: unknown, depth = 0): string {
  spend();
  if (typeof value === 'string') return quote(value);
  if (typeof value === 'number') return numberText(value);
  if (depth > DEEPEST) throw new UnknownOutcomeError();
  if (Array.isArray(value)) return `[${value.map((member) => printJson(member, depth + 1)).join()}]`;
  if (!isObject(value)) return String(value);
  const members = keysOf(value).map((key) => `${quote(key)}:${printJson(value[key], depth + 1)}`);
  return `{${members.join()}}`;
}

/** `tostring`. */
export function printText(value: unknown): string {
  return typeof value === 'string' ? whole(value) : printJson(value);
}

/** `fromjson`, where every number is written as we would write it. */
export function parseJson(text: string): unknown {
  within(text.length);
  try {
    return JSON.parse(text, checkMember);
  } catch (error) {
    throw error instanceof SyntaxError ? new UnknownOutcomeError() : error;
  }
}

function checkMember(key: string, value: unknown, { source }: { source?: string } = {}): unknown {
  spend();
  whole(key);
  if (typeof value === 'number' && numberText(value) !== source) throw new UnknownOutcomeError();
  if (typeof value === 'string') whole(value);
  return isObject(value) ? markBuilt(value) : value;
}

/** `tonumber`, where the text is as we would write the number. */
export function parseNumber(value: unknown): number {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string' || !/^-?\d/.test(value)) throw new UnknownOutcomeError();
  const number = Number(value);
  if (numberText(number) !== value) throw new UnknownOutcomeError();
  return number;
}
