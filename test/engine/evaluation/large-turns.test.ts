import { setImmediate as poll } from 'node:timers/promises';
import { beforeEach, expect, test } from 'vitest';
import { evaluate } from '../../../lib/engine/evaluation/evaluation.ts';
import { takeLargeTurn } from '../../../lib/engine/evaluation/large-turns.ts';
import { takeTurn } from '../../../lib/engine/evaluation/processor.ts';
import { onAccountOf } from '../../../lib/engine/evaluation/tenants.ts';

let now = 0;
const clock = { now: () => now };
const LONG_MS = 80;

/** A piece of work on large data that takes long. */
async function workLong(tenant: string, worked: string[]): Promise<void> {
  await takeLargeTurn(clock, tenant);
  worked.push(tenant);
  now += LONG_MS;
}

/** Returns how many works began during `polls` turns of the event loop; a small request passes about ten. */
async function workedDuring(polls: number, worked: readonly string[]): Promise<number> {
  const before = worked.length;
  for (let turn = 0; turn < polls; turn += 1) await poll();
  return worked.length - before;
}

// No tenant of an earlier test computes any more.
beforeEach(() => {
  now += 10_000;
});

test('while another tenant computes, few of the turns that it passes go to large data', async () => {
  const worked: string[] = [];
  await takeTurn(clock, 'b');
  await takeTurn(clock, 'a');
  const all = Array.from({ length: 6 }, () => workLong('a', worked));
  expect(await workedDuring(100, worked)).toBeLessThanOrEqual(2);
  await Promise.all(all);
});

test('a tenant that computes alone has no pauses', async () => {
  const worked: string[] = [];
  await takeTurn(clock, 'a');
  const all = Array.from({ length: 6 }, () => workLong('a', worked));
  expect(await workedDuring(100, worked)).toBe(6);
  await Promise.all(all);
});

test('tenants take turns, whatever the amount of their data', async () => {
  const worked: string[] = [];
  await Promise.all(['a', 'a', 'a', 'b', 'b', 'c'].map((tenant) => workLong(tenant, worked)));
  expect(worked).toEqual(['a', 'b', 'c', 'a', 'b', 'a']);
});

test.each([
  ['large data', { v: Array.from({ length: 30_000 }, () => 1) }, 'jq(def f: 1; f)', 1],
  ['a large text', { v: 'x'.repeat(4_000_000) }, 'js(return 1)', 1],
  ['small data', { v: [1, 2] }, 'jq(def f: 1; f)', 0],
  ['large data that no script reads', { v: Array.from({ length: 30_000 }, () => 1) }, 'a text', 0],
])('a query over %s', async (_what, data, query, turns) => {
  let taken = 0;
  const takeLargeTurn = async () => {
    taken += 1;
  };
  await onAccountOf({ id: 'a', takeLargeTurn }, () => evaluate(query, data));
  expect(taken).toBe(turns);
});
