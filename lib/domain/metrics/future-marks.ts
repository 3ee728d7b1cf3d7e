import type { Item } from '../../ports/table.ts';
import { putAt } from '../storage/batches.ts';
import { ignoreConflict } from '../storage/conflicts.ts';
import * as keys from '../storage/keys.ts';
import { pagesOf } from '../storage/queries.ts';
import {
  type Aggregate,
  addedUp,
  type Context,
  counterKey,
  fitting,
  incremented,
  markKey,
  orderOf,
  readMark,
  timeOf,
} from './aggregates.ts';
import type { Sums } from './sums.ts';

const negated = (sums: Sums): Sums =>
  Object.fromEntries(
    Object.entries(sums).map(([name, value]) => [name, typeof value === 'number' ? -value : negated(value)]),
  );

/** The rows after a time up to a mark, the oldest first. */
async function rowsUpTo({ needs, home, aggregate }: Context, from: string, mark: string): Promise<Item[]> {
  const rows: Item[] = [];
  for (const day of keys.daysBetween(timeOf(from), timeOf(mark))) {
    const range = { ...aggregate.partitionsOf(home, day), from, only: aggregate.only };
    for await (const items of pagesOf(needs.table, range)) rows.push(...items);
  }
  return rows.filter((row) => orderOf(aggregate, row) > from && orderOf(aggregate, row) <= mark);
}

/** Subtracts the newest rows from the counters, as many as one transaction can, and moves the mark before them. */
async function uncount(
  { needs: { table }, home, aggregate }: Context,
  rows: readonly Item[],
  now: string,
  mark: string,
) {
  const newestFirst = rows.toReversed().map((row) => aggregate.incrementsOf(row));
  const taken = fitting(newestFirst);
  const last = rows.at(rows.length - taken - 1);
  const next = last === undefined || taken === rows.length ? now : orderOf(aggregate, last);
  const increments = [...addedUp(newestFirst.slice(0, taken)).values()];
  const places = increments.map(({ counter }) => counterKey(home, aggregate, counter));
  const olds = places.length === 0 ? [] : await table.get(places);
  const writes = increments.flatMap((increment, index) => {
    const [key, old] = [places[index], olds[index]];
    // A counter that has expired has no sums to subtract from.
    if (key === undefined || old === undefined) return [];
    return [putAt(key, incremented(old, { ...increment, sums: negated(increment.sums) }, next))];
  });
  const when = { equals: { mark } };
  await ignoreConflict(table.write([putAt(markKey(home, aggregate), { mark: next }, when), ...writes]));
}

/**
 * Moves a mark that is in the future back to the present: the clock was ahead when it was stored, and runs that begin or end
 * until then would never be counted. The counted rows of the future are subtracted; they are counted again when their time
 * has come. To be called only while no other process works: each row up to the present must be counted.
 */
export async function withdrawFuture(
  needs: Context['needs'],
  home: Context['home'],
  aggregate: Aggregate,
): Promise<void> {
  const context = { needs, home, aggregate };
  const now = keys.timeText(needs.clock.now());
  for (;;) {
    const { at, isFirst } = await readMark(context);
    if (isFirst || at <= now) return;
    await uncount(context, await rowsUpTo(context, now, at), now, at);
  }
}
