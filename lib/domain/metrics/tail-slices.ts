import type { Table } from '../../ports/table.ts';
import { SECOND_MS } from '../../time/units.ts';
import { type Increment, type Sums, Total } from './sums.ts';

/** A tail is kept in slices of this length, so that it can be shortened when its mark moves. */
const SLICE_MS = SECOND_MS;
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

/** A span of time, milliseconds since 1970: its first moment, and the first one after it. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** Slices that follow each other within a span; a slice without rows is left out. */
interface Slices extends Span {
  readonly slices: readonly Slice[];
}

/** Slices that are kept, and the spans within them whose rows must be read again. */
export interface KeptSlices extends Slices {
  readonly stale: readonly Span[];
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

const isIn = ({ from, to }: Span, ms: number): boolean => ms >= from && ms < to;

/** The spans of one slice in which `countIn` finds another number of rows than are kept. */
async function staleIn({ from, to, slices }: Slices, countIn: (span: Span) => Promise<number>): Promise<Span[]> {
  const kept = slices.reduce((sum, { count }) => sum + count, 0);
  if ((await countIn({ from, to })) === kept) return [];
  if (to - from <= SLICE_MS) return [{ from, to }];
  const middle = sliceStart((from + to) / 2);
  const halves = [
    { from, to: middle },
    { from: middle, to },
  ].map((half) => staleIn({ ...half, slices: slices.filter((slice) => isIn(half, slice.from)) }, countIn));
  return (await Promise.all(halves)).flat();
}

/**
 * The slices after a mark that earlier readings of this process have kept; undefined if there are none. Those in which
 * `countIn` finds another number of rows are stale, as a row was stored late. A row never changes and is not deleted
 * before it expires, so the number is proof enough.
 */
export async function keptSlices(
  table: Table,
  name: string,
  markMs: number,
  countIn: (span: Span) => Promise<number>,
): Promise<KeptSlices | undefined> {
  const kept = keptOf.get(table)?.get(name);
  if (kept === undefined) return undefined;
  const from = Math.max(kept.from, sliceStart(markMs) + SLICE_MS);
  if (from >= kept.to) return undefined;
  const rest = { from, to: kept.to, slices: kept.slices.filter((slice) => slice.from >= from) };
  const stale = await staleIn(rest, countIn);
  return { ...rest, slices: rest.slices.filter((slice) => !stale.some((span) => isIn(span, slice.from))), stale };
}

/**
 * Keeps the slices of a tail for later readings: those that are kept already, and the ones of `rows`, which are all rows
 * of the stale spans and after the kept slices, or after the mark.
 */
export function keepSlices(
  table: Table,
  name: string,
  tail: { readonly kept: KeptSlices | undefined; readonly markMs: number; readonly rows: readonly TailRow[] },
  now: number,
): void {
  const from = tail.kept?.from ?? sliceStart(tail.markMs) + SLICE_MS;
  // The clock may have been set back since a slice was kept.
  const to = Math.max(sliceStart(now), tail.kept?.to ?? from);
  if (to === from) return;
  const added = Array.from(
    Map.groupBy(
      tail.rows.filter(({ ms }) => isIn({ from, to }, ms)),
      ({ ms }) => sliceStart(ms),
    ),
    ([start, rows]): Slice => ({ from: start, count: rows.length, sums: totalsOf(rows) }),
  );
  const all = keptOf.get(table) ?? new Map<string, Slices>();
  keptOf.set(table, all);
  all.delete(name);
  all.set(name, { from, to, slices: [...(tail.kept?.slices ?? []), ...added] });
  for (const oldest of [...all.keys()].slice(0, Math.max(all.size - MAX_TAILS, 0))) all.delete(oldest);
}
