import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { LocalDatabase } from '../lib/adapters/local/database/database.ts';
import { databaseTable } from '../lib/adapters/local/table/table.ts';
import type { Send } from './client.ts';
import { noops } from './operations.ts';

/** The rate and the latency of one kind of request. Times are in milliseconds. */
export interface Timing {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
}

/** The time of one measurement. */
const DURATION_MS = 4000;

async function measure(clients: number, once: () => Promise<unknown>): Promise<Timing> {
  const times: number[] = [];
  const end = performance.now() + DURATION_MS;
  const client = async () => {
    while (performance.now() < end) {
      const start = performance.now();
      await once();
      times.push(performance.now() - start);
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  times.sort((a, b) => a - b);
  const at = (part: number) => times[Math.floor(times.length * part)] ?? 0;
  return { perSecond: (times.length / DURATION_MS) * 1000, p50: at(0.5), p99: at(0.99) };
}

/** A client with connections that stay open, which is faster than fetch. */
function createFastClient(url: URL): Send {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  return (method, path, body = '') =>
    new Promise((resolve, reject) => {
      const headers = { 'Service-Api-Key': 'bench', 'Content-Length': Buffer.byteLength(body) };
      const sent = request({ host: url.hostname, port: url.port, method, path, agent, headers }, async (answer) => {
        let text = '';
        for await (const chunk of answer) text += chunk;
        if (answer.statusCode === 200) resolve(text);
        else reject(new Error(`${method} ${path}: ${answer.statusCode} ${text}`));
      });
      sent.on('error', reject);
      sent.end(body);
    });
}

/** Starts a server in a process of its own; see measured-process.ts for the protocol. */
async function startServer(file: string, env: Record<string, string>) {
  const child = fork(new URL(file, import.meta.url), {
    env: { ...process.env, ...env },
    execArgv: ['--disable-warning=ExperimentalWarning'],
  });
  const [url] = (await once(child, 'message')) as [string];
  const memory = async () => {
    const answer = once(child, 'message');
    child.send('memory');
    return Number((await answer)[0]) / 2 ** 20;
  };
  const end = async () => {
    const exit = once(child, 'exit');
    child.kill('SIGTERM');
    await exit;
  };
  return { send: createFastClient(new URL(url)), memory, end };
}

async function timeWrites(folder: string) {
  const database = new LocalDatabase({ file: join(folder, 'writes.db') });
  const { table } = databaseTable(database);
  let count = 0;
  const put = () => {
    const item = { pk: `p${count++}`, sk: '.', text: 'x'.repeat(900) };
    return table.write([{ do: 'put', table: 'runs', item, when: { absent: true } }]);
  };
  const timing = { 1: await measure(1, put), 8: await measure(8, put) };
  await database.close();
  return timing;
}

async function timeBaseline() {
  const server = await startServer('./baseline-server.ts', {});
  const hello = () => server.send('POST', '/', '{}');
  const timing = { 1: await measure(1, hello), 8: await measure(8, hello), memory: await server.memory() };
  await server.end();
  return timing;
}

async function timeService(folder: string) {
  const server = await startServer('./service-server.ts', { WEFT_DATA: join(folder, 'service') });
  await server.send('PUT', '/api/namespaces/bench');
  await server.send('PUT', '/api/namespaces/bench/tree/noop?op=create-workflow', noops(1));
  const wait = () => server.send('POST', '/api/namespaces/bench/tree/noop?op=wait', '{}');
  await measure(8, wait);
  const timing = { 1: await measure(1, wait), 8: await measure(8, wait), memory: await server.memory() };
  await server.end();
  return timing;
}

/**
 * Measures op=wait on a noop with the database on disk, and for comparison a server that only replies with the same bytes,
 * and one write of the database, each with 1 and 8 concurrent clients.
 */
export async function measureTimes() {
  const folder = await mkdtemp(join(tmpdir(), 'weft-bench-'));
  try {
    const baseline = await timeBaseline();
    const write = await timeWrites(folder);
    const load = loadavg()[0];
    return { baseline, write, wait: await timeService(folder), load };
  } finally {
    await rm(folder, { recursive: true });
  }
}
