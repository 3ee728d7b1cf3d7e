import type { Table } from '../../ports/table.ts';
import { SECOND_MS } from '../../time/units.ts';
import { type Increment, type Sums, Total } from './sums.ts';

/** A tail is kept in slices of this length, so that it can be shortened when its mark moves. */
const SLICE_MS = SECOND_MS;
/** A slice that ended this long ago can hardly get a row that is stored late. */
const SETTLED_MS = 5 * SECOND_MS;
/** The tail of a table that was kept least recently is forgotten first. */
const MAX_TAILS = 50;

/** A row of a tail: its time, milliseconds since 1970, and what it adds. */
export interface TailRow {
  readonly ms: number;
  readonly increments: readonly Increment[];
}

/** The sums of the rows of a tail within `SLICE_MS`, by counter. */
interface Slice {
  readonly from: number;
  readonly count: number;
  readonly sums: readonly (readonly [counter: string, sums: Sums])[];
}

/** Slices that follow each other; a slice without rows is left out. */
export interface Slices {
  /** The time of the first row that can be in them, and that of the first which is too late. */
  readonly from: number;
  readonly to: number;
  readonly slices: readonly Slice[];
}

const keptOf = new WeakMap<Table, Map<string, Slices>>();

const sliceStart = (ms: number): number => Math.floor(ms / SLICE_MS) * SLICE_MS;

/** Adds up the increments of rows by counter. */
export function totalsOf(rows: readonly TailRow[]): [counter: string, sums: Sums][] {
  const totals = new Map<string, Total>();
  for (const { counter, sums } of rows.flatMap(({ increments }) => increments)) {
    const total = totals.get(counter) ?? new Total();
    total.add(sums);
    totals.set(counter, total);
  }
  return Array.from(totals, ([counter, total]) => [counter, total.sums]);
}

/**
 * The slices after a mark that earlier readings of this process have kept; undefined if there are none, or if `countIn`
 * finds another number of rows in them: one was stored late. A row never changes and is not deleted before it expires, so
 * the number is proof enough.
 */
export async function keptSlices(
  table: Table,
  name: string,
  markMs: number,
  countIn: (slices: Slices) => Promise<number>,
): Promise<Slices | undefined> {
  const kept = keptOf.get(table)?.get(name);
  if (kept === undefined) return undefined;
  const slices = kept.slices.filter(({ from }) => from > markMs);
  const rest = { from: Math.max(kept.from, sliceStart(markMs) + SLICE_MS), to: kept.to, slices };
  if (rest.from >= rest.to) return undefined;
  const count = slices.reduce((sum, slice) => sum + slice.count, 0);
  return (await countIn(rest)) === count ? rest : undefined;
}

/**
 * Keeps the slices of a tail for later readings: those that are kept already, and the ones of `rows`, which are all rows
 * after them, or after the mark, in their order.
 */
export function keepSlices(
  table: Table,
  name: string,
  tail: { readonly kept: Slices | undefined; readonly markMs: number; readonly rows: readonly TailRow[] },
  now: number,
): void {
  const from = tail.kept?.from ?? sliceStart(tail.markMs) + SLICE_MS;
  const begin = tail.kept?.to ?? from;
  const to = sliceStart(now - SETTLED_MS);
  if (to <= begin) return;
  const settled = tail.rows.filter(({ ms }) => ms >= begin && ms < to);
  const added = Array.from(
    Map.groupBy(settled, ({ ms }) => sliceStart(ms)),
    ([start, rows]): Slice => {
      return { from: start, count: rows.length, sums: totalsOf(rows) };
    },
  );
  const all = keptOf.get(table) ?? new Map<string, Slices>();
  keptOf.set(table, all);
  all.delete(name);
  all.set(name, { from, to, slices: [...(tail.kept?.slices ?? []), ...added] });
  for (const oldest of [...all.keys()].slice(0, Math.max(all.size - MAX_TAILS, 0))) all.delete(oldest);
}
