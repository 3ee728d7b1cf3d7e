import { parseJson } from '../../language/json-numbers.ts';
import { omitUndefined } from '../../language/omit-undefined.ts';
import type { Ports } from '../../ports/ports.ts';
import type { Item } from '../../ports/table.ts';
import { MINUTE_MS } from '../../time/units.ts';
import type { Namespace } from '../namespaces/namespaces.ts';
import * as runs from '../runs/runs.ts';
import { deleteAll, putAt } from '../storage/batches.ts';
import { ignoreConflict } from '../storage/conflicts.ts';
import * as keys from '../storage/keys.ts';
import { countAll, pagesOf, readAll } from '../storage/queries.ts';
import { knownUntil } from '../storage/spread.ts';
import { type Increment, plus, type Sums, Total } from './sums.ts';
import { keepSlices, keptSlices, type Span, type TailRow, totalsOf } from './tail-slices.ts';

/**
 * Counters over the rows of an index by time. A namespace has a high-water mark for each aggregate: the counters contain
 * the rows up to it; later rows are read and added on each reading. The mark and the counters are updated in one
 * transaction, on the condition that the mark was not moved since it was read. So each row is counted exactly once, even
 * with concurrent or crashed processes.
 */
export interface Aggregate {
  readonly name: 'begun' | 'ended';
  /** The partitions of the index for the day of a time. */
  readonly partitionsOf: (home: keys.Home, ms: number) => keys.Partitions;
  /** The attribute that orders the index: time and id. */
  readonly order: 'order' | 'endOrder';
  /** The attributes that `incrementsOf` reads. */
  readonly only: readonly string[];
  readonly incrementsOf: (row: Item) => readonly Increment[];
  /** The counters to which each row of a day adds 1 and nothing else: to read them, rows can be counted. */
  readonly perDay?: {
    readonly prefix: string;
    /** The name of the number in the sums. */
    readonly sum: string;
  };
}

/** The counters with a prefix, or of a range of names. */
export type CounterRange = { readonly prefix: string } | { readonly from: string; readonly to: string };

type Home = Pick<Namespace, 'id' | 'created' | 'spread'>;
type Needs = Pick<Ports, 'table' | 'clock'>;

/**
 * The age at which all rows of a time are visible in the index, milliseconds: a row is written at most MAX_FIRST_COMMIT_MS
 * after its time, and two minutes are more than all retries of the write, the delay of the index and clock skew together.
 */
export const LAG_MS = runs.MAX_FIRST_COMMIT_MS + 2 * MINUTE_MS;

const PAGE_SIZE = 500;
/** Fewer rows are not worth a transaction; they are added on each reading. */
const MIN_ROWS_TO_WRITE = 200;
/** A transaction has at most 100 writes and 4 MB; one write moves the mark. */
const MAX_COUNTERS = 95;
const MAX_BYTES = 3_000_000;
/** A counter of this size gets no new names: a workflow can have any number of states and error codes. */
const MAX_COUNTER_BYTES = 100_000;

/** The place of a row in its index. */
export const orderOf = ({ order }: Aggregate, row: Item): string => String(row[order]);
/** The time of a place in an index, milliseconds since 1970. */
export const timeOf = (order: string): number => Number.parseInt(order, 10);
/** Where the mark of an aggregate is stored. */
export const markKey = ({ id }: Home, { name }: Aggregate) => keys.counter(id, name);
/** Where a counter is stored. */
export const counterKey = ({ id }: Home, { name }: Aggregate, counter: string) =>
  keys.counter(id, `${name}#${counter}`);

/** An aggregate of a namespace, with the ports that it needs. */
export interface Context {
  readonly needs: Needs;
  readonly home: Home;
  readonly aggregate: Aggregate;
}

/** Rows up to the high-water mark are in the counters. */
interface Mark {
  readonly at: string;
  /** No row was counted yet: the mark is not stored. */
  readonly isFirst: boolean;
}

/** Reads the mark; without one, it is where counting begins. */
export async function readMark({ needs, home, aggregate }: Context): Promise<Mark> {
  const [item] = await needs.table.get([markKey(home, aggregate)]);
  if (item !== undefined) return { at: String(item['mark']), isFirst: false };
  return { at: keys.timeText(Math.max(home.created - LAG_MS, 0)), isFirst: true };
}

/** Returns the first `PAGE_SIZE` rows after a place in the index, the oldest first; only those before a time, if given. */
async function rowsAfter(
  { needs: { table, clock }, home, aggregate }: Context,
  after: string,
  before?: number,
): Promise<Item[]> {
  const rows: Item[] = [];
  const end = before === undefined ? {} : { to: keys.timeText(before) };
  for (const day of keys.daysBetween(timeOf(after), Math.min(clock.now(), before ?? Number.POSITIVE_INFINITY))) {
    // One more than needed, because the row at the place itself is among them.
    const limit = PAGE_SIZE - rows.length + 1;
    const range = { ...aggregate.partitionsOf(home, day), from: after, ...end, limit, only: aggregate.only };
    for await (const items of pagesOf(table, range)) {
      rows.push(...items.filter((row) => orderOf(aggregate, row) > after));
      if (rows.length >= PAGE_SIZE) return rows.slice(0, PAGE_SIZE);
    }
  }
  return rows;
}

