/**
 * An execution environment of Lambda in podman: a wrapped image as it is, with a file system that cannot be written to
 * but for /tmp, as a user that nobody knows, and with nothing of a network but Lambda's Runtime API and one bucket.
 */
import type { ChildProcess } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, createServer as listenTo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { LambdaClient } from '@aws-sdk/client-lambda';
import type { Engine } from '../../../../../lib/adapters/local/containers/engine.ts';
import type { SidecarImage } from '../../../../../lib/adapters/local/containers/sidecar-image.ts';
import { startRuntime } from './copy-runtime.ts';
import { chunkOf, completion, STREAM_TYPE } from './event-stream.ts';

const RELAY = fileURLToPath(new URL('./relay.mjs', import.meta.url));
/** Where Lambda's own is. */
const RUNTIME_PORT = 9001;

export interface Environment {
  /** Calls its function, whatever the name. */
  readonly client: LambdaClient;
  /** What it wrote. */
  readonly output: () => string;
  close(): Promise<void>;
}

export interface EnvironmentOptions {
  readonly engine: Engine;
  /** Words of `run` that this machine needs. */
  readonly flags: readonly string[];
  readonly sidecar: SidecarImage;
  readonly image: string;
  readonly name: string;
  /** What it may ask besides. */
  readonly bucketPort: number;
}

async function lead(socket: string, port: () => number): Promise<Server> {
  const server = listenTo((inside) => {
    const outside = connect(port(), '127.0.0.1');
    inside.pipe(outside).pipe(inside);
    inside.on('error', () => outside.destroy());
    outside.on('error', () => inside.destroy());
  });
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  return server;
}

/** The network, which is that of a container with a relay. */
async function startNetwork(options: EnvironmentOptions, folder: string, runtimePort: () => number) {
  const { engine, flags, sidecar, name, bucketPort } = options;
  copyFileSync(RELAY, join(folder, 'relay.mjs'));
  const ports = [RUNTIME_PORT, bucketPort];
  const sockets = [
    await lead(join(folder, `${RUNTIME_PORT}.sock`), runtimePort),
    await lead(join(folder, `${bucketPort}.sock`), () => bucketPort),
  ];
  const words = ['--rm', '--name', `${name}-network`, '--network', 'none', '-v', `${folder}:/relay`, ...sidecar.mounts];
  const program = [sidecar.name, sidecar.node, '/relay/relay.mjs', ...ports.map(String)];
  const child = engine.start(['run', ...flags, ...words, ...program], ['ignore', 'pipe', 'inherit']);
  await new Promise<void>((resolve, reject) => {
    child.stdout?.once('data', () => resolve());
    child.once('exit', (code) => reject(new Error(`the relay ended with ${code}`)));
  });
  return {
    close: async () => {
      await engine.run([...engine.remove, `${name}-network`]);
      for (const socket of sockets) socket.close();
    },
  };
}

type Given = Readonly<Record<string, string>>;

function startCopy({ engine, flags, image, name }: EnvironmentOptions, temporary: string, given: Given) {
  const env = { ...given, AWS_LAMBDA_RUNTIME_API: `127.0.0.1:${RUNTIME_PORT}` };
  const words = ['--rm', '--name', name, '--network', `container:${name}-network`, '--user', '993:990'];
  const disk = ['--read-only', '--read-only-tmpfs=false', '-v', `${temporary}:/tmp`];
  const settings = Object.entries(env).flatMap(([key, value]) => ['-e', `${key}=${value}`]);
  return engine.start(['run', ...flags, ...words, ...disk, ...settings, image], ['ignore', 'pipe', 'pipe']);
}

export async function startEnvironment(options: EnvironmentOptions): Promise<Environment> {
  const folder = mkdtempSync(join(tmpdir(), 'weft-environment-'));
  const temporary = join(folder, 'tmp');
  mkdirSync(temporary);
  chmodSync(temporary, 0o1777);
  let [runtimePort, output] = [0, ''];
  const network = await startNetwork(options, folder, () => runtimePort);
  const runtime = await startRuntime((lambda): ChildProcess => {
    runtimePort = Number(lambda['AWS_LAMBDA_RUNTIME_API']?.split(':')[1]);
    const child = startCopy(options, temporary, lambda);
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += chunk));
    return child;
  });
  const call = (event: string, response: ServerResponse) => {
    response.writeHead(200, { 'content-type': STREAM_TYPE });
    const sink = {
      write: (bytes: Buffer) => response.write(chunkOf(bytes)),
      end: (problem?: string) => {
        response.end(completion(problem === undefined ? {} : { ErrorCode: 'Unhandled', ErrorDetails: problem }));
      },
    };
    runtime.invoke(event, sink, 900_000);
  };
  const server = createServer(async (request, response) => call(await text(request), response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const client = new LambdaClient({
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    region: 'eu-test-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    maxAttempts: 1,
  });
  return {
    client,
    output: () => output,
    close: async () => {
      const { engine, name } = options;
      await engine.run([...engine.remove, name]);
      await runtime.close();
      await network.close();
      client.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      rmSync(folder, { recursive: true });
    },
  };
}
