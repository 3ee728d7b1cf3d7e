import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { newestTick, ticksBetween } from '../../../lib/adapters/local/newest-tick.ts';
import {
  type LocalSchedules,
  type LocalSchedulesOptions,
  localSchedules,
} from '../../../lib/adapters/local/schedules.ts';
import { DAY_MS, MINUTE_MS } from '../../../lib/time/units.ts';
import {
  type Delivered,
  type SchedulesBench,
  scheduleOf,
  schedulesContract,
  tickAfter,
} from '../../contract/schedules.ts';
import { owning } from './owning.ts';
import { VirtualTime } from './virtual-time.ts';

describe('local schedules, by the contract of the port', () => {
  schedulesContract(async (): Promise<SchedulesBench> => {
    const time = new VirtualTime();
    const delivered: Delivered[] = [];
    const schedules = owning(':memory:', (database) =>
      localSchedules({
        database,
        tick: async ({ target }, planned) => void delivered.push({ target, planned }),
        nextTick: tickAfter,
        ...time,
      }),
    );
    return {
      schedules,
      delivered,
      now: () => time.clock.now(),
      pass: async (milliseconds) => {
        await time.sleep(milliseconds);
        await schedules.idle();
      },
      close: () => schedules.close(),
    };
  });
});

test('ticks of one namespace that take long never keep those of another from being delivered', async () => {
  const time = new VirtualTime();
  const delivered: string[] = [];
  const tick: LocalSchedulesOptions['tick'] = async ({ name, target }) => {
    if (target.namespace === 'slow') await new Promise(() => {});
    delivered.push(name);
  };
  const schedules = owning(':memory:', (database) => localSchedules({ database, tick, nextTick: tickAfter, ...time }));
  for (let index = 0; index < 50; index += 1) {
    const { target, ...schedule } = scheduleOf(`slow-${index}`, 'every 1');
    await schedules.set({ ...schedule, target: { ...target, namespace: 'slow' } });
  }
  await schedules.set(scheduleOf('other', 'every 1'));
  await time.sleep(2 * MINUTE_MS);
  expect(delivered).toContain('other');
  await schedules.close();
});

