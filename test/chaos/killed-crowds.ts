import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { type Api, apiOf, bytesOf, jsonOf } from '../durability/api.ts';
import { type Running, startProcess } from '../durability/process.ts';
import { type Random, randomFrom } from '../durability/random.ts';
import { type CrowdResult, KEYS, LIMIT } from '../engine/admission/crowds/crowd.ts';
import { Watcher } from '../engine/admission/crowds/watcher.ts';

const STARTS = 1000;
const KILLS = 3;
/** The process lives for this long before it is killed, ms. */
const [SHORTEST_MS, LONGEST_MS] = [100, 2_500];
/** A call takes up to this time, ms. */
const CALL_MS = 30;
const LONGEST_WAIT_MS = 300_000;

const CONCURRENCY = `concurrency: {limit: ${LIMIT}, key: jq(.k)}`;
const CALL = `states: [{id: go, type: action, action: {function: bank}}]\n`;

/** The sources of the workflows by the names of the crowds; each run makes one call of a server. */
const SOURCES: Readonly<Record<string, (url: string) => string>> = {
  'concurrency of a workflow (kill -9)': (url) =>
    `${CONCURRENCY}\nfunctions: [{id: bank, type: http, url: '${url}'}]\n${CALL}`,
  'concurrency of a function (kill -9)': (url) =>
    `functions: [{id: bank, type: http, url: '${url}', ${CONCURRENCY}}]\n${CALL}`,
};

/** The crowds of real processes. */
export const KILLED_CROWDS = Object.keys(SOURCES);

/** A server that notes which calls of each key are at work; a call ends with its connection. */
async function serverOf(watcher: Watcher, random: Random): Promise<Server> {
  const server = createServer(({ url = '' }, response) => {
    const [, key = '', n = ''] = url.split('/');
    watcher.begin(key, n);
    response.once('close', () => watcher.end(key, n));
    void setTimeout(random.between(1, CALL_MS)).then(() => response.end());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

/** Requests all starts at once that have no reply yet. */
async function startAll(api: Api, replied: Set<number>): Promise<void> {
  const starts = Array.from({ length: STARTS }, async (_, n) => {
    if (replied.has(n)) return;
    const body = { body: JSON.stringify({ n, k: `k${n % KEYS}` }), key: `start-${n}` };
    bytesOf(await api.call('POST', '/tree/main?op=execute', body), `start ${n}`);
    replied.add(n);
  });
  for (const result of await Promise.allSettled(starts)) {
    // `fetch` rejects with a TypeError when the connection ends.
    if (result.status === 'rejected' && !(result.reason instanceof TypeError)) throw result.reason;
  }
}

async function prepare(api: Api, source: string): Promise<void> {
  bytesOf(await api.call('PUT', ''), 'the namespace');
  const egress = JSON.stringify({ egress: ['127.0.0.1'] });
  bytesOf(await api.call('PATCH', '/config', { body: egress }), 'the setting egress');
  bytesOf(await api.call('PUT', '/tree/main?op=create-workflow', { body: source, type: 'text/yaml' }), 'the workflow');
}

/** How many runs there are with a status. */
async function countOf(api: Api, status: string): Promise<number> {
  const query = `limit=1&filter.field=STATUS&filter.type=MATCH&filter.val=${status}`;
  const reply = await api.call('GET', `/instances?${query}`);
  return jsonOf<{ instances: { pageInfo: { total: number } } }>(reply, 'the runs').instances.pageInfo.total;
}

/** The statuses of runs that are not complete in time, with their numbers. */
async function unended(api: Api): Promise<string[]> {
  for (let waited = 0; waited < LONGEST_WAIT_MS && (await countOf(api, 'complete')) < STARTS; waited += 250) {
    await setTimeout(250);
  }
  const complete = await countOf(api, 'complete');
  return complete === STARTS ? [] : [`${complete} runs are complete, not ${STARTS}`];
}

/** Starts the process again and again, killed at random moments, and lets the last one end all runs. */
async function killAgain(data: string, source: string, random: Random): Promise<string[]> {
  const replied = new Set<number>();
  const start = (): Promise<Running> =>
    startProcess({ data, record: join(data, '..', 'record'), sync: 'normal', log: join(data, '..', 'log') }).ready;
  let running = await start();
  await prepare(apiOf(running, 'crowd'), source);
  for (let kill = 0; kill < KILLS; kill += 1) {
    const started = startAll(apiOf(running, 'crowd'), replied);
    await setTimeout(random.between(SHORTEST_MS, LONGEST_MS));
    await running.kill();
    await started;
    running = await start();
  }
  try {
    const api = apiOf(running, 'crowd');
    await startAll(api, replied);
    return await unended(api);
  } finally {
    await running.kill();
  }
}

/** Starts 1,000 runs at once under the limits of a crowd, in a process that is killed three times. Throws Error when it does not start. */
export async function tryKilledCrowd(name: string, seed: number): Promise<CrowdResult> {
  const random = randomFrom(seed);
  const watcher = new Watcher('calls', { atWork: LIMIT }, () => performance.now());
  const server = await serverOf(watcher, random);
  const folder = mkdtempSync(join(tmpdir(), 'weft-crowd-'));
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/jq(.k)/jq(.n)`;
    const left = await killAgain(join(folder, 'data'), SOURCES[name]?.(url) ?? '', random);
    const lost = watcher.begun === STARTS ? [] : [`${watcher.begun} calls were made, not ${STARTS}`];
    return { kills: KILLS, most: watcher.most, wrong: [...watcher.wrong, ...left, ...lost] };
  } finally {
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true });
  }
}
