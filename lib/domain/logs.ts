import type { Blobs, Table } from '../ports.ts';
import { toFineTimestamp } from './instants.ts';
import { cursorOf, type List, type ListRequest, passes, rangeOf, type Sorting, toList } from './pages.ts';
import * as runs from './runs.ts';

export interface LogRecord {
  readonly t: string;
  readonly level: runs.Level;
  readonly msg: string;
  readonly tags: Readonly<Record<string, string>>;
}

type Needs = { readonly table: Table; readonly blobs: Blobs };

/** Lines of one reply, also when all are asked for: a workflow that loops writes millions. The next page has the rest. */
const MOST_LINES = 10_000;

const LEVELS: readonly string[] = ['debug', 'info', 'error'];

const bare = (path: string): string => path.replace(/^\//, '');

/** rest-api reference, 2.3. */
const filtersOf = (run: runs.Run): Sorting<runs.LogLine>['filters'] => ({
  'LEVEL/STARTING': (line, value) => LEVELS.indexOf(line.level) >= LEVELS.indexOf(value),
  'QUERY/MATCH': (line, value) => {
    const [workflow = '', state = ''] = value.split('::');
    return (workflow === '' || bare(workflow) === bare(run.path)) && (state === '' || line.state === state);
  },
});

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

/** The lines of a page, where they begin, and how many there are in all. */
interface Found {
  readonly lines: readonly runs.LogLine[];
  readonly from: number;
  readonly total: number;
}

const mostOf = ({ limit }: ListRequest): number => (limit > 0 ? Math.min(limit, MOST_LINES) : MOST_LINES);

/** Reads the part that holds the page and nothing else. */
async function readPage(ports: Needs, run: runs.Run, request: ListRequest): Promise<Found> {
  const total = run.flushed + run.tail.length;
  const from = Math.min(Math.max(request.offset, 0), total);
  const lines: runs.LogLine[] = [];
  for await (const part of runs.logParts(ports, run, from)) {
    lines.push(...part.slice(0, mostOf(request) - lines.length));
    if (lines.length === mostOf(request)) break;
  }
  return { lines, from, total };
}

/** Looks through the whole log, and keeps the page alone. */
async function search(ports: Needs, run: runs.Run, request: ListRequest): Promise<Found> {
  const filters = filtersOf(run);
  const from = Math.max(request.offset, 0);
  const lines: runs.LogLine[] = [];
  let total = 0;
  for await (const part of runs.logParts(ports, run)) {
    for (const line of part) {
      if (!passes(line, request, filters)) continue;
      if (total >= from && lines.length < mostOf(request)) lines.push(line);
      total += 1;
    }
  }
  return { lines, from: Math.min(from, total), total };
}

/** The page that an older client asks for by its cursor, which is the time of a line. */
async function follow(ports: Needs, run: runs.Run, request: ListRequest): Promise<Found> {
  const filters = filtersOf(run);
  const all: runs.LogLine[] = [];
  for await (const part of runs.logParts(ports, run)) {
    for (const line of part) if (passes(line, request, filters)) all.push(line);
  }
  const indexOf = (cursor: string) => all.findIndex(({ t }) => cursorOf(toFineTimestamp(t)) === cursor);
  const [from, to] = rangeOf(request, all.length, indexOf);
  return { lines: all.slice(from, Math.min(to, from + MOST_LINES)), from, total: all.length };
}

function readerFor({ cursor, filter }: ListRequest): typeof search {
  if (cursor !== undefined) return follow;
  return filter.some(({ val }) => val !== '') ? search : readPage;
}

/** The log of a run, oldest line first. */
export async function list(ports: Needs, run: runs.Run, request: ListRequest): Promise<List<LogRecord>> {
  const { lines, from, total } = await readerFor(request)(ports, run, request);
  const records = lines.map((line) => ({
    t: toFineTimestamp(line.t),
    level: line.level,
    msg: line.text,
    tags: tagsOf(run, line),
  }));
  return toList(request, records, { from, total, idOf: ({ t }) => t });
}
