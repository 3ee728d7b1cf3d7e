import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BROADCAST_KINDS } from '../../../lib/events/broadcasts.ts';
import { type Client, openClient } from '../access/client.ts';
import { EventSpace, until } from './space.ts';

const UUID = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);

let client: Client;
let names = 0;

/** A namespace that sends events about the given operations. */
async function open(...keys: string[]): Promise<EventSpace> {
  const space = await EventSpace.open(client, `tells-${++names}`);
  const broadcast = Object.fromEntries(keys.map((key) => [key, true]));
  expect((await space.call('PATCH', '/config', { json: { broadcast } })).status).toBe(200);
  return space;
}

beforeAll(async () => {
  client = await openClient();
});

afterAll(() => client.close());

const NOOP = 'states:\n- {id: a, type: noop}\n';
const FAILS = 'states:\n- id: a\n  type: validate\n  schema: {type: object, required: [missing]}\n';
const RAISES = 'states:\n- id: a\n  type: error\n  error: my.error\n  message: m\n';

const eventOf = (type: string, data: object) => ({
  specversion: '0.3',
  id: UUID,
  type,
  source: 'service',
  datacontenttype: 'application/json',
  data,
});

/** Returns the events of the namespace, the oldest first, once it has the given number. */
const eventsOf = (space: EventSpace, count: number) =>
  until(async () => {
    const events = await space.events();
    return events.length >= count ? events.reverse() : undefined;
  });

describe('a namespace sends events about', () => {
  const flow = (live: boolean) => ({ Name: 'flow', Path: '/dir/flow', Parent: '/dir/', Live: live });

  test('workflows that are created, updated, enabled, disabled and deleted; unchanged updates send none', async () => {
    const space = await open('workflow.create', 'workflow.update', 'workflow.delete');
    await space.call('PUT', '/tree/dir?op=create-directory');
    await space.store('dir/flow', NOOP);
    for (const body of [NOOP, `${NOOP}  log: x\n`.replace('{id: a, type: noop}', 'id: a\n  type: noop')]) {
      expect((await space.call('POST', '/tree/dir/flow?op=update-workflow', { body })).status).toBe(200);
    }
    for (const live of [true, false, false]) {
      await space.call('POST', '/tree/dir/flow?op=toggle', { json: { live } });
    }
    await space.call('DELETE', '/tree/dir/flow?op=delete-node');
    expect(await eventsOf(space, 4)).toEqual([
      eventOf('workflow.create', flow(true)),
      eventOf('workflow.update', flow(true)),
      eventOf('workflow.update', flow(false)),
      eventOf('workflow.delete', flow(false)),
    ]);
  });

  test('a workflow in the root as a child of the root', async () => {
    const space = await open('workflow.create');
    await space.store('flow', NOOP);
    expect(await eventsOf(space, 1)).toMatchObject([{ data: { Name: 'flow', Path: '/flow', Parent: '/' } }]);
  });

  test('directories that are created and deleted, without an event for each child', async () => {
    const space = await open('directory.create', 'directory.delete', 'workflow.delete');
    await space.call('PUT', '/tree/dir?op=create-directory');
    await space.call('PUT', '/tree/dir/sub?op=create-directory');
    await space.store('dir/sub/flow', NOOP);
    await space.call('DELETE', '/tree/dir?op=delete-node&recursive=true');
    expect(await eventsOf(space, 3)).toEqual([
      eventOf('directory.create', { Path: '/dir', Parent: '/' }),
      eventOf('directory.create', { Path: '/dir/sub', Parent: '/dir/' }),
      eventOf('directory.delete', { Path: '/dir', Parent: '/' }),
    ]);
  });

  test.each([
    ['that succeeded', NOOP, 'instance.success'],
    ['that an error state had failed, as a success', RAISES, 'instance.success'],
    ['that failed', FAILS, 'instance.failed'],
  ])('an instance %s: at its start and at its end', async (_name, source, end) => {
    const space = await open('instance.started', 'instance.success', 'instance.failed');
    await space.store('flow', source);
    const instance = await space.execute('flow');
    await space.ended(instance);
    const facts = { WorkflowPath: '/flow', InstanceID: instance };
    expect(await eventsOf(space, 2)).toEqual([
      eventOf('instance.started', { ...facts, Caller: 'api' }),
      eventOf(end, { ...facts, Caller: '' }),
    ]);
  });

  test('a cancelled instance, as failed', async () => {
    const space = await open('instance.failed');
    await space.store('flow', 'states:\n- id: a\n  type: delay\n  duration: PT10M\n');
    const instance = await space.execute('flow');
    await space.call('POST', `/instances/${instance}/cancel`);
    expect(await eventsOf(space, 1)).toMatchObject([{ type: 'instance.failed', data: { InstanceID: instance } }]);
  });

  test('the caller of an instance', async () => {
    const space = await open('instance.started');
    await space.store('child', NOOP);
    const functions = 'functions:\n- {id: child, type: subflow, workflow: child}\n';
    await space.store('flow', `${functions}states:\n- id: a\n  type: action\n  action: {function: child}\n`);
    const parent = await space.execute('flow');
    await space.ended(parent);
    const callers = (await eventsOf(space, 2)).map(({ data }) => [data?.['WorkflowPath'], data?.['Caller']]);
    expect(callers.toSorted()).toEqual([
      ['/child', `instance:${parent}`],
      ['/flow', 'api'],
    ]);
  });

  test('no kind that is disabled', async () => {
    const space = await open(...BROADCAST_KINDS);
    const off = Object.fromEntries(BROADCAST_KINDS.map((key) => [key, false]));
    await space.call('PATCH', '/config', { json: { broadcast: off } });
    await space.store('flow', NOOP);
    await space.call('PUT', '/tree/dir?op=create-directory');
    await space.ended(await space.execute('flow'));
    await space.call('DELETE', '/tree/dir?op=delete-node');
    expect(await space.events()).toEqual([]);
  });
});

