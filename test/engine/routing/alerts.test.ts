import { createHmac } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { LocalTable } from '../../../lib/adapters/local/table/table.ts';
import * as secrets from '../../../lib/domain/credentials/secrets.ts';
import { list as listDeadLetters } from '../../../lib/domain/events/dead-letters.ts';
import * as events from '../../../lib/domain/events/events.ts';
import { type AlertChanges, needAlertSettings } from '../../../lib/domain/namespaces/alert-settings.ts';
import { configure } from '../../../lib/domain/namespaces/config.ts';
import * as namespaces from '../../../lib/domain/namespaces/namespaces.ts';
import { cancel } from '../../../lib/engine/delivery/deliver.ts';
import { receive, replay } from '../../../lib/engine/events/broadcasting.ts';
import { reconcile } from '../../../lib/engine/recovery/reconciler.ts';
import { json, ProgrammedWeb } from '../../contract/programmed-web.ts';
import { type Crash, CrashedError } from '../world/crashing-ports.ts';
import { openDatabase, World, type WorldOptions } from '../world/engine-world.ts';
import { runsOf } from '../world/snapshot.ts';

let database: LocalTable;
let world: World;
let web: ProgrammedWeb;

beforeAll(async () => {
  database = await openDatabase();
});
afterEach(() => world.close());
afterAll(() => database.close());

const URL_TARGET = { url: 'https://hooks.example/alerts' };
const FAILS = 'states: [{id: pay, type: error, error: bank.refused, message: the bank refused}]\n';
const ALERT = 'states: [{id: notify, type: noop}]\n';
const MINUTE = 60_000;

/** A world whose namespace sends alerts. */
async function open(
  alerts: AlertChanges,
  sources: Readonly<Record<string, string>>,
  options: WorldOptions = {},
): Promise<void> {
  web = new ProgrammedWeb();
  world = new World(database, { web, ...options });
  await world.store(sources);
  await configure(world.reliable, world.namespace, { alerts });
}

const bodies = () => web.requests.map(({ body }) => JSON.parse(String(Buffer.from(body ?? []))));

/** Starts the workflow and delivers what it owes. */
async function run(path = 'main', input = '{}'): Promise<string> {
  const { id } = await world.execute(path, input);
  await world.pass(world.time.clock.now());
  await world.deliver();
  return id;
}

const alertRuns = async () => (await runsOf(world)).filter(({ invoker }) => invoker === 'alert');

const namespace = () => namespaces.need(world.reliable, world.namespace);

const deadLetters = async () => {
  const request = { order: [], filter: [], offset: 0 };
  const { results } = (await listDeadLetters(world.reliable, await namespace(), request as never)) as never as {
    results: { error: string; tries: number }[];
  };
  return results;
};

describe('an alert that is signed', () => {
  const SIGNED = { ...URL_TARGET, secret: 'HOOK' };
  const setSecret = async (value: string) => secrets.set(world.reliable, await namespace(), 'HOOK', Buffer.from(value));

  test.each([
    ['a text', 'a secret text', Buffer.from('a secret text')],
    ['a key in base64', `whsec_${Buffer.from('key').toString('base64')}`, Buffer.from('key')],
    ['a text that begins like a key and has none', 'whsec_', Buffer.from('whsec_')],
    ['a text that begins like a key and is no base64', 'whsec_no key', Buffer.from('whsec_no key')],
  ])('has the headers of Standard Webhooks, by %s', async (_name, value, key) => {
    await open(SIGNED, { main: FAILS });
    await setSecret(value);
    await run();
    const [{ headers = {}, body = [] } = {}] = web.requests;
    const sent = Buffer.from(body).toString();
    const { 'webhook-id': id = '', 'webhook-timestamp': time = '' } = headers;
    expect([id, Number(time)]).toEqual([JSON.parse(sent).id, Math.floor(world.time.clock.now() / 1000)]);
    const expected = createHmac('sha256', key).update(`${id}.${time}.${sent}`).digest('base64');
    expect(headers['webhook-signature']).toBe(`v1,${expected}`);
  });

  test('waits until its secret has a value', async () => {
    await open(SIGNED, { main: FAILS });
    await run();
    expect(web.requests).toEqual([]);
    expect(await deadLetters()).toMatchObject([{ error: "alert: the secret 'HOOK' of 'alerts.secret' has no value" }]);
    await setSecret('a secret text');
    world.time.advance(MINUTE);
    await reconcile(world.ports, { isExclusive: false });
    await world.deliver();
    expect(web.requests).toHaveLength(1);
  });
});

