import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { KEY } from './clients/client.ts';
import { START_FLAGS, untilListening } from './clients/npm-start.ts';
import { openWireClient } from './clients/wire-client.ts';
import type { Order, Usage } from './measured-process.ts';

/** A server in a process of its own; see measured-process.ts. */
export interface ServerProcess {
  readonly url: URL;
  /** Lets the server do some work, then returns its use of the machine. */
  ask(order: Order): Promise<Usage>;
  end(): Promise<void>;
}

/** Starts the program of a measured server. */
export async function startServer(file: string, env: Record<string, string> = {}): Promise<ServerProcess> {
  const child = fork(new URL(file, import.meta.url), {
    env: { ...process.env, ...env },
    execArgv: [...START_FLAGS, ...(process.env['BENCH_NODE_FLAGS']?.split(' ') ?? [])],
  });
  const [url] = (await once(child, 'message')) as [string];
  return {
    url: new URL(url),
    async ask(order) {
      const answer = once(child, 'message');
      child.send(order);
      return (await answer)[0] as Usage;
    },
    async end() {
      const exit = once(child, 'exit');
      child.kill('SIGTERM');
      await exit;
    },
  };
}

/** Starts `npm start` on a data folder, and returns the milliseconds until it has answered its first request. */
export async function timeStart(folder: string): Promise<number> {
  const begin = performance.now();
  const child = spawn(process.execPath, [...START_FLAGS, fileURLToPath(new URL('../bin/local.ts', import.meta.url))], {
    env: { ...process.env, PORT: '0', APIKEY: KEY, WEFT_DATA: folder },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exit = once(child, 'exit');
  const client = await openWireClient(await untilListening(child));
  await client.send('GET', '/api/namespaces');
  const time = performance.now() - begin;
  client.close();
  child.kill('SIGTERM');
  await exit;
  return time;
}
