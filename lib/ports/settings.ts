import type { SecretSource } from './external-secrets.ts';

/** The limits of the runs of each namespace; one that is undefined is not enforced. */
export interface RunLimits {
  /** Pending runs at the same time. */
  readonly activeRuns?: number | undefined;
  /** Runs that are started a second; the starts of ten seconds can be saved up. */
  readonly startsPerSecond?: number | undefined;
  /**
   * The counter of active runs and starts. `process`, by default: exact where one process serves the installation.
   * `table`: many processes together, for further calls of the table at each start and end.
   */
  readonly countedBy?: 'process' | 'table' | undefined;
  /** Runs that one run starts as subflows, with theirs. */
  readonly descendants?: number | undefined;
  /**
   * Requests of the installation that wait for a run, and event streams, at the same time. `half of the account`: half of the
   * calls of functions that the account of AWS allows at once.
   */
  readonly waitingRequests?: number | 'half of the account' | undefined;
  /**
   * New runs or events a second in one partition of an index: above it, a namespace gets more partitions. Undefined: the
   * database has no limit of a partition.
   */
  readonly partitionRows?: number | undefined;
}

/** The settings of the audit log: its retention, scope and destination. */
export interface AuditSettings {
  /** How long entries are kept, days; the default is 365. */
  readonly retentionDays?: number | undefined;
  /** `changes`: without starts of runs and sent events; `all`: with them. The default is `changes`. */
  readonly scope?: 'all' | 'changes' | undefined;
  /** The name of the namespace that gets each entry as an event; none by default. */
  readonly namespace?: string | undefined;
}

/** The settings of the installation. */
export interface Settings {
  /** The word in error codes, header names, event sources and metric names: `service`, or `direktiv` for drop-in use. */
  readonly brand: string;
  /** The URL of the service as users reach it, for links; unknown by default: links are paths then. */
  readonly url?: string | undefined;
  /** The version that GET /version returns. */
  readonly version: string;
  /** How long log lines are kept, days; the default is 30. */
  readonly retentionDays?: number | undefined;
  /** The maximum of `minScale` of a container service; the default is 3. */
  readonly maxScale?: number | undefined;
  /**
   * How long a run may take in the request, event or tick that starts it before a machine continues it, milliseconds; the
   * default is 100. 0: a machine begins each run.
   */
  readonly startBudgetMs?: number | undefined;
  /**
   * `machine`, the default: a run that waits for an event, a decision or longer than a minute stands at a state of its machine.
   * `table`: it has no machine, where it does not need one for other waits.
   */
  readonly waits?: 'machine' | 'table' | undefined;
  readonly limits?: RunLimits | undefined;
  /** By the name of a quota: how many of the things there may be; a namespace can set its own. */
  readonly quotas?: Readonly<Record<string, number>> | undefined;
  readonly audit?: AuditSettings | undefined;
  /** The secrets outside the service that namespaces may use; none by default. */
  readonly secretSources?: readonly SecretSource[] | undefined;
}
