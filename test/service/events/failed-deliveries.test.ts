import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Service, startService } from '../../../bin/server/service.ts';
import * as failed from '../../../lib/domain/events/dead-letters.ts';
import * as namespaces from '../../../lib/domain/namespaces/namespaces.ts';
import { derivedId } from '../../../lib/domain/storage/ids.ts';
import { replay } from '../../../lib/engine/events/broadcasting.ts';
import { keepDeadLetter } from '../../../lib/engine/events/dead-letters.ts';
import type { Message } from '../../../lib/ports/bus.ts';
import type { Ports } from '../../../lib/ports/ports.ts';
import { type Client, clientOf, type Json, rowsOf } from '../access/client.ts';
import { EventSpace, until } from './space.ts';

const START = 'start: {type: event, event: {type: t}}\nstates:\n- {id: a, type: noop}\n';
const WHY = { failed: Date.UTC(2026, 10, 21, 12), tries: 3, error: 'AccessDenied: not allowed' };

let service: Service;
let client: Client;
let names = 0;

beforeAll(async () => {
  const settings = { port: 0, host: '127.0.0.1', data: undefined, apiKey: undefined, brand: 'service', version: 'v0' };
  service = await startService({ ...settings, databaseEndpoint: undefined });
  client = clientOf(service.url, service.key, () => service.close());
});

afterAll(() => client.close());

/** A namespace whose bus delivers nothing while `isLossy` is true: its messages become dead letters. */
class LossySpace {
  readonly space: EventSpace;
  readonly name: string;
  private readonly ports: Ports;

  private constructor(space: EventSpace, name: string) {
    this.space = space;
    this.name = name;
    const publish = async (messages: readonly Message[]) => {
      for (const detail of messages) await keepDeadLetter(this.ports, { detail }, WHY);
    };
    this.ports = { ...service.ports, bus: { publish, publishAt: async (_at, _name, message) => publish([message]) } };
  }

  static async open(): Promise<LossySpace> {
    const name = `failed-${++names}`;
    return new LossySpace(await EventSpace.open(client, name), name);
  }

  /** Sends an event whose delivery fails. */
  async lose(id: string, type = 't'): Promise<void> {
    const { receive } = await import('../../../lib/engine/events/broadcasting.ts');
    const namespace = await namespaces.need(this.ports, this.name);
    await receive(this.ports, namespace, { specversion: '1.0', id, source: 's', type });
  }

  async loseReplay(id: string): Promise<void> {
    await replay(this.ports, await namespaces.need(this.ports, this.name), id);
  }

  async tick(workflow: string, planned: string): Promise<void> {
    const { oid } = (await this.space.call('GET', `/tree/${workflow}`)).json();
    const target = { id: String(oid), namespace: this.name, workflow: `/${workflow}` };
    expect(await keepDeadLetter(this.ports, { target, planned }, WHY)).toBe(true);
  }

  async list(query = ''): Promise<readonly Json[]> {
    const answer = await this.space.call('GET', `/failed-deliveries?${query}`);
    expect(answer.status, answer.text).toBe(200);
    return rowsOf(answer.json()['results']);
  }

  redeliver(id: string) {
    return this.space.call('POST', `/failed-deliveries/${id}/redeliver`);
  }

  async redeliverAll(): Promise<Json> {
    return (await this.space.call('POST', '/failed-deliveries/redeliver')).json();
  }
}

