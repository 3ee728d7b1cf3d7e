import { omitUndefined } from '../../language/omit-undefined.ts';
import type { Ports } from '../../ports/ports.ts';
import { toFineTimestamp } from '../../time/timestamps.ts';
import { callPathOf } from '../runs/places.ts';
import * as runs from '../runs/runs.ts';
import type { ListRequest } from '../storage/list-requests.ts';
import { cursorOf, type List, MAX_PAGE_ROWS, passes, spanOf, toList } from '../storage/lists.ts';
import type { LogReading } from './cursor-reader.ts';
import { malformedCursor } from './cursors.ts';
import { FILTERS, hasFilter, isDescending, type LogRecord, pageOf, type Traits } from './records.ts';

type Needs = Pick<Ports, 'table' | 'blobs'>;

/** The tags of a line, which web interfaces use (rest-api reference, 12). */
function tagsOf(run: runs.Run, line: runs.LogLine): Record<string, string> {
  return omitUndefined({
    callpath: callPathOf(run),
    'instance-id': run.id,
    invoker: run.invoker,
    namespace: run.namespace,
    'namespace-id': run.namespaceId,
    recipientType: 'instance',
    workflow: run.path,
    'workflow-id': run.workflowId,
    'state-id': line.state,
    'loop-index': run.loopIndex?.toString(),
  });
}

const toRecord = (run: runs.Run, line: runs.LogLine): LogRecord => ({
  t: toFineTimestamp(line.t),
  level: line.level,
  msg: line.text,
  tags: tagsOf(run, line),
});

type LineFilter = (line: runs.LogLine) => boolean;

function lineFilterOf(run: runs.Run, request: ListRequest): LineFilter {
  if (!hasFilter(request)) return () => true;
  const traitsOf = ({ level, state = '' }: runs.LogLine): Traits => {
    return { level, state, workflow: run.path, instance: run.id, loop: run.loopIndex?.toString() ?? '' };
  };
  return (line) => passes(traitsOf(line), request, FILTERS);
}

/** Lines that pass the filters, the number of the first one among all such lines, and the number of all such lines. */
interface Found {
  readonly lines: readonly runs.LogLine[];
  readonly from: number;
  readonly total: number;
  /** The number of the first line after the page, among all lines. */
  readonly reached: number;
}

const lengthOf = ({ flushed, tail }: runs.Run): number => flushed + tail.length;

/** Reads the lines [from, to). */
async function slice(ports: Needs, run: runs.Run, from: number, to: number): Promise<runs.LogLine[]> {
  const lines: runs.LogLine[] = [];
  for await (const part of runs.logParts(ports, run, from)) {
    lines.push(...part.slice(0, to - from - lines.length));
    if (lines.length >= to - from) break;
  }
  return lines;
}

/** A page of an unfiltered request, in the order of time. */
async function readPage(ports: Needs, run: runs.Run, request: ListRequest): Promise<Found> {
  const total = lengthOf(run);
  const span = spanOf(request);
  const [from, to] = [Math.min(span.from, total), Math.min(span.to, total)];
  if (!isDescending(request)) return { lines: await slice(ports, run, from, to), from, total, reached: to };
  return { lines: await slice(ports, run, total - to, total - from), from, total, reached: total };
}

/** Scans the log from line `begin` on, before which `passed` lines pass the filters, for the passing lines [from, to). */
async function search(
  ports: Needs,
  run: runs.Run,
  passesFilter: LineFilter,
  { begin = 0, passed = 0, from, to }: { begin?: number; passed?: number; from: number; to: number },
): Promise<Found> {
  const lines: runs.LogLine[] = [];
  let total = passed;
  let number = begin;
  let reached: number | undefined;
  for await (const part of runs.logParts(ports, run, begin)) {
    for (const line of part) {
      if (passesFilter(line)) {
        if (total >= to) reached ??= number;
        else if (total >= from) lines.push(line);
        total += 1;
      }
      number += 1;
    }
  }
  return { lines, from: Math.min(from, total), total, reached: reached ?? number };
}

