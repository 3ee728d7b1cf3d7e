import { createHash, createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { openWorkspace, type Workspace } from './workspace.ts';

interface Call {
  readonly operation: string;
  readonly input: Record<string, unknown>;
}
type Reply = readonly [status: number, body: unknown];

const SECRET = 'a-secret';
const KEYS = { AWS_ACCESS_KEY_ID: 'AKIAADA', AWS_SECRET_ACCESS_KEY: SECRET, AWS_SESSION_TOKEN: 'token' };
const SERVICES = { '/quotas': 'servicequotas', '/metrics': 'monitoring' } as const;
const REQUEST_INCREASE = 'aws service-quotas request-service-quota-increase';

let url = '';
let workspace: Workspace;
let calls: Call[] = [];
/** What differs from an account with nothing to raise. */
let answer: (call: Call) => Reply | undefined = () => undefined;

const hash = (text: string): string => createHash('sha256').update(text).digest('hex');
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

/** Whether the request has a signature of AWS for this service in eu-west-1. */
function isSigned({ headers, url: path = '' }: IncomingMessage, body: string): boolean {
  const form = /^AWS4-HMAC-SHA256 Credential=AKIAADA\/(.+), SignedHeaders=(.+), Signature=(.+)$/;
  const [, scope = '', names = '', signature] = form.exec(headers.authorization ?? '') ?? [];
  const lines = names.split(';').map((name) => `${name}:${headers[name] ?? ''}\n`);
  const canonical = ['POST', path, '', lines.join(''), names, hash(body)].join('\n');
  const text = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, hash(canonical)].join('\n');
  const [, region, service] = scope.split('/');
  const needed = ['content-type', 'host', 'x-amz-date', 'x-amz-security-token', 'x-amz-target'];
  return (
    region === 'eu-west-1' &&
    service === SERVICES[path as keyof typeof SERVICES] &&
    needed.every((name) => names.split(';').includes(name)) &&
    hmac(scope.split('/').reduce<string | Buffer>(hmac, `AWS4${SECRET}`), text).toString('hex') === signature
  );
}

const VALUES: Readonly<Record<string, number>> = { 'L-B99A9384': 2000, 'L-B8A5B662': 1_000_000 };
const defaultOf = (code: unknown): number => VALUES[String(code)] ?? 1000;
const quota = (code: unknown, more: object = {}): Reply => [
  200,
  {
    Quota: {
      QuotaCode: code,
      QuotaName: 'a quota',
      Value: defaultOf(code),
      Adjustable: true,
      GlobalQuota: false,
      ...more,
    },
  },
];
const refusal = (code: string, message: string): Reply => [400, { __type: `com.amazonaws.quotas#${code}`, message }];

interface Query {
  readonly Id: string;
  readonly Expression?: string;
  readonly MetricStat?: {
    Metric: { Namespace: string; MetricName: string; Dimensions: { Value: string }[] };
    Stat: string;
  };
}
const queriesOf = ({ input }: Call): readonly Query[] => (input['MetricDataQueries'] ?? []) as Query[];
const textOf = ({ Expression, MetricStat }: Query): string =>
  Expression ??
  [MetricStat?.Metric.MetricName, ...(MetricStat?.Metric.Dimensions ?? []).map(({ Value }) => Value)].join(' ');

/** The reply of CloudWatch: the values of each query whose metric or search begins with one of the texts. */
const metrics = (call: Call, values: Readonly<Record<string, readonly number[]>>): Reply => [
  200,
  {
    MetricDataResults: queriesOf(call).map((query) => ({
      Id: query.Id,
      Timestamps: [],
      Values: Object.entries(values).find(([text]) => textOf(query).includes(text))?.[1] ?? [],
      StatusCode: 'Complete',
    })),
  },
];

function usually(call: Call): Reply {
  return call.operation === 'GetMetricData' ? metrics(call, {}) : quota(call.input['QuotaCode']);
}

