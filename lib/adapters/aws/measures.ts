import type { Measure } from '../../ports/meter.ts';

interface Told {
  readonly unit: 'Count' | 'Milliseconds';
  /** Each family of endpoints has one of its own. */
  readonly isByFamily?: true;
}

/** How CloudWatch is told of each measure. Each is a metric that is paid for while it is used. */
export const MEASURES: Readonly<Record<Measure, Told>> = {
  Requests: { unit: 'Count', isByFamily: true },
  ClientErrors: { unit: 'Count', isByFamily: true },
  ServerErrors: { unit: 'Count', isByFamily: true },
  Faults: { unit: 'Count' },
  RunsStarted: { unit: 'Count' },
  RunsComplete: { unit: 'Count' },
  RunsFailed: { unit: 'Count' },
  RunsCrashed: { unit: 'Count' },
  RunMilliseconds: { unit: 'Milliseconds' },
  EventsDelivered: { unit: 'Count' },
  FailedDeliveries: { unit: 'Count' },
  ContainerCalls: { unit: 'Count' },
  ContainerCallsFailed: { unit: 'Count' },
};

/** How many metrics there may be at most, with so many families. */
export function mostMetrics(families: number): number {
  return Object.values(MEASURES).reduce((sum, { isByFamily }) => sum + (isByFamily ? families : 1), 0);
}
