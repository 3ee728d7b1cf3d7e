import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { adapterLayers } from '../../lib/adapters/aws/containers/adapter-layer.ts';
import { invoke } from '../../lib/adapters/aws/containers/calls.ts';
import { copyImage } from '../../lib/adapters/aws/containers/copying.ts';
import { ADAPTER_SETTINGS } from '../../lib/adapters/aws/containers/functions.ts';
import { Repository } from '../../lib/adapters/aws/containers/registry.ts';
import { guardOf } from '../../lib/adapters/aws/web.ts';
import type { Engine } from '../../lib/adapters/local/containers/engine.ts';
import { findRunFlags } from '../../lib/adapters/local/containers/run-flags.ts';
import { makeSidecarImage } from '../../lib/adapters/local/containers/sidecar-image.ts';
import { ADAPTER, addAdapter } from './aws-containers/images.ts';
import { adapterFile, missingAdapter, startRuntime } from './aws-containers/runtime.ts';
import { type Store, startStore } from './aws-containers/store.ts';
import { startAwsServer } from './aws-server.ts';
import { callOf } from './containers/caller.ts';
import { engineForTests, makeTestImage } from './containers/image.ts';

const engine = await engineForTests();
const missing = typeof engine === 'string' ? engine : engine.kind === 'podman' ? undefined : 'podman is not installed';
const missingProgram = missingAdapter ?? (adapterFile === undefined ? 'LAMBDA_ADAPTER names no file' : undefined);

const guard = guardOf({ mayAskItself: true });
const name = `weft-wrapped-${randomUUID().slice(0, 8)}`;

/** What the container runs: it answers with what it sees of its call and of itself. */
const PROGRAM = `require('node:http').createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => response.end(JSON.stringify({
    input: JSON.parse(Buffer.concat(chunks)),
    id: request.headers['direktiv-actionid'],
    greeting: process.env.GREETING,
    word: process.env.WORD,
    args: process.argv.slice(1),
  })));
}).listen(process.env.OWN_PORT, '127.0.0.1');`;

/** Runs a command of the engine, which asks servers of this very process. */
async function done(engine: Engine, words: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await engine.run(words);
  if (code !== 0) throw new Error(`${words.join(' ')}: ${stderr}`);
  return stdout;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describe('an image that podman made, wrapped and fetched by podman', () => {
  let source: Store;
  let target: Store;
  let image = '';
  let port = 0;
  let wanted: readonly string[] = [];

  beforeEach(({ skip }) => skip(missing !== undefined, missing));

  beforeAll(async () => {
    if (typeof engine === 'string' || missing !== undefined) return;
    [source, target] = [await startStore(), await startStore({ asks: 'basic', login: 'AWS:secret' })];
    await addAdapter(source, adapterFile === undefined ? Buffer.from('adapter') : readFileSync(adapterFile));
    const local = await makeTestImage(engine);
    await done(engine, ['push', '-q', '--tls-verify=false', local, `docker://${source.host}/demo/fn:1`]);
    port = await freePort();
    const copying = {
      guard,
      target: new Repository(guard, target.base, 'weft-containers', { user: 'AWS', token: 'secret' }, 'pull,push'),
      layerFor: adapterLayers(guard, `${source.host}/${ADAPTER}:1`),
      next: async () => true,
    };
    const command = ['/node', '-e', PROGRAM, 'one', 'two'];
    const environment = { WORD: 'a b=c', OWN_PORT: String(port) };
    await copyImage(copying, { image: `${source.host}/demo/fn:1`, command, environment, credentials: [] }, 'fn');
    image = `${target.host}/weft-containers:fn`;
    await done(engine, ['pull', '-q', '--tls-verify=false', '--creds', 'AWS:secret', image]);
    const found = await findRunFlags(engine, await makeSidecarImage(engine), ['--network', 'host']);
    wanted = 'problem' in found ? [] : found.flags.always;
  }, 120_000);

  afterAll(async () => {
    if (typeof engine === 'string' || missing !== undefined) return;
    await engine.run(['rm', '-f', '-t', '0', name]);
    await engine.run(['rmi', '-f', image]);
    await source.close();
    await target.close();
  });

  test('runs, with the adapter inside it', async () => {
    if (typeof engine === 'string') return;
    await done(engine, ['run', '-d', '--name', name, ...wanted, image]);
    const mode = await done(engine, [
      'exec',
      name,
      '/node',
      '-p',
      'fs.statSync("/opt/extensions/lambda-adapter").mode & 0o777',
    ]);
    expect(Number(mode)).toBe(0o755);
  });

  test('is called through the adapter', async ({ skip }) => {
    skip(missingProgram !== undefined, missingProgram);
    if (typeof engine === 'string') return;
    const runtime = await startRuntime(ADAPTER_SETTINGS, port, (env) => {
      const given = Object.entries(env).flatMap(([key, value]) => ['-e', `${key}=${value}`]);
      return engine.start(['exec', ...given, name, '/opt/extensions/lambda-adapter'], 'ignore');
    });
    const aws = await startAwsServer(async ({ bytes }) => {
      const { payload, isError } = await runtime.invoke(JSON.parse(Buffer.from(bytes).toString()) as object);
      return { body: payload, headers: isError ? { 'x-amz-function-error': 'Unhandled' } : {} };
    });
    try {
      const client = new LambdaClient({ ...aws.config, maxAttempts: 1 });
      const call = callOf({ n: 1 }, { actionId: 'the-id' });
      const { body, failure } = await invoke(client, 'fast:1', call, async () => {}, AbortSignal.timeout(60_000));
      expect(failure).toBeUndefined();
      expect(JSON.parse(Buffer.from(body).toString())).toEqual({
        input: { n: 1 },
        id: 'the-id',
        greeting: 'hello',
        word: 'a b=c',
        args: ['one', 'two'],
      });
    } finally {
      await runtime.close();
      await aws.close();
    }
  });
});
