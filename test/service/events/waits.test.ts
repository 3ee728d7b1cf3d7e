import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Client, openClient, rowsOf } from '../access/client.ts';
import { EventSpace, until } from './space.ts';

const SOFT = 'service.cancels.timeout.soft';

let client: Client;
let names = 0;
const open = () => EventSpace.open(client, `waits-${++names}`);

beforeAll(async () => {
  client = await openClient();
});

afterAll(() => client.close());

/** Each event is a call of a function and a commit of the run; a deployment in an emulator is slow, milliseconds. */
const MANY_MS = 180_000;

const consume = (event: string, more = ''): string =>
  `states:\n- id: a\n  type: consumeEvent\n  event: ${event}\n${more}`;
const didOf = async (space: EventSpace, id: string) =>
  rowsOf((await space.explain(id))['listeners']).map(({ did }) => String(did));

describe('a run that consumes an event', () => {
  test('has the event under its type', async () => {
    const space = await open();
    await space.store(
      'flow',
      consume('{type: order.paid}', '  transform: {order: jq(.order), cents: \'jq(."order.paid".data.cents)\'}\n'),
    );
    const instance = await space.executeListening('flow', { order: 7 });
    await space.send({ type: 'order.paid', data: { cents: 950 } });
    expect(await space.ended(instance)).toEqual({ status: 'complete', code: '', output: { order: 7, cents: 950 } });
  });

  test('has events of two sources with one id, also in its bundle', async () => {
    const space = await open();
    const wait = 'states:\n- {id: a, type: eventsAnd, events: [{type: paid}, {type: sent}, {type: paid}]}\n';
    await space.store('flow', wait);
    const instance = await space.executeListening('flow');
    const sent = [
      { type: 'sent', source: 'depot', data: 1 },
      { type: 'paid', source: 'bank', data: 2 },
      { type: 'paid', source: 'till', data: 3 },
    ];
    for (const event of sent) await space.send({ id: 'e-1', ...event });
    await space.ended(instance);
    const bundle = (await space.call('GET', `/instances/${instance}/bundle`)).json();
    expect(bundle['notes']).toEqual([]);
    const byOrder = (one: { data?: unknown }, other: { data?: unknown }) => Number(one.data) - Number(other.data);
    const bundled = rowsOf(bundle['events']).map(({ event }) => event as unknown as (typeof sent)[number]);
    expect(bundled.toSorted(byOrder)).toMatchObject(sent);
  });

  test('accepts only an event whose attributes match the values from its data', async () => {
    const space = await open();
    await space.store('flow', consume('{type: paid, context: {order: jq(.order)}}'));
    const [one, two] = [
      await space.executeListening('flow', { order: 'o-1' }),
      await space.executeListening('flow', { order: 'o-2' }),
    ];
    expect(await didOf(space, await space.sendThrough({ type: 'paid', order: 'o-3' }))).toEqual(['nothing', 'nothing']);
    expect(await didOf(space, await space.sendThrough({ type: 'paid' }))).toEqual(['nothing', 'nothing']);
    const second = await space.sendThrough({ type: 'paid', order: 'o-2' });
    expect((await space.ended(two)).output['paid']).toMatchObject({ id: second });
    expect((await space.listeners()).map(({ instance }) => instance)).toEqual([one]);
  });

  test('fails with the uncatchable service.event.jq when its context cannot be evaluated', async () => {
    const space = await open();
    await space.store('flow', `${consume('{type: t, context: {a: "jq(.a | error)"}}')}  catch:\n  - {error: '*'}\n`);
    expect(await space.ended(await space.execute('flow'))).toMatchObject({
      status: 'failed',
      code: 'service.event.jq',
    });
  });

  test('gets each event once although ten runs wait for the same type', async () => {
    const space = await open();
    await space.store('flow', consume('{type: t}'));
    const runs = await Promise.all(Array.from({ length: 10 }, () => space.executeListening('flow')));
    const id = await space.send({ type: 't' });
    for (const run of runs) expect((await space.ended(run)).output['t']).toMatchObject({ id });
    expect(await space.listeners()).toEqual([]);
  });

  test('ignores an event from before its wait', async () => {
    const space = await open();
    await space.sendThrough({ type: 't' });
    await space.store('flow', consume('{type: t}', '  timeout: PT1S\n'));
    expect(await space.ended(await space.execute('flow'))).toMatchObject({ status: 'failed', code: SOFT });
  });

  test('fails after its timeout, which can be caught, and then has no listener', async () => {
    const space = await open();
    await space.store(
      'flow',
      `${consume('{type: t}', '  timeout: PT1S\n')}  catch:\n  - {error: ${SOFT}, transition: b}\n- {id: b, type: noop}\n`,
    );
    const instance = await space.executeListening('flow');
    const { status, output } = await space.ended(instance);
    expect([status, output]).toEqual(['complete', { error: { code: SOFT, msg: 'operation timed out' } }]);
    expect(await space.listeners()).toEqual([]);
    expect(await didOf(space, await space.sendThrough({ type: 't' }))).toEqual([]);
  });

  test('has no listener after it was cancelled', async () => {
    const space = await open();
    await space.store('flow', consume('{type: t}'));
    const instance = await space.executeListening('flow');
    await space.call('POST', `/instances/${instance}/cancel`);
    expect((await space.ended(instance)).code).toBe('service.cancels.api');
    expect(await space.listeners()).toEqual([]);
  });

  test('gets an event that arrived between the end of one wait and the next', async () => {
    const space = await open();
    await space.store(
      'flow',
      `${consume('{type: one}')}  transition: b\n- id: b\n  type: consumeEvent\n  event: {type: two}\n`,
    );
    const instance = await space.executeListening('flow');
    await space.send({ type: 'one' });
    await until(async () => {
      const events = (await space.listeners()).flatMap((row) => rowsOf(row['events']));
      return events.some(({ type }) => String(type) === 'two') ? true : undefined;
    });
    await space.send({ type: 'two' });
    expect(Object.keys((await space.ended(instance)).output)).toEqual(['one', 'two']);
  });

  test('gets one event in each of two waits for the same type', async () => {
    const space = await open();
    const wait = (id: string) => `- id: ${id}\n  type: consumeEvent\n  event: {type: t}\n`;
    await space.store('flow', `states:\n${wait('a')}  transform: {first: jq(.t.id)}\n  transition: b\n${wait('b')}`);
    const instance = await space.executeListening('flow');
    const first = await space.sendThrough({ type: 't' });
    await until(async () =>
      rowsOf((await space.call('GET', `/instances/${instance}`)).json()['flow']).length === 2 ? true : undefined,
    );
    await space.listening(instance);
    const second = await space.sendThrough({ type: 't' });
    expect((await space.ended(instance)).output).toMatchObject({ first, t: { id: second } });
  });
});

