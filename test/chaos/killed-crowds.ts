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
import { type Limits, Watcher } from '../engine/admission/crowds/watcher.ts';

const KILLS = 3;
/** The process lives for at least this long before it is killed, ms. */
const SHORTEST_MS = 100;
/** A call takes up to this time, ms. */
const CALL_MS = 30;
const LONGEST_WAIT_MS = 300_000;
const POLL_MS = 20;

const PER_MS = 10_000;
/** What is due begins later than that only if the process is not there, ms: on a busy machine, so many take seconds. */
const LATE_MS = 5_000;

const CALL = `states: [{id: go, type: action, action: {function: bank}}]\n`;
const ofWorkflow = (field: string) => (url: string) =>
  `${field}\nfunctions: [{id: bank, type: http, url: '${url}'}]\n${CALL}`;
const ofFunction = (field: string) => (url: string) =>
  `functions: [{id: bank, type: http, url: '${url}', ${field}}]\n${CALL}`;

/** A crowd of real processes; each of its runs makes one call of a server. */
interface KilledCrowd {
  readonly source: (url: string) => string;
  readonly limits: Limits;
  readonly starts: number;
  /** The runs of a key must begin in the order of their numbers: each is started once the one before has been counted in this way. */
  readonly order?: 'by its start' | 'by its call';
  /** The process lives for at most this long before it is killed, ms. */
  readonly longestMs: number;
}

const CONCURRENCY = `concurrency: {limit: ${LIMIT}, key: jq(.k)}`;
const PLACES = { limits: { atWork: LIMIT }, starts: 1000, longestMs: 2_500 };
const RATE = `rate: {limit: ${LIMIT}, per: PT${PER_MS / 1000}S, key: jq(.k)}`;
/** A start takes its time: with as many as under the other limit, a round would take three minutes. */
const PERIODS = { limits: { begin: { limit: LIMIT, perMs: PER_MS } }, starts: 300, longestMs: 12_000 };

const CROWDS: Readonly<Record<string, KilledCrowd>> = {
  'concurrency of a workflow (kill -9)': { source: ofWorkflow(CONCURRENCY), ...PLACES },
  'concurrency of a function (kill -9)': { source: ofFunction(CONCURRENCY), ...PLACES },
  'rate of a workflow (kill -9)': { source: ofWorkflow(RATE), ...PERIODS, order: 'by its start' },
  'rate of a function (kill -9)': { source: ofFunction(RATE), ...PERIODS, order: 'by its call' },
};

/** The names of the crowds of real processes. */
export const KILLED_CROWDS = Object.keys(CROWDS);

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

/** What became of the starts of a crowd, over all its processes. */
interface Started {
  /** The ids of the runs whose start got a reply, by their numbers. */
  readonly runs: Map<number, string>;
  /** The numbers of those that their limit has counted. */
  readonly counted: Set<number>;
}

interface Waiting {
  readonly waiting?: { readonly for: { readonly calls?: { readonly open: readonly { readonly held?: object }[] } } };
}

/** Waits until the rate of its function has counted the call of a run: it has begun, or is held back. */
async function untilCounted(api: Api, id: string, hasBegun: () => boolean): Promise<void> {
  for (let waited = 0; !hasBegun(); waited += POLL_MS) {
    if (waited > LONGEST_WAIT_MS) throw new Error(`the call of the run '${id}' is not counted by its rate`);
    const { waiting } = jsonOf<Waiting>(await api.call('GET', `/instances/${id}/waiting`), `what ${id} waits for`);
    if (waiting?.for.calls?.open.some(({ held }) => held !== undefined)) return;
    await setTimeout(POLL_MS);
  }
}

/** Requests all starts that have no reply yet, at once or in the order of each key. */
async function startAll(api: Api, { crowd, watcher }: Round, { runs, counted }: Started): Promise<void> {
  const { starts: count, order } = crowd;
  const begun: Promise<void>[] = [];
  const start = async (n: number): Promise<void> => {
    if (order !== undefined) await begun[n - KEYS];
    const key = `k${n % KEYS}`;
    if (!runs.has(n)) {
      const body = { body: JSON.stringify({ n, k: key }), key: `start-${n}` };
      const reply = await api.call('POST', '/tree/main?op=execute', body);
      runs.set(n, jsonOf<{ instance: string }>(reply, `start ${n}`).instance);
    }
    if (order !== 'by its call' || counted.has(n)) return;
    await untilCounted(api, runs.get(n) ?? '', () => watcher.hasBegun(key, String(n)));
    counted.add(n);
  };
  for (let n = 0; n < count; n += 1) begun.push(start(n));
  for (const result of await Promise.allSettled(begun)) {
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
async function unended(api: Api, starts: number): Promise<string[]> {
  for (let waited = 0; waited < LONGEST_WAIT_MS && (await countOf(api, 'complete')) < starts; waited += 250) {
    await setTimeout(250);
  }
  const complete = await countOf(api, 'complete');
  return complete === starts ? [] : [`${complete} runs are complete, not ${starts}`];
}

interface Round {
  readonly crowd: KilledCrowd;
  readonly watcher: Watcher;
  readonly random: Random;
}

/** Starts the process again and again, killed at random moments, and lets the last one end all runs. */
async function killAgain(data: string, url: string, round: Round): Promise<string[]> {
  const { crowd, watcher, random } = round;
  const known: Started = { runs: new Map(), counted: new Set() };
  const start = (): Promise<Running> =>
    startProcess({ data, record: join(data, '..', 'record'), sync: 'normal', log: join(data, '..', 'log') }).ready;
  let running = await start();
  await prepare(apiOf(running, 'crowd'), crowd.source(url));
  for (let kill = 0; kill < KILLS; kill += 1) {
    const started = startAll(apiOf(running, 'crowd'), round, known);
    await setTimeout(random.between(SHORTEST_MS, crowd.longestMs));
    const from = performance.now();
    await running.kill();
    await started;
    running = await start();
    watcher.away.push({ from, until: performance.now() });
  }
  try {
    const api = apiOf(running, 'crowd');
    await startAll(api, round, known);
    return await unended(api, crowd.starts);
  } finally {
    await running.kill();
  }
}

/** Starts the runs of a crowd under its limits, in a process that is killed three times. Throws Error when it does not start. */
export async function tryKilledCrowd(name: string, seed: number): Promise<CrowdResult> {
  const crowd = CROWDS[name];
  if (crowd === undefined) throw new Error(`there is no crowd '${name}'`);
  const random = randomFrom(seed);
  const watcher = new Watcher('calls', crowd.limits, () => performance.now());
  watcher.lateMs = LATE_MS;
  const server = await serverOf(watcher, random);
  const folder = mkdtempSync(join(tmpdir(), 'weft-crowd-'));
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/jq(.k)/jq(.n)`;
    const left = await killAgain(join(folder, 'data'), url, { crowd, watcher, random });
    const lost = watcher.begun === crowd.starts ? [] : [`${watcher.begun} calls were made, not ${crowd.starts}`];
    const early = [...watcher.tooSoon(), ...(crowd.order === undefined ? [] : watcher.outOfOrder())];
    return { kills: KILLS, most: watcher.most, wrong: [...watcher.wrong, ...early, ...left, ...lost] };
  } finally {
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true });
  }
}
