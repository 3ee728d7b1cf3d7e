import { type CloudEvent, toText } from '../../events/cloud-event.ts';
import type { Blobs } from '../../ports/blobs.ts';
import type { Item, Key, Table } from '../../ports/table.ts';
import { ServiceError } from '../errors.ts';
import * as keys from '../storage/keys.ts';
import type { ListRequest } from '../storage/pages.ts';
import { pagesOf, type Range } from '../storage/windows.ts';
import * as events from './events.ts';

type Needs = { readonly table: Table; readonly blobs: Blobs };

/** An event as the index by time knows it: enough to order it, and mostly to filter it. */
export interface Row {
  readonly key: Key;
  /** Sorts by the time when it was received, then by the id. */
  readonly time: string;
  /** The id, or what stands for a long one in keys. */
  readonly id: string;
  /** Undefined: only the event itself tells its type. */
  readonly type: string | undefined;
}

const MOST_KEYS = 100;

export const rowOf = (item: Item): Row => {
  const time = String(item['time']);
  return {
    key: { table: 'journal', pk: item.pk, sk: item.sk },
    time,
    id: keys.idInTime(time),
    type: keys.typeInEvents(item.pk),
  };
};

/** The events of rows, in their order; those that are gone are left out. */
export async function read({ table, blobs }: Needs, rows: readonly Row[]) {
  const found: Pick<events.Recorded, 'received' | 'event'>[] = [];
  for (let from = 0; from < rows.length; from += MOST_KEYS) {
    const items = await table.get(rows.slice(from, from + MOST_KEYS).map(({ key }) => key));
    const there = items.filter((item) => item !== undefined);
    found.push(...(await Promise.all(there.map((item) => events.eventOf(blobs, item)))));
  }
  return found;
}

const instantOf = (text: string): number => {
  const ms = Date.parse(text);
  if (Number.isNaN(ms)) throw new ServiceError('bad-list', `'${text.slice(0, 60)}' is not an RFC 3339 time`);
  return ms;
};

type Filters = ListRequest['filter'];

const given = (filters: Filters, field: string, type: string): string[] =>
  filters.filter((one) => one.field === field && one.type === type && one.val !== '').map(({ val }) => val);

/** Which part of the history the filters by time leave: [from, to). Throws `bad-list` for a time that is none. */
export function narrowed(filters: Filters, from: number, to: number): { readonly from: number; readonly to: number } {
  const after = given(filters, 'CREATED', 'AFTER').map(instantOf);
  // The instant itself counts.
  const before = given(filters, 'CREATED', 'BEFORE').map((text) => instantOf(text) + 1);
  return { from: Math.max(from, ...after), to: Math.min(to, ...before) };
}

/** The index by time between two instants, the newest or the oldest first. */
export function rangesOf(namespaceId: string, from: number, to: number, descending: boolean): Range[] {
  const days = keys.eventBuckets(namespaceId, from, to);
  const range = { from: keys.eventTime(from), to: keys.eventTime(to), descending };
  const ranges = days.map((pk): Range => ({ table: 'journal', index: 'by-time', pk, ...range }));
  return descending ? ranges : ranges.reverse();
}

/** What rows are asked for beside their time. */
export interface Wanted {
  readonly types: readonly string[];
  readonly texts: readonly string[];
}

export const wantedOf = (filters: Filters): Wanted => ({
  types: given(filters, 'TYPE', 'CONTAINS'),
  texts: given(filters, 'TEXT', 'CONTAINS'),
});

function fits({ types, texts }: Wanted, event: CloudEvent): boolean {
  const text = texts.length === 0 ? '' : toText(event);
  return types.every((part) => event.type.includes(part)) && texts.every((part) => text.includes(part));
}

/** What the key tells: it fits, it does not, or the event must be read. */
function verdictOf({ types, texts }: Wanted, { type }: Row): boolean | undefined {
  if (type !== undefined && !types.every((part) => type.includes(part))) return false;
  return texts.length === 0 && (type !== undefined || types.length === 0) ? true : undefined;
}

async function passing({ table, blobs }: Needs, rows: readonly Row[], wanted: Wanted): Promise<Row[]> {
  const known = rows.map((row) => ({ row, verdict: verdictOf(wanted, row) }));
  const open = known.filter(({ verdict }) => verdict === undefined).map(({ row }) => row);
  const fitting = new Set(known.filter(({ verdict }) => verdict === true).map(({ row }) => row));
  for (let from = 0; from < open.length; from += MOST_KEYS) {
    const some = open.slice(from, from + MOST_KEYS);
    const items = await table.get(some.map(({ key }) => key));
    const read = await Promise.all(items.map((item) => (item === undefined ? item : events.eventOf(blobs, item))));
    for (const [index, row] of some.entries()) {
      const one = read[index];
      if (one !== undefined && fits(wanted, one.event)) fitting.add(row);
    }
  }
  return rows.filter((row) => fitting.has(row));
}

/** The rows that fit, part by part. An event is read only where its key does not tell. */
export async function* scan(needs: Needs, ranges: readonly Range[], wanted: Wanted): AsyncGenerator<readonly Row[]> {
  for await (const items of pagesOf(needs.table, ranges)) yield passing(needs, items.map(rowOf), wanted);
}
