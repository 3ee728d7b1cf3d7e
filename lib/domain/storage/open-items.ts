import type { Ports } from '../../ports/ports.ts';
import type { Item, Key, Where, Write } from '../../ports/table.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../time/units.ts';
import { batchesOf, deleteKeys, putAt } from './batches.ts';
import * as keys from './keys.ts';
import { pagesOf, type Range, readFirst } from './queries.ts';

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
  /** What open rows meet, in attributes of the index; absent: every row is read. */
  readonly where?: Where;
  /** The rows of a page of the index that are open. */
  readonly pick: (rows: readonly Item[]) => Promise<readonly Item[]>;
  /** How long a listed item of this age is not visited again, milliseconds; absent: each pass visits it. */
  readonly restOf?: (age: number) => number;
  /** Is called with the highest rate of rows that a pass has found, rows a second. */
  readonly onRate?: (rowsPerSecond: number) => Promise<void>;
}

/** An open item: its key, and its position among the items of its kind. */
export interface OpenItem {
  readonly key: Key;
  readonly order: string;
  /** It is in the list, from which it is taken when it is not open any more. */
  readonly isListed: boolean;
}

/** How much one pass does. */
export interface Extent {
  /** Every listed item is visited, also those that rest. Rows that are not open are not read, so their rate is unknown. */
  readonly visitsAll: boolean;
  /** The time at which the pass stops, milliseconds since 1970; the next pass continues there. */
  readonly until: number;
  /** Rests that began before this time have ended: what they rely on may have been deleted since. */
  readonly since: number;
  /** The cursor does not pass this time: later rows may be in partitions that the ranges do not have. */
  readonly knownUntil: number;
}

/**
 * An item enters the index by time at most this long after the time that it carries (runs: `MAX_FIRST_COMMIT_MS`), so the
 * cursor stays this far behind.
 */
const SETTLING_MS = 3 * MINUTE_MS;
/** The clocks of two computers differ by less. A cursor that is further ahead was set by a wrong clock. */
const MAX_SKEW_MS = MINUTE_MS;
/** A cursor that passes no item is stored at most this often: a namespace at rest costs no writes. */
const MIN_MOVE_MS = HOUR_MS;
/** The rows that one query reads. */
const PAGE_SIZE = 1000;
/** The most listed items that one pass reads; fewer of a kind whose items do not rest. The next pass continues after them. */
const MAX_LISTED = 10 * PAGE_SIZE;
const MAX_LISTED_RESTLESS = PAGE_SIZE;

/** The progress of the passes before. */
interface Progress {
  /** Every open item with an earlier time is listed; milliseconds since 1970. */
  readonly from: number;
  /** The last listed item that was read, if there are more than one pass reads. */
  readonly visited: string;
}

async function progressOf({ table, clock }: Needs, { cursor, oldest }: OpenKind): Promise<Progress> {
  const [item] = await table.get([cursor]);
  const from = Number(item?.['from'] ?? oldest);
  return { from: from > clock.now() + MAX_SKEW_MS ? oldest : from, visited: String(item?.['visited'] ?? '') };
}

const store = ({ table }: Needs, { cursor }: OpenKind, { from, visited }: Progress): Promise<void> =>
  table.write([putAt(cursor, { from, visited })]);

const tableOf = ({ list }: OpenKind): Key['table'] => list.table;

const listKey = ({ list }: OpenKind, order: string): Key => ({ table: list.table, pk: list.pk, sk: order });

/** When an item was visited, and when it is visited next. */
interface Rest {
  readonly visited: number;
  readonly restsUntil: number;
}

/** The row of an open item in the list. */
const toListing = (kind: OpenKind, { key, order }: OpenItem, rest?: Rest): Write =>
  putAt(listKey(kind, order), { itemPk: key.pk, itemSk: key.sk, ...rest });

/** The highest number of rows in one of the minutes of their times. */
class RateMeter {
  #minute = 0;
  #rows = 0;
  #most = 0;

  /** Adds a row; times come in their order. */
  add(ms: number): void {
    const minute = Math.floor(ms / MINUTE_MS);
    this.#rows = minute === this.#minute ? this.#rows + 1 : 1;
    this.#minute = minute;
    this.#most = Math.max(this.#most, this.#rows);
  }

  /** Rows a second. */
  get highest(): number {
    return this.#most / (MINUTE_MS / SECOND_MS);
  }
}

/** One pass over open items, with the rows that it has read so far. */
class OpenPass {
  readonly #needs: Needs;
  readonly #kind: OpenKind;
  readonly #extent: Extent;
  /** The positions of listed items that the index has as well. */
  readonly #seen = new Set<string>();
  readonly #rate = new RateMeter();

  constructor(needs: Needs, kind: OpenKind, extent: Extent) {
    this.#needs = needs;
    this.#kind = kind;
    this.#extent = extent;
  }

  /** The highest rate of the rows that the index had, rows a second. */
  get rate(): number {
    return this.#rate.highest;
  }

