import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type LocalBus, localBus } from '../../../../lib/adapters/local/bus.ts';
import type { GivenUp } from '../../../../lib/adapters/local/deliveries/deliveries.ts';
import type { Message } from '../../../../lib/ports/bus.ts';
import { type BusBench, busContract, messageOf } from '../../../contract/bus.ts';
import { owning } from '../owning.ts';
import { VirtualTime } from '../virtual-time.ts';

type Deliver = (message: Message) => Promise<void>;

describe('the local bus, by the contract of the port', () => {
  busContract(async (): Promise<BusBench> => {
    const time = new VirtualTime();
    const delivered: { message: Message; at: number }[] = [];
    const deliver: Deliver = async (message) => void delivered.push({ message, at: time.clock.now() });
    const bus = owning(':memory:', (database) => localBus({ database, deliver, ...time }));
    return {
      bus,
      delivered,
      now: () => time.clock.now(),
      pass: async (milliseconds) => {
        await time.sleep(milliseconds);
        await bus.idle();
      },
      close: () => bus.close(),
    };
  });
});

test('messages of one namespace, whose delivery takes long, never keep those of another from being delivered', async () => {
  const delivered: string[] = [];
  const deliver: Deliver = async ({ namespaceId, id }) => {
    if (namespaceId === 'slow') await new Promise(() => {});
    delivered.push(id);
  };
  const time = new VirtualTime();
  const bus = owning(':memory:', (database) => localBus({ database, deliver, ...time }));
  const many = Array.from({ length: 100 }, (_, index) => ({ ...messageOf(`s${index}`), namespaceId: 'slow' }));
  await bus.publish(many);
  await bus.publish([{ ...messageOf('other'), namespaceId: 'other' }]);
  await time.sleep(10);
  expect(delivered).toEqual(['other']);
  await bus.close();
});

describe('messages whose delivery fails', () => {
  const SECOND = 1000;
  const DAY = 86_400 * SECOND;
  let folder: string;
  let time: VirtualTime;
  let bus: LocalBus;
  let accepted: string[];
  let lost: ({ readonly message: Message } & GivenUp)[];
  let keeps: boolean;
  beforeEach(() => {
    lost = [];
    keeps = true;
    folder = mkdtempSync(join(tmpdir(), 'bus-'));
    time = new VirtualTime();
    accepted = [];
    vi.spyOn(console, 'error').mockImplementation(() => {});
  });
  afterEach(async () => {
    await bus.close();
    rmSync(folder, { recursive: true });
    vi.restoreAllMocks();
  });

  const take: Deliver = async ({ id }) => void accepted.push(id);
  const refuse: Deliver = () => Promise.reject(new Error('not now'));
  const never: Deliver = () => new Promise(() => {});
  const open = (deliver: Deliver): void => {
    const giveUp = async (message: Message, why: GivenUp) => {
      if (!keeps) throw new Error('nobody keeps it');
      lost.push({ message, ...why });
    };
    bus = owning(join(folder, 'bus.sqlite'), (database) => localBus({ database, deliver, giveUp, ...time }));
  };
  const restart = async (deliver: Deliver): Promise<number> => {
    await bus.close();
    open(deliver);
    const left = await bus.resume();
    await bus.idle();
    return left;
  };

  test('are delivered again after 1, 2, 4 … 60 seconds, until they are accepted', async () => {
    const at: number[] = [];
    open(async () => {
      at.push(time.clock.now());
      if (at.length < 10) throw new Error('not now');
    });
    await bus.publish([messageOf('a')]);
    await time.sleep(DAY);
    const pauses = at.slice(1).map((moment, index) => (moment - (at[index] ?? 0)) / SECOND);
    expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60]);
    expect(lost).toEqual([]);
    expect(await restart(take)).toBe(0);
  });

  test('become dead letters with their error after a day, and are not delivered any more', async () => {
    let tries = 0;
    open(() => {
      tries++;
      return refuse(messageOf('a'));
    });
    const start = time.clock.now();
    await bus.publish([messageOf('a')]);
    await time.sleep(DAY - 120 * SECOND);
    expect(lost).toEqual([]);
    await time.sleep(DAY);
    expect(lost).toMatchObject([{ message: messageOf('a'), error: 'Error: not now', tries }]);
    expect((lost[0]?.failed ?? 0) - start).toBeGreaterThan(DAY - 61 * SECOND);
    expect((lost[0]?.failed ?? 0) - start).toBeLessThanOrEqual(DAY);
    expect(await restart(take)).toBe(0);
    expect([lost.length, accepted]).toEqual([1, []]);
  });

  test('that cannot be stored as dead letters stay, and are delivered again', async () => {
    keeps = false;
    open(refuse);
    await bus.publish([messageOf('a')]);
    await time.sleep(2 * DAY);
    expect(lost).toEqual([]);
    keeps = true;
    await time.sleep(61 * SECOND);
    expect(lost).toMatchObject([{ message: messageOf('a') }]);
  });

  test('do not delay others', async () => {
    open((message) => (message.id === 'bad' ? refuse(message) : take(message)));
    await bus.publish([messageOf('bad'), messageOf('good')]);
    await bus.idle();
    expect(accepted).toEqual(['good']);
  });

  test('are delivered by the next process, once it resumes', async () => {
    open(never);
    await bus.publish([messageOf('a'), messageOf('b')]);
    await bus.close();
    open(take);
    await time.sleep(SECOND);
    expect(accepted).toEqual([]);
    expect(await bus.resume()).toBe(2);
    await bus.idle();
    expect(accepted.toSorted()).toEqual(['a', 'b']);
    expect(await restart(take)).toBe(0);
  });

  test('are not deleted when the process ended before they were accepted', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    open(() => promise);
    await bus.publish([messageOf('a')]);
    await bus.close();
    resolve();
    expect(await restart(take)).toBe(1);
    expect(accepted).toEqual(['a']);
  });

  test('and are delayed are delivered at their time although the process ended, and at once when it is past', async () => {
    open(take);
    await bus.publishAt(time.clock.now() + 60 * SECOND, 'soon', messageOf('soon'));
    await bus.publishAt(time.clock.now() + DAY, 'later', messageOf('later'));
    await bus.close();
    await time.sleep(3600 * SECOND);
    open(take);
    expect(await bus.resume()).toBe(2);
    await bus.idle();
    expect(accepted).toEqual(['soon']);
    await time.sleep(DAY);
    expect(accepted).toEqual(['soon', 'later']);
  });

  test('have names that the next process knows', async () => {
    open(take);
    await bus.publishAt(time.clock.now() + SECOND, 'once', messageOf('a'));
    await restart(take);
    await bus.publishAt(time.clock.now() + SECOND, 'once', messageOf('b'));
    await time.sleep(2 * SECOND);
    expect(accepted).toEqual(['a']);
  });

  test('are delivered a few at a time, and all of them', async () => {
    let [busy, most] = [0, 0];
    open(async (message) => {
      most = Math.max(most, ++busy);
      await time.sleep(10);
      busy--;
      await take(message);
    });
    await bus.publish(Array.from({ length: 100 }, (_, index) => messageOf(`m${index}`)));
    await bus.idle();
    expect(new Set(accepted).size).toBe(100);
    expect(most).toBe(16);
  });

  test('are rejected after closing', async () => {
    open(take);
    await bus.close();
    await expect(bus.publish([messageOf('a')])).rejects.toThrow('closed');
  });
});
