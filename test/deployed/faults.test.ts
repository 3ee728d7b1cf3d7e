import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { SEED } from '../effort.ts';
import { type Answer, type Client, type Json, openClient, rowsOf } from '../service/access/client.ts';
import { targetOfWorker } from './target.ts';

const FAULTS = targetOfWorker()?.faults;
const SHARE = 0.08;
const RUNS = 40;
const EVENTS = 20;
const MAX_MS = 180_000;

/** A workflow that waits, loops over calls, and calls. */
const ORDER = `
functions:
- {id: price, type: subflow, workflow: price}
- {id: slow, type: subflow, workflow: slow}
states:
- id: pause
  type: delay
  duration: PT1S
  transition: prices
- id: prices
  type: foreach
  array: 'jq(.items | map({n: .}))'
  action: {function: price, input: 'jq(.)'}
  transform: 'jq({n: .n, sum: ([.return[].price] | add)})'
  transition: ship
- id: ship
  type: action
  action: {function: slow, input: 'jq(.)'}
  transform: 'jq({n: .n, sum: .sum, shipped: .return.shipped})'
`;
const PRICE = "states:\n- id: a\n  type: noop\n  transform: 'jq({price: (.n * 2)})'\n";
const SLOW = `
states:
- id: a
  type: delay
  duration: PT1S
  transform: 'jq({shipped: true})'
`;
const STARTED = `
start:
  type: event
  event: {type: placed}
states:
- id: a
  type: noop
  transform: 'jq({n: .placed.data.n})'
`;

const STRUCTURED = { 'Content-Type': 'application/cloudevents+json' };
let client: Client;

/** A request as a careful client sends it: repeated while the status is an error of the server. */
async function requestUntilHandled(
  method: string,
  path: string,
  options: Parameters<Client['call']>[2] = {},
): Promise<Answer> {
  for (let tries = 1; ; tries += 1) {
    const answer = await client.call(method, path, options);
    if (answer.status < 500 || tries === 12) return answer;
    await sleep(100 * tries);
  }
}

async function store(path: string, body: string): Promise<void> {
  const answer = await requestUntilHandled('PUT', `/api/namespaces/faults/tree/${path}?op=create-workflow`, { body });
  expect([200, 409], answer.text).toContain(answer.status);
}

const instancesOf = async (workflow: string): Promise<readonly Json[]> => {
  const filter = `filter.field=AS&filter.type=WORKFLOW&filter.val=${workflow}`;
  const list = await requestUntilHandled('GET', `/api/namespaces/faults/instances?${filter}`);
  return rowsOf(list.json()['instances']?.['results']);
};

async function untilEnded(workflow: string, count: number): Promise<readonly Json[]> {
  const end = performance.now() + MAX_MS;
  let rows = await instancesOf(workflow);
  while (performance.now() < end && (rows.length < count || rows.some(({ status }) => String(status) === 'pending'))) {
    await sleep(500);
    rows = await instancesOf(workflow);
  }
  return rows;
}

/** Prints the log of a run that has not ended. */
async function printLog(id: string): Promise<void> {
  const logs = (await requestUntilHandled('GET', `/api/namespaces/faults/instances/${id}/logs`)).json()['results'];
  console.log(
    `${id} is pending:\n${rowsOf(logs)
      .map(({ t, msg }) => `${t} ${msg}`)
      .join('\n')}`,
  );
}

describe('a service with random faults in its requests to AWS', () => {
  beforeEach(({ skip }) => skip(FAULTS === undefined, 'the service is not behind a proxy that injects faults'));
  beforeAll(async () => {
    if (FAULTS === undefined) return;
    client = await openClient();
    await fetch(FAULTS, { method: 'POST', body: JSON.stringify({ share: SHARE, seed: SEED }) });
    console.log(`faults: ${SHARE * 100} % of the calls, seed ${SEED}`);
    await requestUntilHandled('PUT', '/api/namespaces/faults');
    for (const [path, body] of Object.entries({ price: PRICE, slow: SLOW, order: ORDER, started: STARTED })) {
      await store(path, body);
    }
  }, MAX_MS);
  afterAll(async () => {
    if (FAULTS === undefined) return;
    const counts = (await (await fetch(FAULTS, { method: 'DELETE' })).json()) as Record<string, number>;
    const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
    console.log(`faults injected: ${total}\n${JSON.stringify(counts, undefined, 1)}`);
    await client.close();
  });

  test(
    'loses and doubles no run, and each ends',
    async () => {
      const start = async (n: number) =>
        requestUntilHandled('POST', '/api/namespaces/faults/tree/order?op=execute', {
          json: { n, items: [n, n + 1, n + 2] },
          headers: { 'Idempotency-Key': `order-${n}` },
        });
      const ids = new Set<string>();
      for (let n = 0; n < RUNS; n += 1) {
        const answer = await start(n);
        expect(answer.status, answer.text).toBe(200);
        ids.add(String(answer.json()['instance']));
      }
      const rows = await untilEnded('order', RUNS);
      for (const { id, status } of rows) if (String(status) === 'pending') await printLog(String(id));
      expect(new Set(rows.map(({ id }) => String(id)))).toEqual(ids);
      expect(rows.map(({ status, errorMessage }) => `${status} ${errorMessage}`)).toEqual(
        Array.from({ length: RUNS }, () => 'complete '),
      );
      const children = await instancesOf('price');
      expect(children).toHaveLength(3 * RUNS);
      expect(await instancesOf('slow')).toHaveLength(RUNS);
    },
    2 * MAX_MS,
  );

  test(
    'starts exactly one run for each event',
    async () => {
      for (let n = 0; n < EVENTS; n += 1) {
        const event = { specversion: '1.0', id: `placed-${n}`, source: 'shop', type: 'placed', data: { n } };
        const answer = await requestUntilHandled('POST', '/api/namespaces/faults/broadcast', {
          json: event,
          headers: STRUCTURED,
        });
        expect([200, 409], answer.text).toContain(answer.status);
      }
      const rows = await untilEnded('started', EVENTS);
      expect(rows.map(({ status }) => String(status))).toEqual(Array.from({ length: EVENTS }, () => 'complete'));
      const outputs = await Promise.all(
        rows.map(async ({ id }) => {
          const { data } = (await requestUntilHandled('GET', `/api/namespaces/faults/instances/${id}/output`)).json();
          return JSON.parse(Buffer.from(String(data), 'base64').toString()).n as number;
        }),
      );
      expect(outputs.sort((a, b) => a - b)).toEqual(Array.from({ length: EVENTS }, (_, n) => n));
    },
    MAX_MS,
  );
});
