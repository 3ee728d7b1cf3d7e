import type { Clock } from '../../ports/clock.ts';
import { ConflictError, type Item, type Table, type Write } from '../../ports/table.ts';
import type { Namespace } from '../namespaces/namespaces.ts';
import * as runs from '../runs/runs.ts';
import * as keys from '../storage/keys.ts';
import { plus, type Sums } from './sums.ts';

/** What a row adds to an account. */
export interface Post {
  readonly account: string;
  readonly sums: Sums;
  /** When the account goes by itself, seconds since 1970. */
  readonly expires?: number;
}

/**
 * Rows of an index by time, counted. A namespace has a mark for each ledger: rows up to it are in the accounts, later
 * ones are read as they are and added to what the accounts say. The mark and the accounts move in one transaction on
 * the condition that the mark is where it was read, so each row counts once, whoever counts and whenever he dies.
 */
export interface Ledger {
  readonly name: 'begun' | 'ended';
  readonly index: 'by-namespace' | 'by-end';
  /** The attribute that orders the index: time and id. */
  readonly order: 'order' | 'endOrder';
  readonly bucketOf: (namespaceId: string, ms: number) => string;
  readonly only: readonly string[];
  readonly postsOf: (row: Item) => readonly Post[];
}

/** The accounts whose names begin so, or lie between both. */
export type Range = { readonly prefix: string } | { readonly from: string; readonly to: string };

type Home = Pick<Namespace, 'id' | 'created'>;
type Needs = { readonly table: Table; readonly clock: Clock };

/**
 * Rows of so long ago are all there, milliseconds: a row is stamped at most LATEST_FIRST_MS before it is written, and
 * two minutes are more than all tries of a write together with the way into an index, and any clock's error.
 */
export const LAG_MS = runs.LATEST_FIRST_MS + 120_000;

const PAGE = 500;
/** Fewer rows than these are not worth a transaction. */
const WORTH_A_WRITE = 200;
/** A transaction has at most 100 writes and 4 MB; the mark is one of them. */
const MOST_ACCOUNTS = 95;
const MOST_BYTES = 3_000_000;
/** An account of so many bytes takes in no new names: the states and codes of a workflow are its author's. */
const LARGEST_ACCOUNT = 100_000;

const orderOf = (ledger: Ledger, row: Item): string => String(row[ledger.order]);
const timeOf = (order: string): number => Number.parseInt(order, 10);
const stateOf = ({ id }: Home, { name }: Ledger) => keys.counter(id, name);
const keyOf = ({ id }: Home, { name }: Ledger, account: string) => keys.counter(id, `${name}#${account}`);

/** Up to where rows are counted. */
interface Mark {
  readonly at: string;
  /** Nothing was ever counted: there is no item that says so. */
  readonly isFirst: boolean;
}

async function markOf({ table }: Needs, home: Home, ledger: Ledger): Promise<Mark> {
  const [state] = await table.get([stateOf(home, ledger)]);
  if (state !== undefined) return { at: String(state['mark']), isFirst: false };
  return { at: keys.eventTime(Math.max(home.created - LAG_MS, 0)), isFirst: true };
}

/** The rows after a place, the oldest first, at most `limit`. */
async function rowsAfter({ table, clock }: Needs, home: Home, ledger: Ledger, after: string, limit: number) {
  const { index, only, bucketOf } = ledger;
  const rows: Item[] = [];
  const last = keys.dayOf(clock.now());
  for (let day = timeOf(after); keys.dayOf(day) <= last; day = keys.nextDay(day)) {
    let next: string | undefined;
    do {
      const more = next === undefined ? {} : { next };
      const pk = bucketOf(home.id, day);
      // One more, since the place itself is read with them.
      const most = limit - rows.length + 1;
      const page = await table.query({ table: 'runs', index, pk, from: after, limit: most, only, ...more });
      rows.push(...page.items.filter((row) => orderOf(ledger, row) > after));
      next = page.next;
      if (rows.length >= limit) return rows.slice(0, limit);
    } while (next !== undefined);
  }
  return rows;
}

function collect(ledger: Ledger, rows: readonly Item[], isWanted = (_account: string) => true): Map<string, Post> {
  const posts = new Map<string, Post>();
  for (const row of rows) {
    for (const post of ledger.postsOf(row)) {
      if (!isWanted(post.account)) continue;
      const before = posts.get(post.account);
      posts.set(post.account, before === undefined ? post : { ...post, sums: plus(before.sums, post.sums) });
    }
  }
  return posts;
}

/** As many of the rows as one transaction can count. */
function fitting(ledger: Ledger, rows: readonly Item[]): readonly Item[] {
  const accounts = new Set<string>();
  const end = rows.findIndex((row, index) => {
    for (const { account } of ledger.postsOf(row)) accounts.add(account);
    return index > 0 && accounts.size > MOST_ACCOUNTS;
  });
  return end < 0 ? rows : rows.slice(0, end);
}

function toAccount({ pk, sk }: { pk: string; sk: string }, old: Item | undefined, post: Post, mark: string): Item {
  const text = old === undefined ? '{}' : String(old['sums']);
  const sums = plus(JSON.parse(text) as Sums, post.sums, text.length <= LARGEST_ACCOUNT);
  const ttl = post.expires === undefined ? {} : { ttl: post.expires };
  return { pk, sk, sums: JSON.stringify(sums), mark, ...ttl };
}

