import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, type Client, type Json, openClient, rowsOf } from '../access/client.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const DEMO = '/api/namespaces/demo';

const sourceOf = (version: string, start = '') =>
  `${start}states:\n- id: a\n  type: noop\n  transform: { version: ${version} }\n`;
const EVENT = 'start:\n  type: event\n  event: { type: greeting }\n';
const CRON = 'start:\n  type: scheduled\n  cron: "0 0 1 1 *"\n';
const WAITING = `states:
- id: a
  type: delay
  duration: PT1S
  transform: { version: slow }
`;

let client: Client;

beforeAll(async () => {
  client = await openClient();
  await client.call('PUT', DEMO);
  await client.call('PUT', `${DEMO}/tree/dir?op=create-directory`);
});

afterAll(() => client.close());

function refusalOf(answer: Answer): [number, unknown] {
  return [answer.status, answer.json()['message']];
}
const nothing = (answer: Answer) => [answer.status, answer.text, answer.headers.get('content-type')];
const NOTHING = [200, '', null];

const workflows: Workflow[] = [];

/** A separate workflow for a test, with the operations on it. */
class Workflow {
  readonly path = `wf${workflows.push(this)}`;

  call(method: string, op: string, json?: unknown): Promise<Answer> {
    return client.call(method, `${DEMO}/tree/${this.path}?${op}`, json === undefined ? {} : { json });
  }
  post(op: string, json?: unknown): Promise<Answer> {
    return this.call('POST', `op=${op}`, json);
  }
  private async store(method: string, op: string, body: string): Promise<string> {
    const answer = await client.call(method, `${DEMO}/tree/${this.path}?op=${op}`, { body });
    expect(answer.status, answer.text).toBe(200);
    return String(answer.json()['revision']?.['name']);
  }
  /** Both return the name of the revision. */
  create(source: string): Promise<string> {
    return this.store('PUT', 'create-workflow', source);
  }
  update(source: string): Promise<string> {
    return this.store('POST', 'update-workflow', source);
  }
  async names(op: string, query = ''): Promise<unknown[]> {
    const answer = await this.call('GET', `op=${op}&${query}`);
    expect(answer.json()['node']).toMatchObject({ path: `/${this.path}`, expandedType: 'workflow' });
    return rowsOf(answer.json()['results']).map(({ name }) => name);
  }
  /** The version in the output of a run. */
  async run(ref = ''): Promise<unknown> {
    const answer = await this.call('GET', `op=wait${ref === '' ? '' : `&ref=${ref}`}`);
    expect(answer.status, answer.text).toBe(200);
    return answer.json()['version'];
  }
  async shown(ref: string): Promise<unknown> {
    const answer = await this.call('GET', `ref=${ref}`);
    return answer.status === 200 ? answer.json()['revision']?.['name'] : refusalOf(answer);
  }
}

const GONE = [404, 'ref not found'];

