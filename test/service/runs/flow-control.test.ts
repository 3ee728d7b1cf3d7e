import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Client, openClient, rowsOf } from '../access/client.ts';

const NAMESPACE = '/api/namespaces/flow-control';

let client: Client;
beforeAll(async () => {
  client = await openClient();
  await client.call('PUT', NAMESPACE);
});
afterAll(() => client.close());

async function store(name: string, whenFull: string, fields = 'concurrency: {limit: 1'): Promise<void> {
  const body = `${fields}, key: jq(.customer), whenFull: ${whenFull}}
states: [{id: until, type: consumeEvent, event: {type: go}}]
`;
  expect((await client.call('PUT', `${NAMESPACE}/tree/${name}?op=create-workflow`, { body })).status).toBe(200);
}

const execute = (name: string) =>
  client.call('POST', `${NAMESPACE}/tree/${name}?op=execute`, { json: { customer: 'c-1' } });
const started = async (name: string): Promise<string> => String((await execute(name)).json()['instance']);

test('a queued run is pending, is listed as queued, says what it waits for, and can be cancelled', async () => {
  await store('queues', 'queue');
  const [holder, queued] = [await started('queues'), await started('queues')];
  const { instance } = (await client.call('GET', `${NAMESPACE}/instances/${queued}`)).json();
  expect(instance).toMatchObject({ status: 'pending', queued: true });
  const filter = 'filter.field=STATUS&filter.type=MATCH&filter.val=queued';
  const { instances } = (await client.call('GET', `${NAMESPACE}/instances?${filter}`)).json();
  expect(rowsOf(instances?.['results']).map(({ id }) => id)).toEqual([queued]);
  expect((await client.call('GET', `${NAMESPACE}/instances/${queued}/waiting`)).json()).toMatchObject({
    concurrency: { workflow: '/queues', key: 'c-1', place: 1, heldBy: [holder] },
  });
  await client.call('POST', `${NAMESPACE}/instances/${queued}/cancel`);
  const ended = (await client.call('GET', `${NAMESPACE}/instances/${queued}`)).json()['instance'];
  expect(ended).toMatchObject({ status: 'failed', errorCode: 'service.cancels.api' });
  expect(ended).not.toHaveProperty('queued');
});

test('a request that is refused has the status 429 and the runs at work', async () => {
  await store('refuses', 'refuse');
  const holder = await started('refuses');
  const refused = await execute('refuses');
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '5']);
  expect(refused.json()).toMatchObject({ code: 429, holders: [holder] });
});

test('a request that is skipped gets the run at work', async () => {
  await store('skips', 'skip');
  const holder = await started('skips');
  const skipped = await execute('skips');
  expect([skipped.status, skipped.json()['instance']]).toEqual([200, holder]);
});

test('a run that the rate holds back says until when, and begins then', async () => {
  await store('rated', 'queue', 'rate: {limit: 1, per: PT1S');
  const [, held] = [await started('rated'), await started('rated')];
  const waiting = (await client.call('GET', `${NAMESPACE}/instances/${held}/waiting`)).json();
  expect(waiting).toMatchObject({
    instance: { status: 'pending', queued: true },
    held: { workflow: '/rated', by: 'rate', key: 'c-1', until: expect.any(String) },
  });
  await expect
    .poll(async () => (await client.call('GET', `${NAMESPACE}/instances/${held}`)).json()['flow'], { timeout: 60_000 })
    .toEqual(['until']);
});

test('a request that the rate refuses has the status 429 and the time to wait', async () => {
  await store('rate-refuses', 'refuse', 'rate: {limit: 1, per: PT1H');
  const last = await started('rate-refuses');
  const refused = await execute('rate-refuses');
  expect([refused.status, refused.json()['holders']]).toEqual([429, [last]]);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3000);
});

test('requests that are debounced get one run, which says how many they are and begins with the last input', async () => {
  const body = 'debounce: {for: PT2S, key: jq(.k)}\nstates: [{id: a, type: noop}]\n';
  await client.call('PUT', `${NAMESPACE}/tree/debounced?op=create-workflow`, { body });
  const path = `${NAMESPACE}/tree/debounced?op=`;
  const first = await client.call('POST', `${path}execute`, { json: { k: 'x', n: 1 } });
  const id = first.json()['instance'];
  const held = (await client.call('GET', `${NAMESPACE}/instances/${id}/waiting`)).json()['held'];
  expect(held).toMatchObject({ by: 'debounce', key: 'x', starts: 1 });
  const last = await client.call('POST', `${path}wait`, { json: { k: 'x', n: 2 } });
  expect([last.headers.get('existing'), last.json()]).toEqual(['true', { k: 'x', n: 2 }]);
  const { instance } = (await client.call('GET', `${NAMESPACE}/instances/${id}`)).json();
  expect(instance).toMatchObject({ status: 'complete' });
});

test('a workflow with a limit that is not one is refused with the place of the mistake', async () => {
  const places = ['limit: 0', 'limit: 1001', 'key: jq(.a)', 'limit: 1, whenFull: wait'].map(
    (field) => `concurrency: {${field}}`,
  );
  const merged = ['key: jq(.a)', 'for: PT0S', 'for: PT1S, atMost: PT0S'].map((field) => `debounce: {${field}}`);
  const rates = ['limit: 1', 'limit: 1, per: PT0S', 'limit: 1, per: P301D', 'limit: 1, per: 1s', 'per: PT1S'].map(
    (field) => `rate: {${field}}`,
  );
  for (const field of [...places, ...rates, ...merged]) {
    const body = `${field}\nstates: [{id: a, type: noop}]\n`;
    const answer = await client.call('PUT', `${NAMESPACE}/tree/wrong?op=create-workflow`, { body });
    expect([field, answer.status]).toEqual([field, 406]);
  }
});