/** Adds up the increments of rows by counter. */
export function addedUp(increments: readonly (readonly Increment[])[]): Map<string, Increment> {
  const totals = new Map<string, { readonly latest: Increment; readonly total: Total }>();
  for (const increment of increments.flat()) {
    const { counter, sums } = increment;
    const { total = new Total() } = totals.get(counter) ?? {};
    total.add(sums);
    totals.set(counter, { latest: increment, total });
  }
  return new Map(Array.from(totals, ([counter, { latest, total }]) => [counter, { ...latest, sums: total.sums }]));
}

/** How many of the first rows one transaction can count, by the increments of the rows. */
export function fitting(increments: readonly (readonly Increment[])[]): number {
  const counters = new Set<string>();
  const end = increments.findIndex((ofRow, index) => {
    for (const { counter } of ofRow) counters.add(counter);
    return index > 0 && counters.size > MAX_COUNTERS;
  });
  return end < 0 ? increments.length : end;
}

/** The attributes of a counter after an increment. */
export function incremented(old: Item | undefined, { sums, ttl }: Increment, mark: string) {
  const text = old === undefined ? '{}' : String(old['sums']);
  const next = plus(parseJson(text) as Sums, sums, text.length <= MAX_COUNTER_BYTES);
  return omitUndefined({ sums: JSON.stringify(next), mark, ttl });
}

interface Batch {
  readonly mark: Mark;
  readonly rows: readonly Item[];
  /** The mark after all of the rows. */
  readonly end: string;
}

/** Counts the first of the rows, as many as one transaction can. Has no effect when the mark was moved meanwhile. */
async function countRows({ needs: { table }, home, aggregate }: Context, { mark, rows, end }: Batch): Promise<void> {
  const all = rows.map((row) => aggregate.incrementsOf(row));
  for (let taken = fitting(all); ; taken = Math.ceil(taken / 2)) {
    const last = taken === 0 ? undefined : rows[taken - 1];
    const next = taken === rows.length || last === undefined ? end : orderOf(aggregate, last);
    const increments = [...addedUp(all.slice(0, taken)).values()];
    const places = increments.map(({ counter }) => counterKey(home, aggregate, counter));
    const olds = places.length === 0 ? [] : await table.get(places);
    const counters = increments.map((increment, index) => incremented(olds[index], increment, next));
    const bytes = counters.reduce((sum, { sums }) => sum + Buffer.byteLength(sums), 0);
    if (bytes > MAX_BYTES && taken > 1) continue;
    const when = mark.isFirst ? ({ absent: true } as const) : { equals: { mark: mark.at } };
    const writes = places.map((key, index) => putAt(key, counters[index] ?? {}));
    await ignoreConflict(table.write([putAt(markKey(home, aggregate), { mark: next }, when), ...writes]));
    return;
  }
}

/** The high-water mark, and the first rows after it. */
interface Tail {
  readonly mark: string;
  readonly rows: readonly Item[];
}

/**
 * Counts rows until the rest is too recent, or has fewer than `minimum` rows. Rows that may be in partitions which the
 * namespace did not have when it was read are too recent as well.
 */
async function countOld(context: Context, minimum: number, readAt: number): Promise<Tail> {
  const { needs, aggregate } = context;
  for (;;) {
    const mark = await readMark(context);
    const rows = await rowsAfter(context, mark.at);
    const border = keys.timeText(Math.min(needs.clock.now() - LAG_MS, knownUntil(readAt)));
    const old = rows.filter((row) => orderOf(aggregate, row) < border);
    // The mark is moved over days without rows too, so that they are not queried again.
    const isOnEarlierDay = keys.dateOf(timeOf(mark.at)) < keys.dateOf(timeOf(border));
    if (mark.at >= border || (old.length < minimum && !isOnEarlierDay)) return { mark: mark.at, rows };
    const isAll = rows.length < PAGE_SIZE || old.length < rows.length;
    await countRows(context, { mark, rows: old, end: isAll ? border : orderOf(aggregate, old[PAGE_SIZE - 1] as Item) });
  }
}

/** Counts all rows that are old enough. `readAt`: when the namespace was read, milliseconds since 1970. */
export async function rollUp(needs: Needs, home: Home, aggregate: Aggregate, readAt: number): Promise<void> {
  await countOld({ needs, home, aggregate }, 1, readAt);
}

const boundsOf = ({ name }: Aggregate, range: CounterRange) =>
  'prefix' in range
    ? { prefix: `${name}#${range.prefix}` }
    : { from: `${name}#${range.from}`, to: `${name}#${range.to}` };

const isIn = (range: CounterRange, counter: string): boolean =>
  'prefix' in range ? counter.startsWith(range.prefix) : counter >= range.from && counter <= range.to;