describe('local schedules after a fault', () => {
  let folder: string;
  let time: VirtualTime;
  let start: number;
  let schedules: LocalSchedules;
  let delivered: number[];
  let lost: [string, number, string][];
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'schedules-'));
    time = new VirtualTime();
    start = time.clock.now();
    delivered = [];
    lost = [];
    vi.spyOn(console, 'error').mockImplementation(() => {});
  });
  afterEach(async () => {
    await schedules.close();
    rmSync(folder, { recursive: true });
    vi.restoreAllMocks();
  });

  const note: LocalSchedulesOptions['tick'] = async (_, planned) => void delivered.push((planned - start) / MINUTE_MS);
  const open = (tick = note, now = () => time.clock.now()): void => {
    const clock = { ...time.clock, now };
    schedules = owning(join(folder, 'schedules.sqlite'), (database) =>
      localSchedules({
        database,
        tick,
        giveUp: async ({ name }, planned, { error }) => void lost.push([name, (planned - start) / MINUTE_MS, error]),
        nextTick: tickAfter,
        delayOf: (fault) => (fault instanceof Error && fault.message === 'later' ? 1000 : undefined),
        clock,
        // As the alarm of the system, which rings after 60 s at the latest.
        alarm: (milliseconds, ring) => time.alarm(Math.min(milliseconds, MINUTE_MS), ring),
      }),
    );
  };
  const resume = async (tick = note, now = () => time.clock.now()): Promise<void> => {
    await schedules.close();
    open(tick, now);
    await schedules.resume();
    await time.sleep(1);
    await schedules.idle();
  };

  test('deliver the newest of the ticks that were missed while no process was running, once', async () => {
    open();
    await schedules.set(scheduleOf('a', 'every 20'));
    await schedules.close();
    await time.sleep(400 * DAY_MS + 50 * MINUTE_MS);
    await resume();
    expect(delivered).toEqual([400 * 1440 + 40]);
    await time.sleep(10 * MINUTE_MS);
    expect(delivered).toEqual([400 * 1440 + 40, 400 * 1440 + 60]);
  });

  test('name the first of the older ticks that are not delivered, and none where nothing was missed', async () => {
    open();
    await schedules.set(scheduleOf('a', 'every 20'));
    await schedules.close();
    await time.sleep(70 * MINUTE_MS);
    const missed: (number | undefined)[] = [];
    await resume(async (_, __, { missedSince }) => void missed.push(missedSince && (missedSince - start) / MINUTE_MS));
    await time.sleep(10 * MINUTE_MS);
    expect(missed).toEqual([20, undefined]);
  });

  test('name an older tick that an earlier process has stored and not delivered', async () => {
    open(async () => {
      throw new Error('later');
    });
    await schedules.set(scheduleOf('a', 'every 20'));
    await time.sleep(25 * MINUTE_MS);
    await schedules.close();
    await time.sleep(40 * MINUTE_MS);
    const found: number[][] = [];
    await resume(async (_, planned, { missedSince = 0 }) => {
      found.push([planned, missedSince].map((ms) => (ms - start) / MINUTE_MS));
    });
    expect(found).toEqual([[60, 20]]);
  });

  test('deliver no tick again after a restart in which none was missed', async () => {
    open();
    await schedules.set(scheduleOf('a', 'every 20'));
    await time.sleep(25 * MINUTE_MS);
    await resume();
    expect(delivered).toEqual([20]);
  });

  test('deliver no tick before the process resumes', async () => {
    open();
    await schedules.set(scheduleOf('a', 'every 20'));
    await schedules.close();
    open();
    await time.sleep(45 * MINUTE_MS);
    expect(delivered).toEqual([]);
    await schedules.resume();
    await time.sleep(1);
    expect(delivered).toEqual([40]);
  });

  test('keep their missed ticks when they are set unchanged before the process resumes', async () => {
    open();
    await schedules.set(scheduleOf('a', 'every 20'));
    await schedules.close();
    await time.sleep(30 * MINUTE_MS);
    open();
    await schedules.set(scheduleOf('a', 'every 20'));
    await schedules.resume();
    await time.sleep(1);
    expect(delivered).toEqual([20]);
  });

  test('store a tick that fails for a day as a dead letter, and deliver the later ones', async () => {
    open(async (schedule, planned) => {
      if (planned - start === 20 * MINUTE_MS) throw new Error('not now');
      await note(schedule, planned, {});
    });
    await schedules.set(scheduleOf('a', 'every 20'));
    await time.sleep(25 * 60 * MINUTE_MS);
    expect(lost).toEqual([['a', 20, 'Error: not now']]);
    expect(delivered).toContain(40);
    expect(delivered).not.toContain(20);
  });

  test('deliver a tick again whose delivery was interrupted by the end of the process', async () => {
    open(() => new Promise(() => {}));
    await schedules.set(scheduleOf('a', 'every 20'));
    await time.sleep(25 * MINUTE_MS);
    await resume();
    expect(delivered).toEqual([20]);
    await resume();
    expect(delivered).toEqual([20]);
  });

  test('deliver the newest tick of those that were left and those that were missed', async () => {
    open(() => new Promise(() => {}));
    await schedules.set(scheduleOf('a', 'every 20'));
    await schedules.set(scheduleOf('b', 'every 45'));
    await time.sleep(44 * MINUTE_MS);
    await schedules.close();
    await resume();
    expect(delivered).toEqual([40]);
    delivered = [];
    await resume(() => new Promise(() => {}));
    await time.sleep(17 * MINUTE_MS);
    await schedules.close();
    await time.sleep(30 * MINUTE_MS);
    await resume();
    expect(delivered.toSorted((x, y) => x - y)).toEqual([80, 90]);
  });

  test('repeat a failed tick with growing delays, without delaying the next one', async () => {
    const at: number[] = [];
    open(async (_, planned) => {
      at.push((time.clock.now() - start) / 1000);
      if (planned === start + 20 * MINUTE_MS && at.length < 4) throw new Error('not now');
      delivered.push((planned - start) / MINUTE_MS);
    });
    await schedules.set(scheduleOf('a', 'every 20'));
    await time.sleep(45 * MINUTE_MS);
    expect(at).toEqual([1200, 1201, 1203, 1207, 2400]);
    expect(delivered).toEqual([20, 40]);
  });

  describe('with missed: all', () => {
    const ALL = { ...scheduleOf('a', 'every 20'), missed: 'all' } as const;
    const hang: LocalSchedulesOptions['tick'] = () => new Promise(() => {});

    test('deliver each tick that was missed, the earliest first, once', async () => {
      open();
      await schedules.set(ALL);
      await time.sleep(25 * MINUTE_MS);
      await schedules.close();
      await time.sleep(60 * MINUTE_MS);
      await resume();
      expect(delivered).toEqual([20, 40, 60, 80]);
      await resume();
      await time.sleep(20 * MINUTE_MS);
      expect(delivered).toEqual([20, 40, 60, 80, 100]);
    });

    test('deliver after another stop the ticks that were left, and those that were missed since', async () => {
      open();
      await schedules.set(ALL);
      await schedules.close();
      await time.sleep(50 * MINUTE_MS);
      open(hang);
      await schedules.resume();
      await time.sleep(1);
      await schedules.close();
      await time.sleep(40 * MINUTE_MS);
      await resume();
      expect(delivered.toSorted((x, y) => x - y)).toEqual([20, 40, 60, 80]);
      await resume();
      expect(delivered).toHaveLength(4);
    });

    test('deliver a thousand ticks at most, and with the last one until when the others are omitted', async () => {
      open();
      await schedules.set(ALL);
      await schedules.close();
      await time.sleep(30 * DAY_MS + MINUTE_MS);
      const omitted: (number | undefined)[] = [];
      await resume(async (schedule, planned, undelivered) => {
        omitted.push(undelivered.omittedUntil);
        await note(schedule, planned, undelivered);
      });
      expect(delivered).toEqual(Array.from({ length: 1000 }, (_, index) => 20 * (index + 1)));
      expect(omitted.slice(0, -1).every((until) => until === undefined)).toBe(true);
      expect(omitted.at(-1)).toBe(start + 30 * DAY_MS);
      await time.sleep(20 * MINUTE_MS);
      expect(delivered.slice(1000)).toEqual([30 * 1440 + 20]);
      expect(omitted.at(-1)).toBeUndefined();
    });

    test('deliver each of the ticks that are delayed', async () => {
      let isBusy = true;
      open(async (schedule, planned) => {
        if (isBusy) throw new Error('later');
        await note(schedule, planned, {});
      });
      await schedules.set(ALL);
      await time.sleep(45 * MINUTE_MS);
      isBusy = false;
      await time.sleep(MINUTE_MS);
      expect(delivered.toSorted((x, y) => x - y)).toEqual([20, 40]);
    });

    test('deliver the newest one again once they are set without it', async () => {
      open();
      await schedules.set(ALL);
      await schedules.set(scheduleOf('a', 'every 20'));
      await schedules.close();
      await time.sleep(50 * MINUTE_MS);
      await resume();
      expect(delivered).toEqual([40]);
    });
  });

  test('delete a tick that is to be repeated with its schedule', async () => {
    let tries = 0;
    open(async () => {
      tries++;
      throw new Error('not now');
    });
    await schedules.set(scheduleOf('a', 'every 20'));
    await time.sleep(20 * MINUTE_MS + 500);
    await schedules.remove('a');
    await time.sleep(60 * MINUTE_MS);
    expect(tries).toBe(1);
  });

  test('deliver no planned time twice when the clock is set back', async () => {
    let shift = 0;
    const now = (): number => time.clock.now() + shift;
    open(note, now);
    await schedules.set(scheduleOf('a', 'every 20'));
    await time.sleep(45 * MINUTE_MS);
    shift = -30 * MINUTE_MS;
    await time.sleep(30 * MINUTE_MS);
    expect(delivered).toEqual([20, 40]);
    await resume(note, now);
    expect(delivered).toEqual([20, 40]);
    await time.sleep(20 * MINUTE_MS);
    expect(delivered).toEqual([20, 40, 60]);
  });

  test('deliver the newest of the skipped ticks when the clock is set forward', async () => {
    let shift = 0;
    open(note, () => time.clock.now() + shift);
    await schedules.set(scheduleOf('a', 'every 20'));
    shift = 70 * MINUTE_MS;
    await time.sleep(2 * MINUTE_MS);
    expect(delivered).toEqual([60]);
  });

  test.each([
    ['years', 1000 * DAY_MS],
    ['an hour', 60 * MINUTE_MS],
  ])('continue after the clock was %s ahead', async (_, ahead) => {
    let shift = ahead;
    const now = (): number => time.clock.now() + shift;
    open(note, now);
    await schedules.set(scheduleOf('a', 'every 20'));
    await schedules.close();
    shift = 0;
    await resume(note, now);
    await time.sleep(25 * MINUTE_MS);
    expect(delivered).toEqual([20]);
  });

  test('deliver nothing for a pattern that never fires, also if it is set twice', async () => {
    open();
    await schedules.set(scheduleOf('a', 'never'));
    await schedules.set(scheduleOf('a', 'never'));
    await time.sleep(DAY_MS);
    await resume();
    expect(delivered).toEqual([]);
  });

  test('are idle while no tick is being delivered, also before the next planned time', async () => {
    open();
    await schedules.set(scheduleOf('a', 'every 20'));
    await schedules.idle();
    expect(delivered).toEqual([]);
  });
});

