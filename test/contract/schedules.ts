import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Schedule, Schedules } from '../../lib/ports/schedules.ts';

export const MINUTE = 60_000;

/** A tick that was told; `planned` in milliseconds since 1970. */
export interface Told {
  readonly target: Schedule['target'];
  readonly planned: number;
}

/**
 * Schedules, and what they told. Here a cron text is `every N`, minutes since 1970 that N divides, or `every N or M`, as
 * a pattern with two day fields means either of two things.
 */
export interface SchedulesBench {
  readonly schedules: Schedules;
  readonly told: readonly Told[];
  /** Milliseconds since 1970; a whole hour at the beginning. */
  now(): number;
  /** Lets so much time pass, with all its ticks. */
  pass(milliseconds: number): Promise<void>;
  close(): Promise<void>;
}

/** The first time after a moment that `every N` or `every N or M` means. */
export function tickAfter(cron: string, after: number): number | undefined {
  const steps = [...cron.matchAll(/\d+/g)].map(([minutes]) => Number(minutes) * MINUTE);
  if (steps.length === 0) return undefined;
  return Math.min(...steps.map((step) => (Math.floor(after / step) + 1) * step));
}

export const scheduleOf = (name: string, cron: string): Schedule => ({
  name,
  cron,
  target: { id: `${name}-id`, namespace: 'orders', workflow: `/${name}` },
});

/** The law of the Schedules port. A tick may be told twice, so what is told is looked at as a set. */
export function schedulesContract(open: () => Promise<SchedulesBench>): void {
  let bench: SchedulesBench;
  let start: number;
  beforeEach(async () => {
    bench = await open();
    start = bench.now();
  });
  afterEach(() => bench.close());

  /** Minutes after the beginning at which ticks of that name were planned. */
  const minutesOf = (name: string): number[] => {
    const own = bench.told.filter(({ target }) => target.id === `${name}-id`);
    return [...new Set(own.map(({ planned }) => (planned - start) / MINUTE))].toSorted((a, b) => a - b);
  };

  test('every tick is told, with its target and the minute it was planned for', async () => {
    await bench.schedules.set(scheduleOf('a', 'every 20'));
    await bench.pass(65 * MINUTE);
    expect(minutesOf('a')).toEqual([20, 40, 60]);
    expect(bench.told[0]?.target).toEqual({ id: 'a-id', namespace: 'orders', workflow: '/a' });
  });

  test('schedules tick side by side', async () => {
    await bench.schedules.set(scheduleOf('a', 'every 20'));
    await bench.schedules.set(scheduleOf('b', 'every 30'));
    await bench.pass(65 * MINUTE);
    expect([minutesOf('a'), minutesOf('b')]).toEqual([
      [20, 40, 60],
      [30, 60],
    ]);
  });

  test('a schedule of two patterns ticks when either of them means it', async () => {
    await bench.schedules.set(scheduleOf('a', 'every 20 or 30'));
    await bench.pass(65 * MINUTE);
    expect(minutesOf('a')).toEqual([20, 30, 40, 60]);
  });

  test('one that is set anew takes the place of the former, all of it', async () => {
    await bench.schedules.set(scheduleOf('a', 'every 20 or 30'));
    await bench.pass(25 * MINUTE);
    await bench.schedules.set({
      ...scheduleOf('a', 'every 45'),
      target: { ...scheduleOf('a', '').target, workflow: '/z' },
    });
    await bench.pass(80 * MINUTE);
    expect(minutesOf('a')).toEqual([20, 45, 90]);
    expect(bench.told.at(-1)?.target.workflow).toBe('/z');
  });

  test('one that is set as it was goes on', async () => {
    await bench.schedules.set(scheduleOf('a', 'every 20'));
    await bench.pass(25 * MINUTE);
    await bench.schedules.set(scheduleOf('a', 'every 20'));
    await bench.pass(40 * MINUTE);
    expect(minutesOf('a')).toEqual([20, 40, 60]);
  });

  test('one that is removed ticks no more, and others go on', async () => {
    await bench.schedules.set(scheduleOf('a', 'every 20 or 30'));
    await bench.schedules.set(scheduleOf('b', 'every 20'));
    await bench.pass(25 * MINUTE);
    await bench.schedules.remove('a');
    await bench.pass(40 * MINUTE);
    expect([minutesOf('a'), minutesOf('b')]).toEqual([[20], [20, 40, 60]]);
  });

  test('one that is removed can be set again', async () => {
    await bench.schedules.set(scheduleOf('a', 'every 20'));
    await bench.schedules.remove('a');
    await bench.pass(25 * MINUTE);
    await bench.schedules.set(scheduleOf('a', 'every 20'));
    await bench.pass(20 * MINUTE);
    expect(minutesOf('a')).toEqual([40]);
  });

  test('to remove one that is not there is fine', async () => {
    await bench.schedules.remove('nobody');
    expect(bench.told).toEqual([]);
  });
}
