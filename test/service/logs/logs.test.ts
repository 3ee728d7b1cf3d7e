import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readSettings } from '../../../bin/server/settings.ts';
import { type Client, type Json, openClient, rowsOf } from '../access/client.ts';
import { until } from '../events/space.ts';
import { Home, NOOP, textsOf } from './home.ts';

const OTHER = 'description: another\nstates:\n- {id: a, type: noop}\n';
const PARENT = `functions:
- {id: child, type: subflow, workflow: child}
states:
- {id: call, type: action, action: {function: child}}
`;

let client: Client;

beforeAll(async () => {
  client = await openClient();
});

afterAll(() => client.close());

const serverLog = async (): Promise<Json> => (await client.call('GET', '/api/logs')).json();

describe('the log of the server', () => {
  test('contains namespaces that were created and deleted', async () => {
    const home = await Home.open(client, 'come-and-gone');
    await home.delete('?recursive=true');
    const texts = textsOf(await serverLog()).filter((text) => text.includes('come-and-gone'));
    expect(texts).toEqual(["Created namespace 'come-and-gone'.", "Deleted namespace 'come-and-gone'."]);
  });

  test('needs an administrator’s key', async () => {
    await Home.open(client, 'of-the-reader');
    const made = await client.call('POST', '/api/keys', {
      json: { name: 'reader', permission: 'read', namespaces: ['of-the-reader'] },
    });
    expect(made.status, made.text).toBe(200);
    const key = String(made.json()['secret']);
    expect((await client.call('GET', '/api/logs', { key })).status).toBe(403);
    expect((await client.call('GET', '/api/namespaces/of-the-reader/logs', { key })).status).toBe(200);
    expect((await client.call('GET', '/api/namespaces/come-and-gone/logs', { key })).status).toBe(403);
  });
});

describe('the tags of the log of a run', () => {
  test('name its callers, from the top, and its place in the loop of its caller', async () => {
    const home = await Home.open(client, 'callers');
    const calling = (id: string) => `functions: [{id: kid, type: subflow, workflow: ${id}}]\nstates:\n`;
    await home.workflow('leaf');
    const loop = "- {id: a, type: foreach, array: 'jq([{}, {}])', action: {function: kid}}";
    await home.workflow('mid', `${calling('leaf')}${loop}`);
    await home.workflow('top', `${calling('mid')}- {id: a, type: action, action: {function: kid}}`);
    const top = await home.run('top');
    const rows = rowsOf(((await home.get('/instances'))['instances'] as Json)['results']);
    const idsOf = (name: string) => rows.filter(({ as }) => String(as).includes(name)).map(({ id }) => String(id));
    const [mid = ''] = idsOf('mid');
    const tagsOf = async (id: string) => {
      const [line] = rowsOf((await home.get(`/instances/${id}/logs`))['results']);
      const { callpath, 'loop-index': index } = (line?.['tags'] ?? {}) as Json;
      return { callpath, index };
    };
    expect([await tagsOf(top), await tagsOf(mid)]).toEqual([{ callpath: '/' }, { callpath: `/${top}` }]);
    const leaves = await Promise.all(idsOf('leaf').map(tagsOf));
    expect(leaves.toSorted((a, b) => (String(a.index) < String(b.index) ? -1 : 1))).toEqual([
      { callpath: `/${top}/${mid}`, index: '0' },
      { callpath: `/${top}/${mid}`, index: '1' },
    ]);
  });
});

