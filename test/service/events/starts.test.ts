import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Client, openClient } from '../access/client.ts';
import { EventSpace, until } from './space.ts';

let client: Client;
let names = 0;
const open = () => EventSpace.open(client, `starts-${++names}`);

beforeAll(async () => {
  client = await openClient();
});

afterAll(() => client.close());

const NOOP = 'states:\n- {id: a, type: noop}\n';
const startingWith = (start: string): string => `start: ${start}\n${NOOP}`;
const onEvent = (context: string, type = 't'): string =>
  startingWith(`{type: event, event: {type: ${type}, context: ${context}}}`);

const countIs = (space: EventSpace, path: string, count: number) =>
  until(async () => {
    const ids = await space.instances(path);
    return ids.length === count ? ids : undefined;
  });

describe('a workflow with an event start', () => {
  test('has the event under its type as input, and the invoker cloudevent', async () => {
    const space = await open();
    await space.store('flow', onEvent('{}', 'order.placed'));
    const id = await space.send({ type: 'order.placed', subject: 'o/7', shop: 'north', data: { order: 7 } });
    const instance = await space.first('flow');
    const event = { specversion: '1.0', id, source: 'tests', type: 'order.placed', subject: 'o/7', shop: 'north' };
    expect((await space.ended(instance)).output).toEqual({ 'order.placed': { ...event, data: { order: 7 } } });
    const shown = (await space.call('GET', `/instances/${instance}`)).json()['instance'];
    expect(shown?.['invoker']).toBe('cloudevent');
  });

  test.each([
    ['{shop: north}', { shop: 'north' }, true],
    ['{shop: north}', { shop: 'northern' }, false],
    ['{shop: "n*h"}', { shop: 'north' }, true],
    ['{shop: "n*h*"}', { shop: 'southnorth' }, false],
    ['{shop: "*"}', {}, false],
    ['{shop: ""}', { shop: 'x' }, false],
    ['{SHOP: north}', { shop: 'north' }, true],
    ['{shop: north, size: 3}', { shop: 'north', size: 99 }, true],
    ['{shop: north, size: 3}', { shop: 'north' }, false],
    ['{subject: "o/*"}', { subject: 'o/7' }, true],
    ['{subject: "o/*"}', { subject: 'p/7' }, false],
    ['{source: "te*"}', {}, true],
    ['{source: "other"}', {}, false],
    ['{shop: "[a-z]+"}', { shop: 'north' }, false],
  ])('with the filter %s and an event with %o: %s', async (context, attributes, isStarted) => {
    const space = await open();
    await space.store('flow', onEvent(context));
    const { listeners } = await space.explain(await space.sendThrough({ type: 't', ...attributes }));
    expect(listeners).toMatchObject([{ did: isStarted ? 'started' : 'nothing', matches: isStarted }]);
    expect(await space.instances()).toHaveLength(isStarted ? 1 : 0);
  });

  test('starts once for each event, and so does each other listener of its type, and no others', async () => {
    const space = await open();
    for (const path of ['one', 'two', 'three']) await space.store(path, onEvent('{}'));
    await space.store('other', onEvent('{}', 'tt'));
    await space.sendThrough({ type: 't' });
    await space.sendThrough({ type: 't' });
    expect(await space.instances()).toHaveLength(6);
    expect(await space.instances('other')).toEqual([]);
  });

  test('starts for both of two concurrent events', async () => {
    const space = await open();
    await space.store('flow', onEvent('{}'));
    await Promise.all(Array.from({ length: 12 }, () => space.send({ type: 't' })));
    expect(new Set(await countIs(space, 'flow', 12)).size).toBe(12);
  });

  test('cannot be started by a request', async () => {
    const space = await open();
    await space.store('flow', onEvent('{}'));
    const answer = await space.call('POST', '/tree/flow?op=execute', { body: '{}' });
    expect([answer.status, answer.json()['message']]).toEqual([500, 'cannot manually invoke event-based workflow']);
    expect(await space.instances()).toEqual([]);
  });

  test('does not start while it is disabled, nor later for events of that time', async () => {
    const space = await open();
    await space.store('flow', onEvent('{}'));
    const toggle = (live: boolean) => space.call('POST', '/tree/flow?op=toggle', { json: { live } });
    await toggle(false);
    expect(await space.listeners()).toEqual([]);
    await space.sendThrough({ type: 't' });
    await toggle(true);
    expect(await space.instances()).toEqual([]);
    await space.sendThrough({ type: 't' });
    expect(await space.instances()).toHaveLength(1);
  });

  test('starts by the definition of its latest source', async () => {
    const space = await open();
    await space.store('flow', onEvent('{}', 'before'));
    await space.call('POST', '/tree/flow?op=update-workflow', { body: onEvent('{}', 'after') });
    await space.sendThrough({ type: 'before' });
    expect(await space.instances()).toEqual([]);
    await space.sendThrough({ type: 'after' });
    expect(await space.instances()).toHaveLength(1);
    await space.call('POST', '/tree/flow?op=update-workflow', { body: NOOP });
    expect(await space.listeners()).toEqual([]);
  });

  test('still starts after it or its directory is renamed', async () => {
    const space = await open();
    await space.call('PUT', '/tree/dir?op=create-directory');
    await space.store('dir/flow', onEvent('{}'));
    await space.call('POST', '/tree/dir/flow?op=rename-node', { json: { new: 'dir/moved' } });
    await space.sendThrough({ type: 't' });
    expect(await space.instances('dir/moved')).toHaveLength(1);
    await space.call('POST', '/tree/dir?op=rename-node', { json: { new: 'other' } });
    await space.sendThrough({ type: 't' });
    expect(await space.instances('other/moved')).toHaveLength(1);
  });

  test.each([
    ['the workflow', '/tree/dir/flow?op=delete-node'],
    ['its directory', '/tree/dir?op=delete-node&recursive=true'],
  ])('does not start any more after %s is deleted', async (_name, path) => {
    const space = await open();
    await space.call('PUT', '/tree/dir?op=create-directory');
    await space.store('dir/flow', onEvent('{}'));
    expect((await space.call('DELETE', path)).status).toBe(200);
    expect(await space.listeners()).toEqual([]);
    await space.sendThrough({ type: 't' });
    expect(await space.instances()).toEqual([]);
  });

  test('does not start any more after its namespace is deleted and created again', async () => {
    const space = await open();
    await space.store('flow', onEvent('{}'));
    await client.call('DELETE', `${space.home}?recursive=true`);
    await client.call('PUT', space.home);
    await space.sendThrough({ type: 't' });
    expect([await space.listeners(), await space.instances()]).toEqual([[], []]);
  });

  test('does not start for an event before its creation', async () => {
    const space = await open();
    await space.sendThrough({ type: 't' });
    await space.store('flow', onEvent('{}'));
    expect(await space.instances()).toEqual([]);
  });
});