/**
 * The indexes of the lines at the request's pagination cursors, among those that pass the filters, and the number of all that
 * pass. Without a filter the log is read up to the last of these lines. Cursors contain times.
 */
async function indexesOf(ports: Needs, run: runs.Run, request: ListRequest, passesFilter: LineFilter) {
  const { after, before } = request.cursor ?? {};
  const wanted = new Set([after, before].filter((one) => one !== undefined));
  const indexes = new Map<string, number>();
  const all = hasFilter(request) ? undefined : lengthOf(run);
  let total = 0;
  if (all !== undefined && wanted.size === 0) return { indexes, total: all };
  for await (const part of runs.logParts(ports, run)) {
    for (const line of part.filter(passesFilter)) {
      const cursor = cursorOf(toFineTimestamp(line.t));
      if (wanted.has(cursor)) indexes.set(cursor, total);
      total += 1;
    }
    if (all !== undefined && indexes.size === wanted.size) return { indexes, total: all };
  }
  return { indexes, total };
}

/** A page whose place depends on all lines: it is named by a pagination cursor, or counted from the end. */
async function findAmongAll(ports: Needs, run: runs.Run, request: ListRequest): Promise<Found> {
  const passesFilter = lineFilterOf(run, request);
  const { indexes, total } = await indexesOf(ports, run, request, passesFilter);
  const { from, span } = pageOf(request, total, (cursor) => indexes.get(cursor) ?? -1);
  const found = await search(ports, run, passesFilter, span);
  return { ...found, from, reached: isDescending(request) ? lengthOf(run) : found.reached };
}

async function find(ports: Needs, run: runs.Run, request: ListRequest): Promise<Found> {
  if (request.cursor !== undefined) return findAmongAll(ports, run, request);
  if (!hasFilter(request)) return readPage(ports, run, request);
  if (isDescending(request)) return findAmongAll(ports, run, request);
  return search(ports, run, lineFilterOf(run, request), spanOf(request));
}

function toReply(run: runs.Run, { lines, from, total }: Found, request: ListRequest): List<LogRecord> {
  const records = lines.map((line) => toRecord(run, line));
  if (isDescending(request)) records.reverse();
  return toList(request, records, { from, total, idOf: ({ t }) => t });
}

/** Lists the log of a run, the oldest line first by default (rest-api reference, 12). */
export async function list(ports: Needs, run: runs.Run, request: ListRequest): Promise<List<LogRecord>> {
  return toReply(run, await find(ports, run, request), request);
}

/** The text of a cursor: the number of the next line, and how many passing lines before it were sent or skipped. */
const FORM = /^(\d{1,10})\.(\d{1,10})$/;

const toCursor = (reached: number, passed: number): string => `${reached}.${passed}`;

/**
 * Returns the lines of the log of a run since a cursor, or its first page without one; each line exactly once over all
 * readings. A log without new lines is not read. Throws `malformed` for a text that is not a cursor of this log.
 */
export async function readAfter(
  ports: Needs,
  run: runs.Run,
  request: ListRequest,
  cursor?: string,
): Promise<LogReading> {
  if (cursor === undefined) {
    const found = await find(ports, run, request);
    const passed = isDescending(request) ? found.total : found.from + found.lines.length;
    return { list: toReply(run, found, request), cursor: toCursor(found.reached, passed) };
  }
  const [, reached, passed] = FORM.exec(cursor)?.map(Number) ?? [];
  const isValid = reached !== undefined && passed !== undefined && passed <= reached && reached <= lengthOf(run);
  if (!isValid) throw malformedCursor(cursor);
  const offset = Math.max(request.offset, passed);
  const range = { begin: reached, passed, from: offset, to: offset + MAX_PAGE_ROWS };
  const found = await search(ports, run, lineFilterOf(run, request), range);
  const next = Math.max(passed, Math.min(offset, found.total)) + found.lines.length;
  return {
    list: toReply(run, { ...found, from: offset }, { ...request, offset }),
    cursor: toCursor(found.reached, next),
  };
}
