import { Duration } from 'aws-cdk-lib';
import { type IMetric, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { tableNames } from '../data/tables.ts';
import type { Settings } from '../settings/settings.ts';

/** How far metrics are summed up, in alarms and charts. */
export const PERIOD = Duration.minutes(5);
export const SUM = { period: PERIOD, statistic: 'Sum' };

/** A metric that AWS keeps of the whole account and region: such limits are the account's. */
export const ofAccount = (namespace: string, metricName: string, dimensionsMap: Record<string, string> = {}): Metric =>
  new Metric({ namespace, metricName, dimensionsMap, ...SUM });

/** Refused reads and writes of each table, by names that a formula takes. */
export function ofTables(settings: Settings): Record<string, IMetric> {
  const metrics = tableNames(settings).flatMap((TableName) =>
    ['ReadThrottleEvents', 'WriteThrottleEvents'].map((name) => ofAccount('AWS/DynamoDB', name, { TableName })),
  );
  return Object.fromEntries(metrics.map((metric, index) => [`m${index}`, metric]));
}