describe('refs of a workflow', () => {
  test('are only latest at first, and later saved revisions and tags too', async () => {
    const wf = new Workflow();
    const first = await wf.create(sourceOf('one'));
    for (const op of ['refs', 'tags']) expect(await wf.names(op)).toEqual(['latest']);
    expect(await wf.names('revisions')).toEqual([]);
    await setTimeout(2);
    expect((await wf.post('save-workflow&ref=latest')).json()).toMatchObject({
      namespace: 'demo',
      node: { path: `/${wf.path}` },
      revision: { name: first },
    });
    await setTimeout(2);
    expect(nothing(await wf.post(`tag&ref=${first}`, { tag: 'v1' }))).toEqual(NOTHING);
    expect(await wf.names('refs')).toEqual(['v1', first, 'latest']);
    expect(await wf.names('revisions')).toEqual([first]);
    expect(await wf.names('tags')).toEqual(['v1', 'latest']);
    expect((await wf.post('save-workflow')).status).toBe(200);
    expect(await wf.names('revisions')).toEqual([first]);
  });

  test('are listed in pages, by name and with filters', async () => {
    const wf = new Workflow();
    await wf.create(sourceOf('one'));
    for (const tag of ['b', 'A1', 'c.d']) await wf.post(`tag&ref=latest&tag=${tag}`);
    expect(await wf.names('tags', 'order.field=NAME')).toEqual(['A1', 'b', 'c.d', 'latest']);
    expect(await wf.names('tags', 'order.field=NAME&limit=2&offset=1')).toEqual(['b', 'c.d']);
    expect(await wf.names('refs', 'filter.field=NAME&filter.type=CONTAINS&filter.val=.d')).toEqual(['c.d']);
    expect((await wf.call('GET', 'op=refs&limit=2')).json()['pageInfo']).toMatchObject({ limit: 2, total: 4 });
    expect((await wf.call('GET', 'op=refs&limit=x')).status).toBe(400);
  });

  test('need a workflow', async () => {
    const ops = [
      ...['refs', 'revisions', 'tags', 'router'].map((op) => ['GET', op] as const),
      ...['save-workflow', 'discard-workflow', 'delete-revision', 'tag&tag=x', 'untag', 'retag&tag=x'].map(
        (op) => ['POST', op] as const,
      ),
      ...['validate-router', 'validate-ref'].map((op) => ['POST', op] as const),
    ];
    for (const [method, op] of ops) {
      const answers = ['nope', 'dir'].map((path) => client.call(method, `${DEMO}/tree/${path}?op=${op}`));
      expect((await Promise.all(answers)).map(refusalOf), op).toEqual([
        [404, "inode not found at '/nope'"],
        [500, 'not a workflow'],
      ]);
    }
    for (const [path, refusal] of Object.entries({
      nope: [404, "inode not found at '/nope'"],
      dir: [500, 'not a workflow'],
    })) {
      const answer = await client.call('POST', `${DEMO}/tree/${path}?op=edit-router`, { json: { live: true } });
      expect(refusalOf(answer)).toEqual(refusal);
    }
  });
});

