import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Client, type Json, openClient, rowsOf } from '../access/client.ts';
import { sendRaw } from '../access/raw.ts';
import { EventSpace, until } from './space.ts';

const UUID = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
const JSON_TYPE = { 'Content-Type': 'application/json' };
const STRUCTURED = { 'Content-Type': 'application/cloudevents+json' };
const BATCH = { 'Content-Type': 'application/cloudevents-batch+json' };
const EXISTS = { code: 409, message: 'resource already exists' };

let client: Client;
let names = 0;
const open = () => EventSpace.open(client, `events-${++names}`);

beforeAll(async () => {
  client = await openClient();
});

afterAll(() => client.close());

const base64 = (text: string): string => Buffer.from(text).toString('base64');

describe('an event that is broadcast', () => {
  const EVENT = {
    id: 'a-1',
    source: '/shop',
    type: 'order.placed',
    subject: 'o/7',
    shop: 'north',
    number: 3,
    data: { a: 1 },
  };

  test.each(['1.0', '0.3'])(
    'is stored unchanged in the structured mode of %s, with an empty reply',
    async (version) => {
      const space = await open();
      const event = { specversion: version, ...EVENT };
      for (const [index, headers] of [STRUCTURED, JSON_TYPE].entries()) {
        const answer = await space.broadcast(JSON.stringify({ ...event, id: `a-${index}` }), headers);
        expect([answer.status, answer.text, answer.headers.get('content-type')]).toEqual([200, '', null]);
      }
      expect(await space.events()).toEqual([
        { ...event, id: 'a-1' },
        { ...event, id: 'a-0' },
      ]);
    },
  );

  test.each(['1.0', '0.3'])('is read from headers in the binary mode of %s', async (version) => {
    const space = await open();
    const headers = {
      'ce-specversion': version,
      'ce-type': 'order.placed',
      'ce-source': '/shop',
      'CE-Shop': 'north%20east',
    };
    await space.broadcast('{"a":1}', { ...headers, 'ce-id': 'json', ...JSON_TYPE });
    await space.broadcast('hello', { ...headers, 'ce-id': 'text', 'Content-Type': 'text/plain' });
    const common = { specversion: version, source: '/shop', type: 'order.placed', shop: 'north east' };
    expect(await space.events()).toEqual([
      { ...common, id: 'text', datacontenttype: 'text/plain', data: 'hello' },
      { ...common, id: 'json', datacontenttype: 'application/json', data: { a: 1 } },
    ]);
  });

  test('without an id gets one', async () => {
    const space = await open();
    await space.broadcast('{"specversion":"1.0","type":"t","source":"s"}', STRUCTURED);
    expect(await space.events()).toEqual([{ specversion: '1.0', type: 't', source: 's', id: UUID }]);
  });

  test('is rejected with 409 if its namespace has its id, and accepted in another namespace', async () => {
    const [space, other] = [await open(), await open()];
    const body = '{"specversion":"1.0","type":"t","source":"s","id":"once"}';
    expect((await space.broadcast(body, STRUCTURED)).status).toBe(200);
    const again = await space.broadcast(body, STRUCTURED);
    expect([again.status, again.json()]).toEqual([409, { ...EXISTS, Error: EXISTS.message, StatusCode: 409 }]);
    expect((await other.broadcast(body, STRUCTURED)).status).toBe(200);
    expect(await space.events()).toHaveLength(1);
  });

  test('is accepted if an event of another source has its id: source and id identify it', async () => {
    const space = await open();
    await space.store('flow', 'start: {type: event, event: {type: t}}\nstates:\n- {id: a, type: noop}\n');
    const send = (source: string) =>
      space.broadcast(JSON.stringify({ specversion: '1.0', type: 't', id: '1', source }), STRUCTURED);
    const statuses: number[] = [];
    for (const source of ['/one', '/two', '/one', '/two', '/three']) statuses.push((await send(source)).status);
    expect(statuses).toEqual([200, 200, 409, 409, 200]);
    expect((await space.events()).map((event) => event['source']).toSorted()).toEqual(['/one', '/three', '/two']);
    const started = await until(async () => {
      const ids = await space.instances('flow');
      return ids.length === 3 ? ids : undefined;
    });
    expect(new Set(started).size).toBe(3);
    expect(await space.explain('1 /two')).toMatchObject({ event: { source: '/two' } });
    expect((await space.replay('1 /two')).status).toBe(200);
  });

  test('has the UTF-8 of its headers, percent-encoded or not', async () => {
    const space = await open();
    const headers = { 'ce-specversion': '1.0', 'ce-type': 't', 'ce-source': '/s', 'ce-id': 'u' };
    const latin1 = Buffer.from('Köln').toString('latin1');
    await space.broadcast('', { ...headers, 'ce-city': latin1, 'ce-other': 'K%C3%B6ln' });
    expect(await space.events()).toEqual([expect.objectContaining({ city: 'Köln', other: 'Köln' })]);
  });

  test('is accepted once when many requests send it concurrently', async () => {
    const space = await open();
    const body = '{"specversion":"1.0","type":"t","source":"s","id":"raced"}';
    const answers = await Promise.all(Array.from({ length: 8 }, () => space.broadcast(body, STRUCTURED)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array.from({ length: 7 }, () => 409)]);
  });

  test('is 404 for an unknown namespace', async () => {
    const answer = await new EventSpace(client, 'nowhere').broadcast('{}', JSON_TYPE);
    expect([answer.status, answer.json()['message']]).toEqual([404, 'namespace not found']);
  });

  test('can have two million bytes of data', async () => {
    const space = await open();
    const data = 'x'.repeat(2 * 1024 * 1024);
    await space.store(
      'large',
      "start: {type: event, event: {type: large}}\nstates:\n- id: a\n  type: noop\n  transform: {length: 'jq(.large.data | length)'}\n",
    );
    await space.send({ type: 'large', data });
    expect((await space.ended(await space.first('large'))).output).toEqual({ length: data.length });
  });

  test('above four million bytes is rejected with 413', async () => {
    const space = await open();
    const body = JSON.stringify({ specversion: '1.0', type: 't', source: 's', data: 'x'.repeat(4.1 * 1024 * 1024) });
    expect((await space.broadcast(body, STRUCTURED)).status).toBe(413);
    expect(await space.events()).toEqual([]);
  });

  test.each([
    ['a space', 'with space'],
    ['slashes', 'a/b/replay'],
    ['dots', 'a..b'],
    ['letters of several scripts', 'ü€😀'],
    ['an escape', '%2F'],
    ['quotes', '"quoted"'],
    ['the delimiters of a query', '#?&='],
    ['three thousand letters', 'x'.repeat(3000)],
    ['the name of the prototype', '__proto__'],
  ])('can have %s as its id, and is found by it', async (_name, id) => {
    const space = await open();
    await space.send({ type: 't', id });
    const path = `${space.home}/events/${encodeURIComponent(id).replaceAll('.', '%2E')}/explain`;
    const { status, text } = await sendRaw(client.url, 'GET', path, { headers: { 'Service-Api-Key': client.key } });
    expect(status, text).toBe(200);
    expect(JSON.parse(text).event.id).toBe(id);
  });

  test('can have attributes named like members of Object.prototype, which match no filter by default', async () => {
    const space = await open();
    const filter =
      'start: {type: event, event: {type: t, context: {constructor: "*"}}}\nstates:\n- {id: a, type: noop}\n';
    await space.store('wants', filter);
    const plain = await space.sendThrough({ type: 't' });
    expect(await space.explain(plain)).toMatchObject({
      listeners: [{ matches: false, failed: { attribute: 'constructor' } }],
    });
    const body = '{"specversion":"1.0","type":"t","source":"s","id":"own","constructor":"c","tostring":1}';
    await space.broadcast(body, STRUCTURED);
    expect((await space.ended(await space.first('wants'))).output['t']).toMatchObject({
      constructor: 'c',
      tostring: 1,
    });
  });

  test('with an attribute named __proto__ is stored as noncompliant', async () => {
    const space = await open();
    await space.broadcast('{"specversion":"1.0","type":"t","source":"s","__proto__":"x"}', STRUCTURED);
    await space.broadcast('', { 'ce-specversion': '1.0', 'ce-type': 't', 'ce-source': 's', 'ce-__proto__': 'x' });
    const kept = await space.events();
    expect(kept.map(({ type }) => type)).toEqual(['noncompliant', 'noncompliant']);
    expect(JSON.stringify(kept)).toContain('__proto__');
  });

  test.each(['__proto__', 'constructor', 'a/b#c d', 'ü€😀', `long.${'x'.repeat(3000)}`])(
    'can have a type with special characters, which starts, resumes and is found (%.12s)',
    async (type) => {
      const space = await open();
      const name = JSON.stringify(type);
      await space.store('starts', `start: {type: event, event: {type: ${name}}}\nstates:\n- {id: a, type: noop}\n`);
      await space.store('waits', `states:\n- {id: a, type: consumeEvent, event: {type: ${name}}}\n`);
      const waiting = await space.executeListening('waits');
      await space.send({ type, id: 'odd' });
      for (const id of [waiting, await space.first('starts')]) {
        const { status, output } = await space.ended(id);
        expect([status, Object.keys(output)]).toEqual(['complete', [type]]);
      }
      const part = encodeURIComponent([...type].slice(-3).join(''));
      expect(await space.events(`filter.field=TYPE&filter.type=CONTAINS&filter.val=${part}`)).toHaveLength(1);
      expect(await space.events('filter.field=TYPE&filter.type=CONTAINS&filter.val=none-of-it')).toEqual([]);
    },
  );

  test('of a type without listeners is delivered to none, however many listeners other types have', async () => {
    const space = await open();
    for (let number = 0; number < 20; number += 1) {
      const heard = `{type: event, event: {type: "never-sent-${number}"}}`;
      await space.store(`silent-${number}`, `start: ${heard}\nstates:\n- {id: a, type: noop}\n`);
    }
    await space.store('waits', 'states:\n- {id: a, type: consumeEvent, event: {type: never-sent-too}}\n');
    const waiting = await space.executeListening('waits');
    const id = await space.sendThrough({ type: 'unheard' });
    expect((await space.explain(id))['listeners']).toEqual([]);
    expect(await space.instances()).toEqual([waiting]);
    expect(await space.listeners()).toHaveLength(21);
  });

  test('of the binary mode with malformed encoding is refused: it is stored as noncompliant', async () => {
    const space = await open();
    const headers = { 'ce-specversion': '1.0', 'ce-type': 't', 'ce-source': 's' };
    await space.broadcast('', { ...headers, 'ce-id': 'odd', 'ce-c': '"a \\"b\\""', 'ce-d': '%C3%BC 100%25' });
    for (const value of ['100%', '%E4%zz']) await space.broadcast('', { ...headers, 'ce-a': value });
    const [second, first, odd] = await space.events();
    expect(odd).toEqual({ specversion: '1.0', type: 't', source: 's', id: 'odd', c: 'a "b"', d: 'ü 100%' });
    for (const refused of [first, second])
      expect(refused).toMatchObject({
        type: 'noncompliant',
        error: expect.stringMatching(/^a: MUST be percent-encoded/),
      });
  });
});

