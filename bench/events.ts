import { setTimeout } from 'node:timers/promises';
import { type Service, startService } from '../bin/server/service.ts';
import * as listeners from '../lib/domain/events/listeners.ts';

/**
 * How long an event takes from the request to the run that it starts or wakes, with ever more listeners of other types
 * in the namespace. Times are milliseconds.
 */
export interface EventTiming {
  readonly listeners: number;
  readonly started: readonly [p50: number, p99: number];
  readonly woken: readonly [p50: number, p99: number];
}

const settings = { port: 0, host: '127.0.0.1', data: undefined, apiKey: 'bench', brand: 'service', version: 'v0' };
const HOME = '/api/namespaces/events';
const ROUNDS = 200;
const AT_ONCE = 90;

const STARTED = 'start: {type: event, event: {type: go}}\nstates:\n- {id: one, type: noop}\n';
const WOKEN = `states:
- {id: wait, type: consumeEvent, event: {type: wake, context: {n: jq(.n)}}}
`;

function senderTo({ url, key }: Service) {
  return async (method: string, path: string, body?: string): Promise<string> => {
    const headers = { 'Service-Api-Key': key, 'Content-Type': 'application/json' };
    const response = await fetch(url + HOME + path, { method, headers, ...(body === undefined ? {} : { body }) });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text;
  };
}

type Send = ReturnType<typeof senderTo>;

/** Listeners that nobody sends anything, stored as the runs that have them would store them. */
async function crowd({ ports }: Service, namespaceId: string, from: number, to: number): Promise<void> {
  for (let first = from; first < to; first += AT_ONCE) {
    const numbers = Array.from({ length: Math.min(AT_ONCE, to - first) }, (_, index) => first + index);
    const writes = numbers.flatMap((n) =>
      listeners.toWrites({ namespaceId, kind: 'wait', id: `nobody-${n}` }, [{ type: `other-${n}`, context: {} }], {
        pause: 1,
        mode: 'simple',
        path: '/nobody',
        created: 0,
      }),
    );
    await ports.table.write(writes);
  }
}

const eventOf = (type: string, id: string, n: number): string =>
  JSON.stringify({ specversion: '1.0', id, source: 'bench', type, n: String(n) });

async function untilOver(send: Send, of: () => Promise<string | undefined>): Promise<void> {
  for (;;) {
    const id = await of();
    if (id !== undefined && !(await send('GET', `/instances/${id}`)).includes('"pending"')) return;
    await setTimeout(1);
  }
}

function percentiles(times: number[]): readonly [number, number] {
  const sorted = times.toSorted((a, b) => a - b);
  return [sorted[Math.floor(sorted.length * 0.5)] ?? 0, sorted[Math.floor(sorted.length * 0.99)] ?? 0];
}

async function timeStarts(send: Send, prefix: string): Promise<number[]> {
  const times: number[] = [];
  for (let n = 0; n < ROUNDS; n += 1) {
    const id = `${prefix}-start-${n}`;
    const start = performance.now();
    await send('POST', '/broadcast', eventOf('go', id, n));
    await untilOver(send, async () => /"started":"([^"]+)"/.exec(await send('GET', `/events/${id}/explain`))?.[1]);
    times.push(performance.now() - start);
  }
  return times;
}

async function timeWakes(send: Send, prefix: string): Promise<number[]> {
  const times: number[] = [];
  for (let n = 0; n < ROUNDS; n += 1) {
    const started = await send('POST', '/tree/woken?op=execute', JSON.stringify({ n: String(n) }));
    const { instance } = JSON.parse(started) as { instance: string };
    while (!(await send('GET', `/instances/${instance}/logs`)).includes('Registered')) await setTimeout(1);
    const start = performance.now();
    await send('POST', '/broadcast', eventOf('wake', `${prefix}-wake-${n}`, n));
    await untilOver(send, async () => instance);
    times.push(performance.now() - start);
  }
  return times;
}

/** Measures with so many listeners of other types, one figure after the other. */
export async function timeEvents(counts: readonly number[]): Promise<EventTiming[]> {
  const service = await startService({ ...settings, databaseEndpoint: undefined });
  const send = senderTo(service);
  const timings: EventTiming[] = [];
  try {
    const { namespace } = JSON.parse(await send('PUT', '')) as { namespace: { oid: string } };
    await send('PUT', '/tree/started?op=create-workflow', STARTED);
    await send('PUT', '/tree/woken?op=create-workflow', WOKEN);
    let there = 0;
    for (const count of counts) {
      await crowd(service, namespace.oid, there, count);
      there = count;
      const started = percentiles(await timeStarts(send, String(count)));
      timings.push({ listeners: count, started, woken: percentiles(await timeWakes(send, String(count))) });
    }
  } finally {
    await service.close();
  }
  return timings;
}