describe('an alert about a run that failed', () => {
  test('is sent to a URL, with what is known of the run', async () => {
    await open(URL_TARGET, { main: FAILS });
    const instance = await run();
    expect(bodies()).toEqual([
      {
        id: expect.any(String),
        kind: 'failed',
        namespace: world.namespace,
        workflow: '/main',
        instance,
        status: 'failed',
        code: 'bank.refused',
        message: 'the bank refused',
        state: 'pay',
        started: expect.stringMatching(/Z$/),
        time: expect.stringMatching(/Z$/),
        log: expect.arrayContaining([expect.stringContaining('bank.refused')]),
        url: `/ui/n/${world.namespace}/runs/${instance}`,
        more: 0,
        text: `${world.namespace}/main failed in 'pay': bank.refused: the bank refused /ui/n/${world.namespace}/runs/${instance}`,
      },
    ]);
    const [request] = web.requests;
    expect(request).toMatchObject({ method: 'POST', redirects: 0, headers: { 'idempotency-key': bodies()[0].id } });
  });

  test('starts a workflow with the alert as its input, once however often the event is delivered', async () => {
    await open({ workflow: 'ops/notify' }, { main: FAILS, 'ops/notify': ALERT });
    const instance = await run();
    const [message] = world.bus.messages;
    expect(message).toBeUndefined();
    expect((await alertRuns()).map(({ path, data, status }) => [path, data, status])).toEqual([
      ['/ops/notify', expect.objectContaining({ instance, code: 'bank.refused', more: 0 }), 'complete'],
    ]);
  });

  test('names the state that failed where a handler followed', async () => {
    await open(URL_TARGET, { main: `onFailure: undo\n${FAILS.replace(']', ', {id: undo, type: noop}]')}` });
    await run();
    expect(bodies()).toMatchObject([{ state: 'pay', code: 'bank.refused' }]);
  });

  test('is not sent without the setting, nor for a run that completes', async () => {
    await open({}, { main: FAILS, fine: ALERT });
    await run();
    await configure(world.reliable, world.namespace, { alerts: URL_TARGET });
    await run('fine');
    expect([web.requests.length, world.bus.size]).toEqual([0, 0]);
  });

  test('is not sent for a run that was cancelled by a request', async () => {
    await open(URL_TARGET, { main: 'states: [{id: nap, type: delay, duration: PT1H}]\n' });
    const pending = await world.execute('main', '{}');
    await world.pass(world.time.clock.now());
    await cancel(world.reliable, pending);
    await world.deliver();
    expect(web.requests).toEqual([]);
  });

  test('is sent once where a subflow fails and its caller with it', async () => {
    const main = `functions: [{id: kid, type: subflow, workflow: kid}]
states: [{id: call, type: action, action: {function: kid}}]
`;
    await open(URL_TARGET, { main, kid: FAILS });
    await run();
    expect(bodies()).toMatchObject([{ workflow: '/main' }]);
  });

  test('is sent for a subflow that nothing waits for', async () => {
    const main = `functions: [{id: kid, type: subflow, workflow: kid}]
states: [{id: call, type: action, async: true, action: {function: kid}}]
`;
    await open(URL_TARGET, { main, kid: FAILS });
    await run();
    expect(bodies()).toMatchObject([{ workflow: '/kid' }]);
  });
});

