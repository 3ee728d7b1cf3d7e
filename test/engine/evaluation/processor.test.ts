import { setImmediate as poll } from 'node:timers/promises';
import { beforeEach, expect, test } from 'vitest';
import { mayCompute, takeTurn } from '../../../lib/engine/evaluation/processor.ts';

let now = 0;
const clock = { now: () => now };
const LONG_MS = 50;

/**
 * A batch of each tenant computes for long, when it is its turn; the first one at once. Returns the tenants in the
 * order of their computations, each with the number of polls of the event loop before.
 */
async function computeInTurns(tenants: readonly string[]): Promise<readonly string[]> {
  const computed: string[] = [];
  let polls = 0;
  for (const [index, tenant] of tenants.entries()) {
    void takeTurn(clock, tenant).then(() => {
      computed.push(`${tenant}${index} after ${polls}`);
      now += LONG_MS;
    });
    // The first batch computes before the others begin.
    await Promise.resolve().then(() => undefined);
  }
  for (; computed.length < tenants.length; polls += 1) await poll();
  return computed;
}

// The work of an earlier test ends first.
beforeEach(async () => {
  for (let turn = 0; turn < 10; turn += 1) await poll();
});

test('the batches of all runs compute together no longer than one of them may, then the event loop is polled', async () => {
  const computed = await computeInTurns(['a', 'a', 'a']);
  const polls = computed.map((text) => Number(text.split(' ').at(-1)));
  expect(polls[0]).toBe(0);
  for (const [index, at] of polls.entries())
    if (index > 0) expect(at - (polls[index - 1] ?? 0)).toBeGreaterThanOrEqual(3);
});

test('tenants take turns, whatever the number of their batches', async () => {
  const computed = await computeInTurns(['a', 'a', 'a', 'a', 'b', 'c']);
  expect(computed.map((text) => text.split(' ')[0])).toEqual(['a0', 'a1', 'b4', 'c5', 'a2', 'a3']);
});

test('a batch goes on when its turn has come, however fast the clock is', async () => {
  const leaping = {
    now: () => {
      now += LONG_MS;
      return now;
    },
  };
  await takeTurn(leaping, 'a');
  await takeTurn(leaping, 'a');
  expect(mayCompute(leaping, 'a')).toBe(false);
});

test('after a long turn of one tenant, another one computes during the polls', async () => {
  await takeTurn(clock, 'a');
  now += LONG_MS;
  const again = takeTurn(clock, 'a');
  expect(mayCompute(clock, 'b')).toBe(false);
  await poll();
  expect([mayCompute(clock, 'a'), mayCompute(clock, 'b')]).toEqual([false, true]);
  now += LONG_MS;
  // Once: tenants that compute all the time do not keep the event loop from being polled.
  expect(mayCompute(clock, 'b')).toBe(false);
  await again;
});

test('short batches do not wait', async () => {
  for (let batch = 0; batch < 100; batch += 1) {
    expect(mayCompute(clock, 'a')).toBe(true);
    await takeTurn(clock, 'a');
  }
  now += LONG_MS;
  expect(mayCompute(clock, 'a')).toBe(false);
});
