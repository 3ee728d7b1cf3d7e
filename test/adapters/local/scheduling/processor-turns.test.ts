import { setImmediate as poll } from 'node:timers/promises';
import { beforeEach, expect, test } from 'vitest';
import { ProcessorTurns } from '../../../../lib/adapters/local/scheduling/processor-turns.ts';

let now = 0;
const clock = { now: () => now };
let turns = new ProcessorTurns(clock);
const LONG_MS = 50;

/**
 * A batch of each tenant computes for long, when it is its turn; the first one at once. Returns the tenants in the
 * order of their computations, each with the number of polls of the event loop before.
 */
async function computeInTurns(tenants: readonly string[]): Promise<readonly string[]> {
  const computed: string[] = [];
  let polls = 0;
  for (const [index, tenant] of tenants.entries()) {
    void turns.take(tenant).then(() => {
      computed.push(`${tenant}${index} after ${polls}`);
      now += LONG_MS;
    });
    // The first batch computes before the others begin.
    await Promise.resolve().then(() => undefined);
  }
  for (; computed.length < tenants.length; polls += 1) await poll();
  return computed;
}

test('each tenant is charged for the time that its batches compute', async () => {
  const charged = new Map<string, number>();
  turns = new ProcessorTurns(clock, (tenant, ms) => charged.set(tenant, (charged.get(tenant) ?? 0) + ms));
  await computeInTurns(['a', 'b', 'a', 'c']);
  await poll();
  expect(charged).toEqual(
    new Map([
      ['a', 2 * LONG_MS],
      ['b', LONG_MS],
      ['c', LONG_MS],
    ]),
  );
});

beforeEach(() => {
  turns = new ProcessorTurns(clock);
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
  const hurried = new ProcessorTurns(leaping);
  await hurried.take('a');
  await hurried.take('a');
  expect(hurried.mayCompute('a')).toBe(false);
});

test('after a long turn of one tenant, another one computes during the polls', async () => {
  await turns.take('a');
  now += LONG_MS;
  const again = turns.take('a');
  expect(turns.mayCompute('b')).toBe(false);
  await poll();
  expect([turns.mayCompute('a'), turns.mayCompute('b')]).toEqual([false, true]);
  now += LONG_MS;
  // Only once: tenants that compute all the time cannot prevent the polls of the event loop.
  expect(turns.mayCompute('b')).toBe(false);
  await again;
});

test('short batches do not wait', async () => {
  for (let batch = 0; batch < 100; batch += 1) {
    expect(turns.mayCompute('a')).toBe(true);
    await turns.take('a');
  }
  now += LONG_MS;
  expect(turns.mayCompute('a')).toBe(false);
});

test('the batches of a tenant compute in the order in which they asked, also those that ask while others wait', async () => {
  const computed: string[] = [];
  const compute = async (name: string, ms: number): Promise<void> => {
    await turns.take('a');
    computed.push(name);
    now += ms;
  };
  await compute('long', LONG_MS);
  const early = ['first', 'second', 'third'].map((name) => compute(name, LONG_MS));
  while (computed.length < 2) await poll();
  // The turn of the first one is over; the polls after it are under way.
  const late = Array.from({ length: 20 }, async () => {
    await poll();
    await compute('late', 0);
  });
  await Promise.all([...early, ...late]);
  expect(computed.slice(0, 4)).toEqual(['long', 'first', 'second', 'third']);
});

test('batches that wait share a turn while there is time left in it', async () => {
  await turns.take('a');
  now += LONG_MS;
  const resumed: number[] = [];
  let polls = 0;
  const all = Array.from({ length: 12 }, async () => {
    await turns.take('a');
    resumed.push(polls);
    // A batch computes on after reads that are answered in the same turn.
    for (let read = 0; read < 5; read += 1) await Promise.resolve();
    now += 1;
  });
  for (; resumed.length < all.length; polls += 1) await poll();
  await Promise.all(all);
  const perTurn = [...new Set(resumed)].map((at) => resumed.filter((one) => one === at).length);
  expect(perTurn).toEqual([4, 4, 4]);
});