describe('a workflow that starts by one of several events', () => {
  test('starts for each of them', async () => {
    const space = await open();
    await space.store(
      'flow',
      startingWith('{type: eventsXor, events: [{type: a}, {type: b, context: {shop: north}}]}'),
    );
    const a = await space.sendThrough({ type: 'a' });
    await space.sendThrough({ type: 'b' });
    const b = await space.sendThrough({ type: 'b', shop: 'north' });
    const ended = await Promise.all((await space.instances()).map((id) => space.ended(id)));
    expect(ended.map(({ output }) => output)).toMatchObject([{ a: { id: a } }, { b: { id: b } }]);
  });

  test('starts once for an event that matches two of its filters', async () => {
    const space = await open();
    await space.store('flow', startingWith('{type: eventsXor, events: [{type: a}, {type: a, context: {shop: "*"}}]}'));
    await space.sendThrough({ type: 'a', shop: 'north' });
    expect(await space.instances()).toHaveLength(1);
  });
});

describe('a workflow that starts by several events together', () => {
  const both = (more = '') => startingWith(`{type: eventsAnd, events: [{type: a}, {type: b}]${more}}`);

  test('starts when all have arrived, in any order, with all of them', async () => {
    const space = await open();
    await space.store('flow', both());
    const b = await space.sendThrough({ type: 'b' });
    expect(await space.instances()).toEqual([]);
    const a = await space.sendThrough({ type: 'a' });
    const { output } = await space.ended(await space.first('flow'));
    expect(output).toMatchObject({ a: { id: a }, b: { id: b } });
    expect(Object.keys(output)).toEqual(['a', 'b']);
  });

  test('collects events again after it has started', async () => {
    const space = await open();
    await space.store('flow', both());
    for (const type of ['a', 'b', 'b', 'b']) await space.sendThrough({ type });
    expect(await space.instances()).toHaveLength(1);
    await space.sendThrough({ type: 'a' });
    expect(await space.instances()).toHaveLength(2);
  });

  test('keeps the first event of a type until the others arrive', async () => {
    const space = await open();
    await space.store('flow', both());
    const [first] = [await space.sendThrough({ type: 'a' }), await space.sendThrough({ type: 'a' })];
    await space.sendThrough({ type: 'b' });
    expect((await space.ended(await space.first('flow'))).output).toMatchObject({ a: { id: first } });
  });

  test('starts once when its events arrive concurrently', async () => {
    const space = await open();
    await space.store('flow', both());
    const types = Array.from({ length: 10 }, (_, index) => (index % 2 === 0 ? 'a' : 'b'));
    const ids = await Promise.all(types.map((type) => space.send({ type })));
    await until(async () => {
      const all = await Promise.all(ids.map((id) => space.explain(id)));
      return all.every((one) => String(one['routed']) === 'true') ? true : undefined;
    });
    const instances = await space.instances();
    const seen = await Promise.all(instances.map(async (id) => (await space.ended(id)).output));
    const used = seen.flatMap(({ a, b }) => [a?.['id'], b?.['id']]);
    expect(instances.length).toBeGreaterThan(0);
    expect(new Set(used).size).toBe(2 * instances.length);
  });

  test('fills one slot with an event that matches two of them', async () => {
    const space = await open();
    const two = '{type: eventsAnd, events: [{type: a, context: {shop: north}}, {type: a}]}';
    await space.store('flow', startingWith(two));
    await space.sendThrough({ type: 'a', shop: 'north' });
    expect(await space.instances()).toEqual([]);
    await space.sendThrough({ type: 'a' });
    expect(await space.instances()).toHaveLength(1);
  });

  test('discards an event that is older than the lifespan', async () => {
    const space = await open();
    await space.store('flow', both(', lifespan: PT0S'));
    await space.sendThrough({ type: 'a' });
    await space.sendThrough({ type: 'b' });
    expect(await space.instances()).toEqual([]);
    await space.call('POST', '/tree/flow?op=update-workflow', { body: both(', lifespan: PT1H') });
    await space.sendThrough({ type: 'b' });
    expect(await space.instances()).toEqual([]);
    await space.sendThrough({ type: 'a' });
    expect(await space.instances()).toHaveLength(1);
  });

  test('discards collected events after its definition requires others', async () => {
    const space = await open();
    await space.store('flow', both());
    await space.sendThrough({ type: 'a' });
    const other = startingWith('{type: eventsAnd, events: [{type: c}, {type: b}]}');
    await space.call('POST', '/tree/flow?op=update-workflow', { body: other });
    await space.sendThrough({ type: 'b' });
    expect(await space.instances()).toEqual([]);
    await space.sendThrough({ type: 'c' });
    expect(await space.instances()).toHaveLength(1);
  });
});

