import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { join } from 'node:path';
import { InvokeWithResponseStreamCommand } from '@aws-sdk/client-lambda';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { clientForCalls, invoker } from '../../../lib/adapters/aws/containers/calls.ts';
import { ownOf } from '../../../lib/containers/sidecar/image-environment.ts';
import { serveRequests } from '../../../lib/containers/sidecar/requests.ts';
import { lookUntil } from '../../../lib/containers/sidecar/storage.ts';
import { type Bucket, startBucket } from '../../adapters/aws/containers/stage/bucket.ts';
import { type Copies, type CopiesOptions, FUNCTION, startCopies } from '../../adapters/aws/containers/stage/copies.ts';
import { done, said } from '../../adapters/aws/containers/stage/event-stream.ts';
import { callingLambda } from '../../adapters/aws/containers/stage/ready.ts';
import { startAwsServer } from '../../adapters/aws/server.ts';
import { callOf, hearing } from '../../adapters/local/containers/stage/caller.ts';

describe('a copy of a function on Lambda', () => {
  let bucket: Bucket;
  let copies: Copies;
  const open = async (options: CopiesOptions = {}) => {
    copies = await startCopies(options);
    return callingLambda(bucket, copies.client);
  };
  beforeEach(async () => {
    bucket = await startBucket();
  });
  afterEach(async () => {
    await copies.close();
    await bucket.close();
  });

  test('reads nothing by a connection that was open before it stood still', async () => {
    const { call } = await open();
    const input = { do: 'size', text: 'x'.repeat(4 * 1024 * 1024) };
    await call(input, { actionId: 'first' });
    await call(input, { actionId: 'second' });
    const opened = bucket.readings.filter(({ key }) => key.endsWith('/0'));
    expect(opened.map(({ key }) => key.split('/')[1])).toEqual(['first', 'second']);
    expect(opened[1]?.by).not.toBe(opened[0]?.by);
  });

  test('reads what is asked for in one call by one connection', async () => {
    const { call } = await open({ patience: { lookMs: 60_000 } });
    const steps = ['a', 'b', 'c'].map((key) => ({ path: `/var?aid=ID&key=${key}` }));
    await call({ do: 'helper', steps }, { host: hearing().host });
    expect(bucket.readings.length).toBeGreaterThanOrEqual(steps.length);
    expect(new Set(bucket.readings.map(({ by }) => by)).size).toBe(1);
  });

  test('that is kept running asks for no call before its program listens', async () => {
    const program = `setTimeout(() => {
      require('node:fs').writeFileSync(process.env.SHARED + '/listens', '');
      require('node:http').createServer().listen(process.env.FUNCTION_PORT, '127.0.0.1');
    }, 500)`;
    await open({
      command: [process.execPath, '-e', program],
      environment: { AWS_LAMBDA_INITIALIZATION_TYPE: 'provisioned-concurrency' },
    });
    const FunctionName = 'fast';
    await copies.client.send(new InvokeWithResponseStreamCommand({ FunctionName, Payload: Buffer.from('{}') }));
    expect(existsSync(join(copies.root, 'listens'))).toBe(true);
  });

  test('that is kept running takes calls also when its program ends at once', async () => {
    const { call } = await open({
      command: [process.execPath, '-e', 'process.exit(4)'],
      environment: { AWS_LAMBDA_INITIALIZATION_TYPE: 'provisioned-concurrency' },
    });
    const message = 'the container ended with exit code 4 before it listened on port 8080';
    expect((await call({}, {})).failure).toEqual({ code: '', message });
  });

  test('says which file is no program', async () => {
    // As where a script does not name its interpreter, which not every C library takes for one of the shell.
    const program = `${FUNCTION}/start`;
    const { call } = await open({ command: [program] });
    const message = `the container could not be started: spawn ${program} ENOTDIR`;
    expect((await call({}, {})).failure).toEqual({ code: '', message });
  });

  test('counts nothing as an output that an attempt at the same call has left', async () => {
    const { call } = await open();
    const folder = join(copies.root, 'again', 'out', 'instance');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'old'), '1');
    const told = await call({ do: 'leave', files: { 'instance/new': '2' } }, { actionId: 'again' });
    expect(told.outputs.map(({ name }) => name)).toEqual(['new']);
  });
});