  get #isLate(): boolean {
    return this.#needs.clock.now() >= this.#extent.until;
  }

  #isDue({ restsUntil = 0, visited = 0 }: Item): boolean {
    const { visitsAll, since } = this.#extent;
    return visitsAll || Number(restsUntil) <= this.#needs.clock.now() || Number(visited) < since;
  }

  /** Yields the listed items that are due. Returns where the next pass continues; the empty text: at the beginning. */
  async *listed({ from, visited }: Progress): AsyncGenerator<readonly OpenItem[], string> {
    const { visitsAll } = this.#extent;
    const most = this.#kind.restOf === undefined ? MAX_LISTED_RESTLESS : MAX_LISTED;
    const after = visitsAll || visited === '' ? undefined : visited;
    let count = 0;
    let last = after ?? '';
    for await (const items of pagesOf(this.#needs.table, { ...this.#kind.list, from: after, limit: PAGE_SIZE })) {
      const listed = items.filter(({ sk }) => after === undefined || sk > after);
      for (const { sk } of listed) if (sk >= keys.timeText(from)) this.#seen.add(sk);
      for (const batch of batchesOf(listed.filter((item) => this.#isDue(item)))) {
        if (this.#isLate) return last;
        last = batch.at(-1)?.sk ?? last;
        yield batch.map(({ sk, itemPk, itemSk }): OpenItem => {
          const key = { table: tableOf(this.#kind), pk: String(itemPk), sk: String(itemSk) };
          return { key, order: sk, isListed: true };
        });
      }
      count += listed.length;
      last = listed.at(-1)?.sk ?? last;
      if (!visitsAll && count >= most) return last;
    }
    return '';
  }

  /**
   * Yields the open items that the index has since the cursor. An item that the cursor passes is listed before. Returns
   * the time that the cursor has reached, and whether it passed an item.
   */
  async *indexed({ from, visited }: Progress): AsyncGenerator<readonly OpenItem[], { to: number; passed: boolean }> {
    const settled = Math.max(Math.min(this.#needs.clock.now() - SETTLING_MS, this.#extent.knownUntil), from);
    const where = this.#extent.visitsAll ? this.#kind.where : undefined;
    let passed = false;
    let reached = from;
    for (const range of this.#kind.rangesOf(from, this.#needs.clock.now() + MAX_SKEW_MS)) {
      if (where !== undefined) passed ||= await this.#hasRow({ ...range, to: keys.timeText(settled) });
      for await (const rows of pagesOf(this.#needs.table, { ...range, where, limit: PAGE_SIZE })) {
        for (const row of rows) this.#rate.add(keys.timeIn(this.#orderOf(row)));
        const open = (await this.#pick(rows, settled)).filter(({ order }) => !this.#seen.has(order));
        for (const batch of batchesOf(open)) {
          if (this.#isLate) return { to: reached, passed };
          const behind = batch.filter(({ isListed }) => isListed);
          if (behind.length > 0) await this.#needs.table.write(behind.map((item) => toListing(this.#kind, item)));
          yield batch;
          reached = Math.min(keys.timeIn(batch.at(-1)?.order ?? ''), settled);
        }
        passed ||= rows.some((row) => this.#orderOf(row) < keys.timeText(settled));
        const last = rows.at(-1);
        if (last !== undefined) reached = Math.min(keys.timeIn(this.#orderOf(last)), settled);
        if (rows.length === PAGE_SIZE) await store(this.#needs, this.#kind, { from: reached, visited });
      }
    }
    return { to: settled, passed };
  }

  async #hasRow(range: Range): Promise<boolean> {
    return (await readFirst(this.#needs.table, range, 1)).length > 0;
  }

  #orderOf(row: Item): string {
    return String(row[this.#kind.order]);
  }

  async #pick(rows: readonly Item[], settled: number): Promise<OpenItem[]> {
    const picked = await this.#kind.pick(rows);
    return picked.map((row) => {
      const order = this.#orderOf(row);
      const isListed = order < keys.timeText(settled);
      return { key: { table: tableOf(this.#kind), pk: row.pk, sk: row.sk }, order, isListed };
    });
  }
}

/**
 * Yields the open items of a kind in batches, each item once: those that are listed and due, and those that the index has
 * since the cursor. The cursor moves with each page of the index; an item that it passes is listed before.
 */
export async function* openItems(needs: Needs, kind: OpenKind, extent: Extent): AsyncGenerator<readonly OpenItem[]> {
  const progress = await progressOf(needs, kind);
  const pass = new OpenPass(needs, kind, extent);
  const visited = yield* pass.listed(progress);
  const { to: from, passed } = yield* pass.indexed({ from: progress.from, visited });
  await kind.onRate?.(pass.rate);
  if (!passed && from - progress.from < MIN_MOVE_MS && visited === progress.visited) return;
  await store(needs, kind, { from, visited });
}

/** Takes items that are not open any more from the list. */
export async function closeItems({ table }: Pick<Needs, 'table'>, kind: OpenKind, items: readonly OpenItem[]) {
  await deleteKeys(
    table,
    items.filter(({ isListed }) => isListed).map(({ order }) => listKey(kind, order)),
  );
}

/** Lets listed items rest that were visited and stay open, if their kind has a rest. */
export async function restItems({ table, clock }: Needs, kind: OpenKind, items: readonly OpenItem[]): Promise<void> {
  const { restOf } = kind;
  if (restOf === undefined) return;
  const now = clock.now();
  const listings = items
    .filter(({ isListed }) => isListed)
    .map((item) => toListing(kind, item, { visited: now, restsUntil: now + restOf(now - keys.timeIn(item.order)) }));
  for (const batch of batchesOf(listings)) await table.write(batch);
}
