import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { timeOf } from '../../../lib/domain/storage/ids.ts';
import { openWorkspace, type Workspace } from '../../cli/workspace.ts';
import { type Client, openClient } from '../access/client.ts';

const FLAKY = (mended: boolean) =>
  `states: [{id: a, type: ${mended ? 'noop' : 'error, error: my.code, message: broken'}}]`;
const CALLER = `
functions: [{id: sub, type: subflow, workflow: flaky}]
states: [{id: a, type: action, action: {function: sub}}]
`;

let client: Client;
let workspace: Workspace;
beforeAll(async () => {
  client = await openClient();
  workspace = await openWorkspace(client, 'bulk');
  await client.call('PUT', '/api/namespaces/bulk');
  await workspace.write({ 'flows/flaky.yaml': FLAKY(false), 'flows/caller.yaml': CALLER });
  expect((await workspace.weft(['push', 'flows'])).code).toBe(0);
  for (const n of [1, 2, 3, 4, 5]) await workspace.weft(['exec', 'flaky', `n:=${n}`, '--quiet']);
  await workspace.weft(['exec', 'caller', '--quiet']);
});
afterAll(async () => {
  await workspace.clear();
  await client.close();
});

const BASE = '/api/namespaces/bulk/instances';
const FAILED = 'op=rerun&filter.field=STATUS&filter.type=MATCH&filter.val=failed';

interface Reply {
  readonly total?: number;
  readonly at: string;
  readonly next?: string;
  readonly instances: readonly { readonly instance: string; readonly rerun?: string; readonly skipped?: string }[];
}

async function post(query: string, json: object): Promise<Reply> {
  const reply = await client.call('POST', `${BASE}?${query}`, { json: json as never });
  expect(reply.status).toBe(200);
  return reply.json() as unknown as Reply;
}

const runCount = async (query = ''): Promise<number> =>
  Number((await client.call('GET', `${BASE}?limit=1${query}`)).json()['instances']?.['pageInfo']?.['total']);

/** A repetition is started by its request, and ends later. */
const allEnded = () =>
  expect.poll(() => runCount('&filter.field=STATUS&filter.type=MATCH&filter.val=pending'), { timeout: 30_000 }).toBe(0);

describe('POST instances?op=rerun', () => {
  test('does not disclose whether a run of another namespace exists', async () => {
    await client.call('PUT', '/api/namespaces/foreign');
    await client.call('PUT', '/api/namespaces/foreign/tree/wf?op=create-workflow', { body: FLAKY(true) });
    const started = await client.call('POST', '/api/namespaces/foreign/tree/wf?op=execute', { body: '{}' });
    const ofOther = await post(FAILED, { after: String(started.json()['instance']) });
    const ofNone = await post(FAILED, { after: '00000000-0000-7000-8000-000000000000' });
    expect(ofOther.instances).toEqual(ofNone.instances);
    expect(ofOther.total).toBe(7);
  });

  test('lists the selected runs by default, the oldest first, and starts none', async () => {
    const before = await runCount();
    const { total, instances } = await post(FAILED, {});
    expect(total).toBe(7);
    expect(instances.map(({ skipped }) => skipped)).toEqual([
      ...Array.from({ length: 6 }, () => undefined),
      'a subflow is repeated with the run that called it',
    ]);
    // An id contains its time in milliseconds; a caller and its child can have the same.
    const times = instances.map(({ instance }) => timeOf(instance));
    expect(times).toEqual(times.toSorted());
    expect(await runCount()).toBe(before);
  });

  test('demands a filter by status, and knows all filters', async () => {
    const none = await client.call('POST', `${BASE}?op=rerun`, { json: {} });
    expect([none.status, none.text]).toEqual([400, expect.stringContaining('a filter by status is required')]);
    const unknown = `${FAILED}&filter.field=COLOUR&filter.type=MATCH&filter.val=red`;
    const refused = await client.call('POST', `${BASE}?${unknown}`, { json: {} });
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining("unknown filter 'COLOUR/MATCH'")]);
  });

  test('repeats some in each request; a request that comes twice starts nothing twice', async () => {
    const { at } = await post(FAILED, {});
    const before = await runCount();
    const first = await post(FAILED, { dryRun: false, limit: 2, at });
    expect(first.instances.map(({ rerun }) => typeof rerun)).toEqual(['string', 'string']);
    const twice = await post(FAILED, { dryRun: false, limit: 2, at });
    expect(twice.instances.map(({ skipped }) => skipped)).toEqual(
      first.instances.map(({ rerun }) => `the run was repeated already, as ${rerun}`),
    );
    const second = await post(FAILED, { dryRun: false, limit: 2, at, after: first.next });
    expect(second.instances.map(({ rerun }) => typeof rerun)).toEqual(['string', 'string']);
    expect(await runCount()).toBe(before + 4);
    await allEnded();
  });
});

describe('weft instances rerun --status', () => {
  test('asks first, repeats what is left by the mended workflow, and then has nothing to do', async () => {
    await workspace.write({ 'flows/flaky.yaml': FLAKY(true) });
    await workspace.weft(['push', 'flows']);
    const args = ['instances', 'rerun', '--status', 'failed', '--workflow', 'flaky', '--latest', '--rate', '100'];
    const dry = await workspace.weft([...args, '--dry-run']);
    expect(dry.out).toMatch(/would be repeated\n[\s\S]*runs are selected; nothing was started\n$/);
    expect((await workspace.weft(args)).err).toMatch(/nothing was started: \d+ runs are selected; --yes repeats them/);
    const refused = await workspace.weft(args, { answers: ['n'] });
    expect([refused.asked.length, refused.out]).toEqual([1, 'nothing was started\n']);
    // Five runs failed, four were repeated and failed again: five have no repetition, and one is a subflow.
    const done = await workspace.weft([...args, '--yes']);
    expect(done.out).toBe('repeated 5 runs, skipped 5\n');
    await allEnded();
    expect((await workspace.weft([...args, '--yes'])).out).toBe('repeated 0 runs, skipped 10\n');
    const { out } = await workspace.weft([
      'instances',
      'list',
      '--workflow',
      'flaky',
      '--status',
      'complete',
      '--json',
    ]);
    expect(JSON.parse(out)).toHaveLength(5);
  });

  test('rejects options without a status, and a patch for many', async () => {
    const problemOf = async (...args: string[]) => (await workspace.weft(['instances', 'rerun', ...args])).err;
    expect(await problemOf()).toContain('give the id of a run, or select runs with --status');
    expect(await problemOf('--status', 'failed', '--patch', '[]')).toContain('--patch is for one run');
    expect(await problemOf('--status', 'failed', '--rate', '0')).toContain('a number of runs a second from 1 to 100');
  });
});
