import type { Settings } from '../../ports/settings.ts';
import { MILLISECOND_US } from '../../time/units.ts';
import { batchesOf } from '../storage/batches.ts';
import * as keys from '../storage/keys.ts';
import type { ListRequest } from '../storage/list-requests.ts';
import { cursorOf, idIn, type List, mapList, passes, toList } from '../storage/lists.ts';
import type { Span } from '../storage/windows.ts';
import { daysFrom, type LogOwner, oldestOf } from './lines.ts';
import { type Entry, FILTERS, hasFilter, isDescending, type LogRecord, pageOf, toRecord, traitsOf } from './records.ts';
import { eventSource, type Needs as Ports, runSource, type Source, withEventTexts, writtenSource } from './sources.ts';

export type Needs = Ports & { readonly settings: Pick<Settings, 'retentionDays'> };

/** A log, which is merged from several sources. */
export interface Log {
  readonly sources: readonly Source[];
  /** The time of the oldest possible line, milliseconds since 1970. */
  readonly since: number;
}

/** The log of the server, of a namespace or of a workflow; `created` is when its owner was created. */
export function openLog(ports: Needs, owner: LogOwner, created = 0): Log {
  return { since: oldestOf(ports, created), sources: sourcesOf(ports, owner) };
}

function sourcesOf(ports: Needs, owner: LogOwner): Source[] {
  const written = writtenSource(ports, owner);
  if (owner.scope === 'server') return [written];
  const runs = runSource(ports, owner);
  return owner.scope === 'workflow' ? [written, runs] : [written, runs, eventSource(ports, owner)];
}

async function* entriesOf(pages: AsyncIterable<readonly Entry[]>): AsyncGenerator<Entry, undefined> {
  for await (const page of pages) yield* page;
}

/** Where the reading of a day begins. */
interface Begin {
  /** Microseconds since 1970. */
  readonly from?: number;
  /** How many lines of each source are skipped. */
  readonly skipped?: readonly number[];
}

/** Merges the lines of all sources of a day, the oldest first. */
async function* ofDay({ sources }: Log, day: number, { from = 0, skipped = [] }: Begin): AsyncGenerator<Entry> {
  const open = sources.map((source, index) => entriesOf(source.read(day, from, skipped[index])));
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

export type EntryFilter = (entry: Entry) => boolean;

/** A predicate for the lines that pass the filters of a request. */
export const entryFilterOf =
  (request: ListRequest): EntryFilter =>
  (entry) =>
    passes(traitsOf(entry), request, FILTERS);

/** Yields the lines of days from a microsecond on that pass the filter, the oldest first. */
export async function* walk(
  log: Log,
  days: readonly number[],
  passesFilter: EntryFilter,
  from = 0,
): AsyncGenerator<Entry> {
  for (const day of days) {
    for await (const entry of ofDay(log, day, { from })) if (entry.at >= from && passesFilter(entry)) yield entry;
  }
}

/** The number of days that are counted at the same time. */
const CONCURRENCY = 8;

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0);

/** The lines of a day that pass the filters, by source. */
interface DayCount {
  readonly day: number;
  readonly counts: readonly number[];
}

/** Counts the lines of each day that pass the filters. */
async function countDays(log: Log, days: readonly number[], request: ListRequest): Promise<DayCount[]> {
  const passesFilter = entryFilterOf(request);
  const isUnfiltered = !hasFilter(request);
  const countIn = async (source: Source, day: number): Promise<number> => {
    if (isUnfiltered && source.count !== undefined) return source.count(day);
    let sum = 0;
    for await (const page of source.read(day, 0)) sum += page.filter(passesFilter).length;
    return sum;
  };
  const countDay = async (day: number): Promise<DayCount> => {
    return { day, counts: await Promise.all(log.sources.map((source) => countIn(source, day))) };
  };
  const counts: DayCount[] = [];
  for (const batch of batchesOf(days, CONCURRENCY)) counts.push(...(await Promise.all(batch.map(countDay))));
  return counts;
}

