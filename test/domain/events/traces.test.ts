import { afterAll, beforeAll, expect, test } from 'vitest';
import { memoryBlobs } from '../../../lib/adapters/local/blobs.ts';
import { type LocalTable, openLocalTable } from '../../../lib/adapters/local/table/table.ts';
import * as events from '../../../lib/domain/events/events.ts';
import * as traces from '../../../lib/domain/events/traces.ts';

const HOME = { id: 'ns', spread: undefined };
const clock = {
  now: () => Date.UTC(2026, 5, 15),
  uuid: () => '01980000-0000-7000-8000-000000000001',
  secret: () => 's',
};
const blobs = memoryBlobs();

let database: LocalTable;

beforeAll(async () => {
  database = await openLocalTable();
});
afterAll(() => database.close());

const traceOf = (listener: string, did: string): events.Trace => ({ listener, workflow: '/w', matches: true, did });
const TAKEN = traceOf('wait a', 'taken');
const GONE = traceOf('wait a', 'gone');
const OTHER = traceOf('wait b', 'gone');

/** The traces of an event after deliveries of it that found these. */
async function tracesAfter(id: string, ...deliveries: readonly (readonly events.Trace[])[]) {
  const ports = { table: database.table, blobs, clock };
  const { key } = await events.record(ports, HOME, { specversion: '1.0', id, source: 's', type: 't' });
  for (const found of deliveries) {
    const recorded = await events.read(ports, key);
    if (recorded === undefined) throw new Error('the event was recorded');
    await traces.add(ports, recorded, found, true);
  }
  return (await events.read(ports, key))?.traces;
}

test('a second delivery that finds the wait gone which the event ended leaves no trace, in either order', async () => {
  expect(await tracesAfter('later', [TAKEN], [GONE, OTHER])).toEqual([TAKEN, OTHER]);
  expect(await tracesAfter('earlier', [GONE], [TAKEN])).toEqual([TAKEN]);
});

test('an event that found a wait gone at its only delivery has a trace of that', async () => {
  expect(await tracesAfter('only', [GONE], [GONE])).toEqual([GONE]);
});
