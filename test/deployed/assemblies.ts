/** The environment variable with the folder of each assembly as JSON, by its name. */
export const ASSEMBLIES = 'WEFT_ASSEMBLIES';

/**
 * What the emulator cannot do, and what lets it delete everything. Its account has the quota of a new one, which leaves five
 * places to requests that wait: fewer than the tests need at once.
 */
const EMULATED = { streaming: 'false', retain: 'false', maxWaitingRequests: '100' };

/**
 * Every option that changes what is deployed, and can be used together. Not `protect`, which would keep the stack, and not
 * `alarms`: the emulator has no alarms over several metrics.
 */
const EVERYTHING = {
  ...EMULATED,
  audit: 'all',
  auditDays: '7',
  auditNamespace: 'audit',
  certificate: 'arn:aws:acm:us-east-1:000000000000:certificate/a',
  concurrency: '{"steps": 50, "lifecycle": 5}',
  dashboard: 'true',
  domain: 'flows.example.com',
  inbound: '[{"namespace": "files", "pattern": {"source": ["shop"]}}]',
  kms: 'true',
  lambdas: '["fraud-score"]',
  logDays: '7',
  maxActiveRuns: '1000',
  maxDescendants: '1000',
  maxStartsPerSecond: '1000',
  metrics: 'true',
  outbound: '[{"target": "arn:aws:sqs:us-east-1:000000000000:orders"}]',
  requestsPerSecond: '1000',
  retentionDays: '7',
  startBudgetMs: '50',
  tags: '{"team": "flows"}',
  tracing: 'true',
};

/** The contexts that are deployed, each an assembly. */
export const CONTEXTS = {
  usual: EMULATED,
  everything: EVERYTHING,
  /** An update of `everything` that changes every function. */
  changed: { ...EVERYTHING, logDays: '14', startBudgetMs: '100', tags: '{"team": "shop"}' },
} as const satisfies Readonly<Record<string, Readonly<Record<string, string>>>>;

/** The name of an assembly. */
export type AssemblyName = keyof typeof CONTEXTS;

/** The folders of the assemblies. */
export type Assemblies = Readonly<Record<AssemblyName, string>>;
