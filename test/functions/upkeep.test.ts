import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { handler as lifecycle } from '../../functions/lifecycle.ts';
import { handler as sweep } from '../../functions/sweep.ts';
import { type AwsServer, type Reply, refusal, startAwsServer } from '../adapters/aws-server.ts';

type StatusChange = Parameters<typeof lifecycle>[0];

/** DynamoDB with nothing in it. */
const EMPTY: Readonly<Record<string, Reply>> = {
  BatchGetItem: { body: { Responses: {}, UnprocessedKeys: {} } },
  GetItem: { body: {} },
  Query: { body: { Items: [], Count: 0 } },
};

const RUN = '0192f0c1-2d3e-7f40-8a51-b62c73d84e95';

/** As in the developer guide of Step Functions, in the chapter about EventBridge. */
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

describe('the functions that work without a request', () => {
  let server: AwsServer;
  let isBroken = false;

  beforeAll(async () => {
    server = await startAwsServer(({ operation }) =>
      isBroken ? refusal('AccessDeniedException') : (EMPTY[operation] ?? refusal('UnknownOperationException')),
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
      WEFT_STEPS: 'arn:aws:lambda:us-east-1:123456789012:function:weft-steps',
      WEFT_MACHINE_ROLE: 'arn:aws:iam::123456789012:role/machines',
      WEFT_MACHINE_LOGS: 'arn:aws:logs:us-east-1:123456789012:log-group:weft',
      WEFT_PREFIX: 'weft-',
      WEFT_BRAND: 'service',
      WEFT_VERSION: '1',
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

  const askedSince = (before: number): string => JSON.stringify(server.asked.slice(before).map(({ input }) => input));

  test('an execution’s end leads to the run that it is named after, whether or not it gives an error', async () => {
    for (const detail of [EVENT.detail, { ...EVENT.detail, status: 'FAILED', error: 'E', cause: 'c' } as const]) {
      const before = server.asked.length;
      await lifecycle({ ...EVENT, detail });
      expect(askedSince(before)).toContain(RUN);
    }
  });

  test('an end that cannot be noted fails the call, so that it comes again', async () => {
    isBroken = true;
    await expect(lifecycle(EVENT)).rejects.toThrow('AccessDeniedException');
  });

  test('a sweep looks for what is left to do, and fails the call when it cannot', async () => {
    const before = server.asked.length;
    await sweep();
    expect(server.asked.slice(before).map(({ operation }) => operation)).toContain('Query');
    isBroken = true;
    await expect(sweep()).rejects.toThrow('AccessDeniedException');
  });
});