const server = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks).toString();
  const [, operation = ''] = String(request.headers['x-amz-target']).split('.');
  const call = { operation, input: JSON.parse(body) };
  calls.push(call);
  const signed = isSigned(request, body);
  const [status, reply] = signed ? (answer(call) ?? usually(call)) : refusal('InvalidSignatureException', 'not signed');
  response.writeHead(status, { 'Content-Type': String(request.headers['content-type']) }).end(JSON.stringify(reply));
});

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  workspace = await openWorkspace();
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await workspace.clear();
});
beforeEach(() => {
  calls = [];
  answer = () => undefined;
});

const doctor = (...more: readonly string[]) =>
  workspace.weft(['doctor', '--aws', ...more], {
    env: {
      ...{ ...KEYS, AWS_REGION: 'eu-west-1' },
      ...{ AWS_ENDPOINT_URL_SERVICE_QUOTAS: `${url}/quotas`, AWS_ENDPOINT_URL_CLOUDWATCH: `${url}/metrics` },
    },
  });

async function checksOf(...more: readonly string[]) {
  const { code, err, json } = await doctor('--json', ...more);
  const checks = (err === '' ? json() : []) as unknown as readonly {
    name: string;
    state: string;
    found: string;
    mend?: string;
  }[];
  return { code, err, of: (name: string) => checks.find((check) => check.name.includes(name)), checks };
}

test('quotas far from their use are right, and what AWS does not count is not guessed', async () => {
  answer = (call) =>
    call.operation === 'GetMetricData'
      ? metrics(call, { ConcurrentExecutions: [3, 40, 8], 'WriteCapacityUnits weft-runs': [60, 6000] })
      : undefined;
  const { code, err, of, checks } = await checksOf();
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(new Set(checks.map(({ state }) => state))).toEqual(new Set(['ok']));
  expect(of('concurrent calls')?.found).toContain('2,000, 40 used, 2 %');
  // A count of a minute, by the second.
  expect(of('units written')?.found).toContain('1,000, 100 used, 10 %');
  expect(of('starts of Express')?.found).toContain('1,000, use not counted by AWS (');
  expect(of('requests a second')?.found).toContain('1,000, no use reported (');
});

test('a note has the command that raises a quota, and what is nearly used up or was throttled is wrong', async () => {
  answer = (call) => {
    if (call.operation !== 'GetMetricData') return undefined;
    return metrics(call, {
      ConcurrentExecutions: [1300],
      PutEventsApproximateCallCount: [57_000],
      StateTransition: [0, 2, 5],
    });
  };
  const { code, of } = await checksOf('--region', 'eu-west-1');
  expect(code).toBe(1);
  const raise = (service: string, quotaCode: string, value: number) =>
    `${REQUEST_INCREASE} --service-code ${service} --quota-code ${quotaCode} --desired-value ${value} --region eu-west-1`;
  expect(of('concurrent calls')).toMatchObject({ state: 'note', mend: raise('lambda', 'L-B99A9384', 4000) });
  expect(of('requests to publish')).toMatchObject({ state: 'wrong', mend: raise('events', 'L-9B653E91', 2000) });
  expect(of('state transitions')).toMatchObject({
    state: 'wrong',
    found: expect.stringContaining('throttled 7 times'),
    mend: raise('states', 'L-AD9B4E93', 2000),
  });
});

test('the metric that Service Quotas names comes first, and the calls of a new account are too few', async () => {
  const UsageMetric = {
    ...{ MetricNamespace: 'AWS/Usage', MetricName: 'ResourceCount', MetricStatisticRecommendation: 'Maximum' },
    MetricDimensions: { Service: 'States', Resource: 'StateMachines' },
  };
  answer = (call) => {
    if (call.operation === 'GetMetricData') return metrics(call, { 'ResourceCount States StateMachines': [700] });
    if (call.input['QuotaCode'] === 'L-B66B0F91') return quota('L-B66B0F91', { UsageMetric, Adjustable: false });
    return call.input['QuotaCode'] === 'L-B99A9384' ? quota('L-B99A9384', { Value: 10 }) : undefined;
  };
  const { code, of } = await checksOf();
  expect(code).toBe(0);
  expect(of('states: state machines')).toMatchObject({
    state: 'note',
    found: expect.stringContaining('700 used, 70 %'),
  });
  expect(of('states: state machines')?.mend).toContain('ask its support');
  expect(of('concurrent calls')).toMatchObject({
    state: 'note',
    mend: expect.stringContaining('--desired-value 1000 '),
  });
});

