import { isCancelledCode } from '../../../lib/domain/runs/run.ts';

/*
 * Readers for JSON of servers of several versions: a missing field is an empty value, never an error.
 */

/** The value at a path of names, or undefined. */
export function at(value: unknown, ...names: readonly string[]): unknown {
  let found = value;
  for (const name of names) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name)) return undefined;
    found = (found as Readonly<Record<string, unknown>>)[name];
  }
  return found;
}

/** The text at a path of names; the empty text if there is none. */
export function textAt(value: unknown, ...names: readonly string[]): string {
  const found = at(value, ...names);
  return typeof found === 'string' || typeof found === 'number' || typeof found === 'boolean' ? String(found) : '';
}

/** The list at a path of names; the empty list if there is none. */
export function listAt(value: unknown, ...names: readonly string[]): readonly unknown[] {
  const found = at(value, ...names);
  return Array.isArray(found) ? found : [];
}

/** The texts of the list at a path of names; other elements are skipped. */
export function textsAt(value: unknown, ...names: readonly string[]): string[] {
  const found = at(value, ...names);
  return Array.isArray(found) ? found.filter((one): one is string => typeof one === 'string') : [];
}

/**
 * The rows of the list at a path of names: `results` since v0.7, before that `edges` with a `node` each (rest-api
 * reference, 2.1 and 2.4). Undefined if there is no list.
 */
export function rowsAt(value: unknown, ...names: readonly string[]): unknown[] | undefined {
  const list = at(value, ...names);
  const results = at(list, 'results');
  if (Array.isArray(results)) return results;
  const edges = at(list, 'edges');
  return Array.isArray(edges) ? edges.map((edge) => at(edge, 'node')) : undefined;
}

/** The word for the status of an instance: the API says `failed` of a cancelled run, and `pending` of a queued one. */
export function statusOf(instance: unknown): string {
  if (at(instance, 'queued') === true) return 'queued';
  return isCancelledCode(textAt(instance, 'errorCode')) ? 'cancelled' : textAt(instance, 'status');
}

/** The bytes of the base64 text at a path of names. */
export const bytesAt = (value: unknown, ...names: readonly string[]): Buffer =>
  Buffer.from(textAt(value, ...names), 'base64');