describe('data that is not an event', () => {
  const compliant = { specversion: '1.0', id: UUID, source: 'unknown', type: 'noncompliant' };

  test.each<[string, string, Record<string, string>, object]>([
    [
      'of an unknown type',
      'hi',
      { 'Content-Type': 'text/x' },
      { error: 'unknown Message encoding', data_base64: base64('hi') },
    ],
    ['without a source', '{"specversion":"1.0","type":"t"}', STRUCTURED, { error: 'source: REQUIRED\n' }],
    ['without a version', '{"type":"t"}', STRUCTURED, { error: 'specversion: no specversion\n' }],
    [
      'that is broken JSON',
      '{no',
      STRUCTURED,
      { error: "invalid character 'n' looking for beginning of object key string" },
    ],
    ['that is empty', '', STRUCTURED, { error: 'unexpected end of JSON input', data_base64: '' }],
    ['that is a JSON object', '{"a":1}', JSON_TYPE, { data: { a: 1 }, datacontenttype: 'application/json' }],
    ['that is a JSON list', '[1]', JSON_TYPE, { data_base64: base64('[1]') }],
  ])('%s is stored as an event of the type noncompliant', async (_name, body, headers, expected) => {
    const space = await open();
    expect((await space.broadcast(body, headers)).status).toBe(200);
    const kept = await space.events();
    expect(kept).toEqual([expect.objectContaining({ ...compliant, ...expected })]);
  });

  test('starts workflows that listen for that type', async () => {
    const space = await open();
    await space.store('odd', 'start: {type: event, event: {type: noncompliant}}\nstates:\n- {id: a, type: noop}\n');
    await space.broadcast('rubbish', { 'Content-Type': 'text/x' });
    const { output } = await space.ended(await space.first('odd'));
    expect(output['noncompliant']).toMatchObject({ source: 'unknown', data_base64: base64('rubbish') });
  });
});

