import type { Settings } from '../../ports/settings.ts';
import { cursorOf, type List, type ListRequest, passes, rangeOf, toList } from '../storage/pages.ts';
import { daysFrom, type LogOwner, oldestOf } from './lines.ts';
import {
  type Entry,
  FILTERS,
  hasFilter,
  isDescending,
  type LogRecord,
  MOST_LINES,
  toRecord,
  traitsOf,
} from './records.ts';
import { eventSource, noteSource, type Needs as Ports, readOut, runSource, type Source } from './sources.ts';

export type Needs = Ports & { readonly settings: Pick<Settings, 'retentionDays'> };

/** A log that is put together from several sources. */
export interface Log {
  readonly sources: readonly Source[];
  /** Nothing is older than this, milliseconds since 1970. */
  readonly since: number;
}

/** The log of the server, of a namespace or of a workflow; `created` is when its owner was made. */
export function openLog(ports: Needs, owner: LogOwner, created = 0): Log {
  return { since: oldestOf(ports, created), sources: sourcesOf(ports, owner) };
}

function sourcesOf(ports: Needs, owner: LogOwner): Source[] {
  const notes = noteSource(ports, owner);
  if (owner.scope === 'server') return [notes];
  const runs = runSource(ports, owner);
  return owner.scope === 'workflow' ? [notes, runs] : [notes, runs, eventSource(ports, owner)];
}

async function* oneByOne(parts: AsyncIterable<readonly Entry[]>): AsyncGenerator<Entry, undefined> {
  for await (const part of parts) yield* part;
}

/** The lines of a day from a microsecond on, of all sources, the oldest first. */
async function* ofDay({ sources }: Log, day: number, from: number): AsyncGenerator<Entry> {
  const open = sources.map((source) => oneByOne(source.read(day, from)));
  const heads = await Promise.all(open.map((lines) => lines.next()));
  for (;;) {
    let first = -1;
    let earliest = Number.POSITIVE_INFINITY;
    for (const [index, { value }] of heads.entries()) {
      if (value !== undefined && value.at < earliest) [first, earliest] = [index, value.at];
    }
    const { value } = heads[first] ?? {};
    const lines = open[first];
    if (value === undefined || lines === undefined) return;
    yield value;
    heads[first] = await lines.next();
  }
}

export type Wanted = (entry: Entry) => boolean;

export const wantedOf =
  (request: ListRequest): Wanted =>
  (entry) =>
    passes(traitsOf(entry), request, FILTERS);

/** The lines that are wanted of days, from a microsecond on, the oldest first. */
export async function* walk(log: Log, days: readonly number[], isWanted: Wanted, from = 0): AsyncGenerator<Entry> {
  for (const day of days) {
    for await (const entry of ofDay(log, day, from)) if (entry.at >= from && isWanted(entry)) yield entry;
  }
}

/** So many days are counted side by side. */
const ABREAST = 8;

/** How many lines are wanted of each day. */
async function countDays(log: Log, days: readonly number[], request: ListRequest): Promise<number[]> {
  const isWanted = wantedOf(request);
  const mayCount = !hasFilter(request);
  const countIn = async (source: Source, day: number): Promise<number> => {
    if (mayCount && source.count !== undefined) return source.count(day);
    let sum = 0;
    for await (const part of source.read(day, 0)) sum += part.filter(isWanted).length;
    return sum;
  };
  const ofAll = async (day: number): Promise<number> => {
    const counts = await Promise.all(log.sources.map((source) => countIn(source, day)));
    return counts.reduce((sum, one) => sum + one, 0);
  };
  const counts: number[] = [];
  for (let first = 0; first < days.length; first += ABREAST) {
    counts.push(...(await Promise.all(days.slice(first, first + ABREAST).map(ofAll))));
  }
  return counts;
}

/** What names a line in a cursor of an older client. */
const idOf = ({ at, id }: Entry): string => `${at} ${id}`;

/** At which places the lines stand that cursors name. */
async function placesOf(log: Log, days: readonly number[], request: ListRequest): Promise<(cursor: string) => number> {
  const { after, before } = request.cursor ?? {};
  const places = new Map<string, number>();
  if (after === undefined && before === undefined) return () => -1;
  let place = 0;
  for await (const entry of walk(log, days, wantedOf(request))) {
    const cursor = cursorOf(idOf(entry));
    if (cursor === after || cursor === before) places.set(cursor, place);
    place += 1;
  }
  return (cursor) => places.get(cursor) ?? -1;
}

/** A page of a log. */
export interface LogPage {
  /** In the order of time, whatever was asked for. */
  readonly entries: readonly Entry[];
  /** Where the page begins, in the order that was asked for. */
  readonly from: number;
  readonly total: number;
}

/** The lines that stand at [from, to) in the order of time; days beside them are not read. */
async function slice(
  log: Log,
  days: readonly { readonly day: number; readonly count: number }[],
  isWanted: Wanted,
  [from, to]: readonly [number, number],
): Promise<Entry[]> {
  const entries: Entry[] = [];
  let begin = 0;
  for (const { day, count } of days) {
    const isBeside = begin >= to || begin + count <= from;
    let place = begin;
    begin += count;
    if (isBeside) continue;
    for await (const entry of walk(log, [day], isWanted)) {
      if (place >= to) break;
      if (place >= from) entries.push(entry);
      place += 1;
    }
  }
  return entries;
}

/** Reads the page that is asked for: counts all days, and reads those of the page as far as it goes. */
export async function readPage(ports: Needs, log: Log, request: ListRequest): Promise<LogPage> {
  const days = daysFrom(log.since, ports.clock.now());
  const [counts, placeOf] = await Promise.all([countDays(log, days, request), placesOf(log, days, request)]);
  const total = counts.reduce((sum, one) => sum + one, 0);
  const isDown = isDescending(request);
  const place = (cursor: string): number => {
    const found = placeOf(cursor);
    return isDown && found >= 0 ? total - 1 - found : found;
  };
  const [from, end] = rangeOf(request, total, place);
  const to = Math.min(end, from + MOST_LINES);
  const counted = days.map((day, index) => ({ day, count: counts[index] ?? 0 }));
  const entries = await slice(log, counted, wantedOf(request), isDown ? [total - to, total - from] : [from, to]);
  return { entries, from, total };
}

/** The reply of a page: with the texts of its lines, in the order that was asked for. */
export async function toReply(ports: Needs, page: LogPage, request: ListRequest): Promise<List<LogRecord>> {
  const read = await readOut(ports, page.entries);
  if (isDescending(request)) read.reverse();
  const list = toList(request, read, { from: page.from, total: page.total, idOf });
  const edges = list.edges.map(({ node, cursor }) => ({ node: toRecord(node), cursor }));
  return { ...list, results: list.results.map(toRecord), edges };
}

/** The lines of a log (rest-api reference, 12). */
export async function list(ports: Needs, log: Log, request: ListRequest): Promise<List<LogRecord>> {
  return toReply(ports, await readPage(ports, log, request), request);
}
