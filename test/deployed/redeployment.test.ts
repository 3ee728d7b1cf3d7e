import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Client, clientOf, type Json, rowsOf } from '../service/access/client.ts';
import { ASSEMBLIES, type Assemblies } from './assemblies.ts';
import type { EmulatedInstallation } from './emulated-installation.ts';
import { Load } from './load.ts';
import { differencesOf, prepareLoad } from './load-outcome.ts';
import type { Target } from './target.ts';

const assemblies = JSON.parse(process.env[ASSEMBLIES] ?? 'null') as Assemblies | null;
const MAX_MS = 180_000;
/** How long there is load before an update begins, and after it. */
const LOAD_BEFORE_MS = 4000;
const LOAD_AFTER_MS = 2000;

const BY_EVENT = (type: string): string => `
timeouts: {interrupt: PT1H}
states:
- id: a
  type: consumeEvent
  timeout: PT1H
  event: {type: ${type}, context: {order: 'jq(.order)'}}
  transform: 'jq({paid: .["${type}"].data.n})'
`;
const CALLER = `
timeouts: {interrupt: PT1H}
functions:
- {id: pay, type: subflow, workflow: paid}
states:
- {id: a, type: action, action: {function: pay, input: 'jq(.)'}, transform: 'jq(.return)'}
`;
const EACH = `
timeouts: {interrupt: PT1H}
functions:
- {id: pay, type: subflow, workflow: paid}
states:
- id: a
  type: foreach
  array: 'jq([{order: "e1"}, {order: "e2"}])'
  action: {function: pay, input: 'jq(.)'}
  transform: 'jq({paid: ([.return[].paid] | add)})'
`;
const NAP = "states:\n- {id: a, type: delay, duration: PT60S, transform: 'jq({woken: .n})'}\n";
const PLACED =
  "start: {type: event, event: {type: placed}}\nstates: [{id: a, type: noop, transform: 'jq(.placed.data)'}]\n";
const TICK = "start: {type: scheduled, cron: '* * * * *'}\nstates: [{id: a, type: noop}]\n";
const NOOP = "states: [{id: a, type: noop, transform: 'jq({n: .n})'}]\n";

const WORKFLOWS = {
  paid: BY_EVENT('paid'),
  caller: CALLER,
  each: EACH,
  nap: NAP,
  placed: PLACED,
  tick: TICK,
  noop: NOOP,
};

let installation: EmulatedInstallation;
let client: Client;

const connect = ({ url, key }: Target): Client => clientOf(url, key, async () => {});

async function call(method: string, path: string, json?: unknown): Promise<Json> {
  const answer = await client.call(method, path, json === undefined ? {} : { json });
  expect(answer.status, `${method} ${path}: ${answer.text}`).toBe(200);
  return answer.text === '' ? ({} as Json) : answer.json();
}

const start = async (workflow: string, input: object): Promise<string> =>
  String((await call('POST', `/api/namespaces/demo/tree/${workflow}?op=execute`, input))['instance']);

async function send(type: string, id: string, attributes: object, data: object): Promise<void> {
  const json = { specversion: '1.0', id, source: 'shop', type, ...attributes, data };
  const headers = { 'Content-Type': 'application/cloudevents+json' };
  const answer = await client.call('POST', '/api/namespaces/demo/broadcast', { json, headers });
  expect(answer.status, answer.text).toBe(200);
}

async function instancesOf(workflow: string, namespace = 'demo'): Promise<readonly Json[]> {
  const filter = `filter.field=AS&filter.type=WORKFLOW&filter.val=${workflow}`;
  return rowsOf((await call('GET', `/api/namespaces/${namespace}/instances?${filter}`))['instances']?.['results']);
}

/** Returns when a condition holds; meanwhile the deployment is reported again, as the rule of every 15 minutes does. */
async function until(what: string, holds: () => Promise<boolean>, more: () => unknown = () => ''): Promise<void> {
  for (const end = performance.now() + MAX_MS; !(await holds()); await sleep(2000)) {
    if (performance.now() > end) throw new Error(`it did not happen: ${what} ${JSON.stringify(more())}`);
    await installation.reportDeployment();
  }
}

const statusOf = async (id: string): Promise<string> =>
  String((await call('GET', `/api/namespaces/demo/instances/${id}`))['instance']?.['status']);

async function readOutput(namespace: string, id: string): Promise<Json> {
  const { data } = await call('GET', `/api/namespaces/${namespace}/instances/${id}/output`);
  return JSON.parse(Buffer.from(String(data), 'base64').toString()) as Json;
}

async function outputOf(id: string): Promise<Json> {
  await until(`${id} has ended`, async () => (await statusOf(id)) !== 'pending');
  const { instance } = await call('GET', `/api/namespaces/demo/instances/${id}`);
  expect([instance?.['as'], instance?.['status'], instance?.['errorMessage']]).toEqual([
    instance?.['as'],
    'complete',
    '',
  ]);
  return readOutput('demo', id);
}

