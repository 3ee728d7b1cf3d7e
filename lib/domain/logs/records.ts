import { toFineTimestamp } from '../../time/timestamps.ts';
import type { Level } from '../runs/runs.ts';
import type { ListRequest } from '../storage/list-requests.ts';
import { rangeOf, type Sorting } from '../storage/lists.ts';
import type { Span } from '../storage/windows.ts';

/** A log line as clients get it (rest-api reference, 12). */
export interface LogRecord {
  readonly t: string;
  readonly level: Level;
  readonly msg: string;
  readonly tags: Readonly<Record<string, string>>;
}

/** A line of the log of the server, a namespace or a workflow. */
export interface Entry {
  /** Microseconds since 1970. */
  readonly at: number;
  /** Unique in the log. */
  readonly id: string;
  readonly level: Level;
  readonly text: string;
  readonly tags: Readonly<Record<string, string>>;
  /** The key of a received event, from which the text is still to be made. */
  readonly event?: { readonly pk: string; readonly sk: string };
}

/** The values of a line that filters compare. */
export interface Traits {
  readonly level: Level;
  readonly workflow: string;
  readonly state: string;
  readonly instance: string;
  /** The index of the run in the loop that called it; empty outside a loop. */
  readonly loop: string;
}

const LEVELS: readonly string[] = ['debug', 'info', 'error'];

/** A path without its leading slash. */
export const bare = (path: string): string => path.replace(/^\//, '');

/** `workflow::state::index of the loop`; an empty part matches any. */
function matchesQuery({ workflow, state, loop }: Traits, value: string): boolean {
  const [wantedWorkflow = '', wantedState = '', wantedLoop = ''] = value.split('::');
  const isOfWorkflow = wantedWorkflow === '' || bare(wantedWorkflow) === bare(workflow);
  const isOfState = wantedState === '' || wantedState === state;
  return isOfWorkflow && isOfState && (wantedLoop === '' || wantedLoop === loop);
}

/** The filters of all logs (rest-api reference, 2.3). */
export const FILTERS: Sorting<Traits>['filters'] = {
  'ID/MATCH': ({ instance }, value) => instance === value.toLowerCase(),
  'LEVEL/STARTING': ({ level }, value) => LEVELS.indexOf(level) >= LEVELS.indexOf(value),
  'QUERY/MATCH': matchesQuery,
};

/** Whether a request has a filter with a value. */
export const hasFilter = ({ filter }: Pick<ListRequest, 'filter'>): boolean => filter.some(({ val }) => val !== '');

/** Whether the newest lines come first. By default a log is ordered by time, the oldest line first. */
export function isDescending({ order }: Pick<ListRequest, 'order'>): boolean {
  return order.find(({ field }) => field === 'TIMESTAMP')?.direction === 'DESC';
}

/** The traits of a line of the log of the server, a namespace or a workflow. */
export function traitsOf({ level, tags }: Entry): Traits {
  return {
    level,
    workflow: tags['workflow'] ?? '',
    state: tags['state-id'] ?? '',
    instance: tags['instance-id'] ?? '',
    loop: tags['loop-index'] ?? '',
  };
}

/** The wire form of a line (rest-api reference, 12). */
export function toRecord({ at, level, text, tags }: Entry): LogRecord {
  return { t: toFineTimestamp(at), level, msg: text, tags };
}

/**
 * Returns the number of the first line of a page, in the order of the request, and the span of its lines in the order of
 * time. `indexOf` returns the index, in the order of time, of the line of a pagination cursor, or -1.
 */
export function pageOf(
  request: ListRequest,
  total: number,
  indexOf: (cursor: string) => number,
): { readonly from: number; readonly span: Span } {
  const isDown = isDescending(request);
  const [from, to] = rangeOf(request, total, (cursor) => {
    const index = indexOf(cursor);
    return isDown && index >= 0 ? total - 1 - index : index;
  });
  return { from, span: isDown ? { from: total - to, to: total - from } : { from, to } };
}