describe('alerts make no alerts', () => {
  test('where the workflow that they start fails, or one that it calls without waiting', async () => {
    const notify = `functions: [{id: kid, type: subflow, workflow: kid}]
states:
- {id: call, type: action, async: true, action: {function: kid}, transition: pay}
- {id: pay, type: error, error: also.this, message: failed}
`;
    await open({ workflow: '/notify' }, { main: FAILS, notify, kid: FAILS });
    await run();
    await world.pass(world.time.clock.now());
    await world.deliver();
    expect((await runsOf(world)).map(({ path, status }) => `${path} ${status}`).toSorted()).toEqual([
      '/kid failed',
      '/main failed',
      '/notify failed',
    ]);
  });

  test('where a request starts that workflow', async () => {
    await open({ workflow: 'notify' }, { notify: FAILS });
    await run('notify');
    expect((await runsOf(world)).length).toBe(1);
  });
});

describe('an alert that its target does not take', () => {
  test('is a dead letter, and the reconciler sends it again', async () => {
    await open(URL_TARGET, { main: FAILS });
    web.reply = () => json({}, 500);
    await run();
    expect(await deadLetters()).toMatchObject([
      { tries: 1, error: "alert: 'hooks.example' answered 500 to the alert" },
    ]);
    web.reply = () => json({});
    world.time.advance(2 * MINUTE);
    await reconcile(world.reliable, { isExclusive: true });
    await world.deliver();
    expect(bodies().map(({ id }) => id)).toEqual([bodies()[0].id, bodies()[0].id]);
    expect(await deadLetters()).toEqual([]);
    world.time.advance(5 * MINUTE);
    await reconcile(world.reliable, { isExclusive: true });
    await world.deliver();
    expect(web.requests.length).toBe(2);
  });

  test('is a dead letter where there is no such workflow', async () => {
    await open({ workflow: 'gone' }, { main: FAILS });
    await run();
    expect(await deadLetters()).toMatchObject([{ error: expect.stringContaining('alert: ') }]);
  });
});

describe('alerts of a workflow within a time', () => {
  const grouped = { ...URL_TARGET, within: 'PT10M' };

  test('are one at once and one at its end, which counts the others', async () => {
    await open(grouped, { main: FAILS, other: FAILS });
    const ids = [await run(), await run(), await run(), await run()];
    await run('other');
    expect(bodies().map(({ workflow, more }) => [workflow, more])).toEqual([
      ['/main', 0],
      ['/other', 0],
    ]);
    world.time.advance(9 * MINUTE);
    await world.deliver();
    expect(web.requests.length).toBe(2);
    world.time.advance(2 * MINUTE);
    await world.deliver();
    expect(bodies().slice(2)).toMatchObject([
      { instance: ids[1], more: 2, text: expect.stringContaining('(and 2 more)') },
    ]);
    world.time.advance(60 * MINUTE);
    await world.deliver();
    expect(web.requests.length).toBe(3);
  });

  test('begin a new time after a quiet one', async () => {
    await open(grouped, { main: FAILS });
    await run();
    world.time.advance(11 * MINUTE);
    await run();
    expect(bodies().map(({ more }) => more)).toEqual([0, 0]);
  });

  test('are counted once where their events are delivered again', async () => {
    await open(grouped, { main: FAILS });
    const route = world.bus.messages;
    for (let n = 0; n < 3; n += 1) {
      await world.execute('main', '{}');
      const again = [...world.bus.messages];
      await world.deliver();
      await world.bus.publish(again);
      await world.deliver();
    }
    expect(route).toEqual([]);
    world.time.advance(11 * MINUTE);
    await world.deliver();
    expect(bodies().map(({ more }) => more)).toEqual([0, 1]);
  });
});

