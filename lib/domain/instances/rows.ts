import type { Clock } from '../../ports/clock.ts';
import type { Item, Query, Table } from '../../ports/table.ts';
import * as ledgers from '../metrics/ledgers.ts';
import { accounts, begun } from '../metrics/run-counts.ts';
import { numberAt } from '../metrics/sums.ts';
import type { Namespace } from '../namespaces/namespaces.ts';
import * as runs from '../runs/runs.ts';
import * as keys from '../storage/keys.ts';

type Needs = { readonly table: Table; readonly clock: Clock };

/** Instances begun in that time, both ends included, milliseconds since 1970. */
export interface Span {
  readonly from?: number;
  readonly to?: number;
}

/** A part of the list, which lies in one partition of the index. */
export interface Section {
  readonly pk: string;
  readonly count: number;
  readonly range: Pick<Query, 'from' | 'to'>;
}

const MS_OF_A_DAY = 86_400_000;
const RETENTION_MS = runs.RETENTION_DAYS * MS_OF_A_DAY;

/** A time with nothing behind it sorts before every row of that millisecond. */
const rangeOf = ({ from, to }: Span): Section['range'] => ({
  ...(from === undefined ? {} : { from: keys.eventTime(Math.max(from, 0)) }),
  ...(to === undefined ? {} : { to: keys.eventTime(Math.max(to + 1, 0)) }),
});

const queryOf = ({ pk, range }: Section, descending: boolean) =>
  ({ table: 'runs', index: 'by-namespace', pk, ...range, descending }) as const;

async function count(table: Table, section: Section): Promise<number> {
  let found = 0;
  let next: string | undefined;
  do {
    const page = await table.query({ ...queryOf(section, true), count: true, ...(next === undefined ? {} : { next }) });
    found += page.count;
    next = page.next;
  } while (next !== undefined);
  return found;
}

/** So many days of instances are listed: whoever ended in the last of them was kept that long. */
const DAYS = 2 * runs.RETENTION_DAYS;

/**
 * The parts of a namespace's list that hold instances of that time, the newest first. Days are not counted here: how
 * many runs began on each is in the ledger. Only where some may have gone since, and where the span cuts a day, rows
 * are counted.
 */
export async function sectionsOf(needs: Needs, namespace: Namespace, span: Span = {}): Promise<Section[]> {
  const now = needs.clock.now();
  const known = await ledgers.read(needs, namespace, begun, { prefix: accounts.ofDay('') });
  const oldest = keys.dayOf(now - DAYS * MS_OF_A_DAY);
  const days = [...known].map(([account, sums]) => [account.slice(accounts.ofDay('').length), sums] as const);
  const listed = days.filter(([day]) => day >= oldest).sort(([a], [b]) => (a < b ? 1 : -1));
  const sections = listed.map(async ([day, sums]): Promise<Section[]> => {
    const begin = Date.parse(day);
    const last = begin + MS_OF_A_DAY - 1;
    const { from = 0, to = Number.MAX_SAFE_INTEGER } = span;
    if (from > last || to < begin) return [];
    const cut = { ...(from > begin ? { from } : {}), ...(to < last ? { to } : {}) };
    const section = { pk: keys.instancesOf(namespace.id, begin), range: rangeOf(cut), count: numberAt(sums, 'runs') };
    const isKnown = Object.keys(cut).length === 0 && begin + RETENTION_MS > now;
    return [isKnown ? section : { ...section, count: await count(needs.table, section) }];
  });
  return (await Promise.all(sections)).flat();
}

/** How many rows of the sections come before an instance, which is one of them; undefined: it is not. */
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
  for (const section of descending ? sections : sections.toReversed()) {
    if (section.pk === item['nsBucket']) {
      const { from = '', to = LAST } = section.range;
      if (order < from || order > to) return undefined;
      const range = descending ? { from: order, to } : { from, to: order };
      return before + (await count(table, { ...section, range })) - 1;
    }
    before += section.count;
  }
  return undefined;
}

/** After every row's place. */
const LAST = ':';

/** Passes so many rows by without reading them out; the cursor behind them, undefined when there is nothing left. */
async function skip(table: Table, query: Query, rows: number): Promise<string | undefined> {
  let next: string | undefined;
  for (let left = rows; left > 0; ) {
    const page = await table.query({ ...query, count: true, limit: left, ...(next === undefined ? {} : { next }) });
    left -= page.count;
    next = page.next;
    if (next === undefined) return undefined;
  }
  return next;
}

async function take(table: Table, query: Query, from: number, rows: number): Promise<Item[]> {
  const items: Item[] = [];
  let next = from === 0 ? undefined : await skip(table, query, from);
  if (from > 0 && next === undefined) return [];
  do {
    const more = next === undefined ? {} : { next };
    const page = await table.query({ ...query, limit: rows - items.length, ...more });
    items.push(...page.items);
    next = page.next;
  } while (next !== undefined && items.length < rows);
  return items;
}

/** The heads of [from, to) of the list. A section is entered from the end that is nearer. */
export async function slice(
  table: Table,
  sections: readonly Section[],
  [from, to]: readonly [number, number],
  descending: boolean,
): Promise<runs.Head[]> {
  const heads: runs.Head[] = [];
  let before = 0;
  for (const section of descending ? sections : sections.toReversed()) {
    const first = Math.max(from - before, 0);
    const rows = Math.min(to - before, section.count) - first;
    before += section.count;
    if (rows <= 0) continue;
    const behind = section.count - first - rows;
    const isNear = first <= behind;
    const items = await take(table, queryOf(section, descending === isNear), isNear ? first : behind, rows);
    heads.push(...(isNear ? items : items.reverse()).map(runs.toHead));
  }
  return heads;
}

/** Every head of the sections, in their order. */
export async function* all(table: Table, sections: readonly Section[], descending = true): AsyncGenerator<runs.Head> {
  for (const section of descending ? sections : sections.toReversed()) {
    let next: string | undefined;
    do {
      const page = await table.query({ ...queryOf(section, descending), ...(next === undefined ? {} : { next }) });
      for (const item of page.items) yield runs.toHead(item);
      next = page.next;
    } while (next !== undefined);
  }
}