describe('an event that could not be delivered (a dead letter)', () => {
  test('is listed with its error, time and number of attempts', async () => {
    const lossy = await LossySpace.open();
    await lossy.lose('e1', 'order.placed');
    const answer = (await lossy.space.call('GET', '/failed-deliveries')).json();
    expect(answer).toMatchObject({ namespace: lossy.name, pageInfo: { total: 1 }, totalCount: 1 });
    expect(answer['results']).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        kind: 'event',
        failedAt: '2026-11-21T12:00:00Z',
        tries: 3,
        error: WHY.error,
        due: expect.stringMatching(/^20\d\d-/),
        event: 'e1',
        type: 'order.placed',
        source: 's',
        workflow: '',
        to: '',
      },
    ]);
  });

  test('starts its listeners when it is delivered again, and is not listed any more', async () => {
    const lossy = await LossySpace.open();
    await lossy.space.store('flow', START);
    await lossy.lose('e1');
    expect(await lossy.space.instances('flow')).toEqual([]);
    const answer = await lossy.redeliver(String((await lossy.list())[0]?.['id']));
    expect([answer.status, answer.text]).toEqual([200, '']);
    const { output } = await lossy.space.ended(await lossy.space.first('flow'));
    expect(output['t']).toMatchObject({ id: 'e1' });
    expect(await lossy.list()).toEqual([]);
  });

  test('that was delivered to some listeners starts them once, however often it is delivered again', async () => {
    const lossy = await LossySpace.open();
    await lossy.space.store('flow', START);
    const id = await lossy.space.sendThrough({ type: 't' });
    const namespace = await namespaces.need(service.ports, lossy.name);
    const { key } = await (await import('../../../lib/domain/events/events.ts')).need(service.ports, namespace.id, id);
    // Like a router that crashed before it stored that the delivery is complete.
    await service.ports.table.write([{ do: 'update', key, set: { routed: false, trace: '[]' } }]);
    const record = { pk: key.pk, sk: key.sk };
    const message = { namespaceId: namespace.id, namespace: lossy.name, record, id, type: 't', source: 's' };
    for (let time = 0; time < 3; time += 1) {
      await keepDeadLetter(service.ports, { detail: message }, WHY);
      await lossy.redeliverAll();
      await until(async () => ((await lossy.space.explain(id)) as { routed?: unknown }).routed === true || undefined);
    }
    expect(await lossy.space.instances('flow')).toHaveLength(1);
  });

  test('is one row, however often it fails, with the number of attempts', async () => {
    const lossy = await LossySpace.open();
    await lossy.lose('e1');
    await lossy.lose('e1').catch(() => undefined);
    expect(await lossy.list()).toMatchObject([{ event: 'e1', tries: 6 }]);
  });

  test('that was requested twice starts its workflow once more', async () => {
    const lossy = await LossySpace.open();
    await lossy.space.store('flow', START);
    const id = await lossy.space.sendThrough({ type: 't' });
    await lossy.loseReplay(id);
    expect(await lossy.list()).toHaveLength(1);
    expect(await lossy.redeliverAll()).toEqual({ redelivered: 1, failed: 0, left: 0 });
    await until(async () => ((await lossy.space.instances('flow')).length === 2 ? true : undefined));
  });

  test('names the external subscriber that did not get it', async () => {
    const lossy = await LossySpace.open();
    const namespace = await namespaces.need(service.ports, lossy.name);
    const record = { pk: 'events#x', sk: `${'0'.repeat(15)}#e1` };
    const detail = { namespaceId: namespace.id, namespace: lossy.name, record, id: 'e1', type: 't', source: 's' };
    expect(await keepDeadLetter(service.ports, { detail }, WHY, 'arn:aws:sqs:eu-west-1:1:orders')).toBe(true);
    expect(await lossy.list()).toMatchObject([{ event: 'e1', to: 'arn:aws:sqs:eu-west-1:1:orders' }]);
    // Its record is deleted, so no delivery is left.
    expect(await lossy.redeliverAll()).toEqual({ redelivered: 1, failed: 0, left: 0 });
  });

  test('is not listed after it was deleted', async () => {
    const lossy = await LossySpace.open();
    await lossy.space.store('flow', START);
    await lossy.lose('e1');
    const id = String((await lossy.list())[0]?.['id']);
    const answer = await lossy.space.call('DELETE', `/failed-deliveries/${id}`);
    expect([answer.status, answer.text]).toEqual([200, '']);
    expect(await lossy.list()).toEqual([]);
    expect((await lossy.redeliver(id)).status).toBe(404);
    expect(await lossy.space.instances('flow')).toEqual([]);
  });

  test('can have an id and a type of the maximum length', async () => {
    const lossy = await LossySpace.open();
    const [id, type] = ['i'.repeat(60_000), 't'.repeat(60_000)];
    await lossy.lose(id, type);
    const [row] = await lossy.list();
    expect([row?.['event'], row?.['type']]).toEqual([id, type]);
    expect(await lossy.redeliverAll()).toEqual({ redelivered: 1, failed: 0, left: 0 });
  });
});

describe('a cron tick that could not be delivered', () => {
  const CRON = 'start: {type: scheduled, cron: "0 0 1 1 *"}\nstates:\n- {id: a, type: noop}\n';

  test('is listed, and starts its workflow once when it is delivered again', async () => {
    const lossy = await LossySpace.open();
    await lossy.space.store('yearly', CRON);
    await lossy.tick('yearly', '2026-01-01T00:00:00Z');
    const [row] = await lossy.list();
    expect(row).toMatchObject({ kind: 'tick', workflow: '/yearly', due: '2026-01-01T00:00:00Z', event: '' });
    expect((await lossy.redeliver(String(row?.['id']))).status).toBe(200);
    await lossy.tick('yearly', '2026-01-01T00:00:00Z');
    expect(await lossy.redeliverAll()).toEqual({ redelivered: 1, failed: 0, left: 0 });
    expect(await lossy.space.instances('yearly')).toHaveLength(1);
  });

  test('starts nothing after its workflow was deleted', async () => {
    const lossy = await LossySpace.open();
    await lossy.space.store('yearly', CRON);
    await lossy.tick('yearly', '2026-01-01T00:00:00Z');
    expect((await lossy.space.call('DELETE', '/tree/yearly?op=delete-node')).status).toBe(200);
    expect(await lossy.redeliverAll()).toEqual({ redelivered: 1, failed: 0, left: 0 });
  });

  test('of a deleted namespace is in no list', async () => {
    const target = { id: 'x', namespace: 'gone-by-now', workflow: '/a' };
    expect(await keepDeadLetter(service.ports, { target, planned: '2026-01-01T00:00:00Z' }, WHY)).toBe(false);
  });
});