describe('a batch', () => {
  const good = (id: string) => ({ specversion: '1.0', type: 't', source: 's', id });

  test('is accepted element by element, and can be empty', async () => {
    const space = await open();
    expect((await space.broadcast('[]', BATCH)).status).toBe(200);
    expect((await space.broadcast(JSON.stringify([good('a'), good('b')]), BATCH)).status).toBe(200);
    expect((await space.events()).map(({ id }) => id).toSorted()).toEqual(['a', 'b']);
  });

  test('with an invalid element returns an error that names it, and the valid ones are accepted', async () => {
    const space = await open();
    const answer = await space.broadcast(JSON.stringify([good('a'), { type: 't' }, 7, good('b')]), BATCH);
    expect(answer.status).toBe(500);
    expect(answer.json()['message']).toBe('specversion: no specversion\n (number 1 of the batch)');
    expect((await space.events()).map(({ id }) => id).toSorted()).toEqual(['a', 'b']);
  });

  test('with an event that exists already is 409, and the others are accepted', async () => {
    const space = await open();
    await space.broadcast(JSON.stringify([good('a')]), BATCH);
    expect((await space.broadcast(JSON.stringify([good('a'), good('b')]), BATCH)).status).toBe(409);
    expect((await space.events()).map(({ id }) => id).toSorted()).toEqual(['a', 'b']);
  });

  test('that is not a list is 500, and nothing is accepted', async () => {
    const space = await open();
    for (const body of ['{no', '{}', 'true']) expect((await space.broadcast(body, BATCH)).status, body).toBe(500);
    expect(await space.events()).toEqual([]);
  });
});

