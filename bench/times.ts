import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { LocalDatabase } from '../lib/adapters/local/database/database.ts';
import { databaseTable } from '../lib/adapters/local/table/table.ts';
import { openWireClient, type WireClient } from './clients/wire-client.ts';
import { type ServerProcess, startServer, timeStart } from './server-process.ts';
import { isWanted, NAMESPACE, PAGES, prepareAll, type Workload, wantedRows } from './workloads.ts';

/** The rate and the latency of one kind of request. Times are in milliseconds. */
export interface Timing {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  /** Processor time of the server for one request, with everything that the request starts. */
  readonly cpu: number;
}

/** The timings of a kind of request with 1 and with 8 clients. */
export type Timings = Readonly<Record<1 | 8, Timing>>;

/** Milliseconds from the start of the process to its first answer. */
export interface StartTimes {
  /** Without data. */
  readonly empty: number;
  /** With `RUNS_FOR_PAGES` runs that metrics have not counted yet. */
  readonly first: number;
  /** With `RUNS_FOR_PAGES` runs. */
  readonly further: number;
}

export interface Times {
  /** One durable commit to the same kind of database. */
  readonly commit: Timings;
  /** A `node:http` server that replies with the same bytes as `op=wait` and does nothing else. */
  readonly bare: Timings;
  /** By the name of the workload. */
  readonly workloads: ReadonlyMap<string, Timings>;
  /** Resident memory after `RUNS_FOR_MEMORY` runs, MiB. */
  readonly memory: number;
  /** Milliseconds of a page at `RUNS_FOR_PAGES` runs, by the name of the list: the median of several requests. */
  readonly pages: ReadonlyMap<string, number>;
  readonly starts: StartTimes;
  readonly load: number | undefined;
}

const DURATION_MS = Number(process.env['BENCH_MS'] ?? 1500);
/** The number of rounds. Each round measures all rows, so a disturbance affects all of them; the medians count. */
const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 3);
const CLIENTS = [1, 8] as const;
export const RUNS_FOR_MEMORY = Number(process.env['BENCH_RUNS'] ?? 30_000);
export const RUNS_FOR_PAGES = (RUNS_FOR_MEMORY * 10) / 3;

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

interface Sample {
  readonly times: number[];
  readonly elapsed: number;
}

/** Repeats requests, each client its own one after the other, for `DURATION_MS`; then waits for what they have started. */
async function repeat(
  clients: number,
  once: (client: number) => Promise<unknown>,
  finish: () => Promise<unknown> = async () => undefined,
): Promise<Sample> {
  const times: number[] = [];
  const begin = performance.now();
  const client = async (_: unknown, index: number) => {
    while (performance.now() - begin < DURATION_MS) {
      const start = performance.now();
      await once(index);
      times.push(performance.now() - start);
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  await finish();
  return { times, elapsed: performance.now() - begin };
}

function timingOf({ times, elapsed }: Sample, cpu: number): Timing {
  times.sort((a, b) => a - b);
  const at = (part: number) => times[Math.floor(times.length * part)] ?? 0;
  return { perSecond: (times.length / elapsed) * 1000, p50: at(0.5), p99: at(0.99), cpu: cpu / times.length };
}

/** Takes one sample with this number of clients. */
export type Measure = (clients: number) => Promise<Timing>;

interface Opened {
  readonly measure: ReadonlyMap<string, Measure>;
  close(): Promise<void>;
}

const COMMIT = 'commit';
const BARE = 'bare';

/** One durable commit of an item of the size of a run, in this process. */
function openCommits(folder: string): Opened {
  const database = new LocalDatabase({ file: join(folder, 'commits.db') });
  const { table } = databaseTable(database);
  let count = 0;
  const put = () => {
    const item = { pk: `p${count++}`, sk: '.', text: 'x'.repeat(900) };
    return table.write([{ do: 'put', table: 'runs', item, when: { absent: true } }]);
  };
  const measure: Measure = async (clients) => {
    const before = process.cpuUsage();
    const sample = await repeat(clients, put);
    const { user, system } = process.cpuUsage(before);
    return timingOf(sample, (user + system) / 1000);
  };
  return { measure: new Map([[COMMIT, measure]]), close: () => database.close() };
}

function measureOn(
  server: ServerProcess,
  clients: readonly WireClient[],
  { run }: Pick<Workload, 'run'>,
  base: string,
) {
  const sends = clients.map(
    ({ send }) =>
      (method: string, path: string, body?: string) =>
        send(method, base + path, body),
  );
  let count = 0;
  const measure: Measure = async (number) => {
    const before = await server.ask({ work: 'finish' });
    const once = (client: number) => run(sends[client] ?? failToSend, count++);
    // The end of the work includes pauses in which the service makes sure that it is idle: they are not counted.
    let idle = 0;
    const finish = async () => {
      const begin = performance.now();
      await server.ask({ work: 'finish' });
      idle = Math.min(performance.now() - begin, IDLE_PAUSES_MS);
    };
    const { times, elapsed } = await repeat(number, once, finish);
    const after = await server.ask({ work: 'measure' });
    return timingOf({ times, elapsed: elapsed - idle }, after.cpu - before.cpu);
  };
  return measure;
}

/** The pauses of `Service.idle`. */
const IDLE_PAUSES_MS = 30;

const failToSend = () => Promise.reject(new Error('there is no such client'));

const openClients = (url: URL) => Promise.all(Array.from({ length: Math.max(...CLIENTS) }, () => openWireClient(url)));

async function openBare(): Promise<Opened> {
  const server = await startServer('./baseline-server.ts');
  const clients = await openClients(server.url);
  const measure = measureOn(server, clients, { run: (send) => send('POST', '/', '{}') }, '');
  return { measure: new Map([[BARE, measure]]), close: () => server.end() };
}

const baseOf = (namespace: string): string => `/api/namespaces/${namespace}`;

interface OpenedService extends Opened {
  readonly server: ServerProcess;
  readonly clients: readonly WireClient[];
}

/** The program of a measured service, in the folder `bench` of a checkout. */
export const SERVICE = './service-server.ts';

/** Starts a service with its data in the folder and creates what the rows need; `program` may be that of another checkout. */
export async function openService(folder: string, workloads: readonly Workload[], program = SERVICE) {
  const server = await startServer(program, { WEFT_DATA: folder });
  const clients = await openClients(server.url);
  const send = clients[0]?.send ?? failToSend;
  await prepareAll((namespace) => (method, path, body) => send(method, baseOf(namespace) + path, body));
  const measureOne = (one: Workload) => measureOn(server, clients, one, baseOf(one.namespace ?? NAMESPACE));
  const measure = new Map(workloads.map((one) => [one.name, measureOne(one)]));
  return { server, clients, measure, close: () => server.end() } satisfies OpenedService;
}

const medianOf = (all: readonly Timing[]): Timing => ({
  perSecond: median(all.map(({ perSecond }) => perSecond)),
  p50: median(all.map(({ p50 }) => p50)),
  p99: median(all.map(({ p99 }) => p99)),
  cpu: median(all.map(({ cpu }) => cpu)),
});

/** Takes all samples in turn, round by round. The first round only warms up. */
export async function measureAll(measures: ReadonlyMap<string, Measure>): Promise<Map<string, Timings>> {
  const samples = [...measures].map(([name, measure]) => ({
    name,
    measure,
    all: { 1: [], 8: [] } as Record<1 | 8, Timing[]>,
  }));
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const { measure, all } of samples) {
      for (const clients of CLIENTS) {
        const timing = await measure(clients);
        if (round > 0) all[clients].push(timing);
      }
    }
  }
  return new Map(samples.map(({ name, all }) => [name, { 1: medianOf(all[1]), 8: medianOf(all[8]) }]));
}

