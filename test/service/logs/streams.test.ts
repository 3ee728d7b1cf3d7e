import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { type Client, type Json, openClient, openOwnClient, rowsOf } from '../access/client.ts';
import { type EventReader, openStream } from '../access/event-stream.ts';

const NOOP = 'states:\n- id: a\n  type: noop\n';
const WAITS = 'states:\n- id: a\n  type: consumeEvent\n  event: {type: never}\n';
const LISTENS = 'start: {type: event, event: {type: begins}}\nstates:\n- id: a\n  type: noop\n';

let client: Client;
let spaces = 0;
/** The path of the test's namespace. */
let base: string;

beforeAll(async () => {
  client = await openClient();
});

afterAll(() => client.close());

beforeEach(async () => {
  base = `/api/namespaces/streams-${++spaces}`;
  await good('PUT', base);
});

async function good(method: string, path: string, body?: string | object): Promise<Json> {
  const content = typeof body === 'object' ? { json: body } : body === undefined ? {} : { body };
  const answer = await client.call(method, path, content);
  expect(answer.status, `${method} ${path}: ${answer.text}`).toBe(200);
  return answer.text === '' ? {} : answer.json();
}

async function follow(path: string, headers: Readonly<Record<string, string>> = {}): Promise<EventReader> {
  const stream = await openStream(client.url, path, { key: client.key, headers });
  onTestFinished(() => stream.leave());
  return stream;
}

const store = (path: string, yaml = NOOP) => good('PUT', `${base}/tree/${path}?op=create-workflow`, yaml);
const start = async (path: string) => String((await good('POST', `${base}/tree/${path}?op=execute`, '{}'))['instance']);
const send = (type: string) =>
  good('POST', `${base}/broadcast`, { specversion: '1.0', id: `e-${type}`, source: 's', type });
const op = (path: string, name: string) => `${base}/tree/${path}?op=${name}`;

/** The path of a stream below the namespace, and a request that changes its content. */
interface Case {
  readonly path: () => string | Promise<string>;
  readonly change: () => Promise<unknown>;
}

let instance: string;

const CASES: Readonly<Record<string, Case>> = {
  'the namespaces': { path: () => '/api/namespaces', change: () => good('PUT', `${base}-more`) },
  'a directory': { path: () => `${base}/tree`, change: () => store('wf') },
  'a workflow': {
    path: () => store('wf').then(() => `${base}/tree/wf`),
    change: () => good('POST', op('wf', 'update-workflow'), `description: other\n${NOOP}`),
  },
  'the variables of a namespace': { path: () => `${base}/vars`, change: () => good('PUT', `${base}/vars/v`, 'x') },
  'the variables of a workflow': {
    path: () => store('wf').then(() => op('wf', 'vars')),
    change: () => good('PUT', `${op('wf', 'set-var')}&var=v`, 'x'),
  },
  'the variables of an instance': {
    path: async () => {
      await store('wf', WAITS);
      instance = await start('wf');
      return `${base}/instances/${instance}/vars`;
    },
    change: () => good('PUT', `${base}/instances/${instance}/vars/v`, 'x'),
  },
  'the secrets': { path: () => `${base}/secrets`, change: () => good('PUT', `${base}/secrets/s`, 'x') },
  'the refs': {
    path: () => store('wf').then(() => op('wf', 'refs')),
    change: () => good('POST', `${op('wf', 'tag')}&ref=latest`, { tag: 't' }),
  },
  'the tags': {
    path: () => store('wf').then(() => op('wf', 'tags')),
    change: () => good('POST', `${op('wf', 'tag')}&ref=latest`, { tag: 't' }),
  },
  'the revisions': {
    path: () => store('wf').then(() => op('wf', 'revisions')),
    change: () => good('POST', op('wf', 'save-workflow')),
  },
  'the router': {
    path: () => store('wf').then(() => op('wf', 'router')),
    change: () => good('POST', op('wf', 'edit-router'), { live: false, route: [] }),
  },
  'the instances': { path: () => store('wf', WAITS).then(() => `${base}/instances`), change: () => start('wf') },
  'the instances of a filter': {
    path: () => store('wf', WAITS).then(() => `${base}/instances?filter.field=AS&filter.type=CONTAINS&filter.val=w`),
    change: () => start('wf'),
  },
  'the events': { path: () => `${base}/events`, change: () => send('t') },
  'the event listeners': { path: () => `${base}/event-listeners`, change: () => store('wf', LISTENS) },
};

