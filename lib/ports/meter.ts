/**
 * What whoever operates the service may want to watch, counted as it happens. Of requests it is also told of which
 * family of endpoints they are.
 */
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
  | 'EventsDelivered'
  | 'FailedDeliveries'
  | 'ContainerCalls'
  | 'ContainerCallsFailed';

/** Something that just happened: how often, or how long it took. */
export type Happened = Readonly<Partial<Record<Measure, number>>>;

/**
 * Hears of what happened, after it was committed. What it heard last may be lost with the process: the counts that are
 * exact are those of the tables (docs/decisions/023).
 */
export interface Meter {
  /** Never throws, and nobody waits for it. */
  note(happened: Happened, family?: string): void;
}
