import { expect, test } from 'vitest';
import { systemClock } from '../../../lib/adapters/portable/clock.ts';
import { derivedId, orderedId, spreadAs, spreadId, timeOf } from '../../../lib/domain/storage/ids.ts';
import { runOrder } from '../../../lib/domain/storage/keys.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

test('neighbours differ in their first eight digits, and keep their order in keys', () => {
  const clock = systemClock(() => 1_795_000_000_000);
  const ids = Array.from({ length: 200 }, () => spreadId(clock.uuid()));
  for (const id of ids) expect(id).toMatch(UUID);
  expect(new Set(ids.map((id) => id.slice(0, 8))).size).toBe(ids.length);
  const orders = ids.map((id) => runOrder(1_795_000_000_000, id));
  expect(orders).toEqual(orders.toSorted());
});

test('an id gives its time and its ordered form, whatever its form', () => {
  const old = derivedId(1_795_000_000_123, 'a');
  const id = spreadId(old);
  expect([timeOf(old), timeOf(id)]).toEqual([1_795_000_000_123, 1_795_000_000_123]);
  expect([orderedId(old), orderedId(orderedId(id))]).toEqual([old, id]);
});

test('the children of a run of an earlier version have ids of its form', () => {
  const old = derivedId(1, 'a');
  expect([spreadAs(old, old), spreadAs(spreadId(old), old)]).toEqual([old, spreadId(old)]);
});