describe('a run that waits for several events', () => {
  const AND =
    'states:\n- id: a\n  type: eventsAnd\n  events: [{type: a}, {type: b, context: {n: jq(.n)}}, {type: a}]\n  timeout: PT20S\n';

  test('continues when all have arrived, each under its type, a second one of a type with its place', async () => {
    const space = await open();
    await space.store('flow', AND);
    const instance = await space.executeListening('flow', { n: 'x' });
    const b = await space.sendThrough({ type: 'b', n: 'x' });
    const first = await space.sendThrough({ type: 'a' });
    expect(await didOf(space, await space.sendThrough({ type: 'b', n: 'x' }))).toEqual(['not wanted']);
    expect((await space.call('GET', `/instances/${instance}`)).json()['instance']?.['status']).toBe('pending');
    const second = await space.sendThrough({ type: 'a' });
    const { output } = await space.ended(instance);
    expect(output).toMatchObject({ n: 'x', a: { id: first }, b: { id: b }, 'a.2': { id: second } });
  });

  test('gets all of them when they arrive concurrently', async () => {
    const space = await open();
    await space.store('flow', AND);
    const instance = await space.executeListening('flow', { n: 'x' });
    await Promise.all(['a', 'b', 'a'].map((type) => space.send({ type, n: 'x' })));
    expect((await space.ended(instance)).status).toBe('complete');
  });

  test('can wait for eighty events after an equal wait and with variables to store; more are rejected', {
    timeout: MANY_MS,
  }, async () => {
    const space = await open();
    const events = (count: number, type: string) => Array.from({ length: count }, (_, n) => `{type: ${type}${n}}`);
    const and = (id: string, list: string[]) => `- id: ${id}\n  type: eventsAnd\n  events: [${list.join()}]\n`;
    const xor = events(80, 'b').map((event) => `{event: ${event}}`);
    const keys = Array.from({ length: 30 }, (_, n) => `{key: v${n}, scope: instance, value: 1}`);
    await space.store(
      'flow',
      `states:\n${and('a', events(80, 'a'))}  transition: s\n- id: s\n  type: setter\n  variables: [${keys.join()}]\n  transition: b\n- id: b\n  type: eventsXor\n  events: [${xor.join()}]\n`,
    );
    const instance = await space.executeListening('flow');
    // Events that come all at once repeat each other's commits; another test has those.
    for (let from = 0; from < 80; from += 8) {
      await Promise.all(Array.from({ length: 8 }, (_, n) => space.send({ type: `a${from + n}` })));
    }
    await until(async () => {
      const listens = (await space.listeners()).map(({ mode }) => String(mode));
      return listens[0] === 'or' ? true : undefined;
    });
    await space.send({ type: 'b7' });
    expect(Object.keys((await space.ended(instance)).output)).toHaveLength(81);
    await space.store('more', `states:\n${and('a', events(81, 'a'))}`);
    expect((await space.ended(await space.execute('more'))).status).toBe('failed');
  });

  test('contains no event after its timeout, unless all have arrived', async () => {
    const space = await open();
    await space.store('flow', AND.replace('PT20S', 'PT1S'));
    const instance = await space.executeListening('flow', { n: 'x' });
    await space.sendThrough({ type: 'a' });
    const { code, output } = await space.ended(instance);
    expect([code, output]).toEqual([SOFT, {}]);
  });
});

