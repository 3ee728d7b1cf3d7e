import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Service, startService } from '../../../bin/server/service.ts';
import { readSettings } from '../../../bin/server/settings.ts';
import { QUOTAS } from '../../../lib/domain/quotas.ts';
import { ScriptedContainers } from '../../contract/scripted-containers.ts';
import { type Client, clientOf, rowsOf } from '../access/client.ts';

const NOOP = 'states: [{id: a, type: noop}]\n';
const SCHEDULED = `start: {type: scheduled, cron: '0 0 1 1 *'}\n${NOOP}`;
const BY_EVENTS = `start: {type: eventsXor, events: [{type: a}, {type: b}]}\n${NOOP}`;
const SETS = `states:
- id: set
  type: setter
  variables: [{key: k, scope: .SCOPE., value: 'jq(.v)'}]
  catch: [{error: 'service.limits.variables', transition: caught}]
- {id: caught, type: noop, transform: 'jq({caught: .error.msg})'}
`;

let service: Service;
let client: Client;

async function open(quotas = ''): Promise<void> {
  const settings = { ...readSettings({ WEFT_QUOTAS: quotas }), port: 0, data: undefined };
  service = await startService(settings, {}, { containers: new ScriptedContainers() });
  client = clientOf(service.url, service.key, () => service.close());
  await client.call('PUT', AT);
}
beforeEach(() => open());
afterEach(() => service.close());

const AT = '/api/namespaces/demo';
const put = (path: string, body: string | Uint8Array) => client.call('PUT', `${AT}/${path}`, { body });
const workflow = (name: string, text = NOOP) => put(`tree/${name}?op=create-workflow`, text);
const limit = async (limits: object) => {
  const answer = await client.call('PATCH', `${AT}/config`, { json: { limits } });
  expect([answer.status, answer.json()['limits']]).toEqual([200, limits]);
};
async function usage(): Promise<Record<string, unknown>> {
  const { quotas } = (await client.call('GET', `${AT}/usage`)).json();
  return Object.fromEntries(rowsOf(quotas).map(({ name, used }) => [name, used]));
}
const secret = (name: string) => put(`secrets/${name}`, 'value');
const service_ = (name: string) =>
  client.call('POST', `/api/functions/namespaces/demo`, {
    json: { name, image: 'a/b:v1', scale: 0, size: 0, cmd: '' },
  });
const registry = (reg: string) =>
  client.call('POST', `/api/functions/registries/namespaces/demo`, { json: { reg, data: 'user:token' } });

