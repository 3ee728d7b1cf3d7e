import { Metrics } from '@aws-lambda-powertools/metrics';
import type { Measure, Meter } from '../../ports/meter.ts';
import { MEASURES } from './measures.ts';

export interface EmbeddedMeterOptions {
  /** The namespace of the metrics in CloudWatch. */
  readonly namespace: string;
  /** Their dimension `service`: the name of the installation. */
  readonly installation: string;
}

/**
 * Writes a line into the function's log for each note, of which CloudWatch makes metrics ("embedded metric format"): no
 * call, and no right, is needed. At once, so that a process that dies later has told what it did.
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
