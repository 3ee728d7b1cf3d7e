import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Client, openClient } from '../access/client.ts';
import { EventSpace } from './space.ts';

const STRUCTURED = { 'Content-Type': 'application/cloudevents+json' };
const BATCH = { 'Content-Type': 'application/cloudevents-batch+json' };
const UUID = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
/** The script in the recording of the original's command line. */
const RECORDED = 'if (event["type"]=="drop") return null; event["source"]="filtered"; return event\n';

let client: Client;
let names = 0;
const open = () => EventSpace.open(client, `filters-${++names}`);

beforeAll(async () => {
  client = await openClient();
});

afterAll(() => client.close());

const event = (id: string, more: object = {}) => ({ specversion: '1.0', id, source: 's', type: 't', ...more });

async function withFilter(script: string): Promise<EventSpace> {
  const space = await open();
  const answer = await space.call('POST', '/eventfilter/flt', { body: script });
  expect(answer.status, answer.text).toBe(200);
  return space;
}

const send = (space: EventSpace, value: unknown, headers = STRUCTURED, filter = 'flt') =>
  space.call('POST', `/broadcast/${filter}`, { body: JSON.stringify(value), headers });

describe('event filters', () => {
  test('are created, listed, read, changed and deleted with the requests of the command line', async () => {
    const space = await open();
    const created = await space.call('POST', '/eventfilter/flt', { body: RECORDED });
    expect([created.status, created.text]).toEqual([200, '']);
    await space.call('POST', '/eventfilter/a.Other_1', { body: 'return event' });
    expect((await space.call('GET', '/eventfilter')).json()).toEqual({
      eventFilter: [{ name: 'a.Other_1' }, { name: 'flt' }],
    });
    expect((await space.call('GET', '/eventfilter/flt')).json()).toEqual({ filtername: 'flt', jsCode: RECORDED });
    const changed = await space.call('PATCH', '/eventfilter/flt', { body: 'return null' });
    expect([changed.status, changed.text]).toEqual([200, '']);
    expect((await space.call('GET', '/eventfilter/flt')).json()['jsCode']).toBe('return null');
    const deleted = await space.call('DELETE', '/eventfilter/flt');
    expect([deleted.status, deleted.text]).toEqual([200, '']);
    expect((await space.call('GET', '/eventfilter')).json()).toEqual({ eventFilter: [{ name: 'a.Other_1' }] });
  });

  test('are 409 for a name in use, and stay unchanged', async () => {
    const space = await withFilter(RECORDED);
    const again = await space.call('POST', '/eventfilter/flt', { body: 'return event' });
    expect([again.status, again.json()['message']]).toEqual([409, 'resource already exists']);
    expect((await space.call('GET', '/eventfilter/flt')).json()['jsCode']).toBe(RECORDED);
  });

  test.each([
    ['GET', '/eventfilter/none'],
    ['PATCH', '/eventfilter/none'],
    ['DELETE', '/eventfilter/none'],
    ['POST', '/broadcast/none'],
  ])('are 404 for %s %s', async (method, path) => {
    const space = await open();
    const answer = await space.call(method, path, method === 'GET' ? {} : { body: 'return event' });
    expect([answer.status, answer.json()['message']]).toEqual([404, 'cloudEvent filter none does not exist']);
  });

  test('have names by the rule of variables', async () => {
    const space = await open();
    const answer = await space.call('POST', '/eventfilter/a%20b', { body: 'return event' });
    expect([answer.status, answer.text]).toEqual([406, expect.stringContaining("'a b' does not match")]);
    expect((await space.call('GET', '/eventfilter/a%20b')).status).toBe(404);
    expect((await space.call('GET', `/eventfilter/${'x'.repeat(3000)}`)).status).toBe(404);
    expect((await space.call('GET', '/eventfilter/__proto__')).status).toBe(404);
  });

  test.each([
    ['is no JavaScript', 'return 1;\nreturn ((;', "SyntaxError: unexpected token in expression: ';' (line 2)"],
    ['closes what it did not open', '}); ({', 'SyntaxError: a bracket is closed that is not open'],
    ['is empty', ' \n', 'send the body of a JavaScript function, it is empty'],
    ['is no text', new Uint8Array([0xff, 0xfe, 0]), 'the script is not UTF-8 text; save it in that encoding'],
  ])('are rejected with 400 when the script %s', async (_name, body, problem) => {
    const space = await withFilter(RECORDED);
    for (const [method, path] of [
      ['POST', '/eventfilter/bad'],
      ['PATCH', '/eventfilter/flt'],
    ] as const) {
      const answer = await space.call(method, path, { body });
      const name = path.split('/').at(-1);
      expect([answer.status, answer.json()['message']]).toEqual([400, `event filter '${name}': ${problem}`]);
    }
    expect((await space.call('GET', '/eventfilter')).json()).toEqual({ eventFilter: [{ name: 'flt' }] });
    expect((await space.call('GET', '/eventfilter/flt')).json()['jsCode']).toBe(RECORDED);
  });

  test('can be long, and are rejected with 413 above the maximum', async () => {
    const long = `// ${'x'.repeat(100_000)}\nreturn event`;
    const space = await withFilter(long);
    expect((await space.call('GET', '/eventfilter/flt')).json()['jsCode']).toBe(long);
    expect((await space.call('POST', '/eventfilter/longer', { body: long + long })).status).toBe(413);
  });

  test('are deleted with their namespace', async () => {
    const space = await withFilter(RECORDED);
    const name = space.home.split('/').at(-1);
    expect((await client.call('DELETE', `/api/namespaces/${name}?recursive=true`)).status).toBe(200);
    expect((await space.call('GET', '/eventfilter')).status).toBe(404);
    expect((await client.call('PUT', `/api/namespaces/${name}`)).status).toBe(200);
    expect((await space.call('GET', '/eventfilter')).json()).toEqual({ eventFilter: [] });
  });
});

