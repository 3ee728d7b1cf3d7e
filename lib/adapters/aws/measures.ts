import type { Measure } from '../../ports/telemetry/meter.ts';

interface MetricDefinition {
  readonly unit: 'Count' | 'Milliseconds';
  /** Each family of endpoints has a metric of its own. */
  readonly isByFamily?: true;
}

/** The CloudWatch metric of each measure. AWS charges for a metric in each month in which it is used. */
export const MEASURES: Readonly<Record<Measure, MetricDefinition>> = {
  Requests: { unit: 'Count', isByFamily: true },
  ClientErrors: { unit: 'Count', isByFamily: true },
  ServerErrors: { unit: 'Count', isByFamily: true },
  Faults: { unit: 'Count' },
  RunsStarted: { unit: 'Count' },
  RunsComplete: { unit: 'Count' },
  RunsFailed: { unit: 'Count' },
  RunsCrashed: { unit: 'Count' },
  RunMilliseconds: { unit: 'Milliseconds' },
  StartsRejected: { unit: 'Count' },
  EventsDelivered: { unit: 'Count' },
  FailedDeliveries: { unit: 'Count' },
  ContainerCalls: { unit: 'Count' },
  ContainerCallsFailed: { unit: 'Count' },
};

/** The largest number of metrics that an installation with this number of families can have. */
export function maxMetrics(families: number): number {
  return Object.values(MEASURES).reduce((sum, { isByFamily }) => sum + (isByFamily ? families : 1), 0);
}