/** The id of a line in a pagination cursor of an older client. */
const idOf = ({ at, id }: Entry): string => `${at} ${id}`;

/** The microsecond of a line in a pagination cursor; undefined for a text that is not such a cursor. */
const momentIn = (cursor: string): number | undefined => {
  const [at] = /^\d{1,16}(?= )/.exec(idIn(cursor)) ?? [];
  return at === undefined ? undefined : Number(at);
};

/**
 * Returns the indexes, in the order of time, of the lines that the request's pagination cursors name; -1 for others. Only the
 * days of these lines are read.
 */
async function indexesOf(
  log: Log,
  days: readonly DayCount[],
  request: ListRequest,
): Promise<(cursor: string) => number> {
  const { after, before } = request.cursor ?? {};
  const cursors = [after, before].filter((one) => one !== undefined);
  const moments = cursors.map(momentIn).filter((at) => at !== undefined);
  const named = new Set(moments.map((at) => keys.dateOf(at / MILLISECOND_US)));
  const indexes = new Map<string, number>();
  let begin = 0;
  for (const { day, counts } of days) {
    let index = begin;
    begin += sumOf(counts);
    if (!named.has(keys.dateOf(day))) continue;
    for await (const entry of walk(log, [day], entryFilterOf(request))) {
      const cursor = cursorOf(idOf(entry));
      if (cursors.includes(cursor)) indexes.set(cursor, index);
      index += 1;
    }
  }
  return (cursor) => indexes.get(cursor) ?? -1;
}

/** A page of a log. */
export interface LogPage {
  /** In the order of time, whatever the order of the request. */
  readonly entries: readonly Entry[];
  /** The number of the first line, in the order of the request. */
  readonly from: number;
  readonly total: number;
}

/**
 * How many lines of each source are certainly among the first `most` of a day: the lines of a source that remain when all
 * lines of the other sources come first.
 */
function leadingOf(counts: readonly number[], most: number): number[] {
  const all = sumOf(counts);
  return counts.map((count) => Math.min(count, Math.max(0, most - (all - count))));
}

/** Returns the lines [from, to) in the order of time. Days outside are not read, nor are most lines before a page. */
async function slice(log: Log, days: readonly DayCount[], request: ListRequest, { from, to }: Span): Promise<Entry[]> {
  const passesFilter = entryFilterOf(request);
  const isUnfiltered = !hasFilter(request);
  const entries: Entry[] = [];
  let begin = 0;
  for (const { day, counts } of days) {
    const first = begin;
    begin += sumOf(counts);
    if (first >= to || begin <= from) continue;
    const skipped = isUnfiltered ? leadingOf(counts, from - first) : [];
    let index = first + sumOf(skipped);
    for await (const entry of ofDay(log, day, { skipped })) {
      if (index >= to) break;
      if (!passesFilter(entry)) continue;
      if (index >= from) entries.push(entry);
      index += 1;
    }
  }
  return entries;
}

/** Reads the page of a request: counts the lines of all days, and reads those of the page. */
export async function readPage(ports: Needs, log: Log, request: ListRequest): Promise<LogPage> {
  const days = daysFrom(log.since, ports.clock.now());
  const counted = await countDays(log, days, request);
  const indexOf = await indexesOf(log, counted, request);
  const total = sumOf(counted.map(({ counts }) => sumOf(counts)));
  const { from, span } = pageOf(request, total, indexOf);
  return { entries: await slice(log, counted, request, span), from, total };
}

/** Makes the reply of a page: with the texts of events, in the order of the request. */
export async function toReply(ports: Needs, page: LogPage, request: ListRequest): Promise<List<LogRecord>> {
  const entries = await withEventTexts(ports, page.entries);
  if (isDescending(request)) entries.reverse();
  return mapList(toList(request, entries, { from: page.from, total: page.total, idOf }), toRecord);
}

/** Lists the lines of a log (rest-api reference, 12). */
export async function list(ports: Needs, log: Log, request: ListRequest): Promise<List<LogRecord>> {
  return toReply(ports, await readPage(ports, log, request), request);
}
