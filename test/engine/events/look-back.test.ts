import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { LocalTable } from '../../../lib/adapters/local/table/table.ts';
import * as events from '../../../lib/domain/events/events.ts';
import { configure } from '../../../lib/domain/namespaces/config.ts';
import * as namespaces from '../../../lib/domain/namespaces/namespaces.ts';
import { eventSuffix } from '../../../lib/domain/storage/keys.ts';
import { addProcessed, processedIn } from '../../../lib/engine/events/processed-events.ts';
import type { CloudEvent } from '../../../lib/events/cloud-event.ts';
import type { Key } from '../../../lib/ports/table.ts';
import { openDatabase, World } from '../world/engine-world.ts';
import { runsOf } from '../world/snapshot.ts';

const MINUTE = 60_000;
const NOW = Date.UTC(2026, 0, 15, 12);

let database: LocalTable;
beforeAll(async () => {
  database = await openDatabase();
});
afterAll(() => database.close());

const eventOf = (id: string): CloudEvent => ({ specversion: '1.0', id, source: 's', type: 'paid' });
const keyAt = (sk: string): Key => ({ table: 'journal', pk: 'events', sk });
const dueAt = (id: string, due: number) => ({ key: keyAt(id), event: eventOf(id), due });

const COUNT = 230;
const LOOP = `states:
- id: wait
  type: consumeEvent
  event: {type: paid}
  timeout: PT1H
  transform: 'jq({ids: (.ids + [.paid.id])})'
  transition: more
  catch: [{error: '*'}]
- id: more
  type: switch
  conditions: [{condition: 'jq((.ids | length) < ${COUNT})', transition: wait}]
`;

test(`a loop of waits takes each of ${COUNT} events of the look-back once`, async () => {
  const world = new World(database);
  try {
    await world.store({ main: LOOP });
    await configure(world.reliable, world.namespace, { events: { lookback: 'PT1H' } });
    const namespace = await namespaces.need(world.reliable, world.namespace);
    const ids = Array.from({ length: COUNT }, (_, index) => `paid-${index}`);
    for (const id of ids) await events.record(world.reliable, namespace, eventOf(id));
    const { id } = await world.execute('main', '{"ids": []}');
    await world.pass();
    const main = (await runsOf(world)).find((run) => run.id === id);
    expect(main?.status).toBe('complete');
    const taken = (main?.data['ids'] ?? []) as string[];
    expect(taken.toSorted()).toEqual(ids.toSorted());
  } finally {
    await world.close();
  }
});

describe('the processed events of a run', () => {
  test('are forgotten when no later wait can count them', () => {
    let all: string[] = [];
    for (let n = 0; n < 100; n += 1) all = addProcessed(all, dueAt(`e${n}`, NOW + n * MINUTE), NOW + n * MINUTE);
    expect(all.length).toBe(2);
  });

  test('are told apart by their source where two events have an id', () => {
    const second = { ...dueAt('e1', NOW), key: keyAt(`e1${eventSuffix('s')}`) };
    expect(processedIn(addProcessed([], dueAt('e1', NOW), NOW))(second)).toBe(false);
    expect(processedIn(addProcessed([], second, NOW))(second)).toBe(true);
  });

  test('of which there are too many are replaced by a time, so that none is taken twice', () => {
    let all = Array.from({ length: 4990 }, (_, n) => addProcessed([], dueAt(`e${n}`, NOW + n), NOW)).flat();
    for (let n = 4990; n < 5200; n += 1) all = addProcessed(all, dueAt(`e${n}`, NOW + n), NOW);
    expect(all.length).toBe(5000);
    const isProcessed = processedIn(all);
    for (let n = 0; n < 5200; n += 1) expect(isProcessed(dueAt(`e${n}`, NOW + n))).toBe(true);
    expect(isProcessed(dueAt('late', NOW + 10))).toBe(true);
    expect(isProcessed(dueAt('new', NOW + 5200))).toBe(false);
  });
});