describe('an event about a namespace', () => {
  test('is delivered after a minute', async () => {
    const space = await open('directory.create');
    await space.store('listens', `start: {type: event, event: {type: directory.create}}\n${NOOP}`);
    await space.call('PUT', '/tree/dir?op=create-directory');
    const [event] = await eventsOf(space, 1);
    expect(await space.explain(String(event?.['id']))).toMatchObject({ routed: false, listeners: [] });
    expect(await space.instances()).toEqual([]);
  });
});

describe('workflow event logging', () => {
  const LOGS = 'states:\n- id: a\n  type: noop\n  log: jq(.)\n  transition: b\n- id: b\n  type: noop\n  log: plain\n';

  test('sends the log lines of states as events at once, with the name of the logger', async () => {
    const space = await open();
    await space.store('flow', LOGS);
    await space.store(
      'listens',
      `start: {type: event, event: {type: service.instanceLog, context: {logger: mi*}}}\n${NOOP}`,
    );
    await space.call('POST', '/tree/flow?op=set-workflow-event-logging', { json: { logger: 'mine' } });
    const node = (await space.call('GET', '/tree/flow')).json();
    await space.ended(await space.execute('flow', { n: 1 }));
    const sent = { specversion: '1.0', id: UUID, source: node['oid'], type: 'service.instanceLog', logger: 'mine' };
    const events = await eventsOf(space, 2);
    expect(events).toEqual(
      expect.arrayContaining([
        { ...sent, datacontenttype: 'application/json', data: '{\n  "n": 1\n}' },
        { ...sent, datacontenttype: 'application/json', data: '"plain"' },
      ]),
    );
    await until(async () => ((await space.instances('listens')).length === 2 ? true : undefined));
  });

  test('is disabled without a logger, and after the logger is removed', async () => {
    const space = await open();
    await space.store('flow', LOGS);
    await space.ended(await space.execute('flow'));
    for (const logger of ['mine', '']) {
      await space.call('POST', '/tree/flow?op=set-workflow-event-logging', { json: { logger } });
    }
    await space.ended(await space.execute('flow'));
    expect(await space.events()).toEqual([]);
  });
});
