/** Lambda with copies of one function: a call takes one that is idle, or starts another. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { LambdaClient } from '@aws-sdk/client-lambda';
import type { CallTimeouts } from '../../../../../lib/containers/sidecar/lambda-call.ts';
import { type Runtime, startRuntime } from './copy-runtime.ts';
import { chunkOf, completion, STREAM_TYPE } from './event-stream.ts';

const BESIDE = fileURLToPath(new URL('./beside.ts', import.meta.url));
export const FUNCTION = fileURLToPath(new URL('../../../local/containers/stage/function.mjs', import.meta.url));

export interface CopiesOptions {
  /** The function's program; the test function if not given. */
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly patience?: Partial<CallTimeouts>;
}

export interface Copies {
  readonly client: LambdaClient;
  /** The temporary directories of calls. */
  readonly root: string;
  /** What all copies wrote. */
  readonly output: () => string;
  readonly count: () => number;
  /** What Lambda gives each call from now on, milliseconds. */
  setTimeout(milliseconds: number): void;
  /** The next answer is not taken to its end: what comes after the first log entry breaks it off. */
  breakNext(): void;
  close(): Promise<void>;
}

interface Copy {
  readonly runtime: Runtime;
  isBusy: boolean;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

export async function startCopies(options: CopiesOptions = {}): Promise<Copies> {
  const root = mkdtempSync(join(tmpdir(), 'weft-copies-'));
  const copies: Copy[] = [];
  let output = '';
  let [timeoutMs, isBreaking] = [900_000, false];
  const keep = (chunk: Buffer) => {
    output += chunk;
  };
  const open = async (): Promise<Copy> => {
    const [functionPort, servicePort] = [await freePort(), await freePort()];
    const patience = { listenMs: 20_000, cancelMs: 500, lookMs: 50, ...options.patience };
    const settings = JSON.stringify({ functionPort, servicePort, root, patience });
    const command = options.command ?? [process.execPath, FUNCTION];
    const places = { FUNCTION_PORT: String(functionPort), SERVICE_PORT: String(servicePort), SHARED: root };
    const runtime = await startRuntime((lambda) => {
      const env = { PATH: process.env['PATH'] ?? '', GREETING: 'hello', ...lambda, ...places, ...options.environment };
      const words = ['--disable-warning=ExperimentalWarning', BESIDE, settings, ...command];
      const child = spawn(process.execPath, words, { env, stdio: ['ignore', 'pipe', 'pipe'] });
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => keep(chunk));
      return child;
    });
    const copy = { runtime, isBusy: true };
    copies.push(copy);
    return copy;
  };
  const call = async (event: string, response: ServerResponse): Promise<void> => {
    const idle = copies.find(({ isBusy }) => !isBusy);
    if (idle !== undefined) idle.isBusy = true;
    const copy = idle ?? (await open());
    // Lambda has been seen to keep what is written last until there is more.
    let held: Buffer | undefined;
    const sink = {
      write: (bytes: Buffer) => {
        if (!response.headersSent) response.writeHead(200, { 'content-type': STREAM_TYPE });
        if (held !== undefined) response.write(chunkOf(held));
        held = bytes;
        if (!isBreaking || !bytes.includes('sleeping')) return;
        isBreaking = false;
        throw new Error('no more is taken');
      },
      end: (error?: string) => {
        copy.isBusy = false;
        if (!response.headersSent) response.writeHead(200, { 'content-type': STREAM_TYPE });
        if (held !== undefined) response.write(chunkOf(held));
        response.end(completion(error === undefined ? {} : { ErrorCode: 'Unhandled', ErrorDetails: error }));
      },
    };
    copy.runtime.invoke(event, sink, timeoutMs);
  };
  const server = createServer(async (request, response) => {
    if (!/\/2021-11-15\/functions\/[^/]+\/response-streaming-invocations$/.test(request.url ?? '')) {
      return void response.writeHead(404).end();
    }
    await call(await text(request), response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const client = new LambdaClient({
    endpoint: `http://127.0.0.1:${port}`,
    region: 'eu-test-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    maxAttempts: 1,
  });
  return {
    client,
    root,
    output: () => output,
    count: () => copies.length,
    breakNext: () => {
      isBreaking = true;
    },
    setTimeout: (milliseconds) => {
      timeoutMs = milliseconds;
    },
    close: async () => {
      await Promise.all(copies.map(({ runtime }) => runtime.close()));
      client.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      rmSync(root, { recursive: true });
    },
  };
}
