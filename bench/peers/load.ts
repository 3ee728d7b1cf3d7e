import { setTimeout } from 'node:timers/promises';
import { openWireClient, type WireClient } from '../clients/wire-client.ts';
import { processorTimeOf } from './processes.ts';
import type { Requests, Running } from './systems.ts';

/** What one sample of a row found. */
export interface Sample {
  /** Runs a second, or the median time in milliseconds. Failed requests do not count. */
  readonly figure: number;
  readonly failed: number;
  /** Processor time of the system for one run, milliseconds; NaN where it is unknown. */
  readonly cpu: number;
}

/** Takes a sample with this number of clients. */
export type Load = (running: Running, clients: number) => Promise<Sample>;

/** How long a sample lasts, milliseconds. */
export const DURATION_MS = Number(process.env['BENCH_MS'] ?? 1500);
/** The part of the duration for which the same load runs before the sample, uncounted. */
const WARM_UP = 0.3;
export const WAITING_RUNS = 300;
const SIGNALS = 40;
/** A signal is sent this long after the run has begun to wait, so that its start does not disturb. */
const SETTLE_MS = 30;

let keys = 0;
/** A key that no other request of this process has. */
const nextKey = (): string => `k${process.pid}-${keys++}`;

async function withClients<Result>(
  { url }: Running,
  count: number,
  work: (clients: readonly WireClient[]) => Promise<Result>,
): Promise<Result> {
  const clients = await Promise.all(Array.from({ length: count }, () => openWireClient(url)));
  try {
    return await work(clients);
  } finally {
    for (const client of clients) client.close();
  }
}

interface Repeated {
  readonly ended: number;
  readonly failed: number;
}

const WAIT_AFTER_FAILURE_MS = 5;

/** Repeats a request for a time, each client its own one after the other. */
async function repeat(clients: readonly WireClient[], request: Requests['one'], ms: number): Promise<Repeated> {
  let [ended, failed] = [0, 0];
  const latest = performance.now() + ms;
  const client = async ({ send }: WireClient) => {
    while (performance.now() < latest) {
      try {
        await request(send, nextKey());
        ended += 1;
      } catch {
        failed += 1;
        await setTimeout(WAIT_AFTER_FAILURE_MS);
      }
    }
  };
  await Promise.all(clients.map(client));
  return { ended, failed };
}

/** The rate of a request. With `drained`, the time ends when all started runs have ended. */
export const rateOf = (name: keyof Requests, end?: 'drained'): Load => {
  return (running, count) =>
    withClients(running, count, async (clients) => {
      const request = running.requests[name];
      const load = async (ms: number) => {
        const repeated = await repeat(clients, request, ms);
        const [first] = clients;
        if (end === 'drained' && first !== undefined) await running.drain(first.send, repeated.ended);
        return repeated;
      };
      await load(DURATION_MS * WARM_UP);
      const [before, begin] = [processorTimeOf(running.pids), performance.now()];
      const { ended, failed } = await load(DURATION_MS);
      const elapsed = performance.now() - begin;
      const cpu = (processorTimeOf(running.pids) - before) / ended;
      return { figure: (ended / elapsed) * 1000, failed, cpu };
    });
};

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

const SIGNAL_ATTEMPTS = 100;

/** Sends a signal, and again if the system refuses it, as its sender would: the time counts. */
async function sendSignal({ requests }: Running, { send }: WireClient, key: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await requests.signal(send, key);
      return;
    } catch (error) {
      if (attempt === SIGNAL_ATTEMPTS) throw error;
      await setTimeout(WAIT_AFTER_FAILURE_MS);
    }
  }
}

/** Starts a waiting run on each client; resolves when all wait, with their keys and the promises of their ends. */
async function startWaiting(running: Running, clients: readonly WireClient[], { send }: WireClient) {
  const waits = clients.map((client) => {
    const key = nextKey();
    return { key, end: running.requests.wait(client.send, key) };
  });
  // An early failure is reported when the ends are awaited.
  for (const { end } of waits) end.catch(() => undefined);
  await running.untilWaiting(send, clients.length);
  await setTimeout(SETTLE_MS);
  return waits;
}

/** Wakes waiting runs, a signal to each; the clients share the signals. */
const wakeAll = (running: Running, count: number): Promise<Sample> =>
  withClients(running, WAITING_RUNS + count, async (clients) => {
    const senders = clients.slice(WAITING_RUNS);
    const waits = await startWaiting(running, clients.slice(0, WAITING_RUNS), senders[0] as WireClient);
    const [before, begin] = [processorTimeOf(running.pids), performance.now()];
    const ends = Promise.allSettled(waits.map(({ end }) => end));
    const left = waits.map(({ key }) => key);
    const sender = async (client: WireClient) => {
      for (let key = left.shift(); key !== undefined; key = left.shift()) await sendSignal(running, client, key);
    };
    await Promise.all(senders.map(sender));
    const ended = (await ends).filter(({ status }) => status === 'fulfilled').length;
    const elapsed = performance.now() - begin;
    const cpu = (processorTimeOf(running.pids) - before) / ended;
    return { figure: (ended / elapsed) * 1000, failed: WAITING_RUNS - ended, cpu };
  });

/** A load after the same kind of work, uncounted: a service that was just started is not what is measured. */
const afterWaking =
  (load: Load): Load =>
  async (running, count) => {
    await wakeAll(running, count);
    return load(running, count);
  };

/** The median time from the request of a signal to the answer with the end of the run; all clients send at once. */
export const signalTime: Load = afterWaking((running, count) =>
  withClients(running, 2 * count, async (clients) => {
    const [waiters, senders] = [clients.slice(0, count), clients.slice(count)];
    const times: number[] = [];
    let failed = 0;
    const before = processorTimeOf(running.pids);
    while (times.length + failed < SIGNALS) {
      const waits = await startWaiting(running, waiters, senders[0] as WireClient);
      const one = async ({ key, end }: { key: string; end: Promise<unknown> }, index: number) => {
        const begin = performance.now();
        await Promise.all([sendSignal(running, senders[index] as WireClient, key), end]);
        times.push(performance.now() - begin);
      };
      const results = await Promise.allSettled(waits.map(one));
      failed += results.filter(({ status }) => status === 'rejected').length;
    }
    return { figure: median(times), failed, cpu: (processorTimeOf(running.pids) - before) / times.length };
  }),
);

/** The rate at which waiting runs end, while the clients send a signal to each. */
export const wakeRate: Load = afterWaking(wakeAll);
