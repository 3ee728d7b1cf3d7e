import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { handler as cron } from '../../functions/triggers/cron.ts';
import { handler as inbound } from '../../functions/triggers/inbound.ts';
import { handler as lifecycle } from '../../functions/triggers/lifecycle.ts';
import { handler as router } from '../../functions/triggers/router.ts';
import { handler as sweep } from '../../functions/triggers/sweep.ts';
import { type AwsServer, errorReply, type Reply, startAwsServer } from '../adapters/aws/server.ts';
import { LogLines } from './emf-lines.ts';

type StatusChange = Parameters<typeof lifecycle>[0];

/** An empty DynamoDB, and an empty bucket. */
const EMPTY: Readonly<Record<string, Reply>> = {
  BatchGetItem: { body: { Responses: {}, UnprocessedKeys: {} } },
  GetItem: { body: {} },
  Query: { body: { Items: [], Count: 0 } },
  PutItem: { body: {} },
  // The list of a bucket, whose requests name no operation.
  '': { body: '<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"></ListBucketResult>' },
};

const RUN = '0192f0c1-2d3e-7f40-8a51-b62c73d84e95';

/** An event as the developer guide of Step Functions shows it, in the chapter about EventBridge. */
const EVENT: StatusChange = {
  version: '0',
  id: '315c1398-40ff-a850-213b-158f73e60175',
  'detail-type': 'Step Functions Execution Status Change',
  source: 'aws.states',
  account: '123456789012',
  time: '2026-11-21T19:42:21Z',
  region: 'us-east-1',
  resources: [`arn:aws:states:us-east-1:123456789012:execution:weft-machine:${RUN}`],
  detail: { name: RUN, status: 'ABORTED', error: null, cause: null },
};

describe('functions that are called without a request', () => {
  let server: AwsServer;
  let isBroken = false;

  beforeAll(async () => {
    server = await startAwsServer(({ operation }) =>
      isBroken ? errorReply('AccessDeniedException') : (EMPTY[operation] ?? errorReply('UnknownOperationException')),
    );
    const { endpoint, region, credentials } = server.config;
    const environment = {
      AWS_ENDPOINT_URL: endpoint,
      AWS_REGION: region,
      AWS_ACCESS_KEY_ID: credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
      WEFT_CATALOG: 'catalog',
      WEFT_RUNS: 'runs',
      WEFT_JOURNAL: 'journal',
      WEFT_BUCKET: 'blobs',
      WEFT_ROOT_KEY: '/weft/root-key',
      WEFT_STEPS: 'arn:aws:lambda:us-east-1:123456789012:function:weft-steps',
      WEFT_MACHINE_ROLE: 'arn:aws:iam::123456789012:role/machines',
      WEFT_MACHINE_LOGS: 'arn:aws:logs:us-east-1:123456789012:log-group:weft',
      WEFT_PREFIX: 'weft-',
      WEFT_BUS: 'weft',
      WEFT_EVENT_SOURCE: 'service.namespaces',
      WEFT_DELAY_MACHINE: 'arn:aws:states:us-east-1:123456789012:stateMachine:weft_delay',
      WEFT_SCHEDULE_GROUP: 'weft',
      WEFT_SCHEDULE_ROLE: 'arn:aws:iam::123456789012:role/schedules',
      WEFT_CRON: 'arn:aws:lambda:us-east-1:123456789012:function:weft-cron',
      WEFT_FAILED: 'arn:aws:sqs:us-east-1:123456789012:failed',
      WEFT_AUDIT: '{}',
      WEFT_BRAND: 'service',
      WEFT_VERSION: '1',
      WEFT_RETENTION_DAYS: '30',
      WEFT_MAX_DESCENDANTS: '100000',
      WEFT_START_BUDGET_MS: '100',
      WEFT_MAX_WAITING_REQUESTS: '500',
    };
    for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  });
  beforeEach(() => {
    isBroken = false;
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    await server.close();
  });

  const askedSince = (before: number): string =>
    JSON.stringify(server.requests.slice(before).map(({ input }) => input));

  test('the end of an execution is handled for the run in its name, with and without an error', async () => {
    for (const detail of [EVENT.detail, { ...EVENT.detail, status: 'FAILED', error: 'E', cause: 'c' } as const]) {
      const before = server.requests.length;
      await lifecycle({ ...EVENT, detail });
      expect(askedSince(before)).toContain(RUN);
    }
  });

  test('an end that cannot be stored fails the call, so that it is repeated', async () => {
    isBroken = true;
    const lines = new LogLines();
    await expect(lifecycle(EVENT)).rejects.toThrow('AccessDeniedException');
    vi.restoreAllMocks();
    expect(lines.faults).toMatchObject([{ instance: RUN, execution: RUN, status: 'ABORTED' }]);
  });

  test('a sweep reads what is left to do, and fails the call when it cannot', async () => {
    const before = server.requests.length;
    await sweep();
    expect(server.requests.slice(before).map(({ operation }) => operation)).toContain('Query');
    isBroken = true;
    await expect(sweep()).rejects.toThrow('AccessDeniedException');
  });

  test('an event of the bus is read from its record; a deleted one is ignored', async () => {
    const detail = {
      namespaceId: 'n1',
      namespace: 'orders',
      record: { pk: 'EVENTS-OF-N1', sk: 'E1' },
      id: 'e1',
      type: 'made',
      source: '/test',
    };
    const event = { ...EVENT, 'detail-type': 'made', source: 'service.namespaces', detail };
    const before = server.requests.length;
    await router(event);
    expect(askedSince(before)).toContain('EVENTS-OF-N1');
    isBroken = true;
    await expect(router(event)).rejects.toThrow('AccessDeniedException');
  });

  test('a scheduled start reads its workflow, and fails the call when it cannot', async () => {
    const tick = { target: { id: RUN, namespace: 'orders', workflow: '/nightly' }, planned: '2026-11-21T19:42:00Z' };
    const before = server.requests.length;
    isBroken = true;
    await expect(cron(tick)).rejects.toThrow('AccessDeniedException');
    expect(askedSince(before)).toContain('orders');
  });

  test('an event of another bus for an unknown namespace fails the call, so that the queue keeps it', async () => {
    const event = { ...EVENT, resources: [] };
    await expect(inbound({ namespace: 'nobody', event })).rejects.toThrow('namespace');
  });
});
