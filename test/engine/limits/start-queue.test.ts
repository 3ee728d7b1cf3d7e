import { setTimeout } from 'node:timers/promises';
import { beforeEach, describe, expect, test } from 'vitest';
import { type Excess, StartQueue } from '../../../lib/engine/limits/start-queue.ts';
import { StartRate } from '../../../lib/engine/limits/start-rate.ts';

const clock = { now: () => Date.now() };
/** So many starts a second may be taken. */
const RATE = 100;
let queue: StartQueue;
let rate: StartRate;
/** The names of the starts that were taken. */
let taken: string[];

beforeEach(() => {
  queue = new StartQueue();
  rate = new StartRate();
  taken = [];
  // Uses up those that a pause has saved.
  while (rate.take('a', RATE, clock.now()) === 0);
});

/** Asks for a start. */
function ask(name: string, { isInner = false, patienceMs = 5_000 } = {}): Promise<Excess | undefined> {
  const take = async (): Promise<Excess | undefined> => {
    const retryMs = rate.take('a', RATE, clock.now());
    if (retryMs > 0) return { limit: 'startRate', perSecond: RATE, retryMs };
    taken.push(name);
    return undefined;
  };
  return queue.take(clock, { namespaceId: 'a', isInner, patienceMs, take });
}

describe('starts over the rate of a namespace', () => {
  test('wait for their turn in the order in which they came', async () => {
    const names = Array.from({ length: 12 }, (_, index) => `${index}`);
    expect(await Promise.all(names.map((name) => ask(name)))).toEqual(names.map(() => undefined));
    expect(taken).toEqual(names);
  });

  test('that belong to work that has begun go before the requests that wait', async () => {
    await Promise.all([ask('first'), ask('second'), ask('third'), ask('subflow', { isInner: true })]);
    expect(taken.indexOf('subflow')).toBeLessThan(taken.indexOf('third'));
  });

  test('are rejected at once when their turn would come too late, with the time after which it comes', async () => {
    const first = ask('first', { patienceMs: 50 });
    const others = Array.from({ length: 9 }, (_, index) => ask(`${index}`, { patienceMs: 50 }));
    const answers = await Promise.all([first, ...others]);
    const rejected = answers.filter((answer) => answer !== undefined);
    expect(rejected.length).toBeGreaterThan(0);
    for (const excess of rejected) expect(excess).toMatchObject({ limit: 'startRate', perSecond: RATE });
    expect(taken.length + rejected.length).toBe(10);
  });

  test('leave the queue empty: the next start is taken at once', async () => {
    await Promise.all([ask('a'), ask('b')]);
    await setTimeout(50);
    await ask('c', { patienceMs: 0 });
    expect(taken).toEqual(['a', 'b', 'c']);
  });

  test('that are put off come again one after the other, within a minute', () => {
    const still = { now: () => 0 };
    const putOff = () => queue.putOff(still, 'a', { perSecond: 2, retryMs: 100 });
    expect([putOff(), putOff(), putOff()]).toEqual([500, 1000, 1500]);
    for (let more = 0; more < 1000; more += 1) putOff();
    expect(putOff()).toBe(50_000);
  });
});
