import { parseJson } from '../../../clients/api/numbers.ts';

type Json = Readonly<Record<string, unknown>>;

/** The value of a text, or why the text is not JSON. */
export function readJson(text: string): { readonly value: unknown } | { readonly problem: string } {
  try {
    return { value: parseJson(text) };
  } catch (error) {
    return { problem: `not JSON: ${error instanceof Error ? error.message : error}` };
  }
}

/** The value of a text; undefined where it is not JSON. */
export function jsonIn(text: string): unknown {
  const read = readJson(text);
  return 'value' in read ? read.value : undefined;
}

/** Whether a value is an object of JSON: no list, not null, no number that keeps its text. */
export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Number);

/** The object of a text, or the problem of the text. No text is an empty object. */
export function readObject(text: string): { readonly value: Json } | { readonly problem: string } {
  const read = readJson(text.trim() === '' ? '{}' : text);
  if ('problem' in read) return read;
  return isObject(read.value) ? { value: read.value } : { problem: 'not an object of JSON: {…}' };
}

/** JSON with two blanks of indentation, or the text itself where it is not JSON. */
export function prettyJson(text: string): string {
  const value = jsonIn(text);
  return value === undefined ? text : JSON.stringify(value, null, 2);
}
