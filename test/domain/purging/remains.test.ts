import { afterAll, beforeAll, expect, test } from 'vitest';
import { memoryBlobs } from '../../../lib/adapters/local/blobs.ts';
import { type LocalTable, openLocalTable } from '../../../lib/adapters/local/table/table.ts';
import * as events from '../../../lib/domain/events/events.ts';
import * as traces from '../../../lib/domain/events/traces.ts';
import { remainsOf } from '../../../lib/domain/purging/remains.ts';

const clock = { now: () => 0, uuid: () => '01980000-0000-7000-8000-000000000001', secret: () => 's' };

let database: LocalTable;
beforeAll(async () => {
  database = await openLocalTable();
});
afterAll(() => database.close());

test('an event leaves the blobs of the traces of all its deliveries', async () => {
  const blobs = memoryBlobs();
  const ports = { table: database.table, blobs, clock };
  const { key } = await events.record(
    ports,
    { id: 'ns', spread: undefined },
    {
      ...{ specversion: '1.0', id: 'one', source: 's', type: 't' },
    },
  );
  for (const delivery of ['first', 'second']) {
    const recorded = await events.read(ports, key);
    if (recorded === undefined) throw new Error('the event was recorded');
    const found = { listener: delivery, workflow: 'x'.repeat(20_000), matches: true, did: 'taken' };
    await traces.add(ports, recorded, [found], true);
  }
  const stored = await blobs.list('events/');
  expect(stored).toHaveLength(2);
  const [item = { pk: '', sk: '' }] = await database.table.get([key]);
  const { blobs: left } = remainsOf('journal', item);
  expect(stored.filter((blob) => !left.some((prefix) => blob.startsWith(prefix)))).toEqual([]);
});
