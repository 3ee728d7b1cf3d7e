import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Client, openClient, rowsOf } from '../access/client.ts';

const NAMESPACE = '/api/namespaces/flow-control';

let client: Client;
beforeAll(async () => {
  client = await openClient();
  await client.call('PUT', NAMESPACE);
});
afterAll(() => client.close());

async function store(name: string, whenFull: string): Promise<void> {
  const body = `concurrency: {limit: 1, key: jq(.customer), whenFull: ${whenFull}}
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

test('a workflow with a limit that is not one is refused with the place of the mistake', async () => {
  for (const field of ['limit: 0', 'limit: 1001', 'key: jq(.a)', 'limit: 1, whenFull: wait']) {
    const body = `concurrency: {${field}}\nstates: [{id: a, type: noop}]\n`;
    const answer = await client.call('PUT', `${NAMESPACE}/tree/wrong?op=create-workflow`, { body });
    expect([field, answer.status]).toEqual([field, 406]);
  }
});