describe('an event that is broadcast through a filter', () => {
  test('is stored as the filter returns it', async () => {
    const space = await withFilter(RECORDED);
    const answer = await send(space, { specversion: '1.0', id: '', source: 'cli', type: 'cli.ev', data: { k: 1 } });
    expect([answer.status, answer.text]).toEqual([200, '']);
    expect(await space.events()).toEqual([
      { specversion: '1.0', id: UUID, source: 'filtered', type: 'cli.ev', data: { k: 1 } },
    ]);
  });

  test.each(['return null', 'return undefined', 'return false', 'if (event.type !== "t") return event'])(
    'is dropped by `%s` without an error',
    async (script) => {
      const space = await withFilter(script);
      expect((await send(space, event('e1'))).status).toBe(200);
      expect(await space.events()).toEqual([]);
    },
  );

  test('starts the listeners of the returned event', async () => {
    const space = await withFilter('return {...event, type: "became", data: {was: event.type}}');
    await space.store('became', 'start: {type: event, event: {type: became}}\nstates:\n- {id: a, type: noop}\n');
    await send(space, event('e1'));
    const { output } = await space.ended(await space.first('became'));
    expect(output['became']).toMatchObject({ id: 'e1', data: { was: 't' } });
  });

  test('is given to the filter in every mode, also when it is not a valid event', async () => {
    const space = await withFilter('event.seen = event.type; return event');
    const headers = { 'ce-specversion': '1.0', 'ce-type': 'binary', 'ce-source': 's', 'ce-id': 'b' };
    await space.call('POST', '/broadcast/flt', { body: '{"a":1}', headers: { ...headers, 'Content-Type': 'text/x' } });
    await space.call('POST', '/broadcast/flt', { body: 'rubbish', headers: { 'Content-Type': 'text/x' } });
    expect((await space.events()).map(({ seen }) => seen)).toEqual(['noncompliant', 'binary']);
  });

  test.each([
    ['throws', 'const x = 1;\n\nmissing.name', "ReferenceError: 'missing' is not defined (line 3)"],
    ['throws a text', 'throw "no"', 'no'],
    ['returns a list', 'return [event]', 'it returned a list; return the event, or null to drop it'],
    ['returns a text', 'return "t"', 'it returned a string; return the event, or null to drop it'],
    ['returns no event', 'delete event.source; return event', 'what it returned is no event: source: REQUIRED'],
    ['runs into itself', 'return (function f() { return f(); })()', 'InternalError: stack overflow (line 1)'],
  ])('is rejected with 400 when the filter %s', async (_name, script, problem) => {
    const space = await withFilter(script);
    const answer = await send(space, event('e1'));
    expect([answer.status, answer.json()['message']]).toEqual([400, `event filter 'flt': ${problem}`]);
    expect(await space.events()).toEqual([]);
  });

  test('is rejected with 400 when the filter does not end, and the next event is accepted', async () => {
    // The engine of scripts ends a loop itself; one function that lasts is ended with its thread.
    const endless = ['while (true)', '"a".repeat(4e6).includes("a".repeat(2e6) + "b")'];
    const tries = endless.map(async (script) => {
      const space = await withFilter(`if (event.id === "e1") ${script}; return event`);
      const answer = await send(space, event('e1'));
      expect([answer.status, answer.json()['message']]).toEqual([400, "event filter 'flt': it did not end in time"]);
      expect((await send(space, event('e2'))).status).toBe(200);
      expect((await space.events()).map(({ id }) => id)).toEqual(['e2']);
    });
    await Promise.all(tries);
  });

  test('is rejected with 400 when the filter uses too much memory', async () => {
    // At once: a script that takes more and more memory may reach its deadline before, on a busy machine.
    const space = await withFilter('return {...event, data: "x".repeat(500000000)}');
    const answer = await send(space, event('e1'));
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('memory')]);
  });

  test('gives the filter access to nothing but the event', async () => {
    const script = 'return {...event, data: [typeof process, typeof require, typeof fetch, typeof WebAssembly]}';
    const space = await withFilter(script);
    await send(space, event('e1'));
    expect((await space.events())[0]?.['data']).toEqual(['undefined', 'undefined', 'undefined', 'undefined']);
  });

  test('is not affected by a filter that changes globals', async () => {
    const script =
      'Array.isArray = () => false; Object.prototype.type = "x"; JSON.parse = null; nslog("hi"); return event';
    const space = await withFilter(script);
    expect((await send(space, event('e1'))).status).toBe(200);
    expect((await send(space, event('e2'))).status).toBe(200);
    expect(await space.events()).toEqual([event('e2'), event('e1')]);
  });

  test('is 409 when the namespace has an event with its new id', async () => {
    const space = await withFilter('event.id = "same"; return event');
    expect((await send(space, event('e1'))).status).toBe(200);
    expect((await send(space, event('e2'))).status).toBe(409);
  });

  test('keeps attributes and members with unusual names', async () => {
    const space = await withFilter('return event');
    const body =
      '{"specversion":"1.0","type":"t","source":"s","id":"odd","constructor":"c","data":{"__proto__":{"a":1}}}';
    await space.call('POST', '/broadcast/flt', { body, headers: STRUCTURED });
    const [kept] = await space.events();
    expect(JSON.stringify(kept)).toContain('"data":{"__proto__":{"a":1}}');
    expect(kept).toMatchObject({ constructor: 'c' });
  });

  test('of a batch is filtered alone, and an invalid one does not affect the others', async () => {
    const space = await withFilter('if (event.id === "bad") throw "bad"; return event.id === "gone" ? null : event');
    const answer = await send(
      space,
      ['a', 'bad', 'gone', 'b'].map((id) => event(id)),
      BATCH,
    );
    expect([answer.status, answer.json()['message']]).toEqual([400, "event filter 'flt': bad"]);
    expect((await space.events()).map(({ id }) => id).toSorted()).toEqual(['a', 'b']);
  });
});
