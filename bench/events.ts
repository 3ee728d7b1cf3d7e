import { setTimeout } from 'node:timers/promises';
import { type Service, startService } from '../bin/server/service.ts';
import * as listeners from '../lib/domain/events/listeners.ts';
import { createClient, eventOf, SETTINGS, type Send } from './clients/client.ts';

/** The time from the request of an event to the end of the run that it starts or resumes, in milliseconds. */
export interface EventTiming {
  /** Listeners of other types in the namespace. */
  readonly listeners: number;
  readonly started: readonly [p50: number, p99: number];
  readonly resumed: readonly [p50: number, p99: number];
}

const ROUNDS = 200;

/** Listeners written in one call. */
const BATCH = 90;

const STARTED = 'start: {type: event, event: {type: go}}\nstates:\n- {id: one, type: noop}\n';
const RESUMED = `states:
- {id: wait, type: consumeEvent, event: {type: wake, context: {n: jq(.n)}}}
`;

/** Stores the listeners with the numbers `from` to `to`, of types that no event has. */
async function addListeners({ ports }: Service, namespaceId: string, from: number, to: number): Promise<void> {
  for (let first = from; first < to; first += BATCH) {
    const numbers = Array.from({ length: Math.min(BATCH, to - first) }, (_, index) => first + index);
    const writes = numbers.flatMap((n) =>
      listeners.toWrites({ namespaceId, kind: 'wait', id: `other-${n}` }, [{ type: `other-${n}`, context: {} }], {
        wait: 1,
        mode: 'simple',
        path: '/other',
        created: 0,
      }),
    );
    await ports.table.write(writes);
  }
}

/** Polls until the run is over; `findRun` returns its id once it is known. */
async function untilOver(send: Send, findRun: () => Promise<string | undefined>): Promise<void> {
  for (;;) {
    const id = await findRun();
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
    await send('POST', '/broadcast', eventOf('go', id, { n: String(n) }));
    await untilOver(send, async () => /"started":"([^"]+)"/.exec(await send('GET', `/events/${id}/explain`))?.[1]);
    times.push(performance.now() - start);
  }
  return times;
}

async function timeResumptions(send: Send, prefix: string): Promise<number[]> {
  const times: number[] = [];
  for (let n = 0; n < ROUNDS; n += 1) {
    const started = await send('POST', '/tree/resumed?op=execute', JSON.stringify({ n: String(n) }));
    const { instance } = JSON.parse(started) as { instance: string };
    while (!(await send('GET', `/instances/${instance}/logs`)).includes('Registered')) await setTimeout(1);
    const start = performance.now();
    await send('POST', '/broadcast', eventOf('wake', `${prefix}-wake-${n}`, { n: String(n) }));
    await untilOver(send, async () => instance);
    times.push(performance.now() - start);
  }
  return times;
}

/** Measures in one service, with each of these numbers of listeners, which must increase. */
export async function timeEvents(counts: readonly number[]): Promise<EventTiming[]> {
  const service = await startService(SETTINGS);
  const send = createClient(service, '/api/namespaces/events');
  const timings: EventTiming[] = [];
  try {
    const { namespace } = JSON.parse(await send('PUT', '')) as { namespace: { oid: string } };
    await send('PUT', '/tree/started?op=create-workflow', STARTED);
    await send('PUT', '/tree/resumed?op=create-workflow', RESUMED);
    let present = 0;
    for (const count of counts) {
      await addListeners(service, namespace.oid, present, count);
      present = count;
      const started = percentiles(await timeStarts(send, String(count)));
      timings.push({ listeners: count, started, resumed: percentiles(await timeResumptions(send, String(count))) });
    }
  } finally {
    await service.close();
  }
  return timings;
}