test('a function ends its connections to localhost:8889 by itself, however long nothing is said', async () => {
  const free = createServer();
  await new Promise<void>((resolve) => free.listen(0, '127.0.0.1', resolve));
  const { port } = free.address() as AddressInfo;
  await new Promise((resolve) => free.close(resolve));
  await serveRequests(port, async () => ({ status: 200 }));
  const response = await fetch(`http://127.0.0.1:${port}/log?aid=1&log=x`);
  expect(response.status).toBe(200);
  // What a server says that ends them.
  expect(response.headers.get('keep-alive')).toBeNull();
});

test('a port that somebody else has is told with its number', async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, resolve));
  const { port } = other.address() as AddressInfo;
  const serving = serveRequests(port, async () => ({ status: 200 }));
  await expect(serving).rejects.toThrow(`EADDRINUSE: address already in use 127.0.0.1:${port}`);
  await new Promise((resolve) => other.close(resolve));
});

test('what a call has read by is closed when it is over', async () => {
  const server = createServer((_request, response) => void response.end('1'));
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const connected = once(server, 'connection') as Promise<[Socket]>;
  const over = new AbortController();
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  expect(await lookUntil(over.signal)(url, over.signal)).toEqual(Buffer.from('1'));
  const [socket] = await connected;
  const closed = once(socket, 'close');
  over.abort();
  await closed;
  await new Promise((resolve) => server.close(resolve));
});

test('what an image has counts more than what Lambda has of the same name', () => {
  const environment = { WEFT_OF_IMAGE_LD_LIBRARY_PATH: '/srv/lib', LD_LIBRARY_PATH: '/var/lang/lib', PATH: '/bin' };
  expect(ownOf(environment)).toEqual({ LD_LIBRARY_PATH: '/srv/lib', PATH: '/bin' });
});

describe('calls by way of Lambda', () => {
  const VERSION = 'arn:aws:lambda:eu-test-1:123456789012:function:fast:1';
  const bounds = { begin: new AbortController().signal, end: new AbortController().signal };
  let bucket: Bucket;
  beforeEach(async () => {
    bucket = await startBucket();
  });
  afterEach(() => bucket.close());
  const post = () => ({ client: bucket.client, bucket: bucket.name });

  test('each have a connection of their own', async () => {
    const aws = await startAwsServer(({ path }) => {
      expect(path).toContain('response-streaming-invocations');
      return said([done(), '1']);
    });
    const call = invoker(clientForCalls(aws.config));
    const way = { post: post(), pause: async () => undefined };
    for (const one of [1, 2]) await call(way, VERSION, callOf({ one }), bounds);
    expect(aws.connections).toBe(2);
    await aws.close();
  });

  test('are made again where Lambda was not reached', async () => {
    const free = createServer();
    await new Promise<void>((resolve) => free.listen(0, '127.0.0.1', resolve));
    const { port } = free.address() as AddressInfo;
    await new Promise((resolve) => free.close(resolve));
    const { headers, body } = said([done(), '7']);
    const lambda = createServer((_request, response) => response.writeHead(200, headers).end(body));
    const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
    const client = clientForCalls({ endpoint: `http://127.0.0.1:${port}`, region: 'eu-test-1', credentials });
    // It is there after the first attempt.
    const pause = () => new Promise<void>((resolve) => lambda.listen(port, '127.0.0.1', resolve));
    const result = await invoker(client)({ post: post(), pause }, VERSION, callOf({}), bounds);
    expect(Buffer.from(result.body).toString()).toBe('7');
    await new Promise((resolve) => lambda.close(resolve));
  });
});