test('a quota without an applied value has its default, and one that the region does not know is named', async () => {
  const none = refusal('NoSuchResourceException', 'The request failed because the specified quota does not exist.');
  answer = ({ operation, input }) => {
    if (input['QuotaCode'] === 'L-6F4B17DE') return none;
    return input['QuotaCode'] === 'L-EE5D6FF0' && operation === 'GetServiceQuota' ? none : undefined;
  };
  const { code, of } = await checksOf();
  expect(code).toBe(0);
  expect(of('scheduler: schedules')).toMatchObject({ state: 'ok', found: expect.stringContaining('1,000, ') });
  expect(of('new schedules')).toMatchObject({
    state: 'note',
    found: 'Service Quotas has no quota L-6F4B17DE in eu-west-1; in us-east-1 it is 5,000',
  });
});

test('the tables are those of the installation, and all pages of CloudWatch count', async () => {
  answer = (call) => {
    if (call.operation !== 'GetMetricData') return undefined;
    const [status, body] = metrics(call, { ConcurrentExecutions: [call.input['NextToken'] === undefined ? 10 : 1000] });
    return [status, { ...(body as object), ...(call.input['NextToken'] === undefined ? { NextToken: 'more' } : {}) }];
  };
  const { of } = await checksOf('--stack', 'prod');
  expect(of('concurrent calls')?.found).toContain('1,000 used, 50 %');
  const asked = calls.filter(({ operation }) => operation === 'GetMetricData');
  expect(asked).toHaveLength(2);
  const tables = (asked[0] === undefined ? [] : queriesOf(asked[0]))
    .map(textOf)
    .filter((text) => text.includes('Units'));
  expect(tables.filter((text) => text.endsWith(' prod-runs'))).toHaveLength(2);
  expect(tables.every((text) => text.includes(' prod-'))).toBe(true);
});

test('a request that AWS throttles is sent again', async () => {
  let refused = 0;
  answer = ({ operation }) => {
    if (operation === 'GetMetricData' || refused > 0) return undefined;
    refused += 1;
    return refusal('TooManyRequestsException', 'Rate exceeded');
  };
  expect((await checksOf()).code).toBe(0);
  expect(refused).toBe(1);
});

test('a missing right is named; without that to metrics the quotas are shown nevertheless', async () => {
  const denied = refusal('AccessDeniedException', 'User: ada is not authorized');
  answer = ({ operation }) => (operation === 'GetMetricData' ? denied : undefined);
  const { code, of } = await checksOf();
  expect(code).toBe(1);
  expect(of('use')).toMatchObject({ state: 'wrong', mend: 'allow cloudwatch:GetMetricData for these credentials' });
  expect(of('requests a second')).toMatchObject({
    state: 'ok',
    found: expect.stringContaining('1,000, use not read'),
  });
  answer = ({ operation }) => (operation === 'GetServiceQuota' ? denied : undefined);
  const refused = await doctor();
  expect(refused.code).toBe(1);
  expect(refused.err).toBe(
    'weft: Service Quotas refuses GetServiceQuota: AccessDeniedException, User: ada is not authorized; allow servicequotas:GetServiceQuota for these credentials\n',
  );
});

test('options that do not fit, and a place that does not answer, are named', async () => {
  const run = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    workspace.weft(['doctor', ...args], { env: { ...KEYS, ...env } });
  expect((await run(['--aws'])).err).toBe('weft: the region is not known: name it by --region, or set AWS_REGION\n');
  expect((await run(['--aws', '--region', 'evil.example/'])).err).toContain("--region is 'evil.example/'");
  expect((await run(['--region', 'eu-west-1'])).err).toContain('--region belongs to --aws');
  const withoutAws = { AWS_REGION: 'eu-west-1', PATH: workspace.folder };
  expect((await run(['--aws', '--profile', 'ada'], withoutAws)).err).toContain("the command line of AWS, 'aws'");
  const nowhere = { AWS_ENDPOINT_URL: 'http://127.0.0.1:1' };
  expect((await run(['--aws', '--region', 'eu-west-1'], nowhere)).err).toContain(
    'Service Quotas cannot be reached at http://127.0.0.1:1',
  );
});
