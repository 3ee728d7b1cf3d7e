import { setImmediate as poll } from 'node:timers/promises';
import { beforeEach, expect, test } from 'vitest';
import { FairProcessor } from '../../../../lib/adapters/local/scheduling/fair-processor.ts';

let now = 0;
const clock = { now: () => now };
let processor = new FairProcessor(clock);
const LONG_MS = 80;

/** A piece of work on large data that takes long. */
async function workLong(tenant: string, worked: string[]): Promise<void> {
  await processor.takeLargeTurn(tenant);
  worked.push(tenant);
  now += LONG_MS;
}

/** Returns how many works began during `polls` turns of the event loop; a small request passes about ten. */
async function workedDuring(polls: number, worked: readonly string[]): Promise<number> {
  const before = worked.length;
  for (let turn = 0; turn < polls; turn += 1) await poll();
  return worked.length - before;
}

beforeEach(() => {
  processor = new FairProcessor(clock);
});

test('while another tenant computes, few of the turns that it passes go to large data', async () => {
  const worked: string[] = [];
  await processor.takeTurn('b');
  await processor.takeTurn('a');
  const all = Array.from({ length: 6 }, () => workLong('a', worked));
  expect(await workedDuring(100, worked)).toBeLessThanOrEqual(2);
  await Promise.all(all);
});

test('a tenant that computes alone has no pauses', async () => {
  const worked: string[] = [];
  await processor.takeTurn('a');
  const all = Array.from({ length: 6 }, () => workLong('a', worked));
  expect(await workedDuring(100, worked)).toBe(6);
  await Promise.all(all);
});

test('tenants take turns, whatever the amount of their data', async () => {
  const worked: string[] = [];
  await Promise.all(['a', 'a', 'a', 'b', 'b', 'c'].map((tenant) => workLong(tenant, worked)));
  expect(worked).toEqual(['a', 'b', 'c', 'a', 'b', 'a']);
});
