import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { type Client, clientOf } from './client.ts';

/** The service of `npm start` in a separate process. */
export interface ServiceProcess {
  readonly client: Client;
  readonly child: ChildProcess;
  /** The output before it was ready. */
  readonly greeting: readonly string[];
  /** Sends the signal and returns the exit code of the process. */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null>;
}

const LOCAL = new URL('../../../bin/local.ts', import.meta.url).pathname;
const KEY = 'a-key-for-the-tests';

async function greetingOf(child: ChildProcess): Promise<string[]> {
  const lines: string[] = [];
  if (child.stdout === null) throw new Error('the process has no output');
  for await (const line of createInterface(child.stdout)) {
    lines.push(line);
    if (line.startsWith('Try: ')) return lines;
  }
  throw new Error(`the service ended before it was ready: ${lines.join('\n')}`);
}

const start = (data: string, stderr: 'inherit' | 'pipe', apiKey = KEY) =>
  spawn(process.execPath, ['--disable-warning=ExperimentalWarning', LOCAL], {
    env: { ...process.env, PORT: '0', WEFT_DATA: data, APIKEY: apiKey },
    stdio: ['ignore', 'pipe', stderr],
  });

/** The process of the service on a folder, which need not start. */
export const spawnService = (data: string) =>
  start(data, 'pipe') as unknown as ChildProcessByStdio<null, Readable, Readable>;

/**
 * Starts the service on a folder, on a free port. Without a key it generates one, which is printed at the first
 * start.
 */
export async function startProcess(data: string, apiKey = KEY): Promise<ServiceProcess> {
  const child = start(data, 'inherit', apiKey);
  const greeting = await greetingOf(child);
  const url = greeting[0]?.replace('Weft listening on ', '') ?? '';
  return {
    client: clientOf(
      url,
      apiKey || (greeting.find((line) => line.startsWith('Key: '))?.replace('Key: ', '') ?? ''),
      async () => {},
    ),
    child,
    greeting,
    end: async (signal) => {
      const exit = once(child, 'exit');
      child.kill(signal);
      const [code] = (await exit) as [number | null];
      return code;
    },
  };
}