describe('a revision that is no longer the latest', () => {
  test('cannot be run by its id, unless it was saved or tagged', async () => {
    const wf = new Workflow();
    const plain = await wf.create(sourceOf('plain'));
    expect(await wf.shown(plain)).toBe(plain);
    const saved = await wf.update(sourceOf('saved'));
    await wf.post('save-workflow');
    const tagged = await wf.update(sourceOf('tagged'));
    await wf.post('tag&ref=latest&tag=v1');
    const last = await wf.update(sourceOf('last'));
    expect(refusalOf(await wf.call('GET', `op=wait&ref=${plain}`))).toEqual(GONE);
    expect(await wf.shown(saved)).toBe(saved);
    expect(refusalOf(await wf.call('GET', `op=wait&ref=${tagged}`))).toEqual(GONE);
    expect([await wf.shown('v1'), await wf.shown('latest')]).toEqual([tagged, last]);
    expect([await wf.run('v1'), await wf.run(saved), await wf.run(), await wf.run('latest')]).toEqual([
      'tagged',
      'saved',
      'last',
      'last',
    ]);
  });

  test('is kept for the runs that started with it', async () => {
    const wf = new Workflow();
    await wf.create(WAITING);
    const waiting = wf.call('GET', 'op=wait');
    const isBegun = async () => {
      const list = (
        await client.call('GET', `${DEMO}/instances?filter.field=AS&filter.type=CONTAINS&filter.val=${wf.path}`)
      ).json();
      return rowsOf(list['instances']?.['results']).length > 0;
    };
    while (!(await isBegun())) await setTimeout(10);
    await wf.update(sourceOf('next'));
    expect(await wf.run()).toBe('next');
    expect((await waiting).json()).toEqual({ version: 'slow' });
  });

  test('runs in a separate state machine under its tag', async () => {
    const wf = new Workflow();
    await wf.create(WAITING);
    await wf.post('tag&ref=latest&tag=slow');
    await wf.update(WAITING.replace('slow', 'other'));
    expect(await Promise.all([wf.run('slow'), wf.run()])).toEqual(['slow', 'other']);
  });

  test('is restored by discarding the latest, if that is not saved', async () => {
    const wf = new Workflow();
    const first = await wf.create(sourceOf('first'));
    const discard = async () => (await wf.post('discard-workflow&ref=latest')).json()['revision']?.['name'];
    expect(await discard()).toBe(first);
    await wf.post('save-workflow');
    await wf.update(sourceOf('second'));
    await wf.update(sourceOf('third'));
    expect(await discard()).toBe(first);
    expect([await wf.shown('latest'), await wf.run()]).toEqual([first, 'first']);
    expect(await discard()).toBe(first);
    const tagged = await wf.update(sourceOf('tagged'));
    await wf.post('tag&ref=latest&tag=v1');
    expect(await discard()).toBe(tagged);
  });

  test('is deleted by its name only when nothing else refers to it', async () => {
    const wf = new Workflow();
    const saved = await wf.create(sourceOf('saved'));
    expect(refusalOf(await wf.post(`delete-revision&ref=${saved}`))).toEqual(GONE);
    await wf.post('save-workflow');
    await wf.post('tag&ref=latest&tag=v1');
    const inUse = [500, 'cannot delete revision while refs to it exist'];
    expect(refusalOf(await wf.post(`delete-revision&ref=${saved}`))).toEqual(inUse);
    await wf.update(sourceOf('next'));
    expect(refusalOf(await wf.post(`delete-revision&ref=${saved}`))).toEqual(inUse);
    for (const ref of ['v1', 'latest', '']) {
      expect(refusalOf(await wf.post(`delete-revision&ref=${ref}`))).toEqual([500, 'not a revision']);
    }
    expect(nothing(await wf.post('untag&ref=v1'))).toEqual(NOTHING);
    expect(nothing(await wf.post(`delete-revision&ref=${saved}`))).toEqual(NOTHING);
    expect(refusalOf(await wf.post(`delete-revision&ref=${saved}`))).toEqual(GONE);
    expect(refusalOf(await wf.call('GET', `op=wait&ref=${saved}`))).toEqual(GONE);
    expect(await wf.names('refs')).toEqual(['latest']);
  });
});