describe('the ticks between two times', () => {
  test.each([
    [0, 60, 10, [20, 40, 60]],
    [20, 59, 10, [40]],
    [0, 60, 2, [20, 40]],
    [60, 60, 10, []],
  ])('of every 20 minutes after minute %d and up to %d, at most %d', (since, until, most, expected) => {
    const range = { since: since * MINUTE_MS, until: until * MINUTE_MS, most };
    expect(ticksBetween(tickAfter, 'every 20', range)).toEqual(expected.map((minute) => minute * MINUTE_MS));
  });

  test('of a pattern that never fires are none', () => {
    expect(ticksBetween(tickAfter, 'never', { since: 0, until: DAY_MS, most: 10 })).toEqual([]);
  });
});

describe('the newest tick', () => {
  const NOW = Date.UTC(2026, 10, 21, 12, 34, 56);

  test.each([
    ['every 5', NOW - 3 * MINUTE_MS, undefined],
    ['every 5', NOW - 6 * MINUTE_MS, Date.UTC(2026, 10, 21, 12, 30)],
    ['every 5', 0, Date.UTC(2026, 10, 21, 12, 30)],
    ['every 1', NOW - 56_000, undefined],
    ['every 1', NOW - 56_001, Date.UTC(2026, 10, 21, 12, 34)],
    ['every 1440', Date.UTC(2020, 0), Date.UTC(2026, 10, 21)],
    ['never', 0, undefined],
    ['every 5', NOW + MINUTE_MS, undefined],
  ])('of `%s` since %d', (cron, since, expected) => {
    expect(newestTick(tickAfter, cron, since, NOW)).toBe(expected);
  });

  test('of twenty years is found with a few dozen evaluations', () => {
    let asked = 0;
    const counting = (cron: string, after: number): number | undefined => {
      asked++;
      return tickAfter(cron, after);
    };
    expect(newestTick(counting, 'every 1', Date.UTC(2006, 0), NOW)).toBe(Date.UTC(2026, 10, 21, 12, 34));
    expect(asked).toBeLessThan(60);
  });

  test('is exact where ticks are seconds apart', () => {
    const everySecond = (_: string, after: number): number => (Math.floor(after / 1000) + 1) * 1000;
    expect(newestTick(everySecond, '', NOW - 3_600_000, NOW + 500)).toBe(NOW);
  });
});
