/**
 * What AWS asks in us-east-1 for a million, USD, on demand, without the free tier (aws-facts, 2). Lambda's time is not
 * here: it depends on the machine; 10 ms at 1 GB are 0.13 for a million.
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
