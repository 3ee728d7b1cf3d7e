import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as after } from 'node:timers/promises';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { clientForCalls, invoker } from '../../../../../lib/adapters/aws/containers/calls/function-call.ts';
import type { LambdaContainersOptions } from '../../../../../lib/adapters/aws/containers/containers.ts';
import { FrameReader } from '../../../../../lib/containers/sidecar/frames.ts';
import type { CallEvent } from '../../../../../lib/containers/sidecar/lambda/event.ts';
import { LATE, TOO_LONG } from '../../../../../lib/containers/sidecar/messages.ts';
import type { ContainerCall, ContainerResult } from '../../../../../lib/ports/containers.ts';
import { callOf, recordingHost } from '../../../local/containers/fixtures/caller.ts';
import { type AwsServer, errorReply, type Reply, startAwsServer } from '../../server.ts';
import { type Bucket, startBucket } from '../fixtures/bucket.ts';
import { chunkOf, completion, doneMessage, responseOf, STREAM_TYPE } from '../fixtures/event-stream.ts';
import { containersWith, ID, VERSION } from '../fixtures/ready-revision.ts';

const readable = ({ body, ...rest }: ContainerResult) => ({ ...rest, body: Buffer.from(body).toString() });
const crash = (message: unknown) => ({ body: '', outputs: [], failure: { code: '', message } });
const rawReply = (body: Buffer): Reply => ({ headers: { 'content-type': STREAM_TYPE }, body });

let bucket: Bucket;
let aws: AwsServer;
let reply: () => Reply | Promise<Reply>;
const delays: number[] = [];

beforeEach(async () => {
  delays.length = 0;
  bucket = await startBucket();
  aws = await startAwsServer(() => reply());
});
afterEach(async () => {
  await aws.close();
  await bucket.close();
});

const containersHere = (more: Partial<LambdaContainersOptions> = {}) =>
  containersWith(bucket, new LambdaClient({ ...aws.config, maxAttempts: 1 }), more);

async function call(given: Partial<ContainerCall> = {}) {
  const sleep = async (milliseconds: number) => void delays.push(milliseconds);
  return readable(await (await containersHere({ sleep })).call(ID, callOf({ a: 1 }, given)));
}

describe('a call of a Lambda function', () => {
  test('has the result that the container sends', async () => {
    reply = () => responseOf([{ say: 'ready' }], [{ say: 'alive' }], [doneMessage(), '{"b":2}']);
    expect(await call()).toEqual({ body: '{"b":2}', outputs: [] });
    expect(aws.requests[0]?.path).toBe(`/2021-11-15/functions/${VERSION}/response-streaming-invocations`);
  });

  test('has a deadline in 14 minutes, or that of its state if it is earlier, and passes it to the container', async () => {
    reply = () => responseOf([doneMessage()]);
    const now = Date.parse('2030-01-01T00:00:00Z');
    const containers = await containersHere({ now: () => now });
    const sent = async (deadline: number) => {
      await containers.call(ID, callOf({}, { deadline }));
      const event = JSON.parse(Buffer.from(aws.requests.at(-1)?.bytes ?? []).toString()) as CallEvent;
      const frames = 'base64' in event.frames ? Buffer.from(event.frames.base64, 'base64') : Buffer.alloc(0);
      const [first] = new FrameReader<{ headers: Record<string, string> }>().push(frames);
      return [event.deadline - now, event.late, first?.head.headers['Service-Deadline']];
    };
    expect(await sent(now + 60_000)).toEqual([60_000, LATE, '2030-01-01T00:01:00.000Z']);
    expect(await sent(now + 86_400_000)).toEqual([840_000, TOO_LONG, '2030-01-01T00:14:00.000Z']);
  });

  test.each([
    ['Unhandled', 'RequestId: 1 Error: Runtime exited with error: exit status 3', /^the container ended before/],
    ['Unhandled', '{"errorType":"Runtime.OutOfMemory"}', /^the container ended before/],
    ['Sandbox.Timedout', 'RequestId: 1 Error: Task timed out after 900.00 seconds', /did not answer within 14 minutes/],
    ['Function.ResponseSizeTooLarge', '', /^the container said more than the 200 MB/],
    ['Other', 'whatever', /^the container failed: whatever$/],
  ])(
    'that Lambda ends with %s (%s) fails as a crash with a clear message',
    async (ErrorCode, ErrorDetails, message) => {
      reply = () => rawReply(completion({ ErrorCode, ErrorDetails }));
      expect(await call()).toEqual(crash(expect.stringMatching(message)));
    },
  );

  test.each([
    ['without an answer', responseOf([{ say: 'ready' }])],
    ['within a message', rawReply(chunkOf(Buffer.from('xxxxx')).subarray(0, 60))],
    ['within a frame', rawReply(chunkOf(Buffer.alloc(3)))],
    ['with empty frames', rawReply(chunkOf(Buffer.alloc(100)))],
  ])('whose response ends %s fails as a crash, and is not repeated', async (_, broken) => {
    reply = () => broken;
    const message =
      /^the connection to the container ended before|^AWS Lambda did not carry out .* Truncated event message/;
    expect(await call()).toEqual(crash(expect.stringMatching(message)));
    expect(aws.requests).toHaveLength(1);
  });

  test.each([
    ['TooManyRequestsException', 429],
    ['ResourceNotReadyException', 502],
    ['ResourceConflictException', 409],
  ])('that Lambda does not start (%s) is repeated with growing delays', async (name, status) => {
    const errors: Reply[] = [1, 2, 3].map(() => ({ ...errorReply(name), status }));
    reply = () => errors.shift() ?? responseOf([doneMessage(), '1']);
    expect(await call()).toEqual({ body: '1', outputs: [] });
    expect(delays).toHaveLength(3);
    expect(delays[2]).toBeGreaterThan(delays[0] ?? 0);
  });

  test('that Lambda may have started is not repeated', async () => {
    reply = () => ({ ...errorReply('ServiceException'), status: 500 });
    expect(await call()).toEqual(crash(expect.stringContaining('did not carry out the call: ServiceException')));
    expect(aws.requests).toHaveLength(1);
  });

  test('that is cancelled while Lambda does not start it is not repeated', async () => {
    reply = () => ({ ...errorReply('TooManyRequestsException'), status: 429 });
    const waiting = Promise.withResolvers<void>();
    const sleep = (milliseconds: number, signal: AbortSignal) => {
      waiting.resolve();
      return after(milliseconds * 1_000, undefined, { signal });
    };
    const containers = await containersHere({ sleep });
    const result = containers.call(ID, callOf({}, { actionId: 'early' }));
    await waiting.promise;
    await containers.cancel(ID, 'early');
    expect(readable(await result)).toEqual(crash('the call was cancelled'));
    expect(aws.requests).toHaveLength(1);
  });

  test.each([
    ['nothing', undefined],
    ['nothing after its first message', responseOf([{ say: 'ready' }]).body],
  ])('of a container that sends %s fails a grace period after its deadline', async (_, begun) => {
    const silent = createServer((_request, response) => {
      if (begun === undefined) return;
      response.writeHead(200, { 'content-type': STREAM_TYPE }).write((begun as Buffer).subarray(0, -20));
    });
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const endpoint = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const client = new LambdaClient({ ...aws.config, endpoint, maxAttempts: 1 });
    const containers = await containersWith(bucket, client, { graceMs: 50 });
    const result = await containers.call(ID, callOf({}, { deadline: Date.now() + 50 }));
    expect(readable(result)).toEqual(crash('the call was not answered before its deadline'));
    silent.closeAllConnections();
    silent.close();
  });
});

