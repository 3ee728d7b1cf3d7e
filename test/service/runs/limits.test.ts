import { afterEach, describe, expect, test, vi } from 'vitest';
import { type Service, startService } from '../../../bin/server/service.ts';
import { packageVersion } from '../../../lib/adapters/portable/package.ts';
import type { RunLimits } from '../../../lib/ports/settings.ts';
import { ScriptedContainers } from '../../contract/scripted-containers.ts';
import { type Client, clientOf } from '../access/client.ts';

let service: Service;
let client: Client;
afterEach(() => service.close());

const WORKFLOWS: Readonly<Record<string, string>> = {
  quick: 'states:\n- id: a\n  type: noop\n',
  sleeps: 'states:\n- id: a\n  type: delay\n  duration: PT1H\n',
  calls: `functions: [{id: child, type: subflow, workflow: quick}]
states:
- {id: list, type: noop, transform: 'jq({n: [range(.count) | {n: .}]})', transition: each}
- id: each
  type: foreach
  array: jq(.n)
  action: {function: child}
  catch: [{error: 'limits', transition: caught}]
- {id: caught, type: noop, transform: 'jq({code: .error.code, msg: .error.msg})'}
`,
  forgets: `functions: [{id: child, type: subflow, workflow: quick}]
states: [{id: a, type: action, async: true, action: {function: child}}]
`,
  'by-event': 'start: {type: event, event: {type: go}}\nstates: [{id: a, type: noop}]\n',
  bomb: `functions: [{id: self, type: subflow, workflow: bomb}]
states:
- id: fork
  type: parallel
  actions: [{function: self}, {function: self}, {function: self}]
  catch: [{error: '.*'}]
`,
};

async function open(limits: RunLimits): Promise<void> {
  const base = { port: 0, host: '127.0.0.1', data: undefined, apiKey: undefined, brand: 'service' };
  const settings = { ...base, databaseEndpoint: undefined, version: packageVersion(), limits };
  service = await startService(settings, {}, { containers: new ScriptedContainers() });
  client = clientOf(service.url, service.key, () => service.close());
  for (const namespace of ['greedy', 'other']) {
    await client.call('PUT', `/api/namespaces/${namespace}`);
    for (const [name, body] of Object.entries(WORKFLOWS)) {
      const stored = await client.call('PUT', at(namespace, name, 'create-workflow'), { body });
      expect(stored.status, stored.text).toBe(200);
    }
  }
}

const at = (namespace: string, name: string, op: string): string =>
  `/api/namespaces/${namespace}/tree/${name}?op=${op}`;

const start = (namespace: string, name: string, op = 'execute') => client.call('POST', at(namespace, name, op));

/** The status of a run of the namespace when it has ended. */
async function endOf(instance: string): Promise<unknown> {
  const read = async () =>
    (await client.call('GET', `/api/namespaces/greedy/instances/${instance}`)).json()['instance'];
  await expect.poll(async () => (await read())?.['status'], { timeout: 40_000 }).not.toBe('pending');
  return (await read())?.['status'];
}

/** How many runs of workflows whose names contain a text there are; `filter`: further filters. */
async function runsOf(text: string, filter = ''): Promise<number> {
  const where = `filter.field=AS&filter.type=CONTAINS&filter.val=${text}${filter}`;
  const listed = await client.call('GET', `/api/namespaces/greedy/instances?limit=1&${where}`);
  return Number(listed.json()['instances']?.['pageInfo']?.['total']);
}

const completed = (text: string): Promise<number> =>
  runsOf(text, '&filter.field=STATUS&filter.type=MATCH&filter.val=complete');

const send = (id: string) =>
  client.call('POST', '/api/namespaces/greedy/broadcast', {
    headers: { 'Content-Type': 'application/json' },
    json: { specversion: '1.0', id, type: 'go', source: 's' },
  });

async function deadLetters(): Promise<number> {
  const listed = await client.call('GET', '/api/namespaces/greedy/failed-deliveries');
  expect(listed.status, listed.text).toBe(200);
  return Number(listed.json()['totalCount']);
}

describe('the active runs of a namespace', () => {
  test('are limited for requests, with 429; another namespace is not affected', async () => {
    await open({ activeRuns: 2 });
    const first = await start('greedy', 'sleeps');
    await start('greedy', 'sleeps');
    const rejected = await start('greedy', 'sleeps');
    expect([rejected.status, rejected.headers.get('retry-after')]).toEqual([429, '5']);
    expect(rejected.json()['message']).toBe('the namespace has 2 active runs; try again later');
    expect((await start('other', 'sleeps')).status).toBe(200);
    await client.call('POST', `/api/namespaces/greedy/instances/${first.json()['instance']}/cancel`);
    await expect.poll(async () => (await start('greedy', 'quick')).status).toBe(200);
  });
});

