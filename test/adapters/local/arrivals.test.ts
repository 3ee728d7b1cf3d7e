import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Arrivals } from '../../../lib/adapters/local/requests/arrivals.ts';

test('a turn of the event loop takes so many bytes', async () => {
  const arrivals = new Arrivals(10);
  expect([arrivals.take(6), arrivals.take(6), arrivals.take(1)]).toEqual([true, false, false]);
  await nextTurn();
  expect(arrivals.take(6)).toBe(true);
});

test('what waits goes on in turns, and the holders take turns', async () => {
  const arrivals = new Arrivals(10);
  const resumed: string[] = [];
  const waits = ['a1', 'a2', 'a3', 'b1', 'c1'].map(async (name) => {
    await arrivals.wait(name.charAt(0), 5);
    resumed.push(name);
  });
  const turns: string[][] = [];
  while (turns.flat().length < waits.length) {
    await nextTurn();
    turns.push(resumed.splice(0));
  }
  await Promise.all(waits);
  expect(turns.filter((names) => names.length > 0)).toEqual([['a1', 'b1'], ['c1', 'a2'], ['a3']]);
});

test('more bytes than a turn takes have a turn of their own', async () => {
  const arrivals = new Arrivals(10);
  const resumed: string[] = [];
  const waits = ['a', 'b'].map((holder) => arrivals.wait(holder, 100).then(() => resumed.push(holder)));
  await nextTurn();
  expect(resumed).toEqual(['a']);
  await Promise.all(waits);
});

test('after a turn that took long, the next one begins after a pause of four times its length, at most a quarter of a second', async () => {
  let now = 0;
  const pauses: number[] = [];
  const later = (resume: () => void, ms: number) => {
    pauses.push(ms);
    setImmediate(resume);
  };
  const arrivals = new Arrivals(10, () => now, later);
  for (const took of [20, 3, 500]) {
    const first = arrivals.wait('a', 10).then(() => {
      // What arrives then takes this time.
      now += took;
    });
    await Promise.all([first, arrivals.wait('a', 10)]);
  }
  expect(pauses).toEqual([80, 250]);
});
