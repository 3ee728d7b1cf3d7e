import { omitUndefined } from '../../language/omit-undefined.ts';
import type { Ports } from '../../ports/ports.ts';
import type { Item, Page, Table, Where } from '../../ports/table.ts';
import { DAY_MS } from '../../time/units.ts';
import * as aggregates from '../metrics/aggregates.ts';
import { begun, counterNames } from '../metrics/run-counts.ts';
import { numberAt } from '../metrics/sums.ts';
import type { Namespace } from '../namespaces/namespaces.ts';
import * as runs from '../runs/runs.ts';
import { type Label, labelledRuns } from '../storage/keys/label-keys.ts';
import * as keys from '../storage/keys.ts';
import { countAll, pagesOf, type Range, readPage } from '../storage/queries.ts';
import type { Span } from '../storage/windows.ts';

type Needs = Pick<Ports, 'table' | 'clock'>;

/** A period in which instances began, both ends included, milliseconds since 1970. */
export interface Period {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** A part of the list: the instances of one day, which are in one partition of the index. */
export interface Section {
  readonly range: Range;
  readonly count: number;
}

const RETENTION_MS = runs.RETENTION_DAYS * DAY_MS;

/** The bounds of a period in the index. A time alone sorts before all rows of that millisecond. */
const boundsOf = ({ from, to }: Period): Pick<Range, 'from' | 'to'> =>
  omitUndefined({
    from: from === undefined ? undefined : keys.timeText(Math.max(from, 0)),
    to: to === undefined ? undefined : keys.timeText(Math.max(to + 1, 0)),
  });

/** An instance is kept for the retention after its end, and began at most that long before. */
const MAX_DAYS = 2 * runs.RETENTION_DAYS;

/**
 * Returns the sections of a namespace's list for a period, the newest first. The number of instances of a day comes from
 * the counters. The rows are counted only where some may have expired, and where the period contains a part of a day.
 */
export async function sectionsOf(needs: Needs, namespace: Namespace, period: Period = {}): Promise<Section[]> {
  const days = await daysOf(needs, namespace, period);
  const now = needs.clock.now();
  return Promise.all(
    days.map(async ({ range, begin, runs: counted, isWhole }) => {
      const isCounted = isWhole && begin + RETENTION_MS > now;
      return { range, count: isCounted ? counted : await countAll(needs.table, range) };
    }),
  );
}

/**
 * Returns the ranges of a namespace's list for a period, one a day, the newest first: of all instances, or of those with a
 * label. Counts no rows.
 */
export async function rangesOf(needs: Needs, namespace: Namespace, period: Period, label?: Label): Promise<Listed[]> {
  return (await daysOf(needs, namespace, period, label)).map(({ range }) => range);
}

/** A range of rows in the order of `runOrder`. */
export type Listed = Range & keys.Partitions;

/** A day on which instances began: their range, their number by the counters, and whether the period contains it all. */
interface Day {
  readonly range: Listed;
  readonly begin: number;
  readonly runs: number;
  readonly isWhole: boolean;
}

async function daysOf(needs: Needs, namespace: Namespace, period: Period, label?: Label): Promise<Day[]> {
  const prefix = counterNames.ofDay('');
  const counters = await aggregates.read(needs, namespace, begun, { prefix });
  const oldest = keys.dateOf(needs.clock.now() - MAX_DAYS * DAY_MS);
  const days = [...counters].map(([counter, sums]) => [counter.slice(prefix.length), sums] as const);
  const listed = days.filter(([day]) => day >= oldest).sort(([a], [b]) => (a < b ? 1 : -1));
  const { from = 0, to = Number.MAX_SAFE_INTEGER } = period;
  return listed.flatMap(([day, sums]) => {
    const begin = Date.parse(day);
    const last = begin + DAY_MS - 1;
    if (from > last || to < begin) return [];
    const cut = { from: from > begin ? from : undefined, to: to < last ? to : undefined };
    const rows = label === undefined ? keys.runsBegun(namespace, begin) : labelledRuns(namespace, label, begin);
    const range = { ...rows, ...boundsOf(cut) };
    return [{ range, begin, runs: numberAt(sums, 'runs'), isWhole: cut.from === undefined && cut.to === undefined }];
  });
}

/** Sorts after every sort key of the index. */
const AFTER_ALL = ':';

/** Returns the number of rows of the sections before an instance; undefined when the sections do not contain it. */
export async function rankOf(
  table: Table,
  sections: readonly Section[],
  id: string,
  descending: boolean,
): Promise<number | undefined> {
  const [item] = await table.get([keys.run(id)]);
  if (item === undefined) return undefined;
  const order = String(item['order']);
  let before = 0;
  for (const { range, count } of descending ? sections : sections.toReversed()) {
    if ('pks' in range && range.pks.includes(String(item['nsBucket']))) {
      const { from = '', to = AFTER_ALL } = range;
      if (order < from || order > to) return undefined;
      const upToRow = descending ? { from: order, to } : { from, to: order };
      return before + (await countAll(table, { ...range, ...upToRow })) - 1;
    }
    before += count;
  }
  return undefined;
}

/** Skips rows without reading them. Returns the cursor of the next row; undefined when there is none. */
async function skip(table: Table, range: Range, rows: number): Promise<string | undefined> {
  let next: string | undefined;
  for (let left = rows; left > 0; ) {
    const page: Page = await readPage(table, range, { count: true, limit: left, next });
    left -= page.count;
    next = page.next;
    if (next === undefined) return undefined;
  }
  return next;
}

async function take(table: Table, range: Range, from: number, rows: number): Promise<Item[]> {
  const items: Item[] = [];
  let next = from === 0 ? undefined : await skip(table, range, from);
  if (from > 0 && next === undefined) return [];
  do {
    const page: Page = await readPage(table, range, { limit: rows - items.length, next });
    items.push(...page.items);
    next = page.next;
  } while (next !== undefined && items.length < rows);
  return items;
}

/** Returns the heads [from, to) of the list. A section is read from its nearer end. */
export async function slice(
  table: Table,
  sections: readonly Section[],
  [from, to]: readonly [number, number],
  descending: boolean,
): Promise<runs.Head[]> {
  const heads: runs.Head[] = [];
  let before = 0;
  for (const { range, count } of descending ? sections : sections.toReversed()) {
    const first = Math.max(from - before, 0);
    const rows = Math.min(to - before, count) - first;
    before += count;
    if (rows <= 0) continue;
    const behind = count - first - rows;
    const isNear = first <= behind;
    const inDirection = { ...range, descending: descending === isNear };
    const items = await take(table, inDirection, isNear ? first : behind, rows);
    heads.push(...(isNear ? items : items.reverse()).map(runs.toHead));
  }
  return heads;
}

/** The condition for the rows of sections, and the direction in which they are read. */
export interface Selected {
  readonly where?: Where;
  readonly descending?: boolean;
}

/** Yields the heads of the sections that meet the condition, in their order. */
export async function* headsOf(
  table: Table,
  sections: readonly Section[],
  { where, descending = true }: Selected = {},
): AsyncGenerator<runs.Head> {
  for (const { range } of descending ? sections : sections.toReversed()) {
    for await (const items of pagesOf(table, { ...range, where, descending })) yield* items.map(runs.toHead);
  }
}

/** Some rows of a list, and the number of all its rows. */
export interface Slice {
  readonly heads: readonly runs.Head[];
  readonly total: number;
}

/** Rows before a page are counted if there are more than this, else read with the page. */
const READ_BEFORE = 500;

/** Returns the heads [from, to) of those that meet the condition. The others are counted: no row is read twice. */
export async function sliceWhere(
  table: Table,
  sections: readonly Section[],
  { where, span: { from, to }, descending }: Required<Selected> & { readonly span: Span },
): Promise<Slice> {
  const heads: runs.Head[] = [];
  let total = 0;
  for (const section of descending ? sections : sections.toReversed()) {
    const range = { ...section.range, where, descending };
    let next: string | undefined;
    do {
      const before = from - total;
      const isRead = total < to && before < READ_BEFORE;
      const size = isRead ? {} : { count: true, limit: before > 0 ? before : undefined };
      const page: Page = await readPage(table, range, { ...size, next });
      if (isRead) heads.push(...page.items.slice(Math.max(before, 0), to - total).map(runs.toHead));
      total += page.count;
      next = page.next;
    } while (next !== undefined);
  }
  return { heads, total };
}
