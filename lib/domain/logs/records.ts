import { toFineTimestamp } from '../../time/timestamps.ts';
import type { Level } from '../runs/runs.ts';
import type { ListRequest, Sorting } from '../storage/pages.ts';

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
  /** Tells it from all other lines of the log. */
  readonly id: string;
  readonly level: Level;
  readonly text: string;
  readonly tags: Readonly<Record<string, string>>;
  /** Of an event that was received: where it is recorded, until its text is read. */
  readonly event?: { readonly pk: string; readonly sk: string };
}

/** What filters ask of a line. */
export interface Traits {
  readonly level: Level;
  readonly workflow: string;
  readonly state: string;
  readonly instance: string;
}

/** Lines of one reply, also when all are asked for: a workflow that loops writes millions. The next page has the rest. */
export const MOST_LINES = 10_000;

export const mostOf = ({ limit }: ListRequest): number => (limit > 0 ? Math.min(limit, MOST_LINES) : MOST_LINES);

const LEVELS: readonly string[] = ['debug', 'info', 'error'];

export const bare = (path: string): string => path.replace(/^\//, '');

/** `workflow::state::index of the loop`, empty parts stand for any. */
function matchesQuery({ workflow, state }: Traits, value: string): boolean {
  const [wantedWorkflow = '', wantedState = ''] = value.split('::');
  const isOfWorkflow = wantedWorkflow === '' || bare(wantedWorkflow) === bare(workflow);
  return isOfWorkflow && (wantedState === '' || wantedState === state);
}

/** The filters of all logs (rest-api reference, 2.3). */
export const FILTERS: Sorting<Traits>['filters'] = {
  'ID/MATCH': ({ instance }, value) => instance === value.toLowerCase(),
  'LEVEL/STARTING': ({ level }, value) => LEVELS.indexOf(level) >= LEVELS.indexOf(value),
  'QUERY/MATCH': matchesQuery,
};

export const hasFilter = ({ filter }: Pick<ListRequest, 'filter'>): boolean => filter.some(({ val }) => val !== '');

/** Whether the newest lines come first: logs are ordered by time, the oldest first unless asked otherwise. */
export function isDescending({ order }: Pick<ListRequest, 'order'>): boolean {
  return order.find(({ field }) => field === 'TIMESTAMP')?.direction === 'DESC';
}

export function traitsOf({ level, tags }: Entry): Traits {
  return {
    level,
    workflow: tags['workflow'] ?? '',
    state: tags['state-id'] ?? '',
    instance: tags['instance-id'] ?? '',
  };
}

export function toRecord({ at, level, text, tags }: Entry): LogRecord {
  return { t: toFineTimestamp(at), level, msg: text, tags };
}
