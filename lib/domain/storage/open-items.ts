import type { Ports } from '../../ports/ports.ts';
import { BATCH_LIMIT, type Item, type Key, type Write } from '../../ports/table.ts';
import { HOUR_MS, MINUTE_MS } from '../../time/units.ts';
import { deleteKeys, putAt } from './batches.ts';
import * as keys from './keys.ts';
import { pagesOf, type Range } from './queries.ts';

type Needs = Pick<Ports, 'table' | 'clock'>;

/** Items that an index lists by time and that stay open for a while: pending runs, events that are not routed. */
export interface OpenKind {
  /** Where the cursor is stored. */
  readonly cursor: Key;
  /** Where items are listed that are still open when the cursor passes them. */
  readonly list: keys.Partition;
  /** The sort key of the index. */
  readonly order: string;
  /** The time from which the first pass reads, milliseconds since 1970. */
  readonly oldest: number;
  /** The queries of the index over a period, the oldest first. */
  readonly rangesOf: (from: number, to: number) => readonly Range[];
  /** The rows of a page of the index that are open. */
  readonly pick: (rows: readonly Item[]) => Promise<readonly Item[]>;
}

/** An open item: its key, and its position among the items of its kind. */
export interface OpenItem {
  readonly key: Key;
  readonly order: string;
  /** It is in the list, from which it is taken when it is not open any more. */
  readonly isListed: boolean;
}

/**
 * An item enters the index by time at most this long after the time that it carries (runs: `LATEST_FIRST_MS`), so the
 * cursor stays this far behind.
 */
const SETTLING_MS = 3 * MINUTE_MS;
/** The clocks of two computers differ by less. A cursor that is further ahead was set by a wrong clock. */
const MAX_SKEW_MS = MINUTE_MS;
/** A cursor that passes no item is stored this seldom: a namespace at rest costs no writes. */
const MIN_MOVE_MS = HOUR_MS;
/** How many listed items one pass visits. The next pass continues after them. */
const MAX_LISTED = 1000;

/** How far the passes before have come. */
interface Progress {
  /** Every open item with an earlier time is listed; milliseconds since 1970. */
  readonly from: number;
  /** The last listed item that was visited, if there are more than one pass visits. */
  readonly visited: string;
}

async function progressOf({ table, clock }: Needs, { cursor, oldest }: OpenKind): Promise<Progress> {
  const [item] = await table.get([cursor]);
  const from = Number(item?.['from'] ?? oldest);
  return { from: from > clock.now() + MAX_SKEW_MS ? oldest : from, visited: String(item?.['visited'] ?? '') };
}

const tableOf = ({ list }: OpenKind): Key['table'] => list.table;

const listKey = ({ list }: OpenKind, order: string): Key => ({ table: list.table, pk: list.pk, sk: order });

function toListing(kind: OpenKind, { key, order }: OpenItem): Write {
  return putAt(listKey(kind, order), { itemPk: key.pk, itemSk: key.sk });
}

/** The listed items after `visited`, page by page; all of them, or as many as one pass visits. */
async function* listedItems({ table }: Needs, kind: OpenKind, visited: string, visitsAll: boolean) {
  const from = visitsAll || visited === '' ? undefined : visited;
  let count = 0;
  for await (const items of pagesOf(table, { ...kind.list, from, limit: BATCH_LIMIT })) {
    const listed = items.filter(({ sk }) => from === undefined || sk > from);
    yield listed.map(({ sk, itemPk, itemSk }): OpenItem => {
      return { key: { table: tableOf(kind), pk: String(itemPk), sk: String(itemSk) }, order: sk, isListed: true };
    });
    count += listed.length;
    if (!visitsAll && count >= MAX_LISTED) return;
  }
}

/**
 * Yields the open items of a kind in batches, each item once: those that are listed, and those that the index has since
 * the cursor. Then the cursor moves; an item that it passes is listed before. `visitsAll`: every listed item, not only as
 * many as one pass visits. A pass that ends early moves nothing.
 */
export async function* openItems(
  needs: Needs,
  kind: OpenKind,
  visitsAll: boolean,
): AsyncGenerator<readonly OpenItem[]> {
  const now = needs.clock.now();
  const { from, visited } = await progressOf(needs, kind);
  const settled = Math.max(now - SETTLING_MS, from);
  const seen = new Set<string>();
  let listed = 0;
  let last = '';
  for await (const batch of listedItems(needs, kind, visited, visitsAll)) {
    for (const { order } of batch) if (order >= keys.timeText(from)) seen.add(order);
    listed += batch.length;
    last = batch.at(-1)?.order ?? last;
    yield batch;
  }
  let passed = false;
  for (const range of kind.rangesOf(from, now + MAX_SKEW_MS)) {
    for await (const rows of pagesOf(needs.table, { ...range, limit: BATCH_LIMIT })) {
      const picked = (await kind.pick(rows)).map((row): OpenItem => {
        const order = String(row[kind.order]);
        const isListed = order < keys.timeText(settled);
        return { key: { table: tableOf(kind), pk: row.pk, sk: row.sk }, order, isListed };
      });
      const open = picked.filter(({ order }) => !seen.has(order));
      const behind = open.filter(({ isListed }) => isListed);
      if (behind.length > 0) await needs.table.write(behind.map((item) => toListing(kind, item)));
      passed ||= rows.some((row) => String(row[kind.order]) < keys.timeText(settled));
      yield open;
    }
  }
  const next = !visitsAll && listed >= MAX_LISTED ? last : '';
  if (!passed && settled - from < MIN_MOVE_MS && next === visited) return;
  await needs.table.write([putAt(kind.cursor, { from: settled, visited: next })]);
}

/** Takes items that are not open any more from the list. */
export async function closeItems({ table }: Pick<Needs, 'table'>, kind: OpenKind, items: readonly OpenItem[]) {
  await deleteKeys(
    table,
    items.filter(({ isListed }) => isListed).map(({ order }) => listKey(kind, order)),
  );
}
