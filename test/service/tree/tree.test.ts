import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, type Client, type Json, openClient, rowsOf } from '../access/client.ts';

const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3}|\.\d{6}|\.\d{9})?Z$/);
const UUID = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
const NOOP = 'states:\n- id: a\n  type: noop\n';
const OTHER = 'description: other\nstates:\n- id: a\n  type: noop\n';
const BROKEN = 'states:\n- id: a\n  type: foo\n';

const failureOf = (code: number, message: string) => ({ code, message, Error: message, StatusCode: code });

const nodeOf = (type: string, path: string, parent: string) => ({
  createdAt: TIME,
  updatedAt: TIME,
  name: path.slice(path.lastIndexOf('/') + 1),
  path,
  parent,
  type,
  attributes: [],
  oid: '',
  readOnly: false,
  expandedType: type,
  mimeType: type === 'workflow' ? 'application/direktiv' : '',
});

const revisionOf = (source: string) => ({
  createdAt: TIME,
  hash: createHash('sha256').update(source).digest('hex'),
  source: Buffer.from(source).toString('base64'),
  name: UUID,
});

let client: Client;

beforeAll(async () => {
  client = await openClient();
  await client.call('PUT', '/api/namespaces/demo');
});

afterAll(() => client.close());

const at = (path: string) => `/api/namespaces/demo/tree${path}`;
const get = (path: string) => client.call('GET', at(path));
const mkdir = (path: string) => client.call('PUT', at(`${path}?op=create-directory`));
const create = (path: string, body = NOOP) => client.call('PUT', at(`${path}?op=create-workflow`), { body });
const update = (path: string, body: string) => client.call('POST', at(`${path}?op=update-workflow`), { body });
const remove = (path: string, query = '') => client.call('DELETE', at(`${path}?op=delete-node${query}`));
const rename = (path: string, to: unknown) => client.call('POST', at(`${path}?op=rename-node`), { json: { new: to } });

/** The status and the message of an error, whose shape is checked. */
function refusalOf(answer: Answer): [number, string] {
  const message = String(answer.json()['message']);
  expect(answer.json()).toMatchObject(failureOf(answer.status, message));
  return [answer.status, message];
}

const nothing = (answer: Answer) => [answer.status, answer.text, answer.headers.get('content-type')];
const NOTHING = [200, '', null];

const childrenOf = (answer: Answer): unknown[] =>
  rowsOf((answer.json()['children'] as Json)['results']).map((child) => child['name']);

describe('directories', () => {
  test('are created in existing directories, and return their record', async () => {
    const made = await mkdir('/d1');
    expect(made.status).toBe(200);
    expect(made.json()).toEqual({ namespace: 'demo', node: nodeOf('directory', '/d1', '/') });
    expect((await mkdir('/d1/d2')).json()['node']).toEqual(nodeOf('directory', '/d1/d2', '/d1/'));
    expect(refusalOf(await mkdir('/q1/q2'))).toEqual([404, "inode not found at '/q1'"]);
    expect((await get('/q1')).status).toBe(404);
  });

  test('are rejected at a used path, at the root and below a workflow', async () => {
    await create('/file');
    await mkdir('/dup');
    for (const path of ['/dup', '/file', '', '/']) {
      expect(refusalOf(await mkdir(path))).toEqual([409, 'resource already exists']);
    }
    expect(refusalOf(await mkdir('/file/d'))).toEqual([409, 'parent node is not a directory']);
  });

  test.each(['/_d', '/d_', '/D-', '/1d', '/a%20b', '/%C3%A9'])('cannot have the name %s', async (path) => {
    expect(refusalOf(await mkdir(path))).toEqual([406, 'one or more fields has an invalid value']);
    expect((await get(path)).status).toBe(404);
  });

  test('can be nested deeper than one read of the database reaches', async () => {
    const paths = Array.from({ length: 120 }, (_, index) => '/n'.repeat(index + 1));
    for (const path of paths) expect((await mkdir(path)).status).toBe(200);
    expect((await get('/n'.repeat(120))).json()['node']?.['path']).toBe('/n'.repeat(120));
    expect(nothing(await remove('/n', '&recursive=true'))).toEqual(NOTHING);
  });

  test('list workflows before directories, then by name, with children in another form than the node', async () => {
    await mkdir('/list');
    for (const name of ['b', 'a']) await create(`/list/${name}.yaml`);
    for (const name of ['d', 'c']) await mkdir(`/list/${name}`);
    const listed = await get('/list');
    expect(listed.json()).toMatchObject({ namespace: 'demo', node: nodeOf('directory', '/list', '/') });
    expect(childrenOf(listed)).toEqual(['a.yaml', 'b.yaml', 'c', 'd']);
    const [first] = rowsOf((listed.json()['children'] as Json)['results']);
    expect(first).toEqual(nodeOf('workflow', '/list/a.yaml', '/list'));
  });

  test.each([
    ['order.field=NAME&order.direction=DESC', ['d', 'c', 'b.yaml', 'a.yaml']],
    ['order.field=TYPE&order.direction=ASC&order.field=NAME&order.direction=DESC', ['d', 'c', 'b.yaml', 'a.yaml']],
    ['filter.field=NAME&filter.type=CONTAINS&filter.val=yaml', ['a.yaml', 'b.yaml']],
    ['limit=2&offset=1', ['b.yaml', 'c']],
    ['op=nonsense', ['a.yaml', 'b.yaml', 'c', 'd']],
  ])('are listed in the order of %s', async (query, names) => {
    expect(childrenOf(await get(`/list?${query}`))).toEqual(names);
  });

  test('are read with any number of slashes, also encoded ones', async () => {
    for (const path of ['/list/', '//list', '/list//', '/%2Flist']) {
      expect((await get(path)).json()['node']?.['path']).toBe('/list');
    }
    expect((await get('')).json()['node']).toEqual({ ...nodeOf('directory', '/', '/'), name: '' });
    expect((await get('?limit=x')).status).toBe(400);
  });
});