describe('a run that takes longer than its workflow expects', () => {
  const slow = (duration: string) =>
    `expected: {within: PT1H}
timeouts: {interrupt: P1D}
states: [{id: first, type: noop, transition: nap}, {id: nap, type: delay, duration: ${duration}, transition: last}, {id: last, type: noop}]
`;
  const LISTENS = `start: {type: event, event: {type: instance.late}}\n${ALERT}`;

  /** Lets hours pass, minute by minute, as timers and messages come. */
  async function passHours(hours: number): Promise<void> {
    for (let quarter = 0; quarter < hours * 4; quarter += 1) {
      await world.pass(world.time.clock.now() + 15 * MINUTE);
      world.time.advance(15 * MINUTE);
      await world.deliver();
    }
  }

  test('makes an alert and an event, once, and goes on', async () => {
    await open(URL_TARGET, { main: slow('PT4H'), listens: LISTENS });
    await configure(world.reliable, world.namespace, { broadcast: { 'instance.late': true } });
    const instance = await run();
    const again = [...world.bus.messages];
    await passHours(2);
    await world.bus.publish(again);
    await world.deliver();
    const { name } = await namespace();
    const message = 'it was expected within PT1H, and goes on';
    expect(bodies()).toMatchObject([
      { kind: 'late', instance, status: 'pending', code: '', message, state: 'nap', time: '2026-01-15T13:00:00Z' },
    ]);
    expect(bodies()[0].text).toContain(`${name}/main is late in 'nap': ${message}`);
    await passHours(4);
    expect((await runsOf(world)).map(({ path, status }) => `${path} ${status}`).toSorted()).toEqual([
      '/listens complete',
      '/main complete',
    ]);
    expect(web.requests.length).toBe(1);
  });

  test('makes the event alone in a namespace without alerts', async () => {
    await open({}, { main: slow('PT4H'), listens: LISTENS });
    await configure(world.reliable, world.namespace, { broadcast: { 'instance.late': true } });
    await run();
    await passHours(2);
    expect((await runsOf(world)).map(({ path }) => path).toSorted()).toEqual(['/listens', '/main']);
  });

  test('is no run that ends in time, nor one of a namespace that wants neither', async () => {
    await open(URL_TARGET, { main: slow('PT30M'), never: slow('PT4H'), quick: `expected: {within: PT1S}\n${ALERT}` });
    await run();
    expect(world.bus.size).toBe(1);
    await run('quick');
    expect(world.bus.size).toBe(1);
    await configure(world.reliable, world.namespace, { alerts: {} });
    await run('never');
    expect(world.bus.size).toBe(1);
    await configure(world.reliable, world.namespace, { alerts: URL_TARGET });
    await passHours(3);
    expect(web.requests).toEqual([]);
  });

  test('makes one alert, also where a crash follows any operation', async () => {
    const outcome = async (crash?: Crash) => {
      await open(URL_TARGET, { main: slow('PT4H') }, { crash });
      const ignore = (error: unknown) => {
        if (!(error instanceof CrashedError)) throw error;
      };
      await world.execute('main', '{}').catch(ignore);
      for (let hour = 0; hour < 6; hour += 1) {
        await world.pass(world.time.clock.now() + 60 * MINUTE);
        if (world.process.hasCrashed) await world.restart();
        world.time.advance(60 * MINUTE);
        await world.deliver().catch(ignore);
        if (world.process.hasCrashed) await world.restart();
      }
      await world.deliver();
      const started = (await runsOf(world)).length;
      return { started, alerted: new Set(bodies().map(({ id }) => id)).size };
    };
    expect(await outcome()).toEqual({ started: 1, alerted: 1 });
    const { operations } = world.process;
    for (let at = 1; at <= operations; at += 1) {
      await world.close();
      const { started, alerted } = await outcome({ at, when: 'after' });
      expect({ at, alerted }).toEqual({ at, alerted: started });
    }
  });
});