describe('the history of events', () => {
  test('is listed with the newest first, in pages, filtered by type, text and time', async () => {
    const space = await open();
    for (const id of ['1', '2', '3']) await space.send({ id, type: `order.${id}`, data: { note: `text ${id}` } });
    const idsOf = async (query: string) => (await space.events(query)).map(({ id }) => id);
    expect(await idsOf('')).toEqual(['3', '2', '1']);
    expect(await idsOf('limit=1&offset=1')).toEqual(['2']);
    expect(await idsOf('order.field=ID&order.direction=ASC')).toEqual(['1', '2', '3']);
    expect(await idsOf('filter.field=TYPE&filter.type=CONTAINS&filter.val=.2')).toEqual(['2']);
    expect(await idsOf('filter.field=TEXT&filter.type=CONTAINS&filter.val=text 3')).toEqual(['3']);
    expect(await idsOf('filter.field=CREATED&filter.type=AFTER&filter.val=2100-01-01T00:00:00Z')).toEqual([]);
    expect(await idsOf('filter.field=CREATED&filter.type=BEFORE&filter.val=2100-01-01T00:00:00Z')).toHaveLength(3);
    const soon = await space.call('GET', '/events?filter.field=CREATED&filter.type=AFTER&filter.val=soon');
    expect([soon.status, soon.text]).toEqual([400, expect.stringContaining("'soon' is not an RFC 3339 time")]);
  });

  test('has the received events and page information', async () => {
    const space = await open();
    await space.send({ id: 'one', type: 't' });
    const list = (await space.call('GET', '/events')).json();
    expect(list).toMatchObject({ namespace: space.home.split('/').at(-1), events: { pageInfo: { total: 1 } } });
    expect(rowsOf(list['events']?.['results'])[0]).toEqual({
      receivedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      id: 'one',
      source: 'tests',
      type: 't',
      cloudevent: expect.any(String),
    });
  });
});

