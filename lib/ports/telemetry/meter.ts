/** The metrics for the operators of the service. Requests are counted by family of endpoints too. */
export type Measure =
  | 'Requests'
  | 'ClientErrors'
  | 'ServerErrors'
  | 'Faults'
  | 'RunsStarted'
  | 'RunsComplete'
  | 'RunsFailed'
  | 'RunsCrashed'
  | 'RunMilliseconds'
  | 'StartsRejected'
  | 'EventsDelivered'
  | 'FailedDeliveries'
  | 'ContainerCalls'
  | 'ContainerCallsFailed';

/** Increments of metrics: how often something happened, or how long it took. */
export type Happened = Readonly<Partial<Record<Measure, number>>>;

/** The workflow of a run: the name of its namespace, and its path. */
export interface WorkflowName {
  readonly namespace: string;
  readonly path: string;
}

/**
 * Counts committed work. The last increments may be lost with the process: exact counts are made from the tables
 * (docs/decisions/005).
 */
export interface Meter {
  /** Never throws, and is not awaited. */
  note(happened: Happened, family?: string, workflow?: WorkflowName): void;
}
