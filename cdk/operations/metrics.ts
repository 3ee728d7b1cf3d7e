import { Duration } from 'aws-cdk-lib';
import { type IMetric, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { tableNames } from '../data/tables.ts';
import type { Settings } from '../settings/settings.ts';

/** The period of metrics in alarms and graphs. */
export const PERIOD = Duration.minutes(5);
export const SUM = { period: PERIOD, statistic: 'Sum' };

/** A metric of the whole account and region, to which such quotas apply. */
export const accountMetric = (
  namespace: string,
  metricName: string,
  dimensionsMap: Record<string, string> = {},
): Metric => new Metric({ namespace, metricName, dimensionsMap, ...SUM });

/** The throttled reads and writes of each table, by ids for a metric expression. */
export function throttledByTable(settings: Settings): Record<string, IMetric> {
  const metrics = tableNames(settings).flatMap((TableName) =>
    ['ReadThrottleEvents', 'WriteThrottleEvents'].map((name) => accountMetric('AWS/DynamoDB', name, { TableName })),
  );
  return Object.fromEntries(metrics.map((metric, index) => [`m${index}`, metric]));
}