describe('the log of a namespace', () => {
  test('contains changes of its tree', async () => {
    const home = await Home.open(client, 'trees');
    await home.put('/tree/a?op=create-directory');
    await home.workflow('a/wf.yaml');
    await home.post('/tree/a/wf.yaml?op=rename-node', { new: '/b.yaml' });
    await home.post('/tree/a?op=rename-node', { new: 'c' });
    await home.delete('/tree/b.yaml?op=delete-node');
    await home.delete('/tree/c?op=delete-node');
    expect(await home.texts()).toEqual([
      "Created directory '/a'.",
      "Created workflow '/a/wf.yaml'.",
      "Renamed workflow from 'a/wf.yaml' to 'b.yaml'.",
      "Renamed directory from 'a' to 'c'.",
      "Deleted workflow '/b.yaml'.",
      "Deleted directory '/c'.",
    ]);
  });

  test('contains changes of its variables', async () => {
    const home = await Home.open(client, 'variables');
    await home.put('/vars/k', 'one');
    await home.put('/vars/k', 'two');
    await home.delete('/vars/k');
    expect(await home.texts()).toEqual([
      "Created namespace variable 'k'.",
      "Updated namespace variable 'k'.",
      "Deleted namespace variable 'k'.",
    ]);
  });

  test('contains changes of its secrets, without their values', async () => {
    const home = await Home.open(client, 'secrets');
    await home.put('/secrets/s', 'first value');
    await home.put('/secrets/s', 'second value');
    await home.delete('/secrets/s');
    expect(await home.texts()).toEqual([
      "Created namespace secret 's'.",
      "Updated namespace secret 's'.",
      "Deleted namespace secret 's'.",
    ]);
    expect(JSON.stringify(await home.log())).not.toContain('value');
  });

  test('contains what started a workflow: a request or another run', async () => {
    const home = await Home.open(client, 'triggered');
    await home.put('/tree/a?op=create-directory');
    await home.workflow('a/child');
    await home.workflow('a/parent', PARENT);
    const parent = await home.run('a/parent');
    expect((await home.texts()).slice(3)).toEqual([
      "Workflow 'a/parent' has been triggered by api.",
      `Workflow 'a/child' has been triggered by instance:${parent}.`,
    ]);
  });

  test('contains events that were received and replayed', async () => {
    const home = await Home.open(client, 'received');
    await home.send('e-1', 'greeting');
    await home.post('/events/e-1/replay');
    expect(await home.texts()).toEqual([
      'Event received: e-1 (greeting / tests)',
      'Replaying event: e-1 (greeting / tests)',
    ]);
  });

  test('contains an event before the workflow that it started', async () => {
    const home = await Home.open(client, 'started');
    await home.workflow('w', `start: {type: event, event: {type: go}}\n${NOOP}`);
    await home.send('e-2', 'go');
    const texts = await until(async () => {
      const found = await home.texts();
      return found.length === 3 ? found : undefined;
    });
    expect(texts).toEqual([
      "Created workflow '/w'.",
      'Event received: e-2 (go / tests)',
      "Workflow 'w' has been triggered by cloudevent.",
    ]);
  });

  test('contains a change before the event about it', async () => {
    const home = await Home.open(client, 'broadcasting');
    await client.call('PATCH', '/api/namespaces/broadcasting/config', {
      json: { broadcast: { 'directory.create': true } },
    });
    await home.put('/tree/d?op=create-directory');
    const [first, second, ...others] = await home.texts();
    expect(first).toBe("Created directory '/d'.");
    expect(second).toMatch(/^Event received: [0-9a-f-]{36} \(directory\.create \/ service\)$/);
    expect(others).toEqual([]);
  });

  test('contains the namespace and the tags that web interfaces need', async () => {
    const home = await Home.open(client, 'tagged');
    await home.workflow('w');
    const id = await home.run('w');
    const log = await home.log();
    expect(log['namespace']).toBe('tagged');
    const [created, triggered] = rowsOf(log['results']);
    expect(created).toMatchObject({ level: 'info', tags: { recipientType: 'namespace', namespace: 'tagged' } });
    expect(triggered?.['tags']).toMatchObject({ workflow: '/w', 'instance-id': id, invoker: 'api' });
    expect(Object.values(triggered?.['tags'] ?? {}).every((tag) => typeof tag === 'string')).toBe(true);
  });

  test('is empty for a namespace that is created again under its name', async () => {
    const before = await Home.open(client, 'again');
    await before.workflow('w');
    await before.run('w');
    expect(await before.texts()).toHaveLength(2);
    await before.delete('?recursive=true');
    expect((await client.call('GET', '/api/namespaces/again/logs')).status).toBe(404);
    const after = await Home.open(client, 'again');
    expect(await after.log()).toMatchObject({ results: [], pageInfo: { total: 0 } });
  });
});

