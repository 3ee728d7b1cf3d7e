import { type CloudEvent, toText } from '../../events/cloud-event.ts';
import type { Ports } from '../../ports/ports.ts';
import { BATCH_LIMIT, type Item, type Key } from '../../ports/table.ts';
import { toTimestamp } from '../../time/timestamps.ts';
import { batchesOf } from '../storage/batches.ts';
import * as keys from '../storage/keys.ts';
import type { ListRequest } from '../storage/list-requests.ts';
import { filterTimes, filterValues } from '../storage/lists.ts';
import { pagesOf, type Range } from '../storage/queries.ts';
import * as events from './events.ts';

export interface EventRecord {
  readonly receivedAt: string;
  readonly id: string;
  readonly source: string;
  readonly type: string;
  /** Base64 of the event's JSON. */
  readonly cloudevent: string;
}

type Needs = Pick<Ports, 'table' | 'blobs'>;

/** An event as it is in the index by time: enough to order it, and mostly enough to filter it. */
export interface Row {
  readonly key: Key;
  /** Sorts by the time when it was received, then by the id. */
  readonly time: string;
  /** The id, or the hash of a long one. */
  readonly id: string;
  /** Undefined: the type must be read from the event. */
  readonly type: string | undefined;
}

/** The row of an item of the index by time. */
export const rowOf = ({ pk, sk, ...item }: Item): Row => {
  const time = String(item['time']);
  return { key: { table: 'journal', pk, sk }, time, id: keys.idInTime(time), type: keys.typeInEvents(pk) };
};

type Read = Pick<events.Recorded, 'received' | 'event'>;

/** How many events are read side by side: each may have 4 MiB. */
const CONCURRENCY = 8;

/** Yields the events of rows in their order, some of them at once; undefined for one that was removed. */
async function* readSome({ table, blobs }: Needs, rows: readonly Row[]): AsyncGenerator<(Read | undefined)[]> {
  for (const batch of batchesOf(rows, BATCH_LIMIT)) {
    const items = await table.get(batch.map(({ key }) => key));
    for (const some of batchesOf(items, CONCURRENCY)) {
      yield Promise.all(some.map((item) => (item === undefined ? undefined : events.eventOf(blobs, item))));
    }
  }
}

/** The most text that the events of a page have, characters; the event that reaches it is the last one of the page. */
export const MAX_PAGE_LENGTH = 32 * 1024 * 1024;

/**
 * Reads the events of rows, in their order, without those that were removed: all of them, or as many as a page may have. A
 * reply with more would exhaust the memory of its function.
 */
export async function read(needs: Needs, rows: readonly Row[]): Promise<Read[]> {
  const found: Read[] = [];
  let length = 0;
  for await (const some of readSome(needs, rows)) {
    for (const one of some) {
      if (length >= MAX_PAGE_LENGTH) return found;
      if (one === undefined) continue;
      found.push(one);
      length += toText(one.event).length;
    }
  }
  return found;
}

/** A period, [from, to), milliseconds since 1970. */
export interface Period {
  readonly from: number;
  readonly to: number;
}

/** Narrows a period by the filters CREATED/AFTER and CREATED/BEFORE. Throws `bad-list` for a malformed time. */
export function narrowed(request: ListRequest, { from, to }: Period): Period {
  const after = filterTimes(request, 'CREATED', 'AFTER', 'bad-list');
  // BEFORE includes the instant itself.
  const before = filterTimes(request, 'CREATED', 'BEFORE', 'bad-list').map((ms) => ms + 1);
  return { from: Math.max(from, ...after), to: Math.min(to, ...before) };
}

/** The queries of the index by time over a period, a query for each day. */
export function rangesOf(home: keys.Home, { from, to }: Period, descending: boolean): Range[] {
  const bounds = { from: keys.timeText(from), to: keys.timeText(to), descending };
  const ranges = keys.daysBetween(from, to).map((day) => ({ ...keys.eventsReceived(home, day), ...bounds }));
  return descending ? ranges.reverse() : ranges;
}

/** The texts of the filters TYPE/CONTAINS and TEXT/CONTAINS. */
export interface Criteria {
  readonly types: readonly string[];
  readonly texts: readonly string[];
}

/** Reads the filters by text of a request. */
export const criteriaOf = (request: ListRequest): Criteria => ({
  types: filterValues(request, 'TYPE', 'CONTAINS'),
  texts: filterValues(request, 'TEXT', 'CONTAINS'),
});

function fits({ types, texts }: Criteria, event: CloudEvent): boolean {
  const text = texts.length === 0 ? '' : toText(event);
  return types.every((part) => event.type.includes(part)) && texts.every((part) => text.includes(part));
}

/** Whether a row passes, as far as the index shows; undefined: the event must be read. */
function passesByIndex({ types, texts }: Criteria, { type }: Row): boolean | undefined {
  if (type !== undefined && !types.every((part) => type.includes(part))) return false;
  return texts.length === 0 && (type !== undefined || types.length === 0) ? true : undefined;
}

async function passing(needs: Needs, rows: readonly Row[], criteria: Criteria): Promise<Row[]> {
  const results = new Map(rows.map((row) => [row, passesByIndex(criteria, row)]));
  const undecided = rows.filter((row) => results.get(row) === undefined);
  const rest = undecided.values();
  for await (const some of readSome(needs, undecided)) {
    for (const one of some) {
      const { value: row } = rest.next();
      if (row !== undefined) results.set(row, one !== undefined && fits(criteria, one.event));
    }
  }
  return rows.filter((row) => results.get(row));
}

/** Yields the rows that pass, page by page. An event is read only if the index does not decide. */
export async function* scan(
  needs: Needs,
  ranges: readonly Range[],
  criteria: Criteria,
): AsyncGenerator<readonly Row[]> {
  for (const range of ranges) {
    for await (const items of pagesOf(needs.table, range)) yield passing(needs, items.map(rowOf), criteria);
  }
}

/** The wire form of an event in lists. */
export function toRecord({ received, event }: Read): EventRecord {
  return {
    receivedAt: toTimestamp(received),
    id: event.id,
    source: event.source,
    type: event.type,
    cloudevent: Buffer.from(toText(event)).toString('base64'),
  };
}