describe('an event of another bus that could not be stored', () => {
  test('is stored once when it is delivered again', async () => {
    const lossy = await LossySpace.open();
    await lossy.space.store(
      'made',
      'start: {type: event, event: {type: Object Created}}\nstates:\n- {id: a, type: noop}\n',
    );
    const event = {
      id: 'b1',
      source: 'aws.s3',
      'detail-type': 'Object Created',
      account: '1',
      region: 'eu-west-1',
      time: '2026-11-21T10:00:00Z',
      resources: [],
      detail: { key: 'k' },
    };
    const inbound = { namespace: lossy.name, event };
    expect(await keepDeadLetter(service.ports, inbound, WHY)).toBe(true);
    expect(await lossy.list()).toMatchObject([
      { kind: 'inbound', event: 'b1', type: 'Object Created', source: 'aws.s3' },
    ]);
    expect(await lossy.redeliverAll()).toEqual({ redelivered: 1, failed: 0, left: 0 });
    await keepDeadLetter(service.ports, inbound, WHY);
    expect(await lossy.redeliverAll()).toEqual({ redelivered: 1, failed: 0, left: 0 });
    expect((await lossy.space.ended(await lossy.space.first('made'))).status).toBe('complete');
    expect(await lossy.space.instances('made')).toHaveLength(1);
  });
});

describe('the list of dead letters', () => {
  test('has pages, with the newest first', async () => {
    const lossy = await LossySpace.open();
    const namespace = await namespaces.need(service.ports, lossy.name);
    for (let minute = 0; minute < 12; minute += 1) {
      const target = { id: 'w', namespace: lossy.name, workflow: `/w${minute}` };
      await failed.add(service.ports, namespace.id, { kind: 'tick', target, planned: minute * 60_000 }, WHY);
    }
    const workflows = async (query: string) => (await lossy.list(query)).map((row) => String(row['workflow']));
    expect(await workflows('limit=2')).toEqual(['/w11', '/w10']);
    expect(await workflows('limit=2&offset=10')).toEqual(['/w1', '/w0']);
    expect(await workflows('')).toHaveLength(12);
    const page = (await lossy.space.call('GET', '/failed-deliveries?limit=5&offset=5')).json()['pageInfo'];
    expect(page).toMatchObject({ total: 12, hasNextPage: true, hasPreviousPage: true });
  });

  test('keeps what fails again, with the new reason, and the reply has the number that is left', async () => {
    const lossy = await LossySpace.open();
    const namespace = await namespaces.need(service.ports, lossy.name);
    const event = { id: 'x', source: 's', 'detail-type': 't', time: '', account: '', region: '', resources: null };
    const broken = { kind: 'inbound', event: { ...event, detail: {} } } as unknown as failed.Delivery;
    await failed.add(service.ports, namespace.id, broken, WHY);
    await lossy.lose('e1');
    expect(await lossy.redeliverAll()).toEqual({ redelivered: 1, failed: 1, left: 1 });
    expect(await lossy.list()).toMatchObject([{ event: 'x', tries: 4, error: expect.stringContaining('TypeError') }]);
  });

  test.each([
    ['a name', 'none'],
    ['the name of the prototype', '__proto__'],
    ['an id that there is not', derivedId(0, 'nothing')],
    ['three thousand letters', 'x'.repeat(3000)],
    ['a character beyond ASCII', '%F0%9F%8E%BF'],
  ])('returns 404 for delivering and deleting %s', async (_name, id) => {
    const { space } = await LossySpace.open();
    for (const [method, path] of [
      ['POST', `/failed-deliveries/${id}/redeliver`],
      ['DELETE', `/failed-deliveries/${id}`],
    ] as const) {
      const answer = await space.call(method, path);
      expect([answer.status, answer.json()['message']]).toEqual([404, 'failed delivery not found']);
    }
  });

  test('is 404 in an unknown namespace, and empty in one that was created again', async () => {
    expect((await client.call('GET', '/api/namespaces/nowhere/failed-deliveries')).status).toBe(404);
    const lossy = await LossySpace.open();
    await lossy.lose('e1');
    await client.call('DELETE', `/api/namespaces/${lossy.name}?recursive=true`);
    await client.call('PUT', `/api/namespaces/${lossy.name}`);
    expect(await lossy.list()).toEqual([]);
  });

  test('needs the permission to read; delivering again needs the permission to run', async () => {
    const lossy = await LossySpace.open();
    await lossy.lose('e1');
    const created = await client.call('POST', '/api/keys', {
      json: { name: 'reader', permission: 'read', namespaces: [lossy.name] },
    });
    const key = String(created.json()['secret']);
    const path = `/api/namespaces/${lossy.name}/failed-deliveries`;
    expect((await client.call('GET', path, { key })).status).toBe(200);
    expect((await client.call('POST', `${path}/redeliver`, { key })).status).toBe(403);
    expect((await client.call('DELETE', `${path}/x`, { key })).status).toBe(403);
  });
});
