import type { Blobs } from '../../ports/blobs.ts';
import type { Table } from '../../ports/table.ts';
import { toFineTimestamp } from '../../time/timestamps.ts';
import * as runs from '../runs/runs.ts';
import { cursorOf, type List, type ListRequest, passes, rangeOf, toList } from '../storage/pages.ts';
import { noMark } from './cursors.ts';
import { FILTERS, hasFilter, isDescending, type LogRecord, MOST_LINES, mostOf, type Traits } from './records.ts';

type Needs = { readonly table: Table; readonly blobs: Blobs };

/** What web interfaces draw from (rest-api reference, 12). */
function tagsOf(run: runs.Run, line: runs.LogLine): Record<string, string> {
  return {
    callpath: '/',
    'instance-id': run.id,
    invoker: run.invoker,
    namespace: run.namespace,
    'namespace-id': run.namespaceId,
    recipientType: 'instance',
    workflow: run.path,
    'workflow-id': run.workflowId,
    ...(line.state === undefined ? {} : { 'state-id': line.state }),
  };
}

const toRecord = (run: runs.Run, line: runs.LogLine): LogRecord => ({
  t: toFineTimestamp(line.t),
  level: line.level,
  msg: line.text,
  tags: tagsOf(run, line),
});

type Wanted = (line: runs.LogLine) => boolean;

function wantedOf(run: runs.Run, request: ListRequest): Wanted {
  if (!hasFilter(request)) return () => true;
  const traitsOf = ({ level, state = '' }: runs.LogLine): Traits => {
    return { level, state, workflow: run.path, instance: run.id };
  };
  return (line) => passes(traitsOf(line), request, FILTERS);
}

/** Lines of a log, where they begin among those that pass, and how many pass in all. */
interface Found {
  readonly lines: readonly runs.LogLine[];
  readonly from: number;
  readonly total: number;
  /** How many lines of the log the page and what is before it take, whether they pass or not. */
  readonly reached: number;
}

const lengthOf = ({ flushed, tail }: runs.Run): number => flushed + tail.length;

/** Reads the part that holds the lines [from, to) and nothing else. */
async function slice(ports: Needs, run: runs.Run, from: number, to: number): Promise<runs.LogLine[]> {
  const lines: runs.LogLine[] = [];
  for await (const part of runs.logParts(ports, run, from)) {
    lines.push(...part.slice(0, to - from - lines.length));
    if (lines.length >= to - from) break;
  }
  return lines;
}

/** A page of all lines, in the order of time. */
async function readPage(ports: Needs, run: runs.Run, request: ListRequest): Promise<Found> {
  const total = lengthOf(run);
  const from = Math.min(Math.max(request.offset, 0), total);
  const to = Math.min(from + mostOf(request), total);
  if (!isDescending(request)) return { lines: await slice(ports, run, from, to), from, total, reached: to };
  return { lines: await slice(ports, run, total - to, total - from), from, total, reached: total };
}

/** Looks through the log from its line `begin` on, before which `passed` lines pass, and keeps those of [from, to). */
async function search(
  ports: Needs,
  run: runs.Run,
  isWanted: Wanted,
  { begin = 0, passed = 0, from, to }: { begin?: number; passed?: number; from: number; to: number },
): Promise<Found> {
  const lines: runs.LogLine[] = [];
  let total = passed;
  let number = begin;
  let reached: number | undefined;
  for await (const part of runs.logParts(ports, run, begin)) {
    for (const line of part) {
      if (isWanted(line)) {
        if (total >= to) reached ??= number;
        else if (total >= from) lines.push(line);
        total += 1;
      }
      number += 1;
    }
  }
  return { lines, from: Math.min(from, total), total, reached: reached ?? number };
}

/** At which places among the wanted lines those stand that cursors name, which are their times. */
async function placesOf(ports: Needs, run: runs.Run, request: ListRequest, isWanted: Wanted) {
  const { after, before } = request.cursor ?? {};
  const places = new Map<string, number>();
  let total = 0;
  for await (const part of runs.logParts(ports, run)) {
    for (const line of part.filter(isWanted)) {
      const cursor = cursorOf(toFineTimestamp(line.t));
      if (cursor === after || cursor === before) places.set(cursor, total);
      total += 1;
    }
  }
  return { places, total };
}

/** A page that can only be told when all lines are known: it is named by a cursor, or counted from the end. */
async function follow(ports: Needs, run: runs.Run, request: ListRequest): Promise<Found> {
  const isWanted = wantedOf(run, request);
  const isDown = isDescending(request);
  const { places, total } = await placesOf(ports, run, request, isWanted);
  const placeOf = (cursor: string): number => {
    const place = places.get(cursor) ?? -1;
    return isDown && place >= 0 ? total - 1 - place : place;
  };
  const [from, end] = rangeOf(request, total, placeOf);
  const to = Math.min(end, from + MOST_LINES);
  const range = isDown ? { from: total - to, to: total - from } : { from, to };
  const found = await search(ports, run, isWanted, range);
  return { ...found, from, reached: isDown ? lengthOf(run) : found.reached };
}

async function find(ports: Needs, run: runs.Run, request: ListRequest): Promise<Found> {
  if (request.cursor !== undefined) return follow(ports, run, request);
  if (!hasFilter(request)) return readPage(ports, run, request);
  if (isDescending(request)) return follow(ports, run, request);
  const from = Math.max(request.offset, 0);
  return search(ports, run, wantedOf(run, request), { from, to: from + mostOf(request) });
}

function toReply(run: runs.Run, { lines, from, total }: Found, request: ListRequest): List<LogRecord> {
  const records = lines.map((line) => toRecord(run, line));
  if (isDescending(request)) records.reverse();
  return toList(request, records, { from, total, idOf: ({ t }) => t });
}

/** The log of a run, oldest line first unless asked otherwise. */
export async function list(ports: Needs, run: runs.Run, request: ListRequest): Promise<List<LogRecord>> {
  return toReply(run, await find(ports, run, request), request);
}

/** How far a log was read: the number of its next line, and how many passed before it or were skipped. */
const FORM = /^(\d{1,10})\.(\d{1,10})$/;

const markOf = (reached: number, passed: number): string => `${reached}.${passed}`;

/**
 * Reads on in the log of a run from a mark, or from its beginning: each line once. A log that did not grow is not read.
 * Throws `malformed` for a mark that is none of this log's.
 */
export async function readOn(
  ports: Needs,
  run: runs.Run,
  request: ListRequest,
  mark?: string,
): Promise<{ readonly list: List<LogRecord>; readonly mark: string }> {
  if (mark === undefined) {
    const found = await find(ports, run, request);
    const passed = isDescending(request) ? found.total : found.from + found.lines.length;
    return { list: toReply(run, found, request), mark: markOf(found.reached, passed) };
  }
  const [, reached, passed] = FORM.exec(mark)?.map(Number) ?? [];
  const isOurs = reached !== undefined && passed !== undefined && passed <= reached && reached <= lengthOf(run);
  if (!isOurs) throw noMark(mark);
  const offset = Math.max(request.offset, passed);
  const range = { begin: reached, passed, from: offset, to: offset + MOST_LINES };
  const found = await search(ports, run, wantedOf(run, request), range);
  const next = Math.max(passed, Math.min(offset, found.total)) + found.lines.length;
  return {
    list: toReply(run, { ...found, from: offset }, { ...request, offset }),
    mark: markOf(found.reached, next),
  };
}