describe('a namespace that has its quota', () => {
  test.each([
    ['workflows', (n: number) => workflow(`w${n}`)],
    ['schedules', (n: number) => workflow(`w${n}`, SCHEDULED)],
    ['ticks', (n: number) => workflow(`w${n}`, SCHEDULED)],
    [
      'listeners',
      (n: number) =>
        n === 2 ? workflow('w2', BY_EVENTS) : workflow(`w${n}`, `start: {type: event, event: {type: e${n}}}\n${NOOP}`),
    ],
    ['secrets', (n: number) => secret(`s${n}`)],
    ['registries', (n: number) => registry(`https://r${n}.example.com`)],
    ['services', (n: number) => service_(`s${n}`)],
    ['variables', (n: number) => put(`vars/v${n}`, 'x')],
  ] as const)('gets no more %s: 507 names the quota and what to do', async (name, add) => {
    await limit({ [name]: 2 });
    expect([(await add(0)).status, (await add(1)).status]).toEqual([200, 200]);
    expect((await usage())[name]).toBe(2);
    const refused = await add(2);
    const { things, remedy = 'delete some' }: { things: string; remedy?: string } = QUOTAS[name];
    const what = `the namespace has its quota of 2 ${things}: ${remedy}, or ask an administrator to raise '${name}'`;
    expect([refused.status, refused.json()['message']]).toEqual([507, what]);
    expect((await usage())[name]).toBe(2);
    await limit({ [name]: 3 });
    expect((await add(name === 'listeners' ? 3 : 2)).status).toBe(200);
  });

  test('gets room at once when something is deleted, also by a folder', async () => {
    await limit({ workflows: 2, schedules: 1, secrets: 1, variables: 1 });
    await client.call('PUT', `${AT}/tree/d?op=create-directory`);
    await workflow('d/one', SCHEDULED);
    await workflow('d/two');
    await secret('a');
    await put('tree/d/one?op=set-var&var=v', 'x');
    expect(await usage()).toMatchObject({ workflows: 2, schedules: 1, secrets: 1, variables: 1 });
    expect((await workflow('three')).status).toBe(507);
    await client.call('DELETE', `${AT}/tree/d?op=delete-node&recursive=true`);
    await client.call('DELETE', `${AT}/secrets/a`);
    await expect.poll(usage).toMatchObject({ workflows: 0, schedules: 0, secrets: 0, variables: 0 });
    expect((await workflow('three', SCHEDULED)).status).toBe(200);
    expect((await secret('b')).status).toBe(200);
    await client.call('DELETE', `${AT}/tree/three?op=delete-node`);
    expect(await usage()).toMatchObject({ workflows: 0, schedules: 0 });
  });

  test('counts a schedule while its workflow is live and has it', async () => {
    await workflow('w', SCHEDULED);
    const schedules = async () => (await usage())['schedules'];
    const toggle = (live: boolean) => client.call('POST', `${AT}/tree/w?op=toggle`, { json: { live } });
    expect(await schedules()).toBe(1);
    await toggle(false);
    expect(await schedules()).toBe(0);
    await limit({ schedules: 1 });
    await workflow('other', SCHEDULED);
    expect((await toggle(true)).status).toBe(507);
    await client.call('POST', `${AT}/tree/other?op=update-workflow`, { body: NOOP });
    expect((await toggle(true)).status).toBe(200);
    expect(await schedules()).toBe(1);
  });

  test('gets no more ticks a second by many schedules, nor by a change of one', async () => {
    const every = (cron: string) => `start: {type: scheduled, cron: '${cron}'}\n${NOOP}`;
    const change = (name: string, text: string) =>
      client.call('POST', `${AT}/tree/${name}?op=update-workflow`, { body: text });
    const stored: number[] = [];
    for (let n = 0; n < 20; n += 1) stored.push((await workflow(`w${n}`, every('@every 1s'))).status);
    expect(stored).toEqual([...Array(16).fill(200), ...Array(4).fill(507)]);
    expect((await usage())['ticks']).toBe(16 * 3600);
    await limit({ ticks: 16 * 3600 });
    expect((await change('w0', every('@every 1h'))).status).toBe(200);
    expect((await workflow('x', every('* * * * *'))).status).toBe(200);
    expect((await usage())['ticks']).toBe(15 * 3600 + 1 + 60);
    expect((await change('w0', every('@every 1s'))).status).toBe(507);
  });

  test('changes what it has', async () => {
    await limit({ secrets: 1, registries: 1, variables: 1, workflows: 1 });
    for (let round = 0; round < 2; round += 1) {
      const status = [await secret('a'), await registry('https://r.example.com'), await put('vars/v', `${round}`)];
      expect(status.map((answer) => answer.status)).toEqual([200, 200, 200]);
    }
    await workflow('w');
    expect((await client.call('POST', `${AT}/tree/w?op=update-workflow`, { body: `${NOOP}#` })).status).toBe(200);
  });
});

describe('the bytes of variables', () => {
  const KIB = 1024;
  const bytes = async () => (await usage())['variableBytes'];

  test('are counted for each scope, grow and shrink', async () => {
    await workflow('sets', SETS.replace('.SCOPE.', 'instance'));
    await put('vars/a', new Uint8Array(3 * KIB));
    await put('tree/sets?op=set-var&var=b', new Uint8Array(2 * KIB));
    expect(await bytes()).toBe(5 * KIB);
    await client.call('POST', `${AT}/tree/sets?op=wait`, { json: { v: 'x'.repeat(4 * KIB) } });
    expect(await bytes()).toBe(10 * KIB);
    expect((await usage())['variables']).toBe(2);
    await put('vars/a', new Uint8Array(KIB));
    expect(await bytes()).toBe(8 * KIB);
    await client.call('DELETE', `${AT}/vars/a`);
    expect(await bytes()).toBe(7 * KIB);
  });

  test.each(['namespace', 'workflow', 'instance'])('are limited for a state, which can catch it: %s', async (scope) => {
    await limit({ variableBytes: 10 * KIB });
    await workflow('sets', SETS.replace('.SCOPE.', scope));
    const set = async (size: number) =>
      (await client.call('POST', `${AT}/tree/sets?op=wait`, { json: { v: 'x'.repeat(size * KIB - 2) } })).json();
    expect((await set(6))['caught']).toBeUndefined();
    expect((await set(11))['caught']).toContain("ask an administrator to raise 'variableBytes'");
    expect(await bytes()).toBe(6 * KIB);
  });

  test('are limited for requests; a smaller value is stored', async () => {
    await limit({ variableBytes: 10 * KIB });
    expect((await put('vars/a', new Uint8Array(8 * KIB))).status).toBe(200);
    expect((await put('vars/b', new Uint8Array(3 * KIB))).status).toBe(507);
    expect((await put('vars/a', new Uint8Array(7 * KIB))).status).toBe(200);
    expect((await put('vars/b', new Uint8Array(3 * KIB))).status).toBe(200);
    await client.call('DELETE', `${AT}/vars/a`);
    expect((await put('vars/c', new Uint8Array(7 * KIB))).status).toBe(200);
  });
});

