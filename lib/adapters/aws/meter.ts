import { Metrics } from '@aws-lambda-powertools/metrics';
import type { Measure, Meter } from '../../ports/telemetry/meter.ts';
import { MEASURES } from './measures.ts';

/** Where metrics appear in CloudWatch. */
export interface EmbeddedMeterOptions {
  /** The namespace of the metrics. */
  readonly namespace: string;
  /** The value of their dimension `service`: the name of the installation. */
  readonly installation: string;
}

/**
 * Writes a line into the function's log for each note, which CloudWatch turns into metrics ("embedded metric format"):
 * that needs no request and no permission. The line is written at once, so that a crash later loses nothing.
 */
export function embeddedMeter({ namespace, installation }: EmbeddedMeterOptions): Meter {
  const metrics = new Metrics({ namespace, serviceName: installation });
  return {
    note(happened, family) {
      if (family !== undefined) metrics.addDimension('family', family);
      for (const [name, value] of Object.entries(happened)) {
        metrics.addMetric(name, MEASURES[name as Measure].unit, value);
      }
      metrics.publishStoredMetrics();
    },
  };
}
