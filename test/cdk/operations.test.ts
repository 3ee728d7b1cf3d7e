import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { MEASURES, maxMetrics } from '../../lib/adapters/aws/measures.ts';
import { families } from '../../lib/api/registry/families.ts';
import { MONTHLY } from '../../lib/pricing/prices.ts';
import { ofType, type Resource, resourcesOf } from './stack.ts';

const TOPIC = 'arn:aws:sns:eu-west-1:123456789012:alarms';
const resources = resourcesOf();
const withMail = resourcesOf({ alarms: 'ada@example.com' });
const properties = (own: Record<string, Resource>, type: string): Record<string, unknown>[] =>
  ofType(own, type).map(([, { Properties }]) => Properties);
const alarms = properties(withMail, 'AWS::CloudWatch::Alarm');
const alarmOf = (id: string): Record<string, unknown> => {
  const found = alarms.find(({ AlarmName }) => AlarmName === `weft-${id}`);
  if (found === undefined) throw new Error(`no alarm ${id}`);
  return found;
};

describe('by default', () => {
  test('there are no alarms, no dashboard, no metrics and no traces', () => {
    const types = new Set(Object.values(resources).map(({ Type }) => Type));
    for (const type of ['AWS::CloudWatch::Alarm', 'AWS::CloudWatch::Dashboard', 'AWS::SNS::Topic']) {
      expect(types).not.toContain(type);
    }
    expect(JSON.stringify(resources)).not.toMatch(/TracingConfig|"TracingEnabled":true|xray:|WEFT_METRICS/);
  });
});

describe('`metrics=true`', () => {
  const own = resourcesOf({ metrics: 'true', name: 'flows' });
  const without = resourcesOf({ name: 'flows' });
  const variablesOf = ({ Properties }: Resource) =>
    (Properties['Environment'] as { readonly Variables: Record<string, string> } | undefined)?.Variables ?? {};

  test('adds a variable to every function of the service, and changes nothing else', () => {
    const functions = ofType(own, 'AWS::Lambda::Function').filter(([id]) => /^(Functions|Upgrade)/.test(id));
    expect(functions.length).toBeGreaterThan(15);
    for (const [, resource] of functions) {
      expect(variablesOf(resource)).toMatchObject({ WEFT_METRICS: 'flows' });
      delete variablesOf(resource)['WEFT_METRICS'];
    }
    // The id of a version contains a hash of its function.
    const plain = (all: object): object =>
      JSON.parse(JSON.stringify(all).replace(/(CurrentVersion)[0-9A-Fa-f]{40}/g, '$1'));
    expect(plain(own)).toEqual(plain(without));
  });

  test('is documented with every metric and with their maximum price', () => {
    const text = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8');
    const [, chapter = ''] = text.split('## Metrics\n');
    const words = chapter.replace(/\s+/g, ' ');
    const rows = [...chapter.matchAll(/^\| (`\w+`(?:, `\w+`)*) \| .* \|$/gm)].map(([, names = '']) => names);
    expect(rows.flatMap((names) => names.replaceAll('`', '').split(', '))).toEqual(Object.keys(MEASURES));
    const byFamily = Object.values(MEASURES).filter(({ isByFamily }) => isByFamily).length;
    expect([byFamily, Object.keys(families).length, Object.keys(MEASURES).length - byFamily]).toEqual([3, 15, 11]);
    const most = maxMetrics(Object.keys(families).length + 1);
    expect(words).toContain(`at most ${most}, $${(most * MONTHLY.ownMetric).toFixed(2)}`);
    expect(words).toContain(`costs $${MONTHLY.ownMetric.toFixed(2)} a month`);
  });
});