describe('the events of a namespace', () => {
  const event = (id: string) => ({ specversion: '1.0', id, source: 's', type: 't' });
  const send = (body: object, type = 'application/cloudevents+json') =>
    client.call('POST', `${AT}/broadcast`, { body: JSON.stringify(body), headers: { 'content-type': type } });
  const batch = (name: string, size: number) =>
    send(
      Array.from({ length: size }, (_, n) => event(`${name}${n}`)),
      'application/cloudevents-batch+json',
    );

  test('beyond its quota are refused with the time to wait, a batch as a whole', async () => {
    await limit({ eventsPerSecond: 1 });
    expect((await batch('a', 8)).status).toBe(200);
    expect((await usage())['eventsPerSecond']).toBe(1);
    const refused = await batch('b', 10);
    expect([refused.status, refused.json()['message']]).toEqual([
      429,
      "the namespace has its quota of 1 events a second: send fewer, or ask an administrator to raise 'eventsPerSecond'; try again later",
    ]);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    const { text } = await client.call('GET', `${AT}/events`);
    expect([text.includes('"a7"'), text.includes('"b0"')]).toEqual([true, false]);
    await client.call('PUT', '/api/namespaces/other');
    const other = await client.call('POST', '/api/namespaces/other/broadcast', { json: event('c') });
    expect(other.status).toBe(200);
  });
});

describe('the runs that a namespace keeps', () => {
  const CALLS = `functions: [{id: w, type: subflow, workflow: w}]
states:
- id: call
  type: action
  action: {function: w}
  catch: [{error: 'service.limits.runs', transition: caught}]
- {id: caught, type: noop, transform: 'jq({caught: .error.msg})'}
`;
  const what =
    "the namespace has its quota of 3 kept runs: wait until old ones expire, 30 days after their end, or ask an administrator to raise 'runs'";

  test('are bounded, for requests and for subflows', async () => {
    await workflow('w');
    await workflow('calls', CALLS);
    await limit({ runs: 3 });
    const start = (name: string) => client.call('POST', `${AT}/tree/${name}?op=wait`);
    expect([(await start('w')).status, (await start('w')).status]).toEqual([200, 200]);
    expect((await start('calls')).json()['caught']).toBe(what);
    expect((await usage())['runs']).toBe(3);
    const refused = await start('w');
    expect([refused.status, refused.json()['message']]).toEqual([507, what]);
    await limit({ runs: 4 });
  });
});

describe('the quotas of an installation', () => {
  test('are those of its settings, also for keys and namespaces', async () => {
    await service.close();
    await open('workflows=1 namespaces=1, keys=0');
    expect((await workflow('a')).status).toBe(200);
    expect((await workflow('b')).status).toBe(507);
    const namespace = await client.call('PUT', '/api/namespaces/more');
    expect([namespace.status, namespace.json()['message']]).toEqual([
      507,
      "the installation has its quota of 1 namespaces: delete some, or ask an administrator to raise 'namespaces'",
    ]);
    const key = await client.call('POST', '/api/keys', { json: { name: 'a', permission: 'read', namespaces: [] } });
    expect(key.status).toBe(507);
  });

  test.each([
    ['workflow=1', "WEFT_QUOTAS: there is no quota 'workflow'; the quotas are variableBytes, "],
    ['workflows=many', "WEFT_QUOTAS: the quota 'workflows' is 'many'; it must be a whole number"],
    ['workflows', "WEFT_QUOTAS: the quota 'workflows' is ''; it must be a whole number"],
  ])('cannot be %s', (text, message) => {
    expect(() => readSettings({ WEFT_QUOTAS: text })).toThrow(message);
  });
});
