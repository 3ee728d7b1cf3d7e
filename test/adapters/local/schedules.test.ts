import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { newestTick } from '../../../lib/adapters/local/newest-tick.ts';
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

describe('local schedules keep the law of the port', () => {
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

describe('local schedules, when something goes wrong', () => {
  let folder: string;
  let time: VirtualTime;
  let start: number;
  let schedules: LocalSchedules;
  let told: number[];
  let lost: [string, number, string][];
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'schedules-'));
    time = new VirtualTime();
    start = time.clock.now();
    told = [];
    lost = [];
    vi.spyOn(console, 'error').mockImplementation(() => {});
  });
  afterEach(async () => {
    await schedules.close();
    rmSync(folder, { recursive: true });
    vi.restoreAllMocks();
  });

  const note: LocalSchedulesOptions['tick'] = async (_, planned) => void told.push((planned - start) / MINUTE_MS);
  const open = (tick = note, now = () => time.clock.now()): void => {
    const clock = { ...time.clock, now };
    schedules = owning(join(folder, 'schedules.sqlite'), (database) =>
      localSchedules({
        database,
        tick,
        giveUp: async ({ name }, planned, { error }) => void lost.push([name, (planned - start) / MINUTE_MS, error]),
        nextTick: tickAfter,
        clock,
        alarm: time.alarm,
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

  test('of the ticks missed while no process was there, the newest is told, once', async () => {
    open();
    await schedules.set(scheduleOf('a', 'every 20'));
    await schedules.close();
    await time.sleep(400 * DAY_MS + 50 * MINUTE_MS);
    await resume();
    expect(told).toEqual([400 * 1440 + 40]);
    await time.sleep(10 * MINUTE_MS);
    expect(told).toEqual([400 * 1440 + 40, 400 * 1440 + 60]);
  });

  test('nothing is told again after a start in which nothing was missed', async () => {
    open();
    await schedules.set(scheduleOf('a', 'every 20'));
    await time.sleep(25 * MINUTE_MS);
    await resume();
    expect(told).toEqual([20]);
  });

  test('nothing ticks before the process resumes', async () => {
    open();
    await schedules.set(scheduleOf('a', 'every 20'));
    await schedules.close();
    open();
    await time.sleep(45 * MINUTE_MS);
    expect(told).toEqual([]);
    await schedules.resume();
    await time.sleep(1);
    expect(told).toEqual([40]);
  });

  test('what is set again as it was before the process resumes has not lost its missed tick', async () => {
    open();
    await schedules.set(scheduleOf('a', 'every 20'));
    await schedules.close();
    await time.sleep(30 * MINUTE_MS);
    open();
    await schedules.set(scheduleOf('a', 'every 20'));
    await schedules.resume();
    await time.sleep(1);
    expect(told).toEqual([20]);
  });

  test('a tick that nobody takes in a day is handed over with why, and those after it are told', async () => {
    open(async (schedule, planned) => {
      if (planned - start === 20 * MINUTE_MS) throw new Error('not now');
      await note(schedule, planned);
    });
    await schedules.set(scheduleOf('a', 'every 20'));
    await time.sleep(25 * 60 * MINUTE_MS);
    expect(lost).toEqual([['a', 20, 'Error: not now']]);
    expect(told).toContain(40);
    expect(told).not.toContain(20);
  });

  test('a tick that was being told when the process died is told again', async () => {
    open(() => new Promise(() => {}));
    await schedules.set(scheduleOf('a', 'every 20'));
    await time.sleep(25 * MINUTE_MS);
    await resume();
    expect(told).toEqual([20]);
    await resume();
    expect(told).toEqual([20]);
  });

  test('of ticks that were left and ticks that were missed, the newest of all is told', async () => {
    open(() => new Promise(() => {}));
    await schedules.set(scheduleOf('a', 'every 20'));
    await schedules.set(scheduleOf('b', 'every 45'));
    await time.sleep(44 * MINUTE_MS);
    await schedules.close();
    await resume();
    expect(told).toEqual([40]);
    told = [];
    await resume(() => new Promise(() => {}));
    await time.sleep(17 * MINUTE_MS);
    await schedules.close();
    await time.sleep(30 * MINUTE_MS);
    await resume();
    expect(told.toSorted((x, y) => x - y)).toEqual([80, 90]);
  });

  test('a tick that is not taken is told again after growing pauses, and the next comes all the same', async () => {
    const at: number[] = [];
    open(async (_, planned) => {
      at.push((time.clock.now() - start) / 1000);
      if (planned === start + 20 * MINUTE_MS && at.length < 4) throw new Error('not now');
      told.push((planned - start) / MINUTE_MS);
    });
    await schedules.set(scheduleOf('a', 'every 20'));
    await time.sleep(45 * MINUTE_MS);
    expect(at).toEqual([1200, 1201, 1203, 1207, 2400]);
    expect(told).toEqual([20, 40]);
  });

  test('a tick that is still to be told again is dropped with its schedule', async () => {
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

  test('a clock that is set back tells no planned time twice', async () => {
    let shift = 0;
    const now = (): number => time.clock.now() + shift;
    open(note, now);
    await schedules.set(scheduleOf('a', 'every 20'));
    await time.sleep(45 * MINUTE_MS);
    shift = -30 * MINUTE_MS;
    await time.sleep(30 * MINUTE_MS);
    expect(told).toEqual([20, 40]);
    await resume(note, now);
    expect(told).toEqual([20, 40]);
    await time.sleep(20 * MINUTE_MS);
    expect(told).toEqual([20, 40, 60]);
  });

  test('a clock that leaps ahead tells the newest of what it passed over', async () => {
    let shift = 0;
    open(note, () => time.clock.now() + shift);
    await schedules.set(scheduleOf('a', 'every 20'));
    shift = 70 * MINUTE_MS;
    await time.sleep(2 * MINUTE_MS);
    expect(told).toEqual([60]);
  });

  test('a clock that had been years ahead silences nobody', async () => {
    let shift = 1000 * DAY_MS;
    const now = (): number => time.clock.now() + shift;
    open(note, now);
    await schedules.set(scheduleOf('a', 'every 20'));
    await schedules.close();
    shift = 0;
    await resume(note, now);
    await time.sleep(25 * MINUTE_MS);
    expect(told).toEqual([20]);
  });

  test('one that never ticks, and one that is asked for a second time, do no harm', async () => {
    open();
    await schedules.set(scheduleOf('a', 'never'));
    await schedules.set(scheduleOf('a', 'never'));
    await time.sleep(DAY_MS);
    await resume();
    expect(told).toEqual([]);
  });

  test('to wait for what is told is to wait for ticks, not for their times', async () => {
    open();
    await schedules.set(scheduleOf('a', 'every 20'));
    await schedules.idle();
    expect(told).toEqual([]);
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

  test('of twenty years is found in a few dozen questions', () => {
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
