import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { handler as failures } from '../../functions/triggers/failures.ts';
import { type AwsServer, errorReply, startAwsServer } from '../adapters/aws/server.ts';

type Notice = Parameters<typeof failures>[0];

const MESSAGE = {
  namespaceId: 'n1',
  namespace: 'orders',
  record: { pk: 'events#n1#made#2026-11-21', sk: '001795262400000#e1' },
  id: 'e1',
  type: 'made',
  source: '/test',
};
const TICK = {
  target: { id: 'w1', namespace: 'orders', workflow: '/nightly' },
  planned: '2026-11-21T03:00:00Z',
};

/** A record as the developer guide of Lambda shows it, in the chapter about destinations. */
const callOf = (requestPayload: unknown, more: object = {}): Notice => ({
  timestamp: '2026-11-21T19:42:21.123Z',
  requestContext: {
    functionArn: 'arn:aws:lambda:us-east-1:123456789012:function:weft-router:$LATEST',
    approximateInvokeCount: 3,
  },
  requestPayload,
  responsePayload: { errorType: 'AccessDenied', errorMessage: 'not allowed' },
  ...more,
});

const eventOf = (detail: unknown) => ({ version: '0', source: 'service.namespaces', 'detail-type': 'made', detail });

const undelivered = (body: unknown, target: string): Notice => ({
  Messages: [
    {
      MessageId: 'm1',
      ReceiptHandle: 'r1',
      Body: JSON.stringify(body),
      Attributes: { SentTimestamp: '1795262400000' },
      MessageAttributes: {
        ERROR_CODE: { StringValue: 'NO_PERMISSIONS' },
        ERROR_MESSAGE: { StringValue: 'not let in' },
        RETRY_ATTEMPTS: { StringValue: '184' },
        TARGET_ARN: { StringValue: target },
      },
    },
  ],
});

let server: AwsServer;
let isBroken = false;
let hasNamespace = true;

beforeAll(async () => {
  const namespace = { pk: { S: 'namespaces' }, sk: { S: 'orders' }, id: { S: 'n1' }, broadcasts: { S: '[]' } };
  server = await startAwsServer(({ operation }) => {
    if (isBroken) return errorReply('AccessDeniedException');
    if (operation !== 'BatchGetItem' && operation !== 'GetItem') return { body: {} };
    const found = hasNamespace ? namespace : undefined;
    return {
      body: { Item: found, Responses: { catalog: found === undefined ? [] : [found] }, UnprocessedKeys: {} },
    };
  });
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
  };
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  vi.spyOn(console, 'error').mockImplementation(() => {});
});
beforeEach(() => {
  [isBroken, hasNamespace] = [false, true];
});
afterAll(async () => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  await server.close();
});

/** The writes to the table, as JSON text. */
async function writtenBy(notice: Notice): Promise<string[]> {
  const before = server.requests.length;
  await failures(notice);
  return server.requests
    .slice(before)
    .filter(({ operation }) => operation === 'UpdateItem')
    .map(({ input }) => JSON.stringify(input));
}

describe('the function that keeps failed calls', () => {
  test('keeps an event that could not be routed, for its namespace', async () => {
    const [written, ...others] = await writtenBy(callOf(eventOf(MESSAGE)));
    expect(others).toEqual([]);
    for (const part of ['dead-letters#n1', 'AccessDenied: not allowed', '{"N":"3"}', 'e1']) {
      expect(written).toContain(part);
    }
  });

  test('keeps a scheduled start that failed, for the namespace that it names', async () => {
    const [written] = await writtenBy(callOf(TICK));
    for (const part of ['dead-letters#n1', '/nightly', 'AccessDenied']) expect(written).toContain(part);
  });

  test('keeps a call that expired before it was made, which has no response', async () => {
    const [written] = await writtenBy(callOf(TICK, { responsePayload: null }));
    expect(written).toContain('the call was not made in time');
  });

  test('keeps what EventBridge and its scheduler could not deliver, with the reasons', async () => {
    const lambda = 'arn:aws:lambda:us-east-1:123456789012:function:weft-cron';
    const [tick] = await writtenBy(undelivered(TICK, lambda));
    for (const part of ['/nightly', 'NO_PERMISSIONS: not let in', '{"N":"185"}']) expect(tick).toContain(part);
    const [event] = await writtenBy(undelivered(eventOf(MESSAGE), 'arn:aws:sqs:us-east-1:123456789012:orders'));
    expect(event).toContain('arn:aws:sqs:us-east-1:123456789012:orders');
    const [own] = await writtenBy(undelivered(callOf(eventOf(MESSAGE)), ''));
    expect(own).toContain('AccessDenied: not allowed');
  });

  test('returns the messages of the queue that it kept, also when others cannot be read', async () => {
    const message = (handle: string, Body: string) => ({ MessageId: handle, ReceiptHandle: handle, Body });
    const Messages = [
      message('r1', JSON.stringify(TICK)),
      message('r2', 'no JSON'),
      message('r3', JSON.stringify(TICK)),
      message('r4', JSON.stringify({ no: 'namespace' })),
    ];
    expect(await failures({ Messages })).toEqual({
      Entries: [
        { Id: '0', ReceiptHandle: 'r1' },
        { Id: '2', ReceiptHandle: 'r3' },
        { Id: '3', ReceiptHandle: 'r4' },
      ],
    });
  });

  test('returns no message of the queue while it cannot keep any', async () => {
    isBroken = true;
    expect(await failures(undelivered(TICK, ''))).toEqual({ Entries: [] });
  });

  test('only logs a call for no namespace, or for a deleted one', async () => {
    for (const payload of [{}, null, 'x', eventOf({ status: 'FAILED' }), { namespace: 'orders' }]) {
      expect(await writtenBy(callOf(payload))).toEqual([]);
    }
    hasNamespace = false;
    expect(await writtenBy(callOf(TICK))).toEqual([]);
    expect(console.error).toHaveBeenCalledWith(expect.stringContaining('no namespace'), expect.anything());
  });

  test('fails when it cannot keep a call, so that it is called again', async () => {
    isBroken = true;
    await expect(failures(callOf(eventOf(MESSAGE)))).rejects.toThrow('AccessDeniedException');
  });
});
