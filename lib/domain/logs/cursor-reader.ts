import { MILLISECOND_US } from '../../time/units.ts';
import type { ListRequest } from '../storage/list-requests.ts';
import { type List, MAX_PAGE_ROWS } from '../storage/lists.ts';
import { bounded, type Cursor, fromText, hashOf, nameOf, type Sent, toText } from './cursors.ts';
import { daysFrom } from './lines.ts';
import { entryFilterOf, type Log, type LogPage, type Needs, readPage, toReply, walk } from './pages.ts';
import { type Entry, isDescending, type LogRecord } from './records.ts';

/** Lines of a log, and the cursor for the next reading. */
export interface LogReading {
  readonly list: List<LogRecord>;
  readonly cursor: string;
}

/**
 * The maximum delay until a line is visible to readers: a run that happens within its request is stored at its end, an
 * index is eventually consistent, and clocks differ.
 */
const MAX_DELAY_MS = 75_000;

const sentOf = ({ at, id }: Entry): Sent => ({ at, hash: hashOf(id) });

interface Reader {
  readonly ports: Needs;
  readonly log: Log;
  readonly request: ListRequest;
  /** Microseconds since 1970, from before the reading: no further lines with an earlier time will become visible. */
  readonly settled: number;
}

/** Yields the lines from a microsecond on that pass the filters. */
function linesFrom({ ports, log, request }: Reader, since: number): AsyncGenerator<Entry> {
  const days = daysFrom(Math.max(Math.floor(since / MILLISECOND_US), log.since), ports.clock.now());
  return walk(log, days, entryFilterOf(request), since);
}

/** The rest of the log after a reading: `isCut` if the log has further lines already, `total` lines in all. */
interface Rest {
  readonly isCut: boolean;
  readonly total: number;
}

/** The cursor after a reading that started with the cursor `before` and returned the lines `taken`. */
function cursorAfter({ settled }: Reader, before: Omit<Cursor, 'total'>, taken: readonly Entry[], rest: Rest): Cursor {
  const last = taken.at(-1)?.at ?? Number.POSITIVE_INFINITY;
  const since = Math.max(before.since, rest.isCut ? Math.min(settled, last) : settled);
  const sent = [...before.sent, ...taken.map(sentOf)];
  return bounded({ since, done: before.done + taken.length, total: rest.total, sent });
}

/** The recent lines before a page: the next reading must not take them for new ones. */
async function skippedBefore(reader: Reader, { entries, from }: LogPage): Promise<Sent[]> {
  const [first] = entries;
  if (from === 0 || (first !== undefined && first.at < reader.settled)) return [];
  const skipped: Sent[] = [];
  for await (const entry of linesFrom(reader, reader.settled)) {
    if (first !== undefined && entry.at > first.at) break;
    skipped.push(sentOf(entry));
  }
  return skipped;
}

/** The first reading: the page of a plain GET. The older lines that a descending page omits are skipped for good. */
async function readFirst(reader: Reader): Promise<LogReading> {
  const { ports, log, request } = reader;
  const page = await readPage(ports, log, request);
  const { entries, from, total } = page;
  const isDown = isDescending(request);
  const isCut = !isDown && entries.length > 0 && from + entries.length < total;
  const sent = await skippedBefore(reader, isDown ? { ...page, from: total } : page);
  const done = isDown ? total - entries.length : from;
  const cursor = cursorAfter(reader, { since: 0, done, sent }, entries, { isCut, total });
  return { list: await toReply(ports, page, request), cursor: toText(cursor) };
}

/** Returns the lines that were not sent, at most one more than `limit`, which shows that there are further ones. */
async function unsent(reader: Reader, cursor: Cursor, limit: number): Promise<Entry[]> {
  const known = new Set(cursor.sent.map(nameOf));
  const fresh: Entry[] = [];
  for await (const entry of linesFrom(reader, cursor.since)) {
    if (!known.has(nameOf(sentOf(entry)))) fresh.push(entry);
    if (fresh.length > limit) break;
  }
  return fresh;
}

/** A later reading: the lines since a cursor. An offset beyond the end of the log skips lines that were added later. */
async function readNext(reader: Reader, cursor: Cursor): Promise<LogReading> {
  const { ports, request } = reader;
  const skip = isDescending(request) ? 0 : Math.max(0, request.offset - cursor.done);
  const limit = skip + MAX_PAGE_ROWS;
  const fresh = await unsent(reader, cursor, limit);
  const isCut = fresh.length > limit;
  const taken = fresh.slice(0, limit);
  const total = isCut ? Math.max(cursor.total, cursor.done + fresh.length) : cursor.done + fresh.length;
  const offset = Math.max(request.offset, cursor.done);
  const page = { entries: taken.slice(skip), from: offset, total };
  const list = await toReply(ports, page, { ...request, offset });
  return { list, cursor: toText(cursorAfter(reader, cursor, taken, { isCut, total })) };
}

/**
 * Returns the lines of a log since a cursor, or its first page without one. Each line is returned exactly once over all
 * readings, within a reading by time. Throws `malformed` for a malformed cursor.
 */
export async function readAfter(ports: Needs, log: Log, request: ListRequest, cursor?: string): Promise<LogReading> {
  const settled = (ports.clock.now() - MAX_DELAY_MS) * MILLISECOND_US;
  const reader = { ports, log, request, settled };
  return cursor === undefined ? readFirst(reader) : readNext(reader, fromText(cursor));
}