describe('`alarms`', () => {
  test.each([
    ['faults', { Namespace: 'Weft/weft', MetricName: 'Faults', Statistic: 'Sum' }],
    ['deliveries', { Namespace: 'AWS/Lambda', MetricName: 'Invocations' }],
    ['undelivered', { Namespace: 'AWS/SQS', MetricName: 'ApproximateNumberOfMessagesVisible', Statistic: 'Maximum' }],
    ['functions', { Namespace: 'AWS/Lambda', MetricName: 'Throttles' }],
    ['transitions', { Namespace: 'AWS/States', MetricName: 'ThrottledEvents' }],
  ])('has an alarm for %s, which the first of them raises', (id, metric) => {
    expect(alarmOf(id)).toMatchObject({
      ...metric,
      Threshold: 1,
      EvaluationPeriods: 1,
      Period: 300,
      ComparisonOperator: 'GreaterThanOrEqualToThreshold',
      TreatMissingData: 'notBreaching',
      AlarmActions: [{ Ref: expect.stringMatching(/^AlarmsTopic/) }],
    });
  });

  test('has one alarm for throttled requests of all tables', () => {
    const { Metrics } = alarmOf('tables') as { readonly Metrics: readonly Record<string, unknown>[] };
    const text = JSON.stringify(Metrics);
    for (const name of ['weft-catalog', 'weft-runs', 'weft-journal']) expect(text).toContain(`"Value":"${name}"`);
    expect(Metrics.filter((metric) => 'MetricStat' in metric)).toHaveLength(6);
    expect(Metrics.some(({ Expression }) => Expression === 'm0 + m1 + m2 + m3 + m4 + m5')).toBe(true);
  });

  test('counts faults in the log of every function and aborted requests in one metric', () => {
    const filters = properties(withMail, 'AWS::Logs::MetricFilter');
    const patternOf = (group: RegExp) =>
      filters.find(({ LogGroupName }) => group.test(JSON.stringify(LogGroupName)))?.['FilterPattern'];
    expect(patternOf(/FunctionsstepsLogs/)).toBe('{ ($.level = "ERROR") && ($.message = "a fault of the service") }');
    expect(patternOf(/ApiLogs/)).toBe('{ ($.status = "502") || ($.status = "504") }');
    const functions = ofType(withMail, 'AWS::Lambda::Function').filter(([id]) => id.startsWith('Functions'));
    expect(filters).toHaveLength(functions.length + 1);
    for (const { MetricTransformations } of filters) {
      expect(MetricTransformations).toEqual([{ MetricNamespace: 'Weft/weft', MetricName: 'Faults', MetricValue: '1' }]);
    }
  });

  test('notifies an address by a topic that only alarms of this account can use, with TLS', () => {
    expect(properties(withMail, 'AWS::SNS::Subscription')).toMatchObject([
      { Protocol: 'email', Endpoint: 'ada@example.com' },
    ]);
    const [{ PolicyDocument } = {}] = properties(withMail, 'AWS::SNS::TopicPolicy');
    expect((PolicyDocument as { Statement: object[] }).Statement).toMatchObject([
      { Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } },
      {
        Effect: 'Allow',
        Action: 'sns:Publish',
        Principal: { Service: 'cloudwatch.amazonaws.com' },
        Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
      },
    ]);
  });

  test('notifies an existing topic, and creates none', () => {
    const own = resourcesOf({ alarms: TOPIC });
    expect(ofType(own, 'AWS::SNS::Topic')).toEqual([]);
    const actions = properties(own, 'AWS::CloudWatch::Alarm').map(({ AlarmActions }) => AlarmActions);
    expect(actions).toEqual(alarms.map(() => [TOPIC]));
  });
});

describe('`dashboard=true`', () => {
  test('shows requests, functions, runs, events, dead letters and throttling', () => {
    const [page] = properties(resourcesOf({ dashboard: 'true', name: 'flows' }), 'AWS::CloudWatch::Dashboard');
    expect(page?.['DashboardName']).toBe('flows');
    const body = JSON.stringify(page?.['DashboardBody']);
    const titles = [...body.matchAll(/\\"title\\":\\"(.*?)\\"/g)].map(([, title]) => title);
    expect(titles).toHaveLength(8);
    for (const word of ['Requests', 'Events of namespaces', 'Dead letters', 'Throttled']) {
      expect(titles).toContain(word);
    }
  });
});

describe('`tracing=true`', () => {
  const own = resourcesOf({ tracing: 'true' });

  test('traces requests and every function', () => {
    const modes = properties(own, 'AWS::Lambda::Function').map(({ TracingConfig }) => TracingConfig);
    expect(new Set(modes.map((mode) => JSON.stringify(mode)))).toEqual(new Set(['{"Mode":"Active"}']));
    expect(properties(own, 'AWS::ApiGateway::Stage')).toMatchObject([{ TracingEnabled: true }]);
  });
});

describe('a custom domain', () => {
  const certificate = 'arn:aws:acm:eu-west-1:123456789012:certificate/a';
  const own = resourcesOf({ domain: 'flows.example.com', certificate });

  test('serves the API at its root, with the given certificate and a current version of TLS', () => {
    expect(properties(own, 'AWS::ApiGateway::DomainName')).toMatchObject([
      {
        DomainName: 'flows.example.com',
        RegionalCertificateArn: certificate,
        SecurityPolicy: 'TLS_1_2',
        EndpointConfiguration: { Types: ['REGIONAL'] },
      },
    ]);
    const [mapping] = properties(own, 'AWS::ApiGateway::BasePathMapping');
    expect(mapping?.['BasePath'] ?? '').toBe('');
  });
});