const SCHEDULE = /^schedule .*\//;
const TIMERS = '--timers/';
const countOf = (resources: readonly string[], kind: RegExp): number =>
  resources.filter((one) => kind.test(one)).length;

describe.skipIf(assemblies === null)('an installation with all options', () => {
  beforeAll(async () => {
    if (assemblies === null) return;
    // Loaded late: most runs of the tests skip this file, and the clients of AWS are large.
    const emulated = await import('./emulated-installation.ts');
    installation = await emulated.EmulatedInstallation.open(assemblies.everything);
    client = connect(await installation.deployFirst());
    await call('PUT', '/api/namespaces/audit');
    await call('PUT', '/api/namespaces/demo');
    for (const [path, body] of Object.entries(WORKFLOWS)) {
      const answer = await client.call('PUT', `/api/namespaces/demo/tree/${path}?op=create-workflow`, { body });
      expect(answer.status, answer.text).toBe(200);
    }
  }, MAX_MS);
  afterAll(() => installation?.close());

  test(
    'goes on with waiting runs, schedules and events after it was destroyed, its tables were restored, and it was deployed again',
    async () => {
      const order = { order: 'o1' };
      const [paid, early, caller, each, nap] = await Promise.all([
        start('paid', order),
        start('paid', { order: 'o2' }),
        start('caller', { order: 'o3' }),
        start('each', {}),
        start('nap', { n: 7 }),
      ]);
      await until('the clock has started a run', async () => (await instancesOf('tick')).length > 0);
      await installation.backUp();
      // What happened after the backups is lost: the run goes on waiting, and the event may be sent again.
      await send('paid', 'p-o1', { order: 'o1' }, { n: 1 });
      expect(await outputOf(paid)).toEqual({ paid: 1 });
      const before = await installation.resources();
      expect(countOf(before, /^state machine/)).toBeGreaterThan(4);
      expect(countOf(before, SCHEDULE)).toBeGreaterThan(0);
      await installation.destroyService();
      const left = await installation.resources();
      const kinds = [/^state machine/, /^schedule/, /^table/];
      expect(kinds.map((kind) => countOf(left, kind))).toEqual([0, 0, 3]);
      await expect(installation.destroyData()).rejects.toThrow(/TerminationProtection/);
      await installation.restore();
      expect(await installation.resources()).toEqual(left);
      const key = client.key;
      client = connect(await installation.deployAgain());
      expect(client.key).toBe(key);
      // Before anything was reconciled.
      await send('paid', 'p2', { order: 'o2' }, { n: 2 });
      await send('placed', 'x1', {}, { n: 3 });
      expect(await call('POST', '/api/namespaces/demo/tree/noop?op=wait', { n: 4 })).toEqual({ n: 4 });
      expect(await outputOf(nap)).toEqual({ woken: 7 });
      for (const [id, n] of [
        ['o1', 1],
        ['o3', 30],
        ['e1', 5],
        ['e2', 6],
      ] as const)
        await send('paid', `p-${id}`, { order: id }, { n });
      expect(await Promise.all([paid, early, caller, each].map(outputOf))).toEqual([
        { paid: 1 },
        { paid: 2 },
        { paid: 30 },
        { paid: 11 },
      ]);
      await until('an event has started a run', async () => (await instancesOf('placed')).length === 1);
      // The emulator passes no time to a tick, so the clock starts one run only. Its schedule, and the timers of the
      // waits, are those from before the redeployment.
      const schedules = (await installation.resources()).filter((one) => SCHEDULE.test(one));
      expect(schedules.filter((one) => !one.includes(TIMERS))).toHaveLength(1);
      expect(before).toEqual(expect.arrayContaining(schedules));
      await until('the audit log has been exported', async () => {
        const { events } = await call('GET', '/api/namespaces/audit/events');
        return rowsOf(events?.['results']).length > 0;
      });
      const rows = rowsOf((await call('GET', '/api/namespaces/demo/instances?limit=100'))['instances']?.['results']);
      expect(rows.filter(({ status }) => String(status) !== 'complete')).toEqual([]);
    },
    2 * MAX_MS,
  );

  test(
    'loses and doubles nothing while an update of all functions is deployed',
    async () => {
      await prepareLoad(client, 'load');
      const load = new Load(client, 'load');
      load.start();
      await sleep(LOAD_BEFORE_MS);
      const before = await installation.functionRevisions();
      await installation.deployAgain(assemblies?.changed);
      const after = await installation.functionRevisions();
      await sleep(LOAD_AFTER_MS);
      const report = await load.stop();
      console.log(
        `${report.requests} requests around an update; failed at the first attempt: ${JSON.stringify([...report.failedFirst])}`,
      );
      expect(Object.keys(after)).toEqual(Object.keys(before));
      expect(Object.keys(after).filter((name) => after[name] === before[name])).toEqual([]);
      const poll = () => installation.reportDeployment();
      expect(await differencesOf(client, 'load', load, { report, ms: MAX_MS, poll })).toEqual([]);
    },
    2 * MAX_MS,
  );
});