describe('the log of a workflow', () => {
  test('contains changes of its settings', async () => {
    const home = await Home.open(client, 'changes');
    await home.workflow('w');
    await home.post('/tree/w?op=update-workflow', OTHER);
    await home.post('/tree/w?op=update-workflow', OTHER);
    await home.post('/tree/w?op=toggle', { live: false });
    await home.post('/tree/w?op=toggle', { live: false });
    await home.post('/tree/w?op=toggle', { live: true });
    await home.post('/tree/w?op=set-workflow-event-logging', { logger: 'mine' });
    await home.put('/tree/w?op=set-var&var=k', 'one');
    await home.put('/tree/w?op=set-var&var=k', 'two');
    await home.delete('/tree/w?op=delete-var&var=k');
    expect(await home.workflowTexts('w')).toEqual([
      'Updated workflow.',
      'Workflow is now disabled',
      'Workflow is now enabled',
      'Workflow now logging to cloudevents: mine',
      "Created workflow variable 'k'.",
      "Updated workflow variable 'k'.",
      "Deleted workflow variable 'k'.",
    ]);
    expect(await home.texts()).toEqual(["Created workflow '/w'."]);
  });

  test('contains changes of its revisions and tags', async () => {
    const home = await Home.open(client, 'revisions');
    await home.workflow('w');
    const revision = (await home.post('/tree/w?op=save-workflow')).json()['revision']?.['name'];
    await home.post('/tree/w?op=save-workflow');
    await home.post(`/tree/w?op=tag&ref=${revision}`, { tag: 'v1' });
    await home.post('/tree/w?op=update-workflow', OTHER);
    await home.post('/tree/w?op=discard-workflow');
    await home.post('/tree/w?op=discard-workflow');
    await home.post('/tree/w?op=update-workflow', OTHER);
    const latest = (await home.get('/tree/w'))['revision']?.['name'];
    await home.post('/tree/w?op=retag&ref=latest', { tag: 'v1' });
    await home.post('/tree/w?op=untag&ref=v1');
    await home.post(`/tree/w?op=delete-revision&ref=${revision}`);
    expect(await home.workflowTexts('w')).toEqual([
      `Saved workflow: ${revision}.`,
      `Tagged workflow: v1 -> ${revision}.`,
      'Updated workflow.',
      'Discard unsaved changes to workflow.',
      'Updated workflow.',
      `Tagged workflow: v1 -> ${latest}.`,
      'Deleted workflow tag: v1.',
      `Deleted workflow revision: ${revision}.`,
    ]);
  });

  test('contains a change of the router only if it enables or disables the workflow', async () => {
    const home = await Home.open(client, 'divided');
    await home.workflow('w');
    await home.post('/tree/w?op=edit-router', { live: true, route: [] });
    await home.post('/tree/w?op=edit-router', { live: false, route: [] });
    expect(await home.workflowTexts('w')).toEqual(['Workflow is now disabled']);
  });

  test('contains its own instances and no others', async () => {
    const home = await Home.open(client, 'instances');
    await home.workflow('one');
    await home.workflow('two');
    const ids = [await home.run('one'), await home.run('one')];
    await home.run('two');
    const log = await home.workflowLog('one');
    expect(log).toMatchObject({ namespace: 'instances', path: '/one', pageInfo: { total: 2 } });
    expect(textsOf(log)).toEqual(ids.map((id) => `Instance '${id}' created by api.`));
    expect(rowsOf(log['results'])[0]?.['tags']).toMatchObject({ recipientType: 'workflow', workflow: '/one' });
  });

  test('is kept when the workflow is renamed', async () => {
    const home = await Home.open(client, 'renamed');
    await home.workflow('w');
    await home.post('/tree/w?op=update-workflow', OTHER);
    const id = await home.run('w');
    await home.post('/tree/w?op=rename-node', { new: 'v' });
    expect(await home.workflowTexts('v')).toEqual(['Updated workflow.', `Instance '${id}' created by api.`]);
  });

  test.each([
    ['nope', 404, "inode not found at '/nope'"],
    ['d', 500, 'not a workflow'],
  ])('of %s is rejected with %i', async (path, status, message) => {
    await client.call('PUT', '/api/namespaces/none');
    await client.call('PUT', '/api/namespaces/none/tree/d?op=create-directory');
    const answer = await client.call('GET', `/api/namespaces/none/tree/${path}?op=logs`);
    expect(answer.status).toBe(status);
    expect(answer.json()['message']).toBe(message);
  });
});

describe('the setting WEFT_RETENTION_DAYS', () => {
  test('is 30 days by default', () => {
    expect(readSettings({}).retentionDays).toBe(30);
    expect(readSettings({ WEFT_RETENTION_DAYS: '7' }).retentionDays).toBe(7);
  });

  test.each(['0', '-1', '1.5', '3651', 'week'])('rejects %s', (text) => {
    expect(() => readSettings({ WEFT_RETENTION_DAYS: text })).toThrow(
      `WEFT_RETENTION_DAYS is '${text}'; it must be a number of days from 1 to 3650`,
    );
  });
});
