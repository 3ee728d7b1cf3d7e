import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openWorkspace, type Workspace } from '../../cli/workspace.ts';
import { type Client, type Json, openClient } from '../access/client.ts';

const BASE = '/api/namespaces/past';
const sourceOf = (version: string) => `states:\n- id: a\n  type: noop\n  transform: { version: ${version} }\n`;
const longSource = `# ${Array.from({ length: 4000 }, (_, n) => `line ${n} of a long comment`).join('\n# ')}\n${sourceOf('long')}`;

let client: Client;
let workspace: Workspace;

beforeAll(async () => {
  client = await openClient();
  workspace = await openWorkspace(client, 'past');
  await client.call('PUT', BASE);
  await client.call('PUT', `${BASE}/tree/dir?op=create-directory`);
});
afterAll(async () => {
  await workspace.clear();
  await client.close();
});

async function store(path: string, body: string, op = 'update'): Promise<string> {
  const method = op === 'create' ? 'PUT' : 'POST';
  const answer = await client.call(method, `${BASE}/tree/${path}?op=${op}-workflow`, { body });
  expect(answer.status, answer.text).toBe(200);
  return String(answer.json()['revision']?.['name']);
}

const read = (path: string, ref: string) => client.call('GET', `${BASE}/tree/${path}?ref=${ref}`);
const textOf = (reply: Json): string => Buffer.from(String(reply['revision']?.['source']), 'base64').toString();

async function run(path: string): Promise<string> {
  const answer = await client.call('GET', `${BASE}/tree/${path}?op=wait`);
  expect(answer.status, answer.text).toBe(200);
  return String(answer.headers.get('service-instance-id'));
}

describe('the revision that a run ran', () => {
  test('can be read by its id after the workflow was updated', async () => {
    const first = await store('updated', sourceOf('one'), 'create');
    const id = await run('updated');
    await store('updated', sourceOf('two'));
    expect(textOf((await read('updated', first)).json())).toBe(sourceOf('one'));
    expect((await workspace.weft(['workflows', 'source', '--run', id])).out).toBe(sourceOf('one'));
  });

  test('can be read after the workflow or its directory was deleted, also a long one', async () => {
    for (const [path, source] of [
      ['dir/deleted', sourceOf('kept')],
      ['dir/long', longSource],
    ] as const) {
      const revision = await store(path, source, 'create');
      const id = await run(path);
      await client.call('DELETE', `${BASE}/tree/${path}?op=delete-node`);
      const answer = await read(path, revision);
      expect(answer.json()).toMatchObject({
        node: { path: `/${path}`, type: 'workflow' },
        revision: { name: revision },
      });
      expect(textOf(answer.json())).toBe(source);
      expect((await workspace.weft(['workflows', 'source', '--run', id])).out).toBe(source);
      expect((await read('other', revision)).status).toBe(404);
      const bundle = (await client.call('GET', `${BASE}/instances/${id}/bundle`)).json();
      expect(bundle['workflow']?.['source']).toBe(source);
    }
    const revision = await store('dir/inner', sourceOf('inner'), 'create');
    await client.call('DELETE', `${BASE}/tree/dir?op=delete-node&recursive=true`);
    expect(textOf((await read('dir/inner', revision)).json())).toBe(sourceOf('inner'));
    // A workflow that is created again at the path has other revisions, and does not hide the old ones.
    await client.call('PUT', `${BASE}/tree/dir?op=create-directory`);
    await store('dir/inner', sourceOf('anew'), 'create');
    expect(textOf((await read('dir/inner', revision)).json())).toBe(sourceOf('inner'));
    expect(textOf((await read('dir/inner', 'latest')).json())).toBe(sourceOf('anew'));
  });

  test('is gone with its namespace', async () => {
    await client.call('PUT', '/api/namespaces/past2');
    const stored = await client.call('PUT', '/api/namespaces/past2/tree/wf?op=create-workflow', {
      body: sourceOf('x'),
    });
    const revision = String(stored.json()['revision']?.['name']);
    await client.call('DELETE', '/api/namespaces/past2/tree/wf?op=delete-node');
    await client.call('DELETE', '/api/namespaces/past2?recursive=true');
    await client.call('PUT', '/api/namespaces/past2');
    expect((await client.call('GET', `/api/namespaces/past2/tree/wf?ref=${revision}`)).status).toBe(404);
  });
});