describe('explaining an event', () => {
  test('returns for each listener whether it matched, which attribute did not match, and what it did', async () => {
    const space = await open();
    const listens = (context: string) =>
      `start: {type: event, event: {type: t, context: {${context}}}}\nstates:\n- {id: a, type: noop}\n`;
    await space.store('takes', listens('shop: n*'));
    await space.store('refuses', listens('shop: south'));
    await space.store('wait', 'states:\n- id: a\n  type: consumeEvent\n  event: {type: t}\n');
    const waiting = await space.executeListening('wait');
    const id = await space.sendThrough({ type: 't', shop: 'north' });
    const { listeners, event, routed } = await space.explain(id);
    expect([routed, event]).toMatchObject([true, { id, type: 't' }]);
    const rows = rowsOf(listeners).toSorted((a, b) => String(a['workflow']).localeCompare(String(b['workflow'])));
    const failed = { attribute: 'shop', expected: 'south', found: 'north' };
    expect(rows).toMatchObject([
      { workflow: '/refuses', matches: false, failed, did: 'nothing' },
      { workflow: '/takes', matches: true, did: 'started', started: UUID },
      { workflow: '/wait', listener: `wait ${waiting}`, matches: true, did: 'taken' },
    ]);
  });

  test('is 404 for an unknown event', async () => {
    const space = await open();
    const answer = await space.call('GET', '/events/none/explain');
    expect([answer.status, answer.json()['message']]).toEqual([404, 'cloud_events not found']);
  });
});

describe('replaying an event', () => {
  test('starts the listening workflows again', async () => {
    const space = await open();
    await space.store('counts', 'start: {type: event, event: {type: t}}\nstates:\n- {id: a, type: noop}\n');
    const id = await space.sendThrough({ type: 't' });
    const replayed = await space.replay(id);
    expect([replayed.status, replayed.text]).toEqual([200, '']);
    const instances = await until(async () => {
      const ids = await space.instances('counts');
      return ids.length > 1 ? ids : undefined;
    });
    expect(instances).toHaveLength(2);
    expect(await space.events()).toHaveLength(1);
  });

  test('resumes a run that waits now, also one that has processed the event before', async () => {
    const space = await open();
    const wait = (id: string) => `- id: ${id}\n  type: consumeEvent\n  event: {type: t}\n`;
    await space.store('twice', `states:\n${wait('a')}  transition: b\n${wait('b')}`);
    const instance = await space.executeListening('twice');
    const id = await space.sendThrough({ type: 't' });
    const flowOf = async (): Promise<Json> =>
      (await space.call('GET', `/instances/${instance}`)).json()['flow'] as Json;
    await until(async () => (rowsOf(await flowOf()).length === 2 ? true : undefined));
    await space.listening(instance);
    await space.replay(id);
    expect((await space.ended(instance)).status).toBe('complete');
  });

  test('is 404 for an unknown event', async () => {
    const space = await open();
    const answer = await space.replay('none');
    expect([answer.status, answer.json()['message']]).toEqual([404, 'cloud_events not found']);
  });
});