interface Batch {
  readonly mark: Mark;
  readonly rows: readonly Item[];
  /** Where the mark is when all of them are counted. */
  readonly end: string;
}

/** Counts the first of the rows, as many as one transaction can. Nothing happens when somebody else counted some. */
async function post(needs: Needs, home: Home, ledger: Ledger, { mark, rows, end }: Batch): Promise<void> {
  for (let taken = fitting(ledger, rows); ; taken = taken.slice(0, Math.ceil(taken.length / 2))) {
    const last = taken.at(-1);
    const next = taken.length === rows.length || last === undefined ? end : orderOf(ledger, last);
    const posts = [...collect(ledger, taken).values()];
    const places = posts.map(({ account }) => keyOf(home, ledger, account));
    const olds = places.length === 0 ? [] : await needs.table.get(places);
    const accounts = posts.map((one, at) => toAccount(keyOf(home, ledger, one.account), olds[at], one, next));
    const bytes = accounts.reduce((sum, { sums }) => sum + Buffer.byteLength(String(sums)), 0);
    if (bytes > MOST_BYTES && taken.length > 1) continue;
    const { pk, sk } = stateOf(home, ledger);
    const when = mark.isFirst ? ({ absent: true } as const) : { equals: { mark: mark.at } };
    const moved: Write = { do: 'put', table: 'journal', item: { pk, sk, mark: next }, when };
    await needs.table.write([moved, ...accounts.map(toPut)]).catch(ignoreConflict);
    return;
  }
}

const toPut = (item: Item): Write => ({ do: 'put', table: 'journal', item });

function ignoreConflict(error: unknown): void {
  if (!(error instanceof ConflictError)) throw error;
}

/** Where the accounts end, and the first rows behind. */
interface Tail {
  readonly mark: string;
  readonly rows: readonly Item[];
}

/** Counts rows until those that are left are new, or too few to be worth it. Every transaction's work stays. */
async function rollUp(needs: Needs, home: Home, ledger: Ledger, worth: number): Promise<Tail> {
  for (;;) {
    const mark = await markOf(needs, home, ledger);
    const rows = await rowsAfter(needs, home, ledger, mark.at, PAGE);
    const border = keys.eventTime(needs.clock.now() - LAG_MS);
    const old = rows.filter((row) => orderOf(ledger, row) < border);
    // Days without a row are passed by, so that nobody looks into them again.
    const isBehind = keys.dayOf(timeOf(mark.at)) < keys.dayOf(timeOf(border));
    if (mark.at >= border || (old.length < worth && !isBehind)) return { mark: mark.at, rows };
    const isAll = rows.length < PAGE || old.length < rows.length;
    await post(needs, home, ledger, { mark, rows: old, end: isAll ? border : orderOf(ledger, old[PAGE - 1] as Item) });
  }
}

/** Counts all that is old enough, for a namespace that nobody asks about. */
export async function settle(needs: Needs, home: Home, ledger: Ledger): Promise<void> {
  await rollUp(needs, home, ledger, 1);
}

const boundsOf = (ledger: Ledger, range: Range) =>
  'prefix' in range
    ? { prefix: `${ledger.name}#${range.prefix}` }
    : { from: `${ledger.name}#${range.from}`, to: `${ledger.name}#${range.to}` };

const isIn = (range: Range, account: string): boolean =>
  'prefix' in range ? account.startsWith(range.prefix) : account >= range.from && account <= range.to;

async function accountsIn({ table }: Needs, home: Home, ledger: Ledger, range: Range): Promise<Item[]> {
  const items: Item[] = [];
  let next: string | undefined;
  do {
    const more = next === undefined ? {} : { next };
    const page = await table.query({
      table: 'journal',
      pk: keys.counters(home.id),
      ...boundsOf(ledger, range),
      ...more,
    });
    items.push(...page.items);
    next = page.next;
  } while (next !== undefined);
  return items;
}

/** The sums of accounts, by account, with every row that there is at this moment. */
export async function read(needs: Needs, home: Home, ledger: Ledger, range: Range): Promise<Map<string, Sums>> {
  for (;;) {
    const { mark, rows } = await rollUp(needs, home, ledger, WORTH_A_WRITE);
    const accounts = await accountsIn(needs, home, ledger, range);
    // Somebody counted rows after the mark was read: they must not be added once more.
    if (accounts.some((account) => String(account['mark']) > mark)) continue;
    const sums = new Map(
      accounts.map(({ sk, sums: text }) => [sk.slice(ledger.name.length + 1), JSON.parse(String(text)) as Sums]),
    );
    for (
      let tail = rows;
      ;
      tail = await rowsAfter(needs, home, ledger, orderOf(ledger, tail[PAGE - 1] as Item), PAGE)
    ) {
      for (const [account, one] of collect(ledger, tail, (name) => isIn(range, name))) {
        sums.set(account, plus(sums.get(account) ?? {}, one.sums));
      }
      if (tail.length < PAGE) return sums;
    }
  }
}

/** Removes accounts, of what is gone. */
export async function forget({ table }: { readonly table: Table }, namespaceId: string, prefix: string): Promise<void> {
  for (;;) {
    const pk = keys.counters(namespaceId);
    const { items } = await table.query({ table: 'journal', pk, prefix, limit: 100, only: ['pk', 'sk'] });
    if (items.length === 0) return;
    await table.write(items.map(({ sk }) => ({ do: 'delete', key: { table: 'journal', pk, sk } })));
  }
}