describe('a run that waits for one of several events', () => {
  const XOR = `states:
- id: a
  type: eventsXor
  events:
  - event: {type: yes, context: {claim: jq(.claim)}}
    transform: {by: jq(.yes.source)}
    transition: good
  - {event: {type: no}, transition: bad}
- {id: good, type: noop, transform: 'jq(.verdict = "good")'}
- {id: bad, type: noop, transform: 'jq({verdict: "bad"})'}
`;

  test.each([
    ['yes', { verdict: 'good', by: 'tests' }],
    ['no', { verdict: 'bad' }],
  ])('continues at the transition of the first that arrives: %s', async (type, output) => {
    const space = await open();
    await space.store('flow', XOR);
    const instance = await space.executeListening('flow', { claim: 'c' });
    await space.sendThrough({ type: 'yes', claim: 'd' });
    await space.send({ type, claim: 'c' });
    expect((await space.ended(instance)).output).toEqual(output);
    expect(await space.listeners()).toEqual([]);
  });

  test('continues at one transition when both arrive concurrently', async () => {
    const space = await open();
    await space.store('flow', XOR);
    const instance = await space.executeListening('flow', { claim: 'c' });
    const ids = await Promise.all(['yes', 'no'].map((type) => space.send({ type, claim: 'c' })));
    const { output } = await space.ended(instance);
    expect(['good', 'bad']).toContain(String(output['verdict']));
    const did = await Promise.all(ids.map((id) => didOf(space, id)));
    expect(did.flat().filter((what) => what === 'taken')).toHaveLength(1);
  });

  test('is listed with the events of its wait', async () => {
    const space = await open();
    await space.store('flow', XOR);
    const instance = await space.executeListening('flow', { claim: 'c' });
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT/);
    expect(await space.listeners()).toEqual([
      {
        workflow: '/flow',
        instance,
        mode: 'or',
        events: [
          { type: 'yes', filters: { claim: 'c' } },
          { type: 'no', filters: {} },
        ],
        createdAt: time,
        updatedAt: time,
      },
    ]);
  });
});