describe('a stream of', () => {
  test.each(Object.entries(CASES))('%s sends the plain reply, and a new one after a change', async (_, chosen) => {
    const path = await chosen.path();
    const stream = await follow(path);
    expect(stream.status, stream.text).toBe(200);
    // The prepared runs may not have ended yet.
    const before = await good('GET', path);
    await stream.until((frame) => JSON.stringify(frame) === JSON.stringify(before));
    await chosen.change();
    const after = await stream.until((frame) => JSON.stringify(frame) !== JSON.stringify(before));
    expect(Object.keys(after)).toEqual(Object.keys(before));
    const now = JSON.stringify(await good('GET', path));
    if (JSON.stringify(after) !== now) await stream.until((frame) => JSON.stringify(frame) === now);
  });

  test('an instance sends its end, and stays open', async () => {
    await store('wf', WAITS);
    const path = `${base}/instances/${await start('wf')}`;
    const stream = await follow(path);
    await stream.until(
      ({ instance: record, flow }) => String(record?.['status']) === 'pending' && String(flow) === 'a',
    );
    await good('POST', `${path}/cancel`);
    const { instance: record } = await stream.until((frame) => String(frame['instance']?.['status']) !== 'pending');
    expect(record).toMatchObject({ status: 'failed', errorCode: 'service.cancels.api' });
    expect(await stream.next()).toEqual({ name: 'message', id: undefined, data: '' });
  });

  test('one namespace sends no changes of another', async () => {
    const other = `${base}-other`;
    await good('PUT', other);
    const stream = await follow(`${base}/vars`);
    await stream.json();
    await good('PUT', `${other}/vars/theirs`, 'x');
    await good('PUT', `${base}/vars/ours`, 'x');
    const { variables } = await stream.json();
    expect(variables?.['results']).toMatchObject([{ name: 'ours' }]);
  });

  test('a list sends only the requested page', async () => {
    const stream = await follow(`${base}/vars?limit=1&offset=1`);
    expect((await stream.json())['variables']).toMatchObject({ pageInfo: { total: 0 }, results: [] });
    await good('PUT', `${base}/vars/a`, 'x');
    await stream.until(({ variables }) => Number(variables?.['pageInfo']?.['total']) === 1);
    await good('PUT', `${base}/vars/b`, 'x');
    const { variables } = await stream.until((frame) => Number(frame['variables']?.['pageInfo']?.['total']) === 2);
    expect(variables?.['results']).toMatchObject([{ name: 'b' }]);
  });
});

const LOGS: Readonly<Record<string, Case & { readonly line: () => string }>> = {
  'the server': {
    path: () => '/api/logs',
    change: () => good('PUT', `${base}-logged`),
    line: () => `Created namespace '${base.slice('/api/namespaces/'.length)}-logged'.`,
  },
  'a namespace': {
    path: () => good('PUT', `${base}/vars/first`, 'x').then(() => `${base}/logs`),
    change: () => good('PUT', `${base}/vars/v`, 'x'),
    line: () => "Created namespace variable 'v'.",
  },
  'a workflow': {
    path: async () => {
      await store('wf');
      await good('PUT', `${op('wf', 'set-var')}&var=first`, 'x');
      return op('wf', 'logs');
    },
    change: () => good('PUT', `${op('wf', 'set-var')}&var=v`, 'x'),
    line: () => "Created workflow variable 'v'.",
  },
  'an instance': {
    path: async () => {
      await store('wf', WAITS);
      instance = await start('wf');
      return `${base}/instances/${instance}/logs`;
    },
    change: () => good('POST', `${base}/instances/${instance}/cancel`),
    line: () => "Instance failed with uncatchable error 'service.cancels.api': cancelled by api request",
  },
};

describe('the log of', () => {
  test.each(Object.entries(LOGS))('%s sends each line once', async (_, { path, change, line }) => {
    const address = await path();
    const stream = await follow(address);
    const shown: Json[] = [...rowsOf((await stream.json())['results'])];
    await change();
    while (!shown.some(({ msg }) => String(msg) === line())) shown.push(...rowsOf((await stream.json())['results']));
    const plain = rowsOf((await good('GET', address))['results']);
    while (shown.length < plain.length) shown.push(...rowsOf((await stream.json())['results']));
    expect(shown).toEqual(plain);
  });

  test('a namespace sends only new lines, and begins even if there are none', async () => {
    const filter = 'filter.field=LEVEL&filter.type=STARTING&filter.val=error';
    const stream = await follow(`${base}/logs?${filter}`);
    expect((await stream.json())['results']).toEqual([]);
    await good('PUT', `${base}/vars/v`, 'x');
    await good('DELETE', `${base}?recursive=true`);
    expect((await stream.event())?.name).toBe('error');
  });
});

