import type { Blobs } from '../../ports/blobs.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Table } from '../../ports/table.ts';
import type { Namespace } from '../namespaces/namespaces.ts';
import * as keys from '../storage/keys.ts';
import { cursorOf, type List, type ListRequest, paginate, type Sorting, toList } from '../storage/pages.ts';
import { type Range, readWindow, type Span } from '../storage/windows.ts';
import * as events from './events.ts';
import { narrowed, type Row, rangesOf, read, rowOf, scan, type Wanted, wantedOf } from './rows.ts';

type Needs = { readonly table: Table; readonly blobs: Blobs; readonly clock: Clock };

const DAY_MS = 86_400_000;
const MOST_KEYS = 100;

/** The events that a namespace received in [from, to), the newest first, part by part. */
async function* received({ table, blobs }: Needs, namespaceId: string, from: number, to: number) {
  for (const pk of keys.eventBuckets(namespaceId, from, to)) {
    const range = { from: keys.eventTime(from), to: keys.eventTime(to) };
    let next: string | undefined;
    do {
      const more = { ...range, descending: true, limit: MOST_KEYS, ...(next === undefined ? {} : { next }) };
      const page = await table.query({ table: 'journal', index: 'by-time', pk, ...more });
      const items = await table.get(page.items.map((item) => ({ table: 'journal', pk: item.pk, sk: item.sk })));
      yield await Promise.all(items.flatMap((item) => (item === undefined ? [] : [events.fromItem(blobs, item)])));
      next = page.next;
    } while (next !== undefined);
  }
}

/** A reply holds at most so many events, whatever is asked for. */
const MOST_ROWS = 1000;

/** What is shown of rows: a span of them, of so many. */
interface Shown {
  readonly rows: readonly Row[];
  readonly from: number;
  readonly total: number;
}

/** Only the rows of the span are kept; the others are counted. */
async function windowOf(needs: Needs, ranges: readonly Range[], wanted: Wanted, { from, to }: Span): Promise<Shown> {
  if (wanted.types.length + wanted.texts.length === 0) {
    const { items, total } = await readWindow(needs.table, ranges, { from, to });
    return { rows: items.map(rowOf), from: Math.min(from, total), total };
  }
  const rows: Row[] = [];
  let total = 0;
  for await (const some of scan(needs, ranges, wanted)) {
    rows.push(...some.slice(Math.max(from - total, 0), Math.max(to - total, 0)));
    total += some.length;
  }
  return { rows, from: Math.min(from, total), total };
}

/** A cursor names an event by its id; rows know what stands for it. */
function cursorOfRow(text: string): string {
  try {
    const { id } = JSON.parse(Buffer.from(text, 'base64').toString()) as { readonly id?: unknown };
    return cursorOf(keys.eventIdPart(String(id)));
  } catch {
    return text;
  }
}

const SORTING: Sorting<Row> = {
  orders: { RECEIVED: (row) => row.time, ID: (row) => row.id },
  defaults: [{ field: 'RECEIVED', direction: 'DESC' }],
  filters: {},
  idOf: (row) => row.id,
};

/** Another order, or a cursor of an older client, wants the keys of all rows at once. */
async function sortedOf(needs: Needs, ranges: readonly Range[], wanted: Wanted, request: ListRequest): Promise<Shown> {
  const all: Row[] = [];
  for await (const some of scan(needs, ranges, wanted)) all.push(...some);
  const { after, before, ...counts } = request.cursor ?? {};
  const cursor = {
    ...counts,
    ...(after === undefined ? {} : { after: cursorOfRow(after) }),
    ...(before === undefined ? {} : { before: cursorOfRow(before) }),
  };
  const { results, pageInfo } = paginate(all, { ...request, ...(request.cursor && { cursor }) }, SORTING);
  const [first] = results;
  const from = first === undefined ? Math.min(Math.max(request.offset, 0), all.length) : all.indexOf(first);
  return { rows: results.slice(0, MOST_ROWS), from, total: pageInfo.total };
}

/** The direction of a list by time alone; undefined: it is ordered otherwise. */
function isDescending({ order, cursor }: ListRequest): boolean | undefined {
  const [first, ...others] = order.filter(({ field }) => field in SORTING.orders);
  if (cursor !== undefined || others.length > 0) return undefined;
  if (first === undefined) return true;
  return first.field === 'RECEIVED' ? first.direction !== 'ASC' : undefined;
}

/**
 * The events that the namespace received, the newest first, at most a thousand (rest-api reference, A.6). Only those
 * that are shown are read, and where text is looked for, part by part, those that could hold it.
 */
export async function list(
  needs: Needs,
  namespace: Namespace,
  request: ListRequest,
): Promise<List<events.EventRecord>> {
  const now = needs.clock.now();
  const first = Math.max(namespace.created, now - events.RETENTION_DAYS * DAY_MS);
  // Another computer's clock may be ahead of this one's.
  const { from, to } = narrowed(request.filter, first, now + DAY_MS);
  const wanted = wantedOf(request.filter);
  const descending = isDescending(request);
  const ranges = rangesOf(namespace.id, from, to, descending ?? true);
  const offset = Math.max(request.offset, 0);
  const most = request.limit > 0 ? Math.min(request.limit, MOST_ROWS) : MOST_ROWS;
  const shown =
    descending === undefined
      ? await sortedOf(needs, ranges, wanted, request)
      : await windowOf(needs, ranges, wanted, { from: offset, to: offset + most });
  const records = (await read(needs, shown.rows)).map(events.toRecord);
  return toList(request, records, { from: shown.from, total: shown.total, idOf: ({ id }) => id });
}

/** An event that is not routed after so long has got lost; so far back is looked, and at so many of a namespace. */
const SLOW_MS = 60_000;
const LOOK_BACK_MS = DAY_MS;
const MOST_LOOKED_AT = 10_000;

/** The events of the last day that are due for more than a minute and were taken to nobody, the newest first. */
export async function* lost(needs: Needs, namespaceId: string) {
  const to = needs.clock.now() - SLOW_MS;
  let looked = 0;
  for await (const part of received(needs, namespaceId, to - LOOK_BACK_MS, to)) {
    yield part.filter(({ isRouted, due }) => !isRouted && due <= to);
    looked += part.length;
    if (looked >= MOST_LOOKED_AT) return;
  }
}
