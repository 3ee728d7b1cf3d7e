import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { memoryBlobs } from '../../../lib/adapters/local/blobs.ts';
import { type LocalBus, localBus } from '../../../lib/adapters/local/bus.ts';
import { LocalDatabase } from '../../../lib/adapters/local/database/database.ts';
import { localExecutions } from '../../../lib/adapters/local/executions/executions.ts';
import { localSchedules } from '../../../lib/adapters/local/schedules.ts';
import { type LocalTable, openLocalTable } from '../../../lib/adapters/local/table/table.ts';
import { systemClock } from '../../../lib/adapters/portable/clock.ts';
import * as events from '../../../lib/domain/events/events.ts';
import * as traces from '../../../lib/domain/events/traces.ts';
import * as namespaces from '../../../lib/domain/namespaces/namespaces.ts';
import { receiveInbound } from '../../../lib/engine/events/inbound.ts';
import type { EnginePorts } from '../../../lib/engine/ports.ts';
import type { Message } from '../../../lib/ports/bus.ts';

const EVENT = {
  id: 'e1',
  'detail-type': 'Object Created',
  source: 'aws.s3',
  account: '111122223333',
  time: '2026-11-12T00:00:00Z',
  region: 'ca-central-1',
  resources: ['arn:aws:s3:::files'],
  detail: { object: { key: 'example-key' } },
};

let tables: LocalTable;
let database: LocalDatabase;
let bus: LocalBus;
let ports: EnginePorts;
let delivered: Message[];
const clock = systemClock();

beforeAll(async () => {
  tables = await openLocalTable();
});
afterAll(() => tables.close());
beforeEach(() => {
  delivered = [];
  database = new LocalDatabase({ file: ':memory:' });
  bus = localBus({ database, clock, deliver: async (message) => void delivered.push(message) });
  ports = {
    settings: { brand: 'service', version: 'v0' },
    table: tables.table,
    blobs: memoryBlobs(),
    executions: localExecutions({ database, clock, invoke: async () => ({}) }),
    schedules: localSchedules({ database, clock, tick: async () => undefined, nextTick: () => undefined }),
    bus,
    clock,
  };
});

test('an event of another bus is recorded in its namespace and published once, however often it is delivered', async () => {
  const namespace = await namespaces.create(ports, 'files');
  for (let times = 0; times < 2; times++) {
    await receiveInbound(ports, { namespace: 'files', event: EVENT });
    await bus.idle();
    const recorded = await events.need(ports, namespace.id, 'e1');
    expect(recorded.event).toMatchObject({ type: 'Object Created', source: 'aws.s3', data: EVENT.detail });
    await traces.add(ports, recorded, [], true);
  }
  expect(delivered).toMatchObject([{ namespace: 'files', id: 'e1', type: 'Object Created' }]);
});

test('an event that was recorded and not published is published when it is delivered again', async () => {
  await namespaces.create(ports, 'orders');
  const lost = { ...bus, publish: () => Promise.reject(new Error('interrupted')) };
  await expect(receiveInbound({ ...ports, bus: lost }, { namespace: 'orders', event: EVENT })).rejects.toThrow(
    'interrupted',
  );
  await receiveInbound(ports, { namespace: 'orders', event: EVENT });
  await bus.idle();
  expect(delivered).toMatchObject([{ namespace: 'orders', id: 'e1' }]);
});

test('an event for an unknown namespace is an error, so that the queue keeps it', async () => {
  await expect(receiveInbound(ports, { namespace: 'nobody', event: EVENT })).rejects.toMatchObject({
    code: 'not-found',
  });
});