describe('the messages of a container on Lambda', () => {
  test('are ignored where they ask for what no container may have', async () => {
    const { host } = recordingHost();
    const scopes: string[] = [];
    const variable = async (scope: string) => void scopes.push(scope);
    const part = { name: 'a', path: '', kind: 'file' as const, isExecutable: false };
    const ask = (scope: string) => ({
      say: 'ask' as const,
      id: 1,
      actionId: 'x',
      asked: { what: 'get' as const, scope, key: 'k' },
    });
    reply = () =>
      responseOf(
        [ask('system')],
        [ask('workflow')],
        [ask('file')],
        [{ say: 'output', id: 'x', part: { ...part, scope: 'system' } }, '1'],
        [{ say: 'output', id: 'x', part: { ...part, scope: 'instance', kind: 'socket' as never } }, '1'],
        [{ say: 'output', id: 'x', part: { ...part, scope: 'instance', name: 7 as never } }, '1'],
        [{ say: 'output', id: 'x', part: { ...part, scope: 'instance' } }, '2'],
        [doneMessage({ errorCode: 5 as never, errorMessage: 'm' })],
      );
    const { outputs, failure } = await call({ host: { ...host, variable } });
    expect(scopes).toEqual(['workflow', 'file']);
    expect(outputs).toEqual([{ scope: 'instance', name: 'a', bytes: Buffer.from('2') }]);
    expect(failure).toEqual({ code: '5', message: 'm' });
  });

  test('store no file of the tree, also if the sidecar does not reject that', async () => {
    const asked = { what: 'set' as const, scope: 'file', key: 'k' };
    reply = () => responseOf([{ say: 'ask', id: 1, actionId: 'x', asked }, '1'], [doneMessage()]);
    const { host, variables } = recordingHost();
    await call({ host });
    expect([...variables]).toEqual([]);
  });

  test('are handled to the end before the call returns', async () => {
    const asked = { what: 'set' as const, scope: 'instance', key: 'k' };
    reply = () => responseOf([{ say: 'ask', id: 1, actionId: 'x', asked }, '1'], [doneMessage()]);
    const { host } = recordingHost();
    let isStored = false;
    const setVariable = async () => {
      await after(20);
      isStored = true;
    };
    await call({ host: { ...host, setVariable } });
    expect(isStored).toBe(true);
  });
});

describe('the client for calls', () => {
  const limits = { begin: new AbortController().signal, end: new AbortController().signal };
  const transportWith = (sleep: () => Promise<void>) => ({
    store: { client: bucket.client, bucket: bucket.name },
    sleep,
  });

  test('opens a connection for each call', async () => {
    reply = () => responseOf([doneMessage(), '1']);
    const invoke = invoker(clientForCalls(aws.config));
    const transport = transportWith(async () => undefined);
    for (const one of [1, 2]) await invoke(transport, VERSION, callOf({ one }), limits);
    expect(aws.connections).toBe(2);
  });

  test('repeats a call when Lambda was not reached', async () => {
    const free = createServer();
    await new Promise<void>((resolve) => free.listen(0, '127.0.0.1', resolve));
    const { port } = free.address() as AddressInfo;
    await new Promise((resolve) => free.close(resolve));
    const { headers, body } = responseOf([doneMessage(), '7']);
    const lambda = createServer((_request, response) => response.writeHead(200, headers).end(body));
    const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
    const client = clientForCalls({ endpoint: `http://127.0.0.1:${port}`, region: 'eu-test-1', credentials });
    // The server starts after the first attempt.
    const sleep = () => new Promise<void>((resolve) => lambda.listen(port, '127.0.0.1', resolve));
    const result = await invoker(client)(transportWith(sleep), VERSION, callOf({}), limits);
    expect(Buffer.from(result.body).toString()).toBe('7');
    await new Promise((resolve) => lambda.close(resolve));
  });
});