describe('tags', () => {
  test('are created, moved and deleted', async () => {
    const wf = new Workflow();
    const first = await wf.create(sourceOf('first'));
    await wf.post('save-workflow');
    expect(nothing(await wf.post('tag&ref=latest&tag=v1'))).toEqual(NOTHING);
    const second = await wf.update(sourceOf('second'));
    expect(await wf.shown('v1')).toBe(first);
    expect(nothing(await wf.post('retag&ref=latest', { tag: 'v1' }))).toEqual(NOTHING);
    expect(await wf.shown('v1')).toBe(second);
    expect(nothing(await wf.post('tag&ref=v1&tag=v2'))).toEqual(NOTHING);
    expect(await wf.shown('v2')).toBe(second);
    expect(nothing(await wf.post('untag&ref=v1'))).toEqual(NOTHING);
    expect(refusalOf(await wf.post('untag&ref=v1'))).toEqual(GONE);
    expect(await wf.shown('v1')).toEqual(GONE);
    expect(await wf.shown('v2')).toBe(second);
  });

  test('are rejected for a name that is in use, invalid, missing or repeated', async () => {
    const wf = new Workflow();
    const revision = await wf.create(sourceOf('one'));
    await wf.post('save-workflow');
    await wf.post('tag&ref=latest&tag=v1');
    const exists = [409, 'resource already exists'];
    for (const tag of ['v1', 'latest']) expect(refusalOf(await wf.post(`tag&ref=latest&tag=${tag}`))).toEqual(exists);
    const bad = [406, 'one or more fields has an invalid value'];
    for (const tag of ['-x', 'x-', 'a%20b', '%C3%A9', 'a'.repeat(1001), revision]) {
      expect(refusalOf(await wf.post(`tag&ref=latest&tag=${tag}`))).toEqual(bad);
    }
    for (const op of ['tag', 'retag']) {
      expect(refusalOf(await wf.post(`${op}&ref=latest`))).toEqual([500, 'tag is missing from query and body']);
      const twice = await wf.post(`${op}&ref=latest&tag=x`, { tag: 'y' });
      expect(refusalOf(twice)).toEqual([500, 'tag exists in both query and body']);
    }
    expect(refusalOf(await wf.post('tag&ref=nope&tag=v2'))).toEqual(GONE);
    expect(refusalOf(await wf.post('retag&ref=nope&tag=v1'))).toEqual(GONE);
    expect(refusalOf(await wf.post('retag&ref=latest&tag=nope'))).toEqual(GONE);
    for (const name of ['latest', revision]) {
      expect(refusalOf(await wf.post(`retag&ref=latest&tag=${name}`))).toEqual([500, 'not a tag']);
      expect(refusalOf(await wf.post(`untag&ref=${name}`))).toEqual([500, 'not a tag']);
    }
  });

  test('are not restored for a new workflow at the old path', async () => {
    const wf = new Workflow();
    await wf.create(sourceOf('one'));
    await wf.post('tag&ref=latest&tag=v1');
    await wf.call('DELETE', 'op=delete-node');
    await wf.create(sourceOf('two'));
    expect(await wf.names('refs')).toEqual(['latest']);
    expect(await wf.shown('v1')).toEqual(GONE);
  });

  test('are kept when a workflow is renamed', async () => {
    const wf = new Workflow();
    const revision = await wf.create(sourceOf('one'));
    await wf.post('tag&ref=latest&tag=v1');
    await wf.post('rename-node', { new: `${wf.path}-moved` });
    const shown = await client.call('GET', `${DEMO}/tree/${wf.path}-moved?ref=v1`);
    expect(shown.json()['revision']?.['name']).toBe(revision);
  });
});

/** Two revisions, v1 and the latest. */
async function divided(first = sourceOf('one'), second = sourceOf('two')): Promise<Workflow> {
  const wf = new Workflow();
  await wf.create(first);
  await wf.post('tag&ref=latest&tag=v1');
  await wf.update(second);
  return wf;
}

const routes = (...pairs: [string, number][]) => pairs.map(([ref, weight]) => ({ ref, weight }));
const edit = (wf: Workflow, route: unknown, live = true) => wf.post('edit-router', { live, route });