describe('the history of a workflow', () => {
  test('lists all revisions with their tags, in pages, and on the command line', async () => {
    const ids = [await store('hist', sourceOf('v0'), 'create')];
    for (const n of [1, 2, 3, 4]) ids.push(await store('hist', sourceOf(`v${n}`)));
    await client.call('POST', `${BASE}/tree/hist?op=tag&ref=latest&tag=stable`);
    const all = (await client.call('GET', `${BASE}/tree/hist?op=history`)).json();
    const rows = all['revisions'] as unknown as Json[];
    expect(rows.map((row) => row['revision'])).toEqual(ids.toReversed());
    expect(rows[0]).toMatchObject({ latest: true, saved: false, tags: ['stable'] });
    expect(rows[1]).toMatchObject({ latest: false, saved: false, tags: [] });
    const paged: unknown[] = [];
    for (let cursor = ''; ; ) {
      const page = (await client.call('GET', `${BASE}/tree/hist?op=history&limit=2&cursor=${cursor}`)).json();
      paged.push(...(page['revisions'] as unknown as Json[]).map((row) => row['revision']));
      if (page['next'] === undefined) break;
      cursor = String(page['next']);
    }
    expect(paged).toEqual(ids.toReversed());
    expect((await client.call('GET', `${BASE}/tree/hist?op=history&limit=x`)).status).toBe(400);
    expect((await client.call('GET', `${BASE}/tree/hist?op=history&cursor=x`)).status).toBe(400);
    const { out } = await workspace.weft(['workflows', 'history', 'hist']);
    expect(out.split('\n')[1]).toMatch(new RegExp(`^${ids[4]} .*latest, stable$`));
    expect(out.trimEnd().split('\n')).toHaveLength(6);
  });

  test('is compared, and an older revision becomes the latest one again', async () => {
    const first = await store('back', sourceOf('good'), 'create');
    expect((await workspace.weft(['workflows', 'rollback', 'back'])).err).toContain("'back' has no other revision");
    await store('back', sourceOf('bad'));
    const { out } = await workspace.weft(['workflows', 'diff', 'back']);
    expect(out).toContain('-  transform: { version: good }\n+  transform: { version: bad }');
    const planned = await workspace.weft(['workflows', 'rollback', 'back', '--dry-run']);
    expect(planned.out).toContain('+  transform: { version: good }');
    expect(textOf((await read('back', 'latest')).json())).toBe(sourceOf('bad'));
    const done = await workspace.weft(['workflows', 'rollback', 'back']);
    expect(done.out).toContain(`back has the source of ${first} again, as revision `);
    expect(textOf((await read('back', 'latest')).json())).toBe(sourceOf('good'));
    // The revision before is now the bad one: a second rollback returns to it.
    await workspace.weft(['workflows', 'rollback', 'back']);
    expect(textOf((await read('back', 'latest')).json())).toBe(sourceOf('bad'));
    const same = await workspace.weft(['workflows', 'rollback', 'back', 'latest']);
    expect(same.out).toBe('back has this source already\n');
    expect((await workspace.weft(['workflows', 'diff', 'back', first, first])).out).toBe('no difference\n');
    expect((await workspace.weft(['workflows', 'diff', 'nosuch'])).err).toContain("no workflow 'nosuch'");
  });

  test('has the tag of a push, which moves with the next one', async () => {
    await workspace.write({ 'flows/one.yaml': sourceOf('a'), 'flows/two.yaml': sourceOf('b') });
    expect((await workspace.weft(['push', 'flows', '--tag', 'v1'])).out).toContain(', tagged v1\n');
    const before = (await read('one', 'v1')).json()['revision']?.['name'];
    await workspace.write({ 'flows/one.yaml': sourceOf('c') });
    expect((await workspace.weft(['push', 'flows', '--tag', 'v2'])).code).toBe(0);
    expect((await read('one', 'v1')).json()['revision']?.['name']).toBe(before);
    expect(textOf((await read('one', 'v2')).json())).toBe(sourceOf('c'));
    expect(textOf((await read('two', 'v2')).json())).toBe(sourceOf('b'));
  });
});
