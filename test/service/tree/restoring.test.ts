import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Client, openClient } from '../access/client.ts';

const sourceOf = (version: string, start = '') =>
  `${start}states:\n- id: a\n  type: noop\n  transform: { version: ${version} }\n`;
const EVENT = 'start:\n  type: event\n  event: { type: greeting }\n';

let client: Client;
let base: string;
let count = 0;

beforeAll(async () => {
  client = await openClient();
});
afterAll(() => client.close());

beforeEach(async () => {
  count += 1;
  base = `/api/namespaces/undo-${count}`;
  await client.call('PUT', base);
});

async function store(path: string, body = sourceOf('one')): Promise<void> {
  const answer = await client.call('PUT', `${base}/tree/${path}?op=create-workflow`, { body });
  expect(answer.status, answer.text).toBe(200);
}
const folder = (path: string) => client.call('PUT', `${base}/tree/${path}?op=create-directory`);
const remove = (path: string) => client.call('DELETE', `${base}/tree/${path}?op=delete-node&recursive=true`);
const restore = (path: string, more = '') => client.call('POST', `${base}/tree/${path}?op=restore${more}`);
const read = (path: string) => client.call('GET', `${base}/tree/${path}`);
const textOf = async (path: string) =>
  Buffer.from(String((await read(path)).json()['revision']?.['source']), 'base64').toString();
const deletions = async (query = '') => (await client.call('GET', `${base}/tree/?op=deletions${query}`)).json();
const pathsOf = async () => ((await deletions())['deleted'] as unknown as { path: string }[]).map(({ path }) => path);

describe('a deleted workflow', () => {
  test('comes back with its latest source, its labels, its logger and disabled as it was', async () => {
    await store('wf', sourceOf('one', EVENT));
    await client.call('POST', `${base}/tree/wf?op=update-workflow`, { body: sourceOf('two', EVENT) });
    await client.call('PUT', `${base}/tree/wf?op=create-node-attributes`, { body: '{"attributes":["nightly"]}' });
    await client.call('POST', `${base}/tree/wf?op=set-workflow-event-logging`, { body: '{"logger":"audit"}' });
    await client.call('POST', `${base}/tree/wf?op=toggle`, { body: '{"live":false}' });
    await remove('wf');
    expect(await pathsOf()).toEqual(['/wf']);
    expect((await restore('wf')).json()).toMatchObject({ restored: ['/wf'], failed: [] });
    expect(await textOf('wf')).toBe(sourceOf('two', EVENT));
    expect((await read('wf')).json()).toMatchObject({ node: { attributes: ['nightly'] }, eventLogging: 'audit' });
    expect((await client.call('GET', `${base}/tree/wf?op=router`)).json()['live']).toBe(false);
    expect((await client.call('GET', `${base}/event-listeners`)).text).not.toContain('greeting');
    expect(await pathsOf()).toEqual([]);
  });

  test('comes back enabled if it was so: it runs, and events start it', async () => {
    await store('wf', sourceOf('one', EVENT));
    await remove('wf');
    expect((await client.call('GET', `${base}/event-listeners`)).text).not.toContain('greeting');
    await restore('wf');
    expect((await client.call('GET', `${base}/event-listeners`)).text).toContain('greeting');
    await store('plain');
    await remove('plain');
    await restore('plain');
    expect((await client.call('GET', `${base}/tree/plain?op=wait`)).json()).toEqual({ version: 'one' });
  });

  test('does not replace a workflow that has its path now, and can be restored after that is gone', async () => {
    await store('wf', sourceOf('old'));
    await remove('wf');
    await store('wf', sourceOf('new'));
    const refused = await restore('wf');
    expect([refused.status, refused.json()['message']]).toEqual([409, 'resource already exists']);
    expect(await textOf('wf')).toBe(sourceOf('new'));
    await client.call('POST', `${base}/tree/wf?op=rename-node`, { body: '{"new":"/other"}' });
    await restore('wf');
    expect(await textOf('wf')).toBe(sourceOf('old'));
  });

  test('is the one that was deleted last, if there were several at its path', async () => {
    for (const version of ['one', 'two']) {
      await store('wf', sourceOf(version));
      await remove('wf');
    }
    expect(await pathsOf()).toEqual(['/wf', '/wf']);
    await restore('wf');
    expect(await textOf('wf')).toBe(sourceOf('two'));
  });

  test('is counted by the quota as a new one', async () => {
    await client.call('PATCH', `${base}/config`, { body: '{"limits":{"workflows":1}}' });
    await store('wf');
    await remove('wf');
    await store('other');
    const refused = await restore('wf');
    expect([refused.status, await pathsOf()]).toEqual([507, ['/wf']]);
    await remove('other');
    expect((await restore('wf')).status).toBe(200);
    expect((await client.call('GET', `${base}/usage`)).text).toContain('"name":"workflows","used":1');
  });
});