describe('the router of a workflow', () => {
  test('has no routes at first, then the given ones in descending order of weight', async () => {
    const wf = await divided();
    const base = { namespace: 'demo', node: expect.objectContaining({ path: `/${wf.path}`, type: 'workflow' }) };
    expect((await wf.call('GET', 'op=router')).json()).toEqual({ ...base, live: true, routes: [] });
    const edited = await edit(wf, routes(['latest', 20], ['v1', 80]));
    expect(edited.json()).toEqual({ ...base, live: true, routes: routes(['v1', 80], ['latest', 20]) });
    expect((await wf.call('GET', 'op=router')).json()).toEqual(edited.json());
    expect((await edit(wf, routes(['latest', 0], ['v1', 1]))).json()['routes']).toEqual(routes(['v1', 1]));
    expect((await edit(wf, [])).json()['routes']).toEqual([]);
  });

  test('divides starts without a revision by weight', async () => {
    const wf = await divided();
    await edit(wf, routes(['v1', 1], ['latest', 1]));
    const runs = await Promise.all(Array.from({ length: 40 }, () => wf.run()));
    expect(new Set(runs)).toEqual(new Set(['one', 'two']));
    expect(await Promise.all(Array.from({ length: 5 }, () => wf.run('latest')))).toEqual(Array(5).fill('two'));
    await edit(wf, routes(['v1', 5]));
    expect(new Set(await Promise.all(Array.from({ length: 10 }, () => wf.run())))).toEqual(new Set(['one']));
    expect((await wf.call('GET', '')).json()['revision']?.['name']).toBe(await wf.shown('latest'));
  });

  test('divides subflows too', async () => {
    const wf = await divided();
    await edit(wf, routes(['v1', 1]));
    const caller = new Workflow();
    const functions = ['', ':latest'].map(
      (ref, index) => `- { id: f${index}, type: subflow, workflow: "/${wf.path}${ref}" }`,
    );
    await caller.create(`functions:\n${functions.join('\n')}
states:
- id: a
  type: action
  action: { function: f0 }
  transform: { first: jq(.return.version) }
  transition: b
- id: b
  type: action
  action: { function: f1 }
  transform: { first: jq(.first), second: jq(.return.version) }
`);
    expect((await caller.call('GET', 'op=wait')).json()).toEqual({ first: 'one', second: 'two' });
  });

  test('enables and disables the workflow', async () => {
    const wf = await divided();
    expect((await edit(wf, [], false)).json()['live']).toBe(false);
    expect((await wf.call('GET', 'op=wait')).status).toBe(500);
    expect((await edit(wf, [], true)).json()['live']).toBe(true);
    expect(await wf.run()).toBe('two');
    await wf.post('toggle', { live: false });
    expect((await wf.call('GET', 'op=router')).json()['live']).toBe(false);
  });

  test('rejects unknown refs, invalid weights, and differing starts', async () => {
    const wf = await divided(sourceOf('one'), sourceOf('two', CRON));
    expect(refusalOf(await edit(wf, routes(['v1', 1], ['nope', 1])))).toEqual(GONE);
    const bad = [406, 'one or more fields has an invalid value'];
    for (const weight of [-1, 2 ** 31]) expect(refusalOf(await edit(wf, routes(['v1', weight])))).toEqual(bad);
    const refusal = "incompatible start definitions between refs 'v1' and 'latest'";
    expect(refusalOf(await edit(wf, routes(['v1', 2], ['latest', 1])))).toEqual([406, refusal]);
    expect((await wf.call('GET', 'op=router')).json()['routes']).toEqual([]);
  });

  test('protects its routes: their tags and revisions are not deleted, and no other start is accepted', async () => {
    const wf = await divided();
    await edit(wf, routes(['v1', 2], ['latest', 1]));
    expect(refusalOf(await wf.post('untag&ref=v1'))).toEqual([500, 'cannot delete tag while routes to it exist']);
    const answer = await client.call('POST', `${DEMO}/tree/${wf.path}?op=update-workflow`, {
      body: sourceOf('x', CRON),
    });
    expect(refusalOf(answer)).toEqual([406, "incompatible start definitions between refs 'v1' and 'latest'"]);
    await wf.update(sourceOf('three'));
    expect(await wf.run('latest')).toBe('three');
    await edit(wf, routes(['v1', 1]));
    await wf.update(sourceOf('timed', CRON));
    const retagged = await wf.post('retag&ref=latest&tag=v1');
    expect(refusalOf(retagged)).toEqual([406, "incompatible start definitions between refs 'v1' and 'latest'"]);
    expect(await wf.run()).toBe('one');
    await wf.post('save-workflow');
    const saved = String(await wf.shown('latest'));
    await wf.update(sourceOf('four'));
    await edit(wf, routes([saved, 1]));
    const deleted = await wf.post(`delete-revision&ref=${saved}`);
    expect(refusalOf(deleted)).toEqual([500, 'cannot delete revision while routes to it exist']);
  });

  test('determines which events start the workflow', async () => {
    const listeners = async (wf: Workflow): Promise<number> => {
      const list = (await client.call('GET', `${DEMO}/event-listeners`)).json();
      return rowsOf(list['results']).filter(({ workflow }) => String(workflow) === `/${wf.path}`).length;
    };
    const wf = await divided(sourceOf('one', EVENT));
    expect(await listeners(wf)).toBe(0);
    await edit(wf, routes(['v1', 1]));
    expect(await listeners(wf)).toBe(1);
    await wf.update(sourceOf('three'));
    expect(await listeners(wf)).toBe(1);
    await wf.post('toggle', { live: false });
    expect(await listeners(wf)).toBe(0);
    await wf.post('toggle', { live: true });
    expect(await listeners(wf)).toBe(1);
    await edit(wf, []);
    expect(await listeners(wf)).toBe(0);
  });
});