/** What a tail adds from the index: all rows after a place of which the first are read, or those before a time. */
async function tailRows(context: Context, first: readonly Item[], before?: number): Promise<TailRow[]> {
  const { aggregate } = context;
  const found: TailRow[] = [];
  for (let rows = first; ; rows = await rowsAfter(context, orderOf(aggregate, rows[PAGE_SIZE - 1] as Item), before)) {
    const here = rows.map((row) => ({ ms: timeOf(orderOf(aggregate, row)), increments: aggregate.incrementsOf(row) }));
    found.push(...here.filter(({ ms }) => before === undefined || ms < before));
    if (rows.length < PAGE_SIZE || found.at(-1)?.ms !== here.at(-1)?.ms) return found;
  }
}

async function countIn({ needs: { table }, home, aggregate }: Context, { from, to }: Span): Promise<number> {
  const range = { from: keys.timeText(from), to: keys.timeText(to) };
  const days = keys.daysBetween(from, to);
  const counts = days.map((day) => countAll(table, { ...aggregate.partitionsOf(home, day), ...range }));
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
}

/** The sums of the rows after the mark. Those of a long tail are kept, where that spares more than it costs. */
async function sumsOfTail(context: Context, { mark, rows: first }: Tail) {
  const { table, clock } = context.needs;
  // Where rows are paid for, it costs as much to count them as to read them.
  if (first.length < PAGE_SIZE || table.generation === undefined) return totalsOf(await tailRows(context, first));
  const name = `${context.home.id} ${context.aggregate.name}`;
  const now = clock.now();
  const kept = await keptSlices(table, name, timeOf(mark), (span) => countIn(context, span));
  const readFrom = async (ms: number, before?: number) =>
    tailRows(context, await rowsAfter(context, keys.timeText(ms), before), before);
  const early = kept === undefined ? [] : await tailRows(context, first, kept.from);
  const stale = (await Promise.all(kept?.stale.map(({ from, to }) => readFrom(from, to)) ?? [])).flat();
  const late = kept === undefined ? await tailRows(context, first) : await readFrom(kept.to);
  keepSlices(table, name, { kept, markMs: timeOf(mark), rows: [...stale, ...late] }, now);
  return [...(kept?.slices.flatMap(({ sums }) => sums) ?? []), ...totalsOf([...early, ...stale, ...late])];
}

/** Adds the rows after the mark to the sums of the counters. */
async function addTail(context: Context, range: CounterRange, sums: Map<string, Sums>, tail: Tail): Promise<void> {
  for (const [counter, more] of await sumsOfTail(context, tail)) {
    if (isIn(range, counter)) sums.set(counter, plus(sums.get(counter) ?? {}, more));
  }
}

/** As `addTail`, for the counters per day: the rows after the mark are counted. */
async function addCounts(
  { needs: { table, clock }, home, aggregate }: Context,
  { prefix, sum }: NonNullable<Aggregate['perDay']>,
  mark: string,
  sums: Map<string, Sums>,
): Promise<void> {
  for (const day of keys.daysBetween(timeOf(mark), clock.now())) {
    // Sorts after a row at the mark, and before every later one.
    const from = `${mark} `;
    const count = await countAll(table, { ...aggregate.partitionsOf(home, day), from });
    const counter = prefix + keys.dateOf(day);
    if (count > 0) sums.set(counter, plus(sums.get(counter) ?? {}, { [sum]: count }));
  }
}

/** Returns the sums of counters by their names, with all rows that are visible at this moment. */
export async function read(
  needs: Needs,
  home: Home,
  aggregate: Aggregate,
  range: CounterRange,
): Promise<Map<string, Sums>> {
  const context = { needs, home, aggregate };
  const readAt = needs.clock.now();
  for (;;) {
    const tail = await countOld(context, MIN_ROWS_TO_WRITE, readAt);
    const { mark, rows } = tail;
    const items = await readAll(needs.table, { ...keys.counters(home.id), ...boundsOf(aggregate, range) });
    // Another process has counted rows since the mark was read: they would be added twice.
    if (items.some((item) => String(item['mark']) > mark)) continue;
    const sums = new Map(
      items.map((item) => [item.sk.slice(aggregate.name.length + 1), parseJson(String(item['sums'])) as Sums]),
    );
    const { perDay } = aggregate;
    const isPerDay = 'prefix' in range && range.prefix === perDay?.prefix;
    // A few rows are read already.
    if (isPerDay && rows.length === PAGE_SIZE) await addCounts(context, perDay, mark, sums);
    else await addTail(context, range, sums, tail);
    return sums;
  }
}

/** Deletes the counters of an aggregate with a prefix. */
export async function deleteCounters(
  { table }: Pick<Ports, 'table'>,
  namespaceId: string,
  { name }: Aggregate,
  prefix: string,
): Promise<void> {
  await deleteAll(table, { ...keys.counters(namespaceId), prefix: `${name}#${prefix}` });
}
