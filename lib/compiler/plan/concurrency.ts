/** What becomes of a run that is started when all places are taken. */
export const WHEN_FULL = ['queue', 'refuse', 'skip', 'cancelOldest'] as const;

/** The most runs of a workflow that may be at work at the same time. */
export interface ConcurrencyPlan {
  /** Of each value of the key. */
  readonly limit: number;
  /** A query, evaluated over the input; absent: all runs share the places. */
  readonly key?: unknown;
  readonly whenFull: (typeof WHEN_FULL)[number];
}

/** What becomes of a run that is started when the period has no start left. */
export const WHEN_OVER = ['queue', 'refuse', 'skip'] as const;

/** The most runs of a workflow that may begin within a period. */
export interface RatePlan {
  /** Of each value of the key. */
  readonly limit: number;
  /** The period, as an ISO 8601 duration. */
  readonly per: string;
  /** A query, evaluated over the input; absent: all runs share the limit. */
  readonly key?: unknown;
  readonly whenFull: (typeof WHEN_OVER)[number];
}

/** Starts that follow each other within a time make one run, which has the input of the last one. */
export interface DebouncePlan {
  /** The quiet time after the last start, as an ISO 8601 duration. */
  readonly for: string;
  /** A query, evaluated over the input; absent: all starts make one run. */
  readonly key?: unknown;
  /** The most time between the first start and the beginning of the run; absent: any. */
  readonly atMost?: string;
}

/** Events make one run, which has them as the list `events`. */
export interface BatchPlan {
  /** The run begins with so many events. */
  readonly size: number;
  /** The time after the first event at which it begins with fewer, as an ISO 8601 duration. */
  readonly for: string;
  /** A query, evaluated over an event; absent: all events make one run. */
  readonly key?: unknown;
}

/** The clock starts runs at the planned times of a cron pattern. */
export interface ScheduledStart {
  readonly type: 'scheduled';
  readonly cron: string;
  /** Which of the times that were missed start runs late; absent: those that the scheduler delivers. */
  readonly missed?: 'latest' | 'all' | 'none';
}

/** What becomes of a call of a function that may not begin now. */
export const WHEN_CALLS_FULL = ['queue', 'refuse'] as const;

interface Refusing {
  /** Absent: a further call waits. */
  readonly whenFull?: Exclude<(typeof WHEN_CALLS_FULL)[number], 'queue'>;
}

/** The limits of the calls of a function, which the functions of one scope share in all workflows of the namespace. */
export interface CallLimits {
  readonly scope: string;
  /** The most calls at work at the same time. The key is evaluated over the data of the action. */
  readonly concurrency?: Omit<ConcurrencyPlan, 'whenFull'> & Refusing;
  /** The most calls that begin within a period. */
  readonly rate?: Omit<RatePlan, 'whenFull'> & Refusing;
}

/** The fields of a plan that say when its runs begin. */
export interface FlowControl {
  readonly concurrency?: ConcurrencyPlan;
  readonly rate?: RatePlan;
  readonly debounce?: DebouncePlan;
  /** A query, evaluated over the input: the place of a run in the queue; absent: 0. */
  readonly priority?: unknown;
}
