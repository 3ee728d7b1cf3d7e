import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { invoke, MOST_BYTES } from '../../lib/adapters/aws/containers/calls.ts';
import { lambdaContainers } from '../../lib/adapters/aws/containers/containers.ts';
import { ADAPTER_SETTINGS } from '../../lib/adapters/aws/containers/functions.ts';
import type { ContainerCall, ContainerResult } from '../../lib/ports.ts';
import { MemoryTable } from '../contract/memory-table.ts';
import { missingAdapter, type Runtime, startRuntime } from './aws-containers/runtime.ts';
import { type AwsServer, type Reply, refusal, startAwsServer } from './aws-server.ts';
import { callOf } from './containers/caller.ts';

const VERSION = 'arn:aws:lambda:eu-test-1:123456789012:function:fast:1';

let aws: AwsServer;
let answers: (event: Readonly<Record<string, unknown>>) => Reply | Promise<Reply>;
const pauses: number[] = [];

beforeEach(async () => {
  pauses.length = 0;
  answers = () => ({ body: { statusCode: 200, body: '"done"' } });
  aws = await startAwsServer(({ bytes }) =>
    answers(JSON.parse(Buffer.from(bytes).toString()) as Record<string, unknown>),
  );
});
afterEach(() => aws.close());

async function called(given: Partial<ContainerCall> = {}, signal = new AbortController().signal) {
  const client = new LambdaClient({ ...aws.config, maxAttempts: 1 });
  const pause = async (milliseconds: number) => void pauses.push(milliseconds);
  return shown(await invoke(client, VERSION, callOf({ a: 1 }, given), pause, signal));
}

const shown = ({ body, ...rest }: ContainerResult) => ({ ...rest, body: Buffer.from(body).toString() });
const crash = (message: unknown) => ({ body: '', outputs: [], failure: { code: '', message } });

describe('a call of a container on Lambda', () => {
  test('is made as API Gateway makes a request, with every header in both spellings', async () => {
    let seen: Readonly<Record<string, unknown>> = {};
    answers = (event) => {
      seen = event;
      return { body: { statusCode: 200, body: '' } };
    };
    const deadline = Date.parse('2030-01-01T00:00:00Z');
    await called({ actionId: 'action', instanceId: 'instance', namespace: 'demo', step: 3, iterator: 0, deadline });
    const facts = {
      actionid: 'action',
      instanceid: 'instance',
      namespace: 'demo',
      step: '3',
      iterator: '0',
      deadline: '2030-01-01T00:00:00.000Z',
      tempdir: '/tmp',
    };
    const headers = Object.entries(facts).flatMap(([name, value]) => [
      [`direktiv-${name}`, value],
      [`service-${name}`, value],
    ]);
    expect(seen).toMatchObject({
      version: '2.0',
      rawPath: '/',
      requestContext: { http: { method: 'POST', path: '/' } },
      isBase64Encoded: true,
      body: Buffer.from('{"a":1}').toString('base64'),
      headers: { ...Object.fromEntries(headers), 'content-type': 'application/json' },
    });
  });

  test.each([
    [{ statusCode: 200, body: '{"b":2}' }, '{"b":2}'],
    [{ statusCode: 201, body: Buffer.from([0xc3, 0xa4]).toString('base64'), isBase64Encoded: true }, 'ä'],
    [{ statusCode: 204 }, ''],
  ])('that is answered by %j has the result %j', async (body, text) => {
    answers = () => ({ body });
    expect(await called()).toEqual({ body: text, outputs: [] });
  });

  test.each([
    [{ headers: { 'Direktiv-ErrorCode': 'a.b', 'Direktiv-ErrorMessage': 'no' } }, { code: 'a.b', message: 'no' }],
    [{ headers: { 'service-errorcode': 'a.b' } }, { code: 'a.b', message: '' }],
    [{ multiValueHeaders: { 'Service-ErrorMessage': ['no'] } }, { code: '', message: 'no' }],
    [
      { statusCode: 500, body: 'oh' },
      { code: 'container failed', message: 'oh' },
    ],
  ])('that is answered by %j has failed', async (answer, failure) => {
    answers = () => ({ body: { statusCode: 200, body: 'ignored', ...answer } });
    expect(await called()).toEqual({ body: '', outputs: [], failure });
  });

  test.each([
    [
      'Runtime.ExitError',
      'RequestId: 1 Error: Runtime exited with error: exit status 3',
      /^the container ended before/,
    ],
    [
      'Sandbox.Timedout',
      'RequestId: 1 Error: Task timed out after 900.00 seconds',
      /^the container did not answer within/,
    ],
    ['Function.ResponseSizeTooLarge', 'Response payload size exceeded maximum', /answer has more than 6 MiB/],
    ['Other', 'whatever', /^the container failed: whatever$/],
  ])('that ends in %s is a crash, in words', async (errorType, errorMessage, words) => {
    answers = () => ({ headers: { 'x-amz-function-error': 'Unhandled' }, body: { errorType, errorMessage } });
    expect(await called()).toEqual(crash(expect.stringMatching(words)));
  });

  test.each([
    ['TooManyRequestsException', 429],
    ['ResourceNotReadyException', 502],
    ['ResourceConflictException', 409],
  ])('that Lambda does not begin (%s) is made again, later and later', async (name, status) => {
    const refusals: Reply[] = [1, 2, 3].map(() => ({ ...refusal(name), status }));
    answers = () => refusals.shift() ?? { body: { statusCode: 200, body: '1' } };
    expect(await called()).toEqual({ body: '1', outputs: [] });
    expect(pauses).toHaveLength(3);
    expect(pauses[2]).toBeGreaterThan(pauses[0] ?? 0);
  });

  test('that may have been carried out is not made again', async () => {
    answers = () => ({ ...refusal('ServiceException'), status: 500 });
    expect(await called()).toEqual(crash(expect.stringContaining('did not carry out the call: ServiceException')));
    expect(aws.asked).toHaveLength(1);
  });

  test('with files is refused, and the way round is told', async () => {
    const files = [{ name: 'data.csv', type: 'plain' as const, bytes: Buffer.from('1') }];
    expect(await called({ files })).toEqual(crash(expect.stringMatching(/files \('data\.csv'\).*AWS Lambda cannot/)));
    expect(aws.asked).toHaveLength(0);
  });

  test('with an input that Lambda would not take is refused with the bound', async () => {
    const input = Buffer.alloc(4_800_000);
    expect(await called({ input })).toEqual(crash(expect.stringMatching(/has 4800000 bytes; .* at most 4715520$/)));
    answers = () => ({ body: { statusCode: 200, body: 'taken' } });
    expect((await called({ input: Buffer.alloc(4_715_520) })).body).toBe('taken');
    expect(aws.asked.at(-1)?.bytes.length).toBeLessThanOrEqual(MOST_BYTES);
  });
});

