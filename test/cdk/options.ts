/** Every option that adds to an installation or changes it, with another value than the default: all can be used together. */
export const EVERY_OPTION = {
  alarms: 'ada@example.com',
  audit: 'all',
  auditDays: '7',
  auditNamespace: 'audit',
  certificate: 'arn:aws:acm:eu-west-1:123456789012:certificate/a',
  concurrency: '{"steps": 50, "lifecycle": 5}',
  dashboard: 'true',
  domain: 'flows.example.com',
  encryptionKey: 'arn:aws:kms:eu-west-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab',
  inbound: '[{"namespace": "files", "pattern": {"source": ["aws.s3"]}}]',
  kms: 'true',
  lambdas: '["fraud-score", "arn:aws:lambda:eu-west-1:123456789012:function:report:live"]',
  logDays: '7',
  maxActiveRuns: '1000',
  maxDescendants: '1000',
  maxStartsPerSecond: '1000',
  maxWaitingRequests: '100',
  metrics: 'true',
  otel: '{"OTEL_EXPORTER_OTLP_ENDPOINT": "https://otel.example.com"}',
  outbound: '[{"target": "arn:aws:sqs:eu-west-1:123456789012:orders"}]',
  quotas: 'workflows=500 variableBytes=1000000',
  requestsPerSecond: '1000',
  retentionDays: '7',
  rollout: 'Canary10Percent5Minutes',
  startBudgetMs: '50',
  tags: '{"team": "flows"}',
  tracing: 'true',
} as const;

/** The options that switch a part off, and the one that excludes `kms`. */
export const OTHER_OPTIONS = {
  loggingRole: 'false',
  protect: 'false',
  retain: 'false',
  rootKey: '/our/root-key',
  streaming: 'false',
} as const;