describe('the starts of a namespace', () => {
  test('are limited for requests: some wait, the others get 429', async () => {
    await open({ startsPerSecond: 1 });
    const answers = await Promise.all(Array.from({ length: 40 }, () => start('greedy', 'quick', 'wait')));
    const rejected = answers.find(({ status }) => status === 429);
    expect(rejected?.json()['message']).toBe('the namespace starts more than 1 runs a second; try again later');
    expect(Number(rejected?.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(10);
    expect((await start('other', 'quick', 'wait')).status).toBe(200);
  });

  test('wait in a queue: a little more than the rate is served without an error', async () => {
    await open({ startsPerSecond: 20 });
    const answers = await Promise.all(Array.from({ length: 220 }, () => start('greedy', 'quick', 'wait')));
    expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
  });

  test.each(['wait', 'execute'])('of subflows wait for their turn, and no run fails: op=%s', async (op) => {
    await open({ startsPerSecond: 5 });
    const answer = await client.call('POST', at('greedy', 'calls', op), { json: { count: 64 } });
    expect(answer.status, answer.text).toBe(200);
    if (op === 'wait') expect(answer.json()['return']).toHaveLength(64);
    else expect(await endOf(String(answer.json()['instance']))).toBe('complete');
  });

  test('of subflows whose result nobody waits for are delayed, and no run fails', async () => {
    await open({ startsPerSecond: 2 });
    const answers = await Promise.all(Array.from({ length: 15 }, () => start('greedy', 'forgets')));
    const ends = await Promise.all(answers.map((answer) => endOf(String(answer.json()['instance']))));
    expect(ends.filter((status) => status !== 'complete')).toEqual([]);
    await expect.poll(() => completed('quick'), { timeout: 20_000 }).toBe(15);
  });

  test('of events are delayed: each event starts its run', async () => {
    await open({ startsPerSecond: 5 });
    await Promise.all(Array.from({ length: 70 }, (_, n) => send(`event-${n}`)));
    await expect.poll(() => completed('by-event'), { timeout: 20_000 }).toBe(70);
    expect(await deadLetters()).toBe(0);
  });

  test('of schedules are delayed, and of the ticks of one schedule the newest starts', async () => {
    await open({ startsPerSecond: 1 });
    const errors = vi.spyOn(console, 'error');
    for (let n = 0; n < 12; n += 1) {
      const body = "start: {type: scheduled, cron: '@every 1s'}\nstates: [{id: a, type: noop}]\n";
      await client.call('PUT', at('greedy', `tick-${n}`, 'create-workflow'), { body });
    }
    await expect.poll(() => runsOf('tick-'), { timeout: 20_000 }).toBeGreaterThan(14);
    expect(errors).not.toHaveBeenCalled();
    expect(await deadLetters()).toBe(0);
  });
});

describe('the limits that a namespace sets', () => {
  const configure = async (limits: object) => {
    const answer = await client.call('PATCH', '/api/namespaces/greedy/config', { json: { limits } });
    expect([answer.status, answer.json()['limits']]).toEqual([200, limits]);
  };

  test('limit its active runs, with 429, until one ends', async () => {
    await open({});
    await configure({ activeRuns: 2 });
    const first = await start('greedy', 'sleeps');
    await start('greedy', 'sleeps');
    const rejected = await start('greedy', 'sleeps');
    expect([rejected.status, rejected.headers.get('retry-after')]).toEqual([429, '5']);
    expect(rejected.json()['message']).toBe('the namespace has 2 active runs; try again later');
    expect((await start('other', 'sleeps')).status).toBe(200);
    await client.call('POST', `/api/namespaces/greedy/instances/${first.json()['instance']}/cancel`);
    await expect.poll(async () => (await start('greedy', 'sleeps')).status, { timeout: 5000 }).toBe(200);
    await expect.poll(async () => (await start('greedy', 'sleeps')).status, { timeout: 5000 }).toBe(429);
  });

  test('limit its starts, with 429, and those of its subflows', async () => {
    await open({});
    await configure({ startsPerSecond: 1 });
    const answers = await Promise.all(Array.from({ length: 40 }, () => start('greedy', 'quick', 'wait')));
    const rejected = answers.find(({ status }) => status === 429);
    expect(rejected?.json()['message']).toBe('the namespace starts more than 1 runs a second; try again later');
    expect(Number(rejected?.headers.get('retry-after'))).toBeLessThanOrEqual(10);
    expect((await start('other', 'quick', 'wait')).status).toBe(200);
  });
});

describe('the descendants of a run', () => {
  test('are limited by a failure that the run can catch', async () => {
    await open({ descendants: 20 });
    const answer = await client.call('POST', at('greedy', 'calls', 'wait'), { json: { count: 30 } });
    expect(answer.json()['code']).toBe('service.limits.descendants');
    expect(answer.json()['msg']).toMatch(/^the run '.*' has 20 descendants already$/);
  });

  test('are limited in a run whose subflows call themselves', async () => {
    await open({ descendants: 200 });
    expect((await start('greedy', 'bomb', 'wait')).status).toBe(200);
    const listed = await client.call('GET', '/api/namespaces/greedy/instances?limit=1');
    expect(Number(listed.json()['instances']?.['pageInfo']?.['total'])).toBeLessThanOrEqual(201);
  });
});
