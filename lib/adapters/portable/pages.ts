import { parseJson } from '../../language/json-numbers.ts';
import type { Query } from '../../ports/table.ts';
import { keyNames, keysOf } from './schema.ts';

/** A range of sort keys, both ends included. */
export interface KeyRange {
  readonly from?: string;
  readonly to?: string;
}

/** The last Unicode character, which no sort key contains. */
const LAST = '\u{10FFFF}';

/** The range of sort keys that a query reads, both ends included; undefined when it is empty. */
export function rangeOf(query: Query): KeyRange | undefined {
  const { prefix, from, to } = query;
  const low = later(prefix, from);
  const high = prefix ? earlier(prefix + LAST, to) : to;
  if (high === '' || (low && high !== undefined && compareText(low, high) > 0)) return undefined;
  return { ...(low ? { from: low } : {}), ...(high === undefined ? {} : { to: high }) };
}

function later(a: string | undefined, b: string | undefined): string | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return compareText(a, b) > 0 ? a : b;
}

function earlier(a: string, b: string | undefined): string {
  return b === undefined || compareText(a, b) < 0 ? a : b;
}

/** DynamoDB orders text by its UTF-8 bytes; JavaScript orders it by UTF-16 units. */
function compareText(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/** The key attributes of the last item of a page: those of the table, and of the index that was read. */
export type Place = ReadonlyMap<string, string>;

/** The cursor after an item, for `Query.next`. */
export function toCursor(place: Iterable<readonly [string, string | undefined]>): string {
  return Buffer.from(JSON.stringify(Object.fromEntries(place))).toString('base64url');
}

/**
 * The item after which a query continues. Clients send cursors back: a cursor of another partition must not read there.
 * Throws Error for a cursor that cannot be read or that belongs to another query.
 */
export function toPlace(query: Query, cursor: string): Place {
  const { hash, range } = keysOf(query.table, query.index);
  const names = new Set<string>([hash, range, keyNames.partition, keyNames.sort]);
  const place = readCursor(cursor);
  const isOurs = place.get(hash) === query.pk && place.size === names.size && [...names].every((one) => place.has(one));
  if (!isOurs) throw new Error('this cursor does not continue this query');
  return place;
}

function readCursor(cursor: string): Map<string, string> {
  const entries = new Map<string, string>();
  try {
    const plain: unknown = parseJson(Buffer.from(cursor, 'base64url').toString('utf8'));
    for (const [name, value] of Object.entries(plain ?? {})) {
      if (typeof value === 'string') entries.set(name, value);
    }
  } catch (cause) {
    throw new Error('this cursor is unreadable', { cause });
  }
  return entries;
}