describe('workflows', () => {
  test('are created enabled from their YAML and return node and revision', async () => {
    const made = await create('/made.yaml');
    expect(made.status).toBe(200);
    const body = { namespace: 'demo', node: nodeOf('workflow', '/made.yaml', '/'), revision: revisionOf(NOOP) };
    expect(made.json()).toEqual(body);
    const shown = (await get('/made.yaml')).json();
    expect(shown).toEqual({ ...body, eventLogging: '', oid: UUID });
    expect((await client.call('GET', at('/made.yaml?op=wait'))).status).toBe(200);
  });

  test('are rejected without a directory, below a workflow, twice, and with an invalid name', async () => {
    await create('/here');
    expect(refusalOf(await create('/gone/wf'))).toEqual([404, "inode not found at '/gone'"]);
    expect(refusalOf(await create('/here/wf'))).toEqual([500, 'parent inode is not a directory']);
    expect(refusalOf(await create('/here', BROKEN))).toEqual([409, 'resource already exists']);
    expect(refusalOf(await create('/-w'))).toEqual([406, 'one or more fields has an invalid value']);
    expect(refusalOf(await create('/'))).toEqual([406, 'one or more fields has an invalid value']);
  });

  test('that do not compile are 406 with every problem and its position, and are not stored', async () => {
    const answer = await create('/broken', 'states:\n- id: a\n  type: foo\n- type: noop\n');
    expect(refusalOf(answer)).toEqual([406, expect.stringMatching(/^state\[0\]: type unrecognized\(/)]);
    const problems = rowsOf(answer.json()['problems']);
    expect(problems.map(({ line }) => line)).toEqual([3, 4]);
    for (const problem of problems)
      expect(problem).toMatchObject({ message: expect.any(String), column: expect.any(Number) });
    expect((await get('/broken')).status).toBe(404);
  });

  test('keep their revision for an unchanged source, and get a new one for another', async () => {
    const first = (await create('/up')).json()['revision'];
    expect((await update('/up', NOOP)).json()['revision']).toEqual(first);
    const second = (await update('/up', OTHER)).json();
    expect(second).toEqual({ namespace: 'demo', node: nodeOf('workflow', '/up', '/'), revision: revisionOf(OTHER) });
    expect(second['revision']?.['name']).not.toBe(first?.['name']);
    expect(refusalOf(await update('/up', BROKEN))[0]).toBe(406);
    expect((await get('/up')).json()['revision']).toEqual(second['revision']);
  });

  test('are updated only if they exist', async () => {
    expect(refusalOf(await update('/nope', NOOP))).toEqual([404, "inode not found at '/nope'"]);
    await mkdir('/dir');
    expect(refusalOf(await update('/dir', NOOP))).toEqual([500, 'not a workflow']);
  });

  test('are read by ref: latest and a revision, but not one of another workflow', async () => {
    const own = (await create('/ref')).json()['revision'];
    const foreign = (await create('/ref2')).json()['revision'];
    for (const ref of ['latest', own?.['name']]) {
      expect((await get(`/ref?ref=${ref}`)).json()['revision']).toEqual(own);
    }
    for (const ref of ['nope', foreign?.['name'], '%00', 'a'.repeat(3000)]) {
      expect(refusalOf(await get(`/ref?ref=${ref}`))).toEqual([404, 'ref not found']);
    }
    await mkdir('/refdir');
    expect(refusalOf(await get('/refdir?ref=latest'))).toEqual([500, 'not a workflow']);
  });

  test('include their state machine', async () => {
    await create('/machine');
    const shown = (await client.call('GET', at('/machine?op=machine'))).json();
    expect(shown).toMatchObject({ namespace: 'demo', path: '/machine', revision: UUID, tier: 'EXPRESS' });
    expect(shown['definition']).toMatchObject({ QueryLanguage: 'JSONata', StartAt: expect.any(String) });
  });
});

describe('settings of a workflow', () => {
  const send = (op: string, body: string, path = '/set') => client.call('POST', at(`${path}?op=${op}`), { body });

  beforeAll(async () => {
    await create('/set');
    await mkdir('/setdir');
  });

  test('toggle and event logging return an empty reply, also without a change', async () => {
    for (const body of ['{"live":true}', '{"live":false}', '{"live":false}', '{"LIVE":true}']) {
      expect(nothing(await send('toggle', body))).toEqual(NOTHING);
    }
    expect(nothing(await send('set-workflow-event-logging', '{"logger":"mine"}'))).toEqual(NOTHING);
    expect((await get('/set')).json()['eventLogging']).toBe('mine');
    expect(nothing(await send('set-workflow-event-logging', '{"logger":""}'))).toEqual(NOTHING);
    expect((await get('/set')).json()['eventLogging']).toBe('');
  });

  test.each([
    ['toggle', '', 'EOF'],
    ['toggle', '{"foo":true}', 'json: unknown field "foo"'],
    [
      'toggle',
      '{"live":"yes"}',
      'json: cannot unmarshal string into Go struct field ToggleWorkflowRequest.live of type bool',
    ],
    ['set-workflow-event-logging', '{"logger":1}', 'json: cannot unmarshal number into field logger of type string'],
  ])('%s rejects the body %s', async (op, body, message) => {
    expect(refusalOf(await send(op, body))).toEqual([500, message]);
  });

  test.each(['toggle', 'set-workflow-event-logging'])('%s needs a workflow', async (op) => {
    expect(refusalOf(await send(op, '{}', '/nope'))).toEqual([404, "inode not found at '/nope'"]);
    expect(refusalOf(await send(op, '{}', '/setdir'))).toEqual([500, 'not a workflow']);
  });
});

describe('deleting a node', () => {
  test('returns an empty reply, and then 404', async () => {
    await create('/del');
    expect(nothing(await remove('/del'))).toEqual(NOTHING);
    expect(refusalOf(await remove('/del'))).toEqual([404, "inode not found at '/del'"]);
    expect(refusalOf(await remove('/'))).toEqual([406, 'cannot delete root node']);
  });

  test('with children needs recursive, and deletes them too', async () => {
    await mkdir('/tree');
    await create('/tree/wf');
    const refusal = 'refusing to delete non-empty directory without explicit recursive argument';
    expect(refusalOf(await remove('/tree'))).toEqual([406, refusal]);
    expect(nothing(await remove('/tree', '&recursive=true'))).toEqual(NOTHING);
    expect(refusalOf(await get('/tree/wf'))).toEqual([404, "inode not found at '/tree'"]);
    expect(refusalOf(await create('/tree/wf'))).toEqual([404, "inode not found at '/tree'"]);
    await mkdir('/tree');
    expect((await get('/tree/wf')).status).toBe(404);
  });
});

describe('renaming a node', () => {
  test('answers its parent without a trailing slash, which the web interface compares', async () => {
    await mkdir('/old-place');
    await create('/old-place/wf');
    expect((await rename('/old-place/wf', '/old-place/Renamed.yaml')).json()['node']).toEqual(
      nodeOf('workflow', '/old-place/Renamed.yaml', '/old-place'),
    );
    expect((await get('/old-place/Renamed.yaml')).json()['node']?.['parent']).toBe('/old-place/');
  });

  test('moves it with its descendants', async () => {
    for (const path of ['/from', '/to']) await mkdir(path);
    await create('/from/wf');
    const moved = await rename('/from', 'to/moved/');
    expect(moved.json()).toEqual({ namespace: 'demo', node: nodeOf('directory', '/to/moved', '/to') });
    expect((await client.call('GET', at('/to/moved/wf?op=wait'))).status).toBe(200);
    expect((await get('/from')).status).toBe(404);
  });

  test.each([
    ['', '/x', 500, 'cannot rename root node'],
    ['/mv', '/', 500, 'cannot overwrite root node'],
    ['/mv', '/mv/in', 500, 'cannot move node into itself'],
    ['/mv', '/mv/', 409, 'resource already exists'],
    ['/mv', '/mv2', 409, 'resource already exists'],
    ['/mv', '/nowhere/mv', 404, "inode not found at '/nowhere'"],
    ['/mv', '/-bad', 406, 'one or more fields has an invalid value'],
    ['/mv', '../up', 406, "a path must not contain '..'"],
    ['/gone', '/x', 404, "inode not found at '/gone'"],
  ])('from %s to %s is rejected', async (from, to, status, message) => {
    for (const path of ['/mv', '/mv2']) await mkdir(path);
    expect(refusalOf(await rename(from, to))).toEqual([status, message]);
    expect((await get('/mv')).status).toBe(200);
  });
});

describe('a mirror of a git repository', () => {
  test.each([
    ['GET', 'mirror-info'],
    ['POST', 'update-mirror'],
    ['POST', 'lock-mirror'],
    ['POST', 'unlock-mirror'],
    ['POST', 'sync-mirror'],
  ])('is not a node: %s %s is rejected for an existing node, and is 404 for a missing one', async (method, op) => {
    const options = op === 'update-mirror' ? { json: {} } : {};
    await client.call('PUT', '/api/namespaces/no-mirrors');
    const there = await client.call(method, `/api/namespaces/no-mirrors/tree/?op=${op}`, options);
    expect([there.status, there.json()['message']]).toEqual([500, 'not a git mirror']);
    const missing = await client.call(method, `/api/namespaces/no-mirrors/tree/gone?op=${op}`, options);
    expect([missing.status, missing.json()['message']]).toEqual([404, "inode not found at '/gone'"]);
  });
});

const MISSPELT = `states:
- id: a
  type: noop
  log: 'jq(.list | lenght)'
`;

const WARNING = {
  rule: 'jq-unknown-name',
  severity: 'warning',
  hint: "did you mean 'length'?",
  mend: { title: "replace 'lenght' by 'length'", isCertain: false },
};

describe('a workflow text that is validated', () => {
  const validate = (body: string, path = 'not/there') =>
    client.call('POST', `/api/namespaces/demo/tree/${path}?op=validate`, { body });

  test('gets every problem with its place and how to mend it, and is not stored', async () => {
    const answer = await validate(BROKEN);
    expect(answer.status, answer.text).toBe(200);
    const { problems, ...rest } = answer.json();
    expect(rest).toEqual({ namespace: 'demo', path: '/not/there' });
    const [problem] = rowsOf(problems);
    expect(problem).toMatchObject({ line: 3, column: 9, message: expect.stringContaining('type unrecognized') });
    expect(String(problem?.['text'])).toContain('3 |   type: foo\n            ^');
    expect((await client.call('GET', '/api/namespaces/demo/tree/not/there')).status).toBe(404);
  });

  test('has the problems that storing it is refused for', async () => {
    const two = 'states:\n- id: a\n  type: foo\n- id: b\n  type: noop\n  transition: c\n';
    const stored = await client.call('PUT', '/api/namespaces/demo/tree/refused?op=create-workflow', { body: two });
    expect(stored.status).toBe(406);
    expect(rowsOf(stored.json()['problems']).length).toBe(2);
    const found = rowsOf((await validate(two)).json()['problems']).filter((one) => String(one['severity']) === 'error');
    const texts = (rows: readonly (typeof found)[number][]) => rows.map((one) => String(one['text'])).toSorted();
    expect(texts(found)).toEqual(texts(rowsOf(stored.json()['problems'])));
  });

  test('gets warnings with their rule, the end of their place and a correction, and can be stored', async () => {
    const { problems } = (await validate(MISSPELT)).json();
    expect(rowsOf(problems)).toMatchObject([WARNING]);
    const [place] = rowsOf(problems);
    expect(place).toMatchObject({
      line: 4,
      column: 20,
      end: { line: 4, column: 26 },
      docs: 'docs/lint.md#jq-unknown-name',
    });
  });

  test('is stored with its warnings in the reply, and without that field if there are none', async () => {
    const path = '/api/namespaces/demo/tree/warned?op=';
    const created = await client.call('PUT', `${path}create-workflow`, { body: MISSPELT });
    expect(created.json()['warnings']).toMatchObject([WARNING]);
    const updated = await client.call('POST', `${path}update-workflow`, { body: `${MISSPELT}# again\n` });
    expect(updated.json()['warnings']).toMatchObject([WARNING]);
    const mended = await client.call('POST', `${path}update-workflow`, { body: MISSPELT.replace('lenght', 'length') });
    expect(mended.json()).not.toHaveProperty('warnings');
  });

  test('has no problems when it is a workflow', async () => {
    expect((await validate(NOOP)).json()['problems']).toEqual([]);
  });
});