describe('a stream in HTTP', () => {
  test('sends an event as its id and one line of JSON', async () => {
    const stream = await follow(`${base}/vars`);
    const event = await stream.next();
    expect(stream.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache',
      connection: 'keep-alive',
      'access-control-allow-origin': '*',
      'access-control-allow-headers': 'Content-Type',
      'x-accel-buffering': 'no',
    });
    expect(event?.id).toMatch(/^[\w-]{22}$/);
    expect(stream.text).toBe(`id: ${event?.id}\ndata: ${event?.data}\n\n`);
    expect(event?.data).toBe((await client.call('GET', `${base}/vars`)).text);
  });

  test.each(['text/event-stream', 'text/html, text/event-stream;q=0.9'])(
    'is requested by Accept: %s',
    async (Accept) => {
      const stream = await follow(`${base}/vars`, { Accept });
      expect(stream.headers['content-type']).toBe('text/event-stream');
    },
  );

  test('is not available for a route without streams, which sends its plain reply', async () => {
    const stream = await follow(`${base}/config`);
    expect([stream.status, stream.headers['content-type']]).toEqual([200, 'application/json']);
  });

  test('repeats no event for a client that reconnects with the id of its last event', async () => {
    const first = await follow(`${base}/vars`);
    const id = String((await first.next())?.id);
    first.leave();
    for (const stream of [
      await follow(`${base}/vars`, { 'Last-Event-ID': id }),
      await follow(`${base}/vars?lastEventId=${id}`),
    ]) {
      expect(await stream.next()).toEqual({ name: 'message', id: undefined, data: '' });
    }
    await good('PUT', `${base}/vars/v`, 'x');
    const late = await follow(`${base}/vars`, { 'Last-Event-ID': id });
    expect((await late.json())['variables']).toMatchObject({ results: [{ name: 'v' }] });
  });
});

describe('a stream ends', () => {
  const errorOf = async (path: string) => {
    const stream = await follow(path);
    const event = await stream.event();
    expect(await stream.event()).toBeUndefined();
    return { status: stream.status, name: event?.name, ...(JSON.parse(event?.data ?? '{}') as object) };
  };

  test('at once for a missing resource, after an error event', async () => {
    const missing = { status: 200, name: 'error', Code: 5 };
    expect(await errorOf('/api/namespaces/nowhere/vars')).toEqual({ ...missing, Message: 'namespace not found' });
    const id = '00000000-0000-0000-0000-000000000000';
    expect(await errorOf(`${base}/instances/${id}`)).toEqual({ ...missing, Message: 'instance not found' });
    expect(await errorOf(`${base}/instances/x`)).toMatchObject({ Code: 2, Message: 'invalid UUID length: 1' });
  });

  test('before it begins for a missing node of the tree', async () => {
    const stream = await follow(`${base}/tree/nowhere`);
    expect([stream.status, stream.headers['content-type']]).toEqual([404, 'application/json']);
  });

  test('before it begins for an invalid key, or an invalid page', async () => {
    const open = (path: string, key: string) => openStream(client.url, path, { key });
    expect((await open(`${base}/vars`, 'wrong')).status).toBe(401);
    expect((await open(`${base}/tree?limit=many`, client.key)).status).toBe(400);
  });

  test('when its resource is deleted', async () => {
    const stream = await follow(`${base}/vars`);
    await stream.event();
    await good('DELETE', `${base}?recursive=true`);
    const event = await stream.event();
    expect([event?.name, event?.data]).toEqual(['error', '{"Code":50,"Message":"EOF"}']);
    expect(await stream.event()).toBeUndefined();
  });

  test('when its key is deleted', async () => {
    const made = await good('POST', '/api/keys', { name: 'watcher', permission: 'read' });
    const stream = await openStream(client.url, `${base}/vars`, { key: String(made['secret']) });
    await stream.event();
    await good('DELETE', `/api/keys/${made['key']?.['id']}`);
    expect((await stream.event())?.data).toMatch(/^\{"Code":16,/);
    expect(await stream.event()).toBeUndefined();
  });

  test('when the service stops', async () => {
    const own = await openOwnClient();
    const streams = await Promise.all(
      Array.from({ length: 5 }, () => openStream(own.url, '/api/namespaces', { key: own.key, comesAgain: false })),
    );
    for (const stream of streams) await stream.json();
    await own.close();
    for (const stream of streams) expect(await stream.event()).toBeUndefined();
  });
});

describe('a client', () => {
  test('that reads slowly misses versions, and gets the latest', async () => {
    const VERSIONS = 40;
    const large = (n: number) => `description: version ${n}\n${NOOP}# ${'x'.repeat(300_000)}\n`;
    await store('wf', large(0));
    const stream = await follow(`${base}/tree/wf`);
    const sourceOf = (frame: Json) => Buffer.from(String(frame['revision']?.['source']), 'base64').toString();
    for (let n = 1; n <= VERSIONS; n += 1) {
      await good('POST', op('wf', 'update-workflow'), large(n));
      // Longer than the time in which several changes become one event.
      await setTimeout(60);
    }
    let frames = 0;
    await stream.until((frame) => {
      frames += 1;
      return sourceOf(frame).startsWith(`description: version ${VERSIONS}\n`);
    });
    expect(frames).toBeLessThan(VERSIONS);
  });
});
