import type { List, ListRequest } from '../storage/pages.ts';
import { bounded, fromText, hashOf, type Mark, nameOf, type Sent, toText } from './cursors.ts';
import { daysFrom } from './lines.ts';
import { type Log, type LogPage, type Needs, readPage, toReply, walk, wantedOf } from './pages.ts';
import { type Entry, isDescending, type LogRecord, MOST_LINES } from './records.ts';

/** One reading of a log, and the mark from which the next one goes on. */
export interface LogReading {
  readonly list: List<LogRecord>;
  readonly mark: string;
}

/**
 * A line may become visible so long after its time: a run that happens within its request is stored when it is over, an
 * index follows its table, and clocks differ.
 */
const LATE_MS = 75_000;
const MICROSECONDS = 1000;

const sentOf = ({ at, id }: Entry): Sent => ({ at, hash: hashOf(id) });

interface Reader {
  readonly ports: Needs;
  readonly log: Log;
  readonly request: ListRequest;
  /** Microseconds since 1970, before anything was read: what is older cannot appear any more. */
  readonly settled: number;
}

/** The lines from a microsecond on. */
function linesFrom({ ports, log, request }: Reader, since: number): AsyncGenerator<Entry> {
  const days = daysFrom(Math.max(Math.floor(since / MICROSECONDS), log.since), ports.clock.now());
  return walk(log, days, wantedOf(request), since);
}

/** The mark behind lines that were taken, the last of which is not the log's last if it `isCut`. */
function markAfter({ settled }: Reader, before: Omit<Mark, 'total'>, taken: readonly Entry[], rest: Rest): Mark {
  const last = taken.at(-1)?.at ?? Number.POSITIVE_INFINITY;
  const since = Math.max(before.since, rest.isCut ? Math.min(settled, last) : settled);
  const sent = [...before.sent, ...taken.map(sentOf)];
  return bounded({ since, done: before.done + taken.length, total: rest.total, sent });
}

interface Rest {
  readonly isCut: boolean;
  readonly total: number;
}

/** Lines before the page that could be taken for new ones, because they are young. */
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

/** What a plain GET shows; the older lines that a descending page leaves out are done with. */
async function begin(reader: Reader): Promise<LogReading> {
  const { ports, log, request } = reader;
  const page = await readPage(ports, log, request);
  const { entries, from, total } = page;
  const isDown = isDescending(request);
  const isCut = !isDown && entries.length > 0 && from + entries.length < total;
  const sent = await skippedBefore(reader, isDown ? { ...page, from: total } : page);
  const done = isDown ? total - entries.length : from;
  const mark = markAfter(reader, { since: 0, done, sent }, entries, { isCut, total });
  return { list: await toReply(ports, page, request), mark: toText(mark) };
}

/** The lines that were not sent yet, one more than a reply may have, so that it shows whether there are more. */
async function unsent(reader: Reader, mark: Mark, most: number): Promise<Entry[]> {
  const known = new Set(mark.sent.map(nameOf));
  const fresh: Entry[] = [];
  for await (const entry of linesFrom(reader, mark.since)) {
    if (!known.has(nameOf(sentOf(entry)))) fresh.push(entry);
    if (fresh.length > most) break;
  }
  return fresh;
}

/** What is new since a mark. An offset that reached beyond the end still skips what it has to. */
async function goOn(reader: Reader, mark: Mark): Promise<LogReading> {
  const { ports, request } = reader;
  const skip = isDescending(request) ? 0 : Math.max(0, request.offset - mark.done);
  const most = skip + MOST_LINES;
  const fresh = await unsent(reader, mark, most);
  const isCut = fresh.length > most;
  const taken = fresh.slice(0, most);
  const total = isCut ? Math.max(mark.total, mark.done + fresh.length) : mark.done + fresh.length;
  const offset = Math.max(request.offset, mark.done);
  const page = { entries: taken.slice(skip), from: offset, total };
  const list = await toReply(ports, page, { ...request, offset });
  return { list, mark: toText(markAfter(reader, mark, taken, { isCut, total })) };
}

/**
 * Reads on in a log from a mark, or from its beginning: each line once, in the order of time among those that are new.
 * Throws `malformed` for a mark that is none.
 */
export async function readOn(ports: Needs, log: Log, request: ListRequest, mark?: string): Promise<LogReading> {
  const settled = (ports.clock.now() - LATE_MS) * MICROSECONDS;
  const reader = { ports, log, request, settled };
  return mark === undefined ? begin(reader) : goOn(reader, fromText(mark));
}