const PAGE_REQUESTS = 7;

/** The median time of a page of each list. */
async function timePages([client]: readonly WireClient[]): Promise<Map<string, number>> {
  const { send = failToSend } = client ?? {};
  const pages = new Map<string, number>();
  for (const [name, path] of Object.entries(PAGES)) {
    const times: number[] = [];
    for (let n = 0; n < PAGE_REQUESTS; n += 1) {
      const begin = performance.now();
      await send('GET', path);
      times.push(performance.now() - begin);
    }
    pages.set(name, median(times));
  }
  return pages;
}

async function measureRates(folder: string, wanted: readonly Workload[]): Promise<Map<string, Timings>> {
  const parts = [openCommits(folder), await openBare(), await openService(join(folder, 'rates'), wanted)];
  try {
    return await measureAll(new Map(parts.flatMap(({ measure }) => [...measure])));
  } finally {
    for (const part of parts) await part.close();
  }
}

/** Works in a temporary folder. */
export async function inFolder<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'weft-bench-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Memory after runs that are requested over HTTP, pages after more runs, and the time of a start on this data. */
async function measureSizes(folder: string): Promise<Pick<Times, 'memory' | 'pages' | 'starts'>> {
  const data = join(folder, 'sizes');
  const { server, clients, close } = await openService(data, []);
  let left = RUNS_FOR_MEMORY;
  const client = async ({ send }: WireClient) => {
    while (left-- > 0) await send('POST', `${baseOf(NAMESPACE)}/tree/noop?op=wait`, '{}');
  };
  await Promise.all(clients.map(client));
  const { memory } = await server.ask({ work: 'finish' });
  await server.ask({ work: 'fill', count: RUNS_FOR_PAGES - RUNS_FOR_MEMORY });
  const pages = await timePages(clients);
  await close();
  const first = await timeStart(data);
  const [empty, further] = [await timeStarts((n) => join(folder, `empty-${n}`)), await timeStarts(() => data)];
  return { memory: memory / 2 ** 20, pages, starts: { empty, first, further } };
}

/** The median time of `ROUNDS` starts. */
async function timeStarts(folderOf: (n: number) => string): Promise<number> {
  const times: number[] = [];
  for (let n = 0; n < ROUNDS; n += 1) times.push(await timeStart(folderOf(n)));
  return median(times);
}

const NO_SIZES = {
  memory: Number.NaN,
  pages: new Map<string, number>(),
  starts: { empty: Number.NaN, first: Number.NaN, further: Number.NaN },
};

/**
 * Measures the rows of the table in docs/performance.md with the database on disk, and beside them one durable commit and a
 * server that only replies. The environment variable BENCH_ROWS, a regular expression, selects rows by their names;
 * `sizes` selects memory, pages and starts.
 */
export function measureTimes(): Promise<Times> {
  return inFolder(async (folder) => {
    const timings = await measureRates(folder, wantedRows());
    const load = loadavg()[0];
    const take = (name: string) => {
      const found = timings.get(name) as Timings;
      timings.delete(name);
      return found;
    };
    const [commit, bare] = [take(COMMIT), take(BARE)];
    return {
      commit,
      bare,
      workloads: timings,
      load,
      ...(isWanted('sizes') ? await measureSizes(folder) : NO_SIZES),
    };
  });
}