describe('a call that nobody waits for', () => {
  const containers = async () => {
    const table = new MemoryTable();
    const ready = { id: 'fast', turn: 1, wanted: 'running', state: 'ready', reason: '', message: '', at: 0 };
    const item = { pk: 'container#fast', sk: '.', ...ready, revision: '{}', version: VERSION };
    await table.write([{ do: 'put', table: 'catalog', item }]);
    const unneeded = () => {
      throw new Error('nothing is sealed');
    };
    const client = new LambdaClient({ ...aws.config, maxAttempts: 1 });
    return lambdaContainers({ table, sealer: unneeded, machineArn: 'arn', client });
  };
  const forever = () => new Promise<Reply>(() => undefined);

  test('is given up at its deadline', async () => {
    answers = forever;
    const made = await containers();
    const result = await made.call('fast', callOf({}, { deadline: Date.now() + 50 }));
    expect(shown(result)).toEqual(crash('the call was not answered before its deadline'));
  });

  test('is given up when it is cancelled, and others are not', async () => {
    const made = await containers();
    let begun = () => {};
    const isBegun = new Promise<void>((resolve) => {
      begun = resolve;
    });
    answers = () => {
      begun();
      return forever();
    };
    const call = callOf({});
    const result = made.call('fast', call);
    await isBegun;
    await made.cancel('fast', 'another');
    answers = () => ({ body: { statusCode: 200, body: '1' } });
    expect(shown(await made.call('fast', callOf({}))).body).toBe('1');
    await made.cancel('fast', call.actionId);
    expect(shown(await result)).toEqual(crash('the call was cancelled'));
  });
});

describe('AWS’s own adapter beside a container', () => {
  let container: Server;
  let runtime: Runtime;
  const seen: { method: string; url: string; headers: IncomingHttpHeaders; text: string }[] = [];
  let reply: (response: ServerResponse) => void = (response) => response.end('{"ok":true}');

  beforeAll(async () => {
    if (missingAdapter !== undefined) return;
    container = createServer(async (request, response) => {
      const { method = '', url = '', headers } = request;
      seen.push({ method, url, headers, text: (await buffer(request)).toString() });
      reply(response);
    });
    await new Promise<void>((resolve) => container.listen(0, '127.0.0.1', resolve));
    runtime = await startRuntime(ADAPTER_SETTINGS, (container.address() as AddressInfo).port);
  });
  afterAll(async () => {
    await runtime?.close();
    container?.close();
  });
  beforeEach(({ skip }) => {
    skip(missingAdapter !== undefined, missingAdapter);
    seen.length = 0;
    answers = async (event) => {
      const { payload, isError } = await runtime.invoke(event);
      return { body: payload, headers: isError ? { 'x-amz-function-error': 'Unhandled' } : {} };
    };
  });

  test('understands the call, and nothing of it is lost on the way there and back', async () => {
    reply = (response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":"ä"}');
    const input = Buffer.from(JSON.stringify({ word: 'größer', n: 1 }));
    expect(await called({ actionId: 'the-id', iterator: 7, input })).toEqual({ body: '{"ok":"ä"}', outputs: [] });
    expect(seen).toHaveLength(1);
    expect(seen[0]).toMatchObject({ method: 'POST', url: '/', text: input.toString() });
    expect(seen[0]?.headers).toMatchObject({
      'direktiv-actionid': 'the-id',
      'service-actionid': 'the-id',
      'direktiv-iterator': '7',
      'direktiv-tempdir': '/tmp',
      'content-type': 'application/json',
    });
  });

  test('passes bytes on that are no text', async () => {
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, index) => index));
    reply = (response) => response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(bytes);
    const client = new LambdaClient({ ...aws.config, maxAttempts: 1 });
    const { body } = await invoke(client, VERSION, callOf({}), async () => {}, new AbortController().signal);
    expect(Buffer.from(body).equals(bytes)).toBe(true);
  });

  test('passes errors on, whatever the status is', async () => {
    reply = (response) => response.writeHead(200, { 'Direktiv-ErrorCode': 'a.b', 'Direktiv-ErrorMessage': 'no' }).end();
    expect((await called()).failure).toEqual({ code: 'a.b', message: 'no' });
    reply = (response) => response.writeHead(500, { 'content-type': 'text/plain' }).end('oh');
    expect((await called()).failure).toEqual({ code: 'container failed', message: 'oh' });
  });

  test('fails the call when the connection ends before the answer', async () => {
    reply = (response) => response.destroy();
    expect((await called()).failure).toEqual({ code: '', message: expect.stringMatching(/^the container/) });
  });
});