describe('a deleted folder', () => {
  test('comes back with its workflows and their folders, but not with what was deleted before', async () => {
    await folder('dir');
    await folder('dir/deep');
    for (const name of ['dir/one', 'dir/deep/two', 'dir/before']) await store(name, sourceOf(`'${name}'`));
    await remove('dir/before');
    await remove('dir');
    expect((await restore('dir')).json()).toMatchObject({ restored: ['/dir/deep/two', '/dir/one'], failed: [] });
    expect(await textOf('dir/deep/two')).toBe(sourceOf("'dir/deep/two'"));
    expect(await pathsOf()).toEqual(['/dir/before']);
    await restore('dir/before');
    expect(await textOf('dir/before')).toBe(sourceOf("'dir/before'"));
  });

  test('comes back without the workflows whose paths are taken, which are named', async () => {
    await folder('dir');
    await store('dir/one');
    await store('dir/two');
    await remove('dir');
    await folder('dir');
    await store('dir/one', sourceOf('new'));
    expect((await restore('dir')).json()).toMatchObject({
      restored: ['/dir/two'],
      failed: [{ path: '/dir/one', message: 'resource already exists' }],
    });
    expect(await textOf('dir/one')).toBe(sourceOf('new'));
  });

  test('comes back over several calls if it is large', async () => {
    await folder('many');
    const names = Array.from({ length: 53 }, (_, n) => `many/wf${String(n).padStart(2, '0')}`);
    for (const name of names) await store(name);
    await remove('many');
    const first = (await restore('many')).json();
    expect((first['restored'] as unknown as string[]).length).toBe(50);
    const second = (await restore('many', `&cursor=${encodeURIComponent(String(first['next']))}`)).json();
    expect(second).toMatchObject({ restored: ['/many/wf50', '/many/wf51', '/many/wf52'], failed: [] });
    expect(second['next']).toBeUndefined();
  });
});

describe('the list of deletions', () => {
  test('has pages, the newest deletion first', async () => {
    for (const name of ['a', 'b', 'c']) {
      await store(name);
      await remove(name);
    }
    const first = await deletions('&limit=2');
    expect(first['deleted']).toMatchObject([{ path: '/c' }, { path: '/b' }]);
    const second = await deletions(`&limit=2&cursor=${encodeURIComponent(String(first['next']))}`);
    expect(second).toMatchObject({ deleted: [{ path: '/a' }] });
    expect(second['next']).toBeUndefined();
  });

  test('is that of a folder, which need not exist', async () => {
    for (const path of ['dir', 'dir/deep', 'dirt']) await folder(path);
    for (const path of ['dir/deep/one', 'dirt/two']) await store(path);
    for (const path of ['dir', 'dirt']) await remove(path);
    const below = async (path: string) => (await client.call('GET', `${base}/tree/${path}?op=deletions`)).json();
    expect((await below('dir'))['deleted']).toMatchObject([{ path: '/dir/deep/one' }]);
    expect((await below('dir/deep/one'))['deleted']).toMatchObject([{ path: '/dir/deep/one' }]);
    expect((await below('di'))['deleted']).toEqual([]);
  });

  test('refuses a cursor and a limit that are none', async () => {
    for (const query of ['cursor=x', 'limit=-1', 'limit=x']) {
      expect((await client.call('GET', `${base}/tree/?op=deletions&${query}`)).status).toBe(400);
    }
  });

  test('is that of its namespace alone: a new one of the same name has none', async () => {
    await store('wf');
    await remove('wf');
    await client.call('DELETE', `${base}?recursive=true`);
    await client.call('PUT', base);
    expect(await pathsOf()).toEqual([]);
    expect((await restore('wf')).status).toBe(404);
  });
});

test.each(['never', '', 'a/b/../c'])('nothing is restored at the path %j', async (path) => {
  const answer = await restore(path);
  expect([answer.status, answer.json()['message']]).toEqual([404, expect.stringContaining('can be restored')]);
});
