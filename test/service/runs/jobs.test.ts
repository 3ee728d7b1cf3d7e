import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openWorkspace, type Workspace } from '../../cli/workspace.ts';
import { type Client, openClient } from '../access/client.ts';

const WAITS = 'states: [{id: a, type: delay, duration: PT1H}]';
const FAILS = 'states: [{id: a, type: error, error: my.code, message: broken}]';
const ENDS = 'states: [{id: a, type: noop}]';

let client: Client;
let workspace: Workspace;
let base: string;
let count = 0;

beforeAll(async () => {
  client = await openClient();
});
afterAll(() => client.close());

beforeEach(async () => {
  count += 1;
  base = `/api/namespaces/jobs-${count}`;
  await client.call('PUT', base);
  workspace = await openWorkspace(client, `jobs-${count}`);
  return () => workspace.clear();
});

const store = (path: string, body: string, method = 'PUT') =>
  client.call(method, `${base}/tree/${path}?op=${method === 'PUT' ? 'create' : 'update'}-workflow`, { body });
async function start(path: string, times: number): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < times; n += 1) {
    const answer = await client.call('POST', `${base}/tree/${path}?op=execute`, { body: '{}' });
    ids.push(String(answer.json()['instance']));
  }
  return ids;
}
const by = (field: string, val: string, type = 'MATCH') =>
  `&filter.field=${field}&filter.type=${type}&filter.val=${val}`;
const create = (action: string, filters = '') =>
  client.call('POST', `${base}/instances?op=job${filters}`, { json: { action } });
const statusOf = async (id: string) =>
  String((await client.call('GET', `${base}/instances/${id}`)).json()['instance']?.['errorCode']);
const list = async () =>
  (await client.call('GET', `${base}/instances?op=jobs`)).json()['jobs'] as unknown as Record<string, unknown>[];
const ended = async () => {
  await expect.poll(async () => (await list())[0]?.['state'], { timeout: 20_000 }).not.toBe('running');
  return (await list())[0];
};
const total = async (filters = '') =>
  Number(
    (await client.call('GET', `${base}/instances?limit=1${filters}`)).json()['instances']?.['pageInfo']?.['total'],
  );

describe('a job that cancels', () => {
  test('cancels the selected runs and no others, and says how many', async () => {
    await store('waits', WAITS);
    await store('other', WAITS);
    const ids = await start('waits', 23);
    const [other = ''] = await start('other', 1);
    expect((await create('cancel', by('AS', 'waits', 'WORKFLOW'))).json()['job']).toMatchObject({ total: 23 });
    expect(await ended()).toMatchObject({ action: 'cancel', state: 'over', total: 23, done: 23, skipped: 0 });
    for (const id of [ids[0], ids[22]]) expect(await statusOf(id ?? '')).toContain('cancels.api');
    expect(await statusOf(other)).toBe('');
  });

  test('leaves alone what a handler of the workflow has taken over', async () => {
    await store(
      'handled',
      `finally: tidy\nstates:\n- {id: a, type: delay, duration: PT1H}\n- {id: tidy, type: delay, duration: PT1H}\n`,
    );
    await start('handled', 2);
    await create('cancel');
    await ended();
    await create('cancel');
    expect(await ended()).toMatchObject({ state: 'over', done: 0, skipped: 2 });
    expect(await total(by('STATUS', 'pending'))).toBe(2);
  });
});

describe('a job that repeats', () => {
  test('repeats the runs that failed, once each, also if a second job selects them', async () => {
    await store('flaky', FAILS);
    await start('flaky', 12);
    await expect.poll(() => total(by('STATUS', 'failed'))).toBe(12);
    await store('flaky', ENDS, 'POST');
    const json = { action: 'rerun', revision: 'latest' };
    await client.call('POST', `${base}/instances?op=job${by('STATUS', 'failed')}`, { json });
    expect(await ended()).toMatchObject({ state: 'over', total: 12, done: 12, skipped: 0 });
    await expect.poll(() => total(by('STATUS', 'complete'))).toBe(12);
    await client.call('POST', `${base}/instances?op=job${by('STATUS', 'failed')}`, { json });
    expect(await ended()).toMatchObject({ state: 'over', done: 0, skipped: 12 });
    expect(await total()).toBe(24);
  });

  test('refuses a state whose name is too long to be one', async () => {
    const json = { action: 'rerun', from: 'x'.repeat(500_000) };
    const { status, text } = await client.call('POST', `${base}/instances?op=job${by('STATUS', 'failed')}`, { json });
    expect([status, text]).toEqual([400, expect.stringContaining('from')]);
  });

  test('needs a status', async () => {
    const { status, text } = await create('rerun');
    expect([status, text]).toEqual([400, expect.stringContaining('a filter by status is required')]);
  });
});

test.each([
  ['an unknown filter', 'cancel', by('COLOUR', 'red'), 400],
  ['an unknown action', 'pause', '', 400],
])('a job with %s is refused', async (_, action, filters, status) => {
  expect((await create(action, filters)).status).toBe(status);
  expect(await list()).toEqual([]);
});

test('a job is stopped, listed and created from the command line, which asks first', async () => {
  await store('waits', WAITS);
  await start('waits', 3);
  const refused = await workspace.weft(['jobs', 'cancel', '--workflow', 'waits']);
  expect(refused).toMatchObject({
    code: 2,
    err: expect.stringContaining('nothing was changed: 3 runs selected; add --yes'),
  });
  const done = await workspace.weft(['jobs', 'cancel', '--workflow', 'waits'], { answers: ['y'] });
  expect(done).toMatchObject({ code: 0, asked: ['Cancel 3 runs? [y/N] '] });
  const [, id = ''] = /^job ([0-9a-f-]{36}): 3 of 3 runs cancelled; over$/m.exec(done.out) ?? [];
  expect((await workspace.weft(['jobs'])).out).toContain(`${id}  `);
  // What has ended stays as it is.
  expect((await workspace.weft(['jobs', 'stop', id])).out).toBe(`job ${id}: 3 of 3 runs cancelled; over\n`);
  expect(await workspace.weft(['jobs', 'stop', 'none'])).toMatchObject({
    code: 1,
    err: expect.stringContaining('job not found'),
  });
});