describe('a run that generates an event', () => {
  const generate = (event: string, more = ''): string =>
    `states:\n- id: a\n  type: generateEvent\n  event: ${event}\n${more}`;

  test('sends its data, type and source, and its context as attributes', async () => {
    const space = await open();
    await space.store(
      'flow',
      generate(
        '{type: t, source: me, data: "jq({a})", context: {Shop: jq(.shop), n: 3, data: 1, bad name: 1, list: [1]}}',
      ),
    );
    await space.ended(await space.execute('flow', { a: 1, shop: 'north' }));
    const [event] = await space.events();
    const id = expect.stringMatching(/^[0-9a-f-]{36}$/);
    const sent = { specversion: '1.0', type: 't', source: 'me', datacontenttype: 'application/json', data: { a: 1 } };
    expect(event).toEqual({ ...sent, id, shop: 'north', n: 3 });
  });

  test.each([
    ['{type: t, source: s}', { datacontenttype: 'application/json', data: { a: 'aGk=' } }],
    [
      '{type: t, source: s, data: jq(.a), datacontenttype: application/x}',
      { datacontenttype: 'application/x', data_base64: 'aGk=' },
    ],
    [
      '{type: t, source: s, data: plain words, datacontenttype: text/plain}',
      { datacontenttype: 'text/plain', data: 'plain words' },
    ],
  ])('%s has the payload %o', async (event, payload) => {
    const space = await open();
    await space.store('flow', generate(event));
    await space.ended(await space.execute('flow', { a: 'aGk=' }));
    expect(await space.events()).toMatchObject([payload]);
  });

  test.each(['', '  delay: immediate\n'])('starts the listening workflows, with the delay %j', async (delay) => {
    const space = await open();
    await space.store('starts', 'start: {type: event, event: {type: t}}\nstates:\n- {id: a, type: noop}\n');
    await space.store('flow', generate('{type: t, source: s}', delay));
    await space.execute('flow');
    expect((await space.ended(await space.first('starts'))).status).toBe('complete');
  });

  test('sends it after the delay, also after the run has ended and was deleted', async () => {
    const space = await open();
    await space.store('starts', 'start: {type: event, event: {type: t}}\nstates:\n- {id: a, type: noop}\n');
    await space.store('flow', generate('{type: t, source: s}', '  delay: PT4S\n'));
    await space.ended(await space.execute('flow'));
    await space.call('DELETE', '/tree/flow?op=delete-node');
    const [event] = await space.events();
    expect(await space.explain(String(event?.['id']))).toMatchObject({ routed: false });
    expect((await space.ended(await space.first('starts'))).status).toBe('complete');
  });

  test('does not deliver a delayed event early to a waiting run', async () => {
    const space = await open();
    await space.store('send', generate('{type: t, source: s}', '  delay: PT50S\n'));
    await space.store('flow', consume('{type: t}', '  timeout: PT1S\n'));
    const runs = await Promise.all([space.execute('flow'), space.execute('send'), space.execute('flow')]);
    expect((await space.ended(runs[0])).code).toBe(SOFT);
    expect((await space.ended(runs[2])).code).toBe(SOFT);
  });
});

describe('a namespace whose waits include earlier events', () => {
  const setLookback = (space: EventSpace, lookback: unknown) =>
    space.call('PATCH', '/config', { json: { events: { lookback } } });

  test('has the period in its configuration, and none when it is disabled', async () => {
    const space = await open();
    expect((await space.call('GET', '/config')).json()).not.toHaveProperty('events');
    expect((await setLookback(space, 'P1DT90M')).json()).toMatchObject({
      events: { lookback: 'P1DT1H30M' },
      broadcast: { 'workflow.create': false },
    });
    await space.call('PATCH', '/config', { json: { broadcast: { 'workflow.create': true } } });
    expect((await space.call('GET', '/config')).json()).toMatchObject({ events: { lookback: 'P1DT1H30M' } });
    await setLookback(space, '');
    const config = (await space.call('GET', '/config')).json();
    expect([config['events'], config['broadcast']?.['workflow.create']]).toEqual([undefined, true]);
  });

  test.each([
    ['an hour', 406, "events.lookback: 'an hour' is not an ISO 8601 duration such as PT1H"],
    ['P31D', 406, 'events.lookback: events are kept for 30 days, write at most P30D'],
    ['P9999999999999999999Y', 406, 'events.lookback: events are kept for 30 days, write at most P30D'],
  ])('rejects %j', async (lookback, status, message) => {
    const space = await open();
    const answer = await setLookback(space, lookback);
    expect([answer.status, answer.json()['message']]).toEqual([status, message]);
    expect((await space.call('GET', '/config')).json()).not.toHaveProperty('events');
  });

  test('passes an event from before the wait to it, and explain has the reason', async () => {
    const space = await open();
    await setLookback(space, 'PT1H');
    const id = await space.sendThrough({ type: 't' });
    await space.store('flow', consume('{type: t}'));
    const instance = await space.execute('flow');
    expect((await space.ended(instance)).output['t']).toMatchObject({ id });
    expect(await space.explain(id)).toMatchObject({ listeners: [{ listener: `wait ${instance}`, did: 'taken' }] });
  });

  test('passes the event to each run, and to each run once, the oldest first', async () => {
    const space = await open();
    await setLookback(space, 'PT1H');
    const ids = [await space.sendThrough({ type: 't' }), await space.sendThrough({ type: 't' })];
    const wait = (id: string) =>
      `- id: ${id}\n  type: consumeEvent\n  event: {type: t}\n  timeout: PT1S\n  transform: 'jq(.ids += [.t.id])'\n`;
    await space.store(
      'flow',
      `states:\n${wait('a')}  transition: b\n${wait('b')}  transition: c\n${wait('c')}  catch:\n  - {error: ${SOFT}}\n`,
    );
    const runs = [await space.execute('flow'), await space.execute('flow')];
    for (const run of runs) expect((await space.ended(run)).output).toMatchObject({ ids, error: { code: SOFT } });
  });
});
