/** The date and the region of the prices: USD, on demand, without the free tier (aws-facts, 2). */
export const PRICED_ON = '2026-11-21';
export const PRICED_IN = 'us-east-1';

/**
 * The prices of a million. The duration of Lambda functions is not included, because it depends on the workflow: 10 ms at
 * 1 GB cost $0.13 per million.
 */
export const PRICES = {
  /** API Gateway, REST. */
  requests: 3.5,
  /** Lambda, each call. */
  lambdas: 0.2,
  /** DynamoDB, request units. */
  readUnits: 0.125,
  writeUnits: 0.625,
  /** Step Functions: transitions of STANDARD (states that are entered, retries of tasks), executions of EXPRESS. */
  transitions: 25,
  express: 1,
  /** A second of an execution of EXPRESS that waits, in 64 MB. */
  expressSeconds: 1.04,
  /** EventBridge, each event of up to 64 KB. */
  events: 1,
  /** EventBridge Scheduler, each call of a function. */
  timers: 1,
} as const;

/** The amounts of everything that has a price. */
export type Used = Readonly<Record<keyof typeof PRICES, number>>;

/** The name of each amount for users. */
export const LABELS: Readonly<Record<keyof typeof PRICES, string>> = {
  requests: 'API Gateway requests',
  lambdas: 'Lambda invocations',
  readUnits: 'DynamoDB read units',
  writeUnits: 'DynamoDB write units',
  transitions: 'Step Functions transitions',
  express: 'Step Functions Express executions',
  expressSeconds: 'Step Functions Express seconds',
  events: 'EventBridge events',
  timers: 'EventBridge Scheduler invocations',
};

const ENTRIES = Object.entries(PRICES) as [keyof Used, number][];

/** The price of a million in USD, rounded to cents. */
export function perMillion(used: Used): number {
  let sum = 0;
  for (const [name, price] of ENTRIES) sum += price * used[name];
  return Math.round(sum * 100) / 100;
}

/** Prices of a run's further uses: their amounts depend on the data and on the time that clients wait. */
export const BY_SIZE_AND_TIME = {
  /** S3: a million writes and reads of objects, which hold data above 16 KB. */
  objectWrites: 5,
  objectReads: 0.4,
  /** Lambda on arm64: a second at 1 GB. A waiting request or an open stream occupies one function. */
  lambdaSecond: 0.0000133334,
} as const;

/** The price of a waiting request or an open stream for an hour at 1 GB, in USD. */
export const openHour = (): number => 3600 * BY_SIZE_AND_TIME.lambdaSecond;

/** Monthly prices that do not depend on the use. */
export const MONTHLY = {
  /** A KMS key with yearly rotation: $1 more after the first and after the second rotation. */
  key: 1,
  /** CloudWatch: an alarm (for each of its metrics), a dashboard, a custom metric. */
  alarmMetric: 0.1,
  dashboard: 3,
  ownMetric: 0.3,
} as const;
