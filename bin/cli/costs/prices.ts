/** What AWS asks in us-east-1, USD, on demand, without the free tier (aws-facts, 2). */
export const PRICED_ON = '2026-11-21';
export const PRICED_IN = 'us-east-1';

/**
 * For a million. Lambda's time is not here: it depends on the machine; 10 ms at 1 GB are 0.13 for a million.
 */
export const PRICES = {
  /** API Gateway, REST. */
  requests: 3.5,
  /** Lambda, each call. */
  lambdas: 0.2,
  /** DynamoDB, request units. */
  readUnits: 0.125,
  writeUnits: 0.625,
  /** Step Functions: transitions of STANDARD, executions of EXPRESS. */
  transitions: 25,
  express: 1,
  /** EventBridge, each event of up to 64 KB. */
  events: 1,
} as const;

/** How often each thing that is paid for happens. */
export type Used = Readonly<Record<keyof typeof PRICES, number>>;

/** USD for a million, to the cent. */
export function perMillion(used: Used): number {
  const sum = Object.entries(PRICES).reduce((total, [name, price]) => total + price * used[name as keyof Used], 0);
  return Math.round(sum * 100) / 100;
}

/** For a month, whether it is used or not. */
export const MONTHLY = {
  /** A key of the key management service, which is made anew each year: +1 after the first and after the second. */
  key: 1,
  /** CloudWatch: an alarm, for each metric that it looks at; a dashboard; a metric of one's own. */
  alarmMetric: 0.1,
  dashboard: 3,
  ownMetric: 0.3,
} as const;