describe('validations', () => {
  test('accept existing refs and routes, which are valid since they were stored, and reject unknown ones', async () => {
    const wf = await divided();
    await edit(wf, routes(['v1', 1], ['latest', 1]));
    const base = { namespace: 'demo', path: `/${wf.path}`, invalid: false, reason: '' };
    expect((await wf.post('validate-router')).json()).toEqual(base);
    for (const ref of ['latest', 'v1']) {
      expect((await wf.post(`validate-ref&ref=${ref}`)).json()).toEqual({ ...base, ref, compiles: true });
    }
    expect((await wf.post('validate-ref')).json()).toMatchObject({ ref: 'latest' });
    expect(refusalOf(await wf.post('validate-ref&ref=nope'))).toEqual(GONE);
    expect((await wf.call('GET', 'op=validate-ref')).json()['revision']?.['name']).toMatch(UUID);
  });
});

describe('attributes of a node', () => {
  const change = (method: string, path: string, attributes: unknown) => {
    const op = method === 'PUT' ? 'create-node-attributes' : 'delete-node-attributes';
    return client.call(method, `${DEMO}/tree/${path}?op=${op}`, { json: { attributes } });
  };
  const attributesOf = async (path: string): Promise<Json | undefined> =>
    (await client.call('GET', `${DEMO}/tree/${path}`)).json()['node']?.['attributes'];

  test.each(['dir', 'labelled', ''])('are added and deleted at /%s', async (path) => {
    if (path === 'labelled') {
      await client.call('PUT', `${DEMO}/tree/${path}?op=create-workflow`, { body: sourceOf('one') });
    }
    expect(nothing(await change('PUT', path, ['y', 'x', 'y']))).toEqual(NOTHING);
    expect(await attributesOf(path)).toEqual(['x', 'y']);
    expect(nothing(await change('PUT', path, ['x', 'ä b']))).toEqual(NOTHING);
    expect(await attributesOf(path)).toEqual(['x', 'y', 'ä b']);
    expect(nothing(await change('DELETE', path, ['x', 'nope']))).toEqual(NOTHING);
    expect(nothing(await change('DELETE', path, ['nope']))).toEqual(NOTHING);
    expect(await attributesOf(path)).toEqual(['y', 'ä b']);
  });

  test('are in the list of the directory', async () => {
    await change('PUT', 'dir', ['listed']);
    const children = (await client.call('GET', `${DEMO}/tree/`)).json()['children']?.['results'];
    const dir = rowsOf(children).find(({ name }) => String(name) === 'dir');
    expect(dir?.['attributes']).toContain('listed');
  });

  test('are rejected for a missing node, and unless they are labels', async () => {
    for (const method of ['PUT', 'DELETE']) {
      expect(refusalOf(await change(method, 'nope', ['x']))).toEqual([404, "inode not found at '/nope'"]);
    }
    const bad = [406, 'one or more fields has an invalid value'];
    const many = Array.from({ length: 101 }, (_, index) => `n${index}`);
    for (const labels of [[''], ['a'.repeat(257)], many]) {
      expect(refusalOf(await change('PUT', 'dir', labels))).toEqual(bad);
    }
    expect((await change('PUT', 'dir', 'x')).status).toBe(500);
  });
});