test('a workflow that needs more than forty events to start is rejected', async () => {
  const space = await open();
  const xor = (count: number) =>
    startingWith(`{type: eventsXor, events: [${Array.from({ length: count }, (_, n) => `{type: t${n}}`).join()}]}`);
  await space.store('flow', xor(40));
  const other = xor(40).replaceAll('type: t', 'type: u');
  expect((await space.call('POST', '/tree/flow?op=update-workflow', { body: other })).status).toBe(200);
  const answer = await space.call('POST', '/tree/flow?op=update-workflow', { body: xor(41) });
  expect([answer.status, answer.json()['message']]).toEqual([406, 'a workflow starts by at most 40 events']);
});

describe('the list of listeners', () => {
  test('contains a workflow that starts by events, with its mode and filters', async () => {
    const space = await open();
    await space.store('one', onEvent('{shop: "n*"}'));
    await space.store('or', startingWith('{type: eventsXor, events: [{type: a}, {type: b}]}'));
    await space.store('and', startingWith('{type: eventsAnd, events: [{type: a}, {type: b}]}'));
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT/);
    const row = { instance: '', createdAt: time, updatedAt: time };
    const two = [
      { type: 'a', filters: {} },
      { type: 'b', filters: {} },
    ];
    expect(await space.listeners()).toEqual([
      { ...row, workflow: '/one', mode: 'simple', events: [{ type: 't', filters: { shop: 'n*' } }] },
      { ...row, workflow: '/or', mode: 'or', events: two },
      { ...row, workflow: '/and', mode: 'and', events: two },
    ]);
  });

  test('contains the new path of a renamed workflow', async () => {
    const space = await open();
    await space.store('flow', onEvent('{}'));
    await space.call('POST', '/tree/flow?op=rename-node', { json: { new: 'moved' } });
    await space.sendThrough({ type: 't' });
    expect(await space.listeners()).toMatchObject([{ workflow: '/moved' }]);
  });
});
