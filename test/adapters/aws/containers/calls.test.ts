import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { InvokeWithResponseStreamCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { invoker } from '../../../../lib/adapters/aws/containers/calls/function-call.ts';
import { type LambdaContainersOptions, lambdaContainers } from '../../../../lib/adapters/aws/containers/containers.ts';
import { PROTOCOL_VERSION } from '../../../../lib/adapters/aws/containers/revisions/records.ts';
import type { CallEvent } from '../../../../lib/containers/sidecar/event.ts';
import { FrameReader } from '../../../../lib/containers/sidecar/frames.ts';
import { escapeVariable } from '../../../../lib/containers/sidecar/image-environment.ts';
import { LATE, TOO_LONG } from '../../../../lib/containers/sidecar/messages.ts';
import type { ContainerCall, ContainerResult } from '../../../../lib/ports/containers.ts';
import { containersContract, GREETING } from '../../../contract/containers.ts';
import { MemoryTable } from '../../../contract/memory-table.ts';
import { callOf, hearing, until } from '../../local/containers/stage/caller.ts';
import { type AwsServer, type Reply, refusal, startAwsServer } from '../server.ts';
import { type Bucket, startBucket } from './stage/bucket.ts';
import { type CopiesOptions, FUNCTION, startCopies } from './stage/copies.ts';
import { startRuntime } from './stage/copy-runtime.ts';
import { chunkOf, completion, done, STREAM_TYPE, said } from './stage/event-stream.ts';

const MIB = 1024 * 1024;
const VERSION = 'arn:aws:lambda:eu-test-1:123456789012:function:fast:1';

/** The revision `fast` is ready; whoever has this is one process of the service. */
async function containersWith(bucket: Bucket, client: LambdaClient, more: Partial<LambdaContainersOptions> = {}) {
  const table = new MemoryTable();
  const ready = { id: 'fast', turn: 1, wanted: 'running', state: 'ready', reason: '', message: '', at: 0 };
  const item = { pk: 'container#fast', sk: '.', ...ready, revision: '{}', speech: PROTOCOL_VERSION, version: VERSION };
  await table.write([{ do: 'put', table: 'catalog', item }]);
  const sealer = () => {
    throw new Error('nothing is sealed');
  };
  const places = { table, sealer, machineArn: 'arn', bucket: bucket.name, s3: bucket.client, invoke: invoker(client) };
  return lambdaContainers({ ...places, patienceMs: 5_000, ...more });
}

const shown = ({ body, ...rest }: ContainerResult) => ({ ...rest, body: Buffer.from(body).toString() });
const crash = (message: unknown) => ({ body: '', outputs: [], failure: { code: '', message } });

async function openCopies(options: CopiesOptions = {}) {
  const [bucket, copies] = [await startBucket(), await startCopies(options)];
  const containers = await containersWith(bucket, copies.client);
  const call = async (input: object, given: Partial<ContainerCall> = {}) => {
    const { body, failure, outputs } = await containers.call('fast', callOf(input, given));
    const text = Buffer.from(body).toString();
    return { text, failure, outputs, json: () => JSON.parse(text) };
  };
  const close = async () => {
    await copies.close();
    await bucket.close();
  };
  return { bucket, copies, containers, call, close };
}

describe('a call of a container on Lambda', () => {
  containersContract(async () => {
    const { copies, containers, call, close } = await openCopies({ environment: { GREETING } });
    return { call, cancel: (actionId) => containers.cancel('fast', actionId), folder: copies.root, close };
  });
});

describe('what a call on Lambda takes of the bucket', () => {
  let opened: Awaited<ReturnType<typeof openCopies>>;
  beforeEach(async () => {
    opened = await openCopies();
  });
  afterEach(() => opened.close());

  const stored = () => opened.bucket.asked.filter((asked) => /^(PUT|POST)/.test(asked));

  test('is nothing for a small input, files, log entries and outputs', async () => {
    const { logs, host } = hearing();
    const files = [{ name: 'a.txt', type: 'plain' as const, bytes: Buffer.from('1') }];
    const steps = [{ path: '/log?aid=ID&log=one' }, { path: '/log?aid=ID&log=two' }];
    const told = await opened.call({ do: 'helper', steps }, { files, host });
    expect(told.json()).toMatchObject([{ status: 200 }, { status: 200 }]);
    expect(logs).toEqual(['one', 'two']);
    expect((await opened.call({ do: 'leave', files: { 'instance/a': '1' } })).outputs).toHaveLength(1);
    expect(stored()).toEqual([]);
  });

  test('is an object for each answer, of which nothing is left', async () => {
    const { host } = hearing();
    const steps = [{ path: '/var?aid=ID&key=a' }, { path: '/var?aid=ID&key=b' }];
    await opened.call({ do: 'helper', steps }, { actionId: 'asking', host });
    expect(stored()).toEqual([
      expect.stringMatching(/^PUT calls\/asking\/[0-9a-f-]{36}\/1 200$/),
      expect.stringMatching(/^PUT calls\/asking\/[0-9a-f-]{36}\/2 200$/),
      expect.stringMatching(/^POST/),
    ]);
    expect([...opened.bucket.objects.keys()]).toEqual([]);
  });

  test('is an object for an input that an event has no room for, which is removed too', async () => {
    await opened.call({ do: 'size', text: 'x'.repeat(4 * MIB) }, { actionId: 'large' });
    expect(stored()[0]).toMatch(/^PUT calls\/large\/[0-9a-f-]{36}\/0 200$/);
    expect([...opened.bucket.objects.keys()]).toEqual([]);
  });

  test('is read again where the bucket is busy', async () => {
    opened.bucket.refusals['GET'] = [503, 500, 503];
    const { host, variables } = hearing();
    variables.set('instance/a', { text: '1' });
    const steps = [{ path: '/var?aid=ID&key=a' }];
    expect((await opened.call({ do: 'helper', steps }, { host })).json()).toEqual([{ status: 200, text: '1' }]);
  });

  test('and refuses is told to the container', async () => {
    opened.bucket.refusals['GET'] = Array.from({ length: 100 }, () => 403);
    const told = await opened.call({ do: 'helper', steps: [{ path: '/var?aid=ID&key=a' }] });
    expect(told.json()).toEqual([{ status: 500, text: 'the answer cannot be fetched: the storage answers 403' }]);
  });

  test('and cannot be had ends the call: its container would wait in vain', async () => {
    opened.bucket.refusals['PUT'] = [500];
    const { failure } = await opened.call({ do: 'helper', steps: [{ path: '/var?aid=ID&key=a' }] });
    expect(failure).toEqual({ code: '', message: expect.stringMatching(/^the container could not be answered: /) });
  });
});

/** Resolves when a process is gone, and whoever started it knows. */
const endOf = (pid: number): Promise<boolean> =>
  until(
    async () => existsSync(`/proc/${pid}`),
    (isThere) => !isThere,
  );

describe('a copy of a function on Lambda', () => {
  let opened: Awaited<ReturnType<typeof openCopies>>;
  const open = async (options: CopiesOptions = {}) => {
    opened = await openCopies(options);
    return opened;
  };
  afterEach(() => opened.close());

  test('gives its program nothing of Lambda, and passes on what it writes', async () => {
    const laid = ['AWS_BUCKET=b', 'AWS_REGION=mars', 'NODE_DEBUG=x'].map((variable) => escapeVariable(variable).split('='));
    const { call, copies } = await open({ environment: Object.fromEntries(laid) });
    const names: string[] = (await call({ do: 'echo' })).json().names;
    const found = names.filter((name) => /^(_?AWS|LAMBDA|_X_AMZN|NODE|WEFT)_/.test(name));
    expect(found.toSorted()).toEqual(['AWS_BUCKET', 'AWS_REGION', 'NODE_DEBUG']);
    await call({ do: 'print', words: 'Grüße' });
    await until(
      async () => copies.output(),
      (output) => output.includes('begun serve true\nGrüße\n'),
    );
  });

  test('takes one call after the other, and each of two at once has its own', async () => {
    const { call, copies } = await open();
    await call({ do: 'echo' });
    await call({ do: 'echo' });
    expect(copies.count()).toBe(1);
    const [begun, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<undefined>()];
    const variable = () => {
      begun.resolve();
      return gate.promise;
    };
    const slow = call(
      { do: 'helper', steps: [{ path: '/var?aid=ID&key=a' }] },
      { host: { ...hearing().host, variable } },
    );
    await begun.promise;
    await call({ do: 'echo' });
    gate.resolve(undefined);
    expect((await slow).failure).toBeUndefined();
    expect(copies.count()).toBe(2);
  });

  test.each([
    ['fail', 60_000, /^the container ended with exit code 3 before it listened on port 8080: cannot go on$/],
    ['deaf', 600, /^the container did not listen on port 8080 within 1 seconds$/],
  ])('whose program begins to %s says why nobody answers', async (mode, listenMs, words) => {
    const command = [process.execPath, FUNCTION, mode];
    const { call } = await open({ command, patience: { listenMs } });
    const refused = { text: '', outputs: [], failure: { code: '', message: expect.stringMatching(words) } };
    expect(await call({ do: 'echo' })).toMatchObject(refused);
    expect(await call({ do: 'echo' })).toMatchObject(refused);
  });

  test('whose program is not there says so', async () => {
    const { call } = await open({ command: ['/nowhere'] });
    const message = 'the container could not be started: spawn /nowhere ENOENT';
    expect((await call({ do: 'echo' })).failure).toEqual({ code: '', message });
  });

  test('waits for a program that takes its time to listen', async () => {
    const { call } = await open({ command: [process.execPath, FUNCTION, 'serve', '800'] });
    expect((await call({ do: 'text', text: 'late' })).text).toBe('late');
  });

  test('whose program ended between two calls begins it anew', async () => {
    const { call, copies } = await open();
    await endOf(Number((await call({ do: 'exitAfter' })).text));
    expect((await call({ do: 'text', text: 'back' })).text).toBe('back');
    expect(copies.output().split('begun serve')).toHaveLength(3);
    expect(copies.count()).toBe(1);
  });

  test('tells its function, and says why, when Lambda’s own time is over first', async () => {
    const { call, copies } = await open({ patience: { cancelMs: 500 } });
    await call({ do: 'echo' });
    copies.setTimeout(5_000);
    const { failure } = await call({ do: 'sleep', ms: 60_000 }, { actionId: 'too-long' });
    expect(failure).toEqual({ code: '', message: expect.stringContaining('did not answer within 14 minutes') });
    copies.setTimeout(900_000);
    expect((await call({ do: 'deleted' })).json()).toContain('too-long');
  });

  test('gives a call up that is late before its program listens', async () => {
    const { call } = await open({ command: [process.execPath, FUNCTION, 'deaf'] });
    const { failure } = await call({ do: 'echo' }, { deadline: Date.now() + 300 });
    expect(failure).toEqual({ code: '', message: 'the call was not answered before its deadline' });
  });

  test('hears of a cancellation by another process than the caller', async () => {
    const { call, copies, bucket } = await open();
    const other = await containersWith(bucket, copies.client);
    const begun = Promise.withResolvers<void>();
    const host = { ...hearing().host, log: async () => begun.resolve() };
    const slow = call({ do: 'sleep', ms: 60_000, tell: true }, { actionId: 'far', host });
    await begun.promise;
    await other.cancel('fast', 'far');
    expect((await slow).failure).toEqual({ code: '', message: 'the call was cancelled' });
    expect((await call({ do: 'deleted' })).json()).toEqual(['far']);
    expect([...bucket.objects.keys()]).toEqual([]);
  });
});

describe('what runs beside a function', () => {
  test('tells the function when Lambda does not take its answer any more, and goes on with the next call', async () => {
    const bucket = await startBucket();
    const copies = await startCopies();
    const containers = await containersWith(bucket, copies.client);
    copies.breakNext();
    const { failure } = await containers.call(
      'fast',
      callOf({ do: 'sleep', ms: 60_000, tell: true }, { actionId: 'cut' }),
    );
    expect(failure?.message).toMatch(/^the connection to the container ended before/);
    const { body } = await containers.call('fast', callOf({ do: 'deleted' }));
    expect(JSON.parse(Buffer.from(body).toString())).toEqual(['cut']);
    expect(copies.count()).toBe(1);
    await copies.close();
    await bucket.close();
  });

  const MAIN = fileURLToPath(new URL('../../../../lib/containers/sidecar/lambda.ts', import.meta.url));
  const runMain = (words: readonly string[]) =>
    startRuntime((env) => spawn(process.execPath, [MAIN, ...words], { env, stdio: ['ignore', 'ignore', 'ignore'] }));

  test('takes its program along when it ends, whether that wants to or not', async () => {
    const program =
      "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); console.log('pid', process.pid, '.')";
    const copies = await startCopies({ command: [process.execPath, '-e', program], patience: { listenMs: 1 } });
    await copies.client.send(new InvokeWithResponseStreamCommand({ FunctionName: 'fast', Payload: Buffer.from('{}') }));
    const output = await until(
      async () => copies.output(),
      (text) => text.includes('.'),
    );
    const pid = Number(/pid (\d+) \./.exec(output)?.[1]);
    expect(() => process.kill(pid, 0)).not.toThrow();
    await copies.close();
    await endOf(pid);
  });

  test('tells Lambda when there is nothing to start', async () => {
    const runtime = await runMain([]);
    expect(await runtime.ended).toBe(1);
    expect(runtime.refusals).toEqual(['there is no program of the container to start']);
    await runtime.close();
  });

  test('refuses an event that is none of the service’s, and takes the next', async () => {
    const copies = await startCopies();
    const invoke = async (event: string) => {
      const { EventStream = [] } = await copies.client.send(
        new InvokeWithResponseStreamCommand({ FunctionName: 'fast', Payload: Buffer.from(event) }),
      );
      const errors: unknown[] = [];
      for await (const { InvokeComplete } of EventStream) if (InvokeComplete) errors.push(InvokeComplete.ErrorDetails);
      return errors;
    };
    for (const event of ['{}', '[1]', 'null', 'no json']) {
      expect(await invoke(event)).toEqual([expect.stringContaining('called by the service, and by nobody else')]);
    }
    expect(copies.count()).toBe(1);
    await copies.close();
  });
});

describe('a call by way of Lambda', () => {
  let bucket: Bucket;
  let aws: AwsServer;
  let answers: () => Reply | Promise<Reply>;
  const pauses: number[] = [];

  beforeEach(async () => {
    pauses.length = 0;
    bucket = await startBucket();
    aws = await startAwsServer(() => answers());
  });
  afterEach(async () => {
    await aws.close();
    await bucket.close();
  });

  const containersHere = (more: Partial<LambdaContainersOptions> = {}) =>
    containersWith(bucket, new LambdaClient({ ...aws.config, maxAttempts: 1 }), more);
  const called = async (given: Partial<ContainerCall> = {}) => {
    const pause = async (milliseconds: number) => void pauses.push(milliseconds);
    return shown(await (await containersHere({ pause })).call('fast', callOf({ a: 1 }, given)));
  };

  test('has the result that the container says', async () => {
    answers = () => said([{ say: 'ready' }], [{ say: 'alive' }], [done(), '{"b":2}']);
    expect(await called()).toEqual({ body: '{"b":2}', outputs: [] });
    expect(aws.asked[0]?.path).toBe(`/2021-11-15/functions/${VERSION}/response-streaming-invocations`);
  });

  test('has 14 minutes, or less if its state gives it less, and its container is told so', async () => {
    answers = () => said([done()]);
    const now = Date.parse('2030-01-01T00:00:00Z');
    const containers = await containersHere({ now: () => now });
    const told = async (deadline: number) => {
      await containers.call('fast', callOf({}, { deadline }));
      const event = JSON.parse(Buffer.from(aws.asked.at(-1)?.bytes ?? []).toString()) as CallEvent;
      const frames = 'base64' in event.frames ? Buffer.from(event.frames.base64, 'base64') : Buffer.alloc(0);
      const [first] = new FrameReader<{ headers: Record<string, string> }>().push(frames);
      return [event.deadline - now, event.late, first?.head.headers['Service-Deadline']];
    };
    expect(await told(now + 60_000)).toEqual([60_000, LATE, '2030-01-01T00:01:00.000Z']);
    expect(await told(now + 86_400_000)).toEqual([840_000, TOO_LONG, '2030-01-01T00:14:00.000Z']);
  });

  test.each([
    ['Unhandled', 'RequestId: 1 Error: Runtime exited with error: exit status 3', /^the container ended before/],
    ['Unhandled', '{"errorType":"Runtime.OutOfMemory"}', /^the container ended before/],
    ['Sandbox.Timedout', 'RequestId: 1 Error: Task timed out after 900.00 seconds', /did not answer within 14 minutes/],
    ['Function.ResponseSizeTooLarge', '', /^the container said more than the 200 MB/],
    ['Other', 'whatever', /^the container failed: whatever$/],
  ])('that Lambda ends with %s (%s) is a crash, in words', async (ErrorCode, ErrorDetails, words) => {
    const body = completion({ ErrorCode, ErrorDetails });
    answers = () => ({ headers: { 'content-type': STREAM_TYPE }, body });
    expect(await called()).toEqual(crash(expect.stringMatching(words)));
  });

  test.each([
    ['an end without an answer', said([{ say: 'ready' }])],
    [
      'half a message',
      { headers: { 'content-type': STREAM_TYPE }, body: chunkOf(Buffer.from('xxxxx')).subarray(0, 60) },
    ],
    ['half a frame', { headers: { 'content-type': STREAM_TYPE }, body: chunkOf(Buffer.alloc(3)) }],
    ['frames of nothing', { headers: { 'content-type': STREAM_TYPE }, body: chunkOf(Buffer.alloc(100)) }],
  ])('that breaks off with %s is a crash, and is not made again', async (_, reply) => {
    answers = () => reply;
    const words =
      /^the connection to the container ended before|^AWS Lambda did not carry out .* Truncated event message/;
    expect(await called()).toEqual(crash(expect.stringMatching(words)));
    expect(aws.asked).toHaveLength(1);
  });

  test.each([
    ['TooManyRequestsException', 429],
    ['ResourceNotReadyException', 502],
    ['ResourceConflictException', 409],
  ])('that Lambda does not begin (%s) is made again, later and later', async (name, status) => {
    const refusals: Reply[] = [1, 2, 3].map(() => ({ ...refusal(name), status }));
    answers = () => refusals.shift() ?? said([done(), '1']);
    expect(await called()).toEqual({ body: '1', outputs: [] });
    expect(pauses).toHaveLength(3);
    expect(pauses[2]).toBeGreaterThan(pauses[0] ?? 0);
  });

  test('that may have been carried out is not made again', async () => {
    answers = () => ({ ...refusal('ServiceException'), status: 500 });
    expect(await called()).toEqual(crash(expect.stringContaining('did not carry out the call: ServiceException')));
    expect(aws.asked).toHaveLength(1);
  });

  test('believes nothing of a container that is none of the container’s business', async () => {
    const { host } = hearing();
    const scopes: string[] = [];
    const variable = async (scope: string) => void scopes.push(scope);
    const part = { name: 'a', path: '', kind: 'file' as const, isExecutable: false };
    const ask = (scope: string) => ({
      say: 'ask' as const,
      id: 1,
      actionId: 'x',
      asked: { what: 'get' as const, scope, key: 'k' },
    });
    answers = () =>
      said(
        [ask('system')],
        [ask('workflow')],
        [ask('file')],
        [{ say: 'output', id: 'x', part: { ...part, scope: 'system' } }, '1'],
        [{ say: 'output', id: 'x', part: { ...part, scope: 'instance', kind: 'socket' as never } }, '1'],
        [{ say: 'output', id: 'x', part: { ...part, scope: 'instance', name: 7 as never } }, '1'],
        [{ say: 'output', id: 'x', part: { ...part, scope: 'instance' } }, '2'],
        [done({ errorCode: 5 as never, errorMessage: 'm' })],
      );
    const { outputs, failure } = await called({ host: { ...host, variable } });
    expect(scopes).toEqual(['workflow', 'file']);
    expect(outputs).toEqual([{ scope: 'instance', name: 'a', bytes: Buffer.from('2') }]);
    expect(failure).toEqual({ code: '5', message: 'm' });
  });

  test('stores no file of the tree for a container that evades what stands beside it', async () => {
    const asked = { what: 'set' as const, scope: 'file', key: 'k' };
    answers = () => said([{ say: 'ask', id: 1, actionId: 'x', asked }, '1'], [done()]);
    const { host, variables } = hearing();
    await called({ host });
    expect([...variables]).toEqual([]);
  });

  test('is not over before what its container stored is stored, whether that waits for it or not', async () => {
    const asked = { what: 'set' as const, scope: 'instance', key: 'k' };
    answers = () => said([{ say: 'ask', id: 1, actionId: 'x', asked }, '1'], [done()]);
    const { host } = hearing();
    let isStored = false;
    const setVariable = async () => {
      await sleep(20);
      isStored = true;
    };
    await called({ host: { ...host, setVariable } });
    expect(isStored).toBe(true);
  });

  test('that is cancelled before Lambda begins it is not begun', async () => {
    answers = () => ({ ...refusal('TooManyRequestsException'), status: 429 });
    const waiting = Promise.withResolvers<void>();
    const pause = (milliseconds: number, signal: AbortSignal) => {
      waiting.resolve();
      return sleep(milliseconds * 1_000, undefined, { signal });
    };
    const containers = await containersHere({ pause });
    const result = containers.call('fast', callOf({}, { actionId: 'early' }));
    await waiting.promise;
    await containers.cancel('fast', 'early');
    expect(shown(await result)).toEqual(crash('the call was cancelled'));
    expect(aws.asked).toHaveLength(1);
  });

  test.each([
    ['says nothing at all', undefined],
    ['says no more', said([{ say: 'ready' }]).body],
  ])('to a container that %s is given up a while after its deadline', async (_, begun) => {
    const silent = createServer((_request, response) => {
      if (begun === undefined) return;
      response.writeHead(200, { 'content-type': STREAM_TYPE }).write((begun as Buffer).subarray(0, -20));
    });
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const endpoint = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const client = new LambdaClient({ ...aws.config, endpoint, maxAttempts: 1 });
    const containers = await containersWith(bucket, client, { patienceMs: 50 });
    const result = await containers.call('fast', callOf({}, { deadline: Date.now() + 50 }));
    expect(shown(result)).toEqual(crash('the call was not answered before its deadline'));
    silent.closeAllConnections();
    silent.close();
  });
});
