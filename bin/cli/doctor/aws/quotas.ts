/** One metric, or all metrics that a search finds, of which the largest or the sum counts. */
export type Metric =
  | { readonly namespace: string; readonly name: string; readonly dimensions?: Readonly<Record<string, string>> }
  | { readonly search: string; readonly of: 'MAX' | 'SUM' };

/** How AWS counts what is used of a quota: `rate` is a count, compared by the second; `level` is an amount. */
export interface Use {
  readonly kind: 'rate' | 'level';
  /** The highest value of all counts. */
  readonly metrics: readonly Metric[];
}

/** A quota of AWS that limits an installation (docs/limits.md has what happens at it). */
export interface Quota {
  /** The codes by which Service Quotas knows it. */
  readonly service: string;
  readonly code: string;
  readonly name: string;
  /** What of Weft uses it. */
  readonly usedBy: string;
  /** What an account has in us-east-1 if nothing was raised. */
  readonly fallback: number;
  /** Below this value a raise is advised whatever is used. */
  readonly least?: number;
  /** Where the use is read if Service Quotas names no metric of its own; absent: AWS does not count it. */
  readonly use?: Use;
  /** How often AWS refused or delayed something because of it; absent: AWS does not count that. */
  readonly throttled?: Metric;
}

/** The units of the table that used the most. */
const unitsOf = (name: string, tables: readonly string[]): Use => ({
  kind: 'rate',
  metrics: tables.map((TableName) => ({ namespace: 'AWS/DynamoDB', name, dimensions: { TableName } })),
});

const throttledCalls = (APIName: string): Metric => ({
  namespace: 'AWS/States',
  name: 'ThrottledEvents',
  dimensions: { APIName },
});

const forTables = (tables: readonly string[]): readonly Quota[] => [
  {
    service: 'dynamodb',
    code: 'L-AB614373',
    name: 'units written a second in a table',
    usedBy: 'runs, events, waits and tasks',
    fallback: 40_000,
    use: unitsOf('ConsumedWriteCapacityUnits', tables),
  },
  {
    service: 'dynamodb',
    code: 'L-CF0CBE56',
    name: 'units read a second in a table',
    usedBy: 'starts, steps and lists',
    fallback: 40_000,
    use: unitsOf('ConsumedReadCapacityUnits', tables),
  },
];

const REQUESTS: readonly Quota[] = [
  {
    service: 'lambda',
    code: 'L-B99A9384',
    name: 'concurrent calls of functions',
    usedBy: 'requests, steps, and each open op=wait and event stream',
    fallback: 1000,
    least: 1000,
    use: { kind: 'level', metrics: [{ namespace: 'AWS/Lambda', name: 'ConcurrentExecutions' }] },
    throttled: { namespace: 'AWS/Lambda', name: 'Throttles' },
  },
  {
    service: 'apigateway',
    code: 'L-8A5B8E43',
    name: 'requests a second',
    usedBy: 'requests of the API',
    fallback: 10_000,
    use: { kind: 'rate', metrics: [{ search: '{AWS/ApiGateway,ApiName} MetricName="Count"', of: 'SUM' }] },
  },
];

const MACHINES: readonly Quota[] = [
  {
    service: 'states',
    code: 'L-1B55A735',
    name: 'starts of executions a second',
    usedBy: 'runs with a machine, and the reconciler',
    fallback: 300,
    throttled: throttledCalls('StartExecution'),
  },
  {
    service: 'states',
    code: 'L-7B8A8E4B',
    name: 'starts of Express executions a second',
    usedBy: 'runs that need no wait',
    fallback: 6000,
  },
  {
    service: 'states',
    code: 'L-AD9B4E93',
    name: 'state transitions a second',
    usedBy: 'executions',
    fallback: 5000,
    throttled: { namespace: 'AWS/States', name: 'ThrottledEvents', dimensions: { ServiceMetric: 'StateTransition' } },
  },
  {
    service: 'states',
    code: 'L-EACE83FA',
    name: 'answers of waiting tasks a second',
    usedBy: 'events, ends of calls and of tasks for workers',
    fallback: 500,
    throttled: throttledCalls('SendTaskSuccess'),
  },
  {
    service: 'states',
    code: 'L-E6D39AA7',
    name: 'new state machines a second',
    usedBy: 'first starts of workflows',
    fallback: 1,
    throttled: throttledCalls('CreateStateMachine'),
  },
  {
    service: 'states',
    code: 'L-B8A5B662',
    name: 'open executions',
    usedBy: 'runs that wait',
    fallback: 1_000_000,
    use: { kind: 'level', metrics: [{ search: 'MetricName="OpenExecutionCount"', of: 'MAX' }] },
  },
  {
    service: 'states',
    code: 'L-B66B0F91',
    name: 'state machines',
    usedBy: 'workflows, one or two each',
    fallback: 100_000,
  },
];

const EVENTS: readonly Quota[] = [
  {
    service: 'events',
    code: 'L-9B653E91',
    name: 'requests to publish a second',
    usedBy: 'events',
    fallback: 10_000,
    use: { kind: 'rate', metrics: [{ namespace: 'AWS/Events', name: 'PutEventsApproximateCallCount' }] },
    throttled: { namespace: 'AWS/Events', name: 'PutEventsApproximateThrottledCount' },
  },
  {
    service: 'events',
    code: 'L-5540C5E3',
    name: 'deliveries of events a second',
    usedBy: 'calls of the router',
    fallback: 18_750,
    throttled: { search: '{AWS/Events,EventBusName,RuleName} MetricName="ThrottledRules"', of: 'SUM' },
  },
  {
    service: 'scheduler',
    code: 'L-EE5D6FF0',
    name: 'schedules',
    usedBy: 'workflows with a cron, and delays of a minute or more',
    fallback: 10_000_000,
  },
  {
    service: 'scheduler',
    code: 'L-6F4B17DE',
    name: 'new schedules a second',
    usedBy: 'delays of a minute or more',
    fallback: 5000,
    use: {
      kind: 'rate',
      metrics: [
        {
          namespace: 'AWS/Usage',
          name: 'CallCount',
          dimensions: { Class: 'None', Resource: 'CreateSchedule', Service: 'Scheduler', Type: 'API' },
        },
      ],
    },
  },
];

/** The quotas of AWS that an installation with these tables can reach. */
export const quotasOf = (tables: readonly string[]): readonly Quota[] => [
  ...REQUESTS,
  ...forTables(tables),
  ...MACHINES,
  ...EVENTS,
];