describe('the event of an alert', () => {
  test('is in the history, explains what became of it, and sends the alert again by a replay', async () => {
    await open(URL_TARGET, { main: FAILS, catcher: `start: {type: event, event: {type: service.alert}}\n${ALERT}` });
    await world.execute('main', '{}');
    const { id } = world.bus.messages[0] ?? { id: '' };
    await world.deliver();
    const recorded = await events.need(world.reliable, (await namespace()).id, id);
    expect(recorded).toMatchObject({
      isRouted: true,
      traces: [{ listener: 'alerts', did: "sent to 'hooks.example'" }],
    });
    await replay(world.reliable, await namespace(), id);
    await world.deliver();
    expect(bodies().map((body) => body.id === id)).toEqual([true, false]);
    expect((await runsOf(world)).map(({ path }) => path)).toEqual(['/main']);
  });

  test('that a client sends makes no alert about another run, or one of another namespace', async () => {
    await open(URL_TARGET, { main: ALERT });
    const instance = await run();
    const data = { kind: 'failed', instance, workflow: '/main' };
    const event = { specversion: '1.0', id: 'e', source: 'service', type: 'service.alert', data } as const;
    await receive(world.reliable, await namespace(), event);
    await world.deliver();
    expect(web.requests).toEqual([]);
  });
});

describe('a crash at any durable operation loses no alert and starts no workflow twice', () => {
  const outcome = async (alerts: AlertChanges, crash?: Crash) => {
    await open(alerts, { main: `onFailure: undo\n${FAILS.replace(']', ', {id: undo, type: noop}]')}`, notify: ALERT });
    world.process.crashAt(crash);
    const ignore = (error: unknown) => {
      if (!(error instanceof CrashedError)) throw error;
    };
    for (let n = 0; n < 3; n += 1) {
      await world.execute('main', '{}').catch(ignore);
      await world.pass(world.time.clock.now());
      await world.deliver().catch(ignore);
      if (world.process.hasCrashed) await world.restart();
    }
    for (let n = 0; n < 4; n += 1) {
      await world.deliver().catch(ignore);
      if (world.process.hasCrashed) await world.restart();
      world.time.advance(11 * MINUTE);
      await reconcile(world.reliable, { isExclusive: true });
    }
    await world.deliver();
    const { length: failed } = (await runsOf(world)).filter(
      ({ path, status }) => path === '/main' && status === 'failed',
    );
    const alerted = [
      ...(await alertRuns()).map(({ data }) => data),
      ...new Map(bodies().map((body) => [body.id, body])).values(),
    ];
    return { failed, alerted: alerted.map((alert) => Number(alert['more'])).reduce((sum, more) => sum + 1 + more, 0) };
  };

  test.each([
    ['a workflow', { workflow: 'notify' }],
    ['a workflow, grouped', { workflow: 'notify', within: 'PT10M' }],
    ['a URL', URL_TARGET],
    ['a URL, grouped', { ...URL_TARGET, within: 'PT10M' }],
  ])('%s', async (_name, alerts) => {
    expect(await outcome(alerts)).toEqual({ failed: 3, alerted: 3 });
    const { operations } = world.process;
    for (let at = 1; at <= operations; at += 1) {
      for (const when of ['before', 'after'] as const) {
        await world.close();
        const { failed, alerted } = await outcome(alerts, { at, when });
        expect({ at, when, alerted }).toEqual({ at, when, alerted: failed });
      }
    }
  });
});

describe('the setting', () => {
  test('is replaced as a whole, and switched off by an empty object', async () => {
    await open({ ...URL_TARGET, within: 'PT1H' }, {});
    const change = async (alerts: AlertChanges | null) =>
      (await configure(world.reliable, world.namespace, { alerts })).alerts;
    expect(await change(null)).toEqual({ ...URL_TARGET, within: 'PT1H' });
    expect(await change({ workflow: 'notify', url: '' })).toEqual({ workflow: 'notify' });
    expect(await change({})).toBeUndefined();
  });

  test.each([
    [{ workflow: 'a', url: 'https://b.example' }, 'not both'],
    [{ within: 'PT1M' }, "needs a 'workflow' or a 'url'"],
    [{ url: 'ftp://b.example' }, 'write a URL such as'],
    [{ url: 'https://ada:secret@b.example' }, 'without a user'],
    [{ ...URL_TARGET, within: '10m' }, "'10m' is not an ISO 8601 duration"],
    [{ ...URL_TARGET, within: 'P2D' }, 'not in PT1S to P1D'],
  ])('%o is refused', (alerts, text) => {
    expect(() => needAlertSettings(alerts)).toThrow(text);
  });
});
