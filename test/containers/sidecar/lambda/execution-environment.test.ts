import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { join } from 'node:path';
import { InvokeWithResponseStreamCommand } from '@aws-sdk/client-lambda';
import { afterEach, describe, expect, test } from 'vitest';
import { imageEnvironmentOf } from '../../../../lib/containers/sidecar/lambda/image-environment.ts';
import { objectReader } from '../../../../lib/containers/sidecar/lambda/storage.ts';
import { serveRequests } from '../../../../lib/containers/sidecar/requests.ts';
import type { EnvironmentsOptions } from '../../../adapters/aws/containers/fixtures/environments.ts';
import {
  ID,
  type OpenedEnvironments,
  openEnvironments,
} from '../../../adapters/aws/containers/fixtures/ready-revision.ts';
import { recordingHost } from '../../../adapters/local/containers/fixtures/caller.ts';

describe('an execution environment', () => {
  let opened: OpenedEnvironments;
  const open = async (options: EnvironmentsOptions = {}) => {
    opened = await openEnvironments(options);
    return opened;
  };
  afterEach(() => opened.close());

  test('reads objects over a new connection after it may have been frozen', async () => {
    const { call, bucket } = await open();
    const input = { do: 'size', text: 'x'.repeat(4 * 1024 * 1024) };
    await call(input, { actionId: 'first' });
    await call(input, { actionId: 'second' });
    const inputs = bucket.reads.filter(({ key }) => key.endsWith('/0'));
    expect(inputs.map(({ key }) => key.split('/')[1])).toEqual(['first', 'second']);
    expect(inputs[1]?.socket).not.toBe(inputs[0]?.socket);
  });

  test('reads all objects of a call over one connection', async () => {
    const { call, bucket } = await open({ timeouts: { pollMs: 60_000 } });
    const steps = ['a', 'b', 'c'].map((key) => ({ path: `/var?aid=ID&key=${key}` }));
    await call({ do: 'helper', steps }, { host: recordingHost().host });
    expect(bucket.reads.length).toBeGreaterThanOrEqual(steps.length);
    expect(new Set(bucket.reads.map(({ socket }) => socket)).size).toBe(1);
  });

  test('of provisioned concurrency takes no call before its program listens', async () => {
    const program = `setTimeout(() => {
      require('node:fs').writeFileSync(process.env.SHARED + '/listens', '');
      require('node:http').createServer().listen(process.env.FUNCTION_PORT, '127.0.0.1');
    }, 500)`;
    const { environments } = await open({
      command: [process.execPath, '-e', program],
      environment: { AWS_LAMBDA_INITIALIZATION_TYPE: 'provisioned-concurrency' },
    });
    const event = { FunctionName: ID, Payload: Buffer.from('{}') };
    await environments.client.send(new InvokeWithResponseStreamCommand(event));
    expect(existsSync(join(environments.root, 'listens'))).toBe(true);
  });

  test('of provisioned concurrency takes calls also when its program ends at once', async () => {
    const { call } = await open({
      command: [process.execPath, '-e', 'process.exit(4)'],
      environment: { AWS_LAMBDA_INITIALIZATION_TYPE: 'provisioned-concurrency' },
    });
    const message = 'the container ended with exit code 4 before it listened on port 8080';
    expect((await call({})).failure).toEqual({ code: '', message });
  });

  test('ignores the outputs of an earlier attempt at the same call', async () => {
    const { call, environments } = await open();
    const folder = join(environments.root, 'again', 'out', 'instance');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'old'), '1');
    const { outputs } = await call({ do: 'leave', files: { 'instance/new': '2' } }, { actionId: 'again' });
    expect(outputs.map(({ name }) => name)).toEqual(['new']);
  });
});

describe('the server on localhost:8889', () => {
  test('never closes an idle connection', async () => {
    const [blocker, port] = await blockPort();
    await blocker.close();
    await serveRequests(port, async () => ({ status: 200 }));
    const response = await fetch(`http://127.0.0.1:${port}/log?aid=1&log=x`);
    expect(response.status).toBe(200);
    // A server that closes idle connections announces the time in this header.
    expect(response.headers.get('keep-alive')).toBeNull();
  });

  test('names its port when another process uses it', async () => {
    const [blocker, port] = await blockPort();
    const serving = serveRequests(port, async () => ({ status: 200 }));
    await expect(serving).rejects.toThrow(`EADDRINUSE: address already in use 127.0.0.1:${port}`);
    await blocker.close();
  });
});

/** Listens on a free port, on both loopback addresses if the machine has both. */
async function blockPort(): Promise<readonly [{ close(): Promise<unknown> }, number]> {
  const [ipv4, ipv6] = [createServer(), createServer()];
  await new Promise<void>((resolve) => ipv4.listen(0, '127.0.0.1', resolve));
  const { port } = ipv4.address() as AddressInfo;
  await new Promise<void>((resolve) => ipv6.once('error', () => resolve()).listen(port, '::1', resolve));
  const close = () => Promise.all([ipv4, ipv6].map((server) => new Promise((resolve) => server.close(resolve))));
  return [{ close }, port];
}

test('the connections of a call to the storage are closed when the call is over', async () => {
  const server = createServer((_request, response) => void response.end('1'));
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const connected = once(server, 'connection') as Promise<[Socket]>;
  const over = new AbortController();
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  expect(await objectReader(over.signal)(url, over.signal)).toEqual(Buffer.from('1'));
  const [socket] = await connected;
  const closed = once(socket, 'close');
  over.abort();
  await closed;
  await new Promise((resolve) => server.close(resolve));
}, 10_000);

test('a variable of the image takes precedence over that of Lambda', () => {
  const environment = { WEFT_OF_IMAGE_LD_LIBRARY_PATH: '/srv/lib', LD_LIBRARY_PATH: '/var/lang/lib', PATH: '/bin' };
  expect(imageEnvironmentOf(environment)).toEqual({ LD_LIBRARY_PATH: '/srv/lib', PATH: '/bin' });
});
