import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Schedule, Schedules } from '../../lib/ports/schedules.ts';
import { MINUTE_MS } from '../../lib/time/units.ts';

/** A tick that was delivered; `planned` in milliseconds since 1970. */
export interface Delivered {
  readonly target: Schedule['target'];
  readonly planned: number;
}

/**
 * Schedules, and the ticks that they delivered. A cron text here is `every N`, the minutes since 1970 that N divides, or
 * `every N or M`, which stands for a pattern with two day fields.
 */
export interface SchedulesBench {
  readonly schedules: Schedules;
  readonly delivered: readonly Delivered[];
  /** Milliseconds since 1970; at the beginning a full hour. */
  now(): number;
  /** Advances the time; resolves when all ticks of that time are delivered. */
  pass(milliseconds: number): Promise<void>;
  close(): Promise<void>;
}

/** The first tick of `every N` or `every N or M` after a time. */
export function tickAfter(cron: string, after: number): number | undefined {
  const steps = [...cron.matchAll(/\d+/g)].map(([minutes]) => Number(minutes) * MINUTE_MS);
  if (steps.length === 0) return undefined;
  return Math.min(...steps.map((step) => (Math.floor(after / step) + 1) * step));
}

export const scheduleOf = (name: string, cron: string): Schedule => ({
  name,
  cron,
  target: { id: `${name}-id`, namespace: 'orders', workflow: `/${name}` },
});

/** The contract of the port `Schedules`. Ticks are compared as a set, because one can be delivered twice. */
export function schedulesContract(open: () => Promise<SchedulesBench>): void {
  let bench: SchedulesBench;
  let start: number;
  beforeEach(async () => {
    bench = await open();
    start = bench.now();
  });
  afterEach(() => bench.close());

  /** The planned times of the ticks of a schedule, in minutes after the beginning. */
  const minutesOf = (name: string): number[] => {
    const own = bench.delivered.filter(({ target }) => target.id === `${name}-id`);
    return [...new Set(own.map(({ planned }) => (planned - start) / MINUTE_MS))].toSorted((a, b) => a - b);
  };

  test('every tick is delivered, with its target and planned time', async () => {
    await bench.schedules.set(scheduleOf('a', 'every 20'));
    await bench.pass(65 * MINUTE_MS);
    expect(minutesOf('a')).toEqual([20, 40, 60]);
    expect(bench.delivered[0]?.target).toEqual({ id: 'a-id', namespace: 'orders', workflow: '/a' });
  });

  test('schedules tick independently', async () => {
    await bench.schedules.set(scheduleOf('a', 'every 20'));
    await bench.schedules.set(scheduleOf('b', 'every 30'));
    await bench.pass(65 * MINUTE_MS);
    expect([minutesOf('a'), minutesOf('b')]).toEqual([
      [20, 40, 60],
      [30, 60],
    ]);
  });

  test('a schedule of two patterns ticks at the times of both', async () => {
    await bench.schedules.set(scheduleOf('a', 'every 20 or 30'));
    await bench.pass(65 * MINUTE_MS);
    expect(minutesOf('a')).toEqual([20, 30, 40, 60]);
  });

  test('a schedule that is set again replaces the former one', async () => {
    await bench.schedules.set(scheduleOf('a', 'every 20 or 30'));
    await bench.pass(25 * MINUTE_MS);
    await bench.schedules.set({
      ...scheduleOf('a', 'every 45'),
      target: { ...scheduleOf('a', '').target, workflow: '/z' },
    });
    await bench.pass(80 * MINUTE_MS);
    expect(minutesOf('a')).toEqual([20, 45, 90]);
    expect(bench.delivered.at(-1)?.target.workflow).toBe('/z');
  });

  test('a schedule that is set again unchanged continues', async () => {
    await bench.schedules.set(scheduleOf('a', 'every 20'));
    await bench.pass(25 * MINUTE_MS);
    await bench.schedules.set(scheduleOf('a', 'every 20'));
    await bench.pass(40 * MINUTE_MS);
    expect(minutesOf('a')).toEqual([20, 40, 60]);
  });

  test('a schedule that starts all missed times delivers each tick, as its target names it', async () => {
    await bench.schedules.set({ ...scheduleOf('a', 'every 20'), missed: 'all' });
    await bench.pass(65 * MINUTE_MS);
    expect(minutesOf('a')).toEqual([20, 40, 60]);
    expect(bench.delivered[0]?.target).toEqual({ id: 'a-id', namespace: 'orders', workflow: '/a' });
  });

  test('a removed schedule has no more ticks, and others continue', async () => {
    await bench.schedules.set(scheduleOf('a', 'every 20 or 30'));
    await bench.schedules.set(scheduleOf('b', 'every 20'));
    await bench.pass(25 * MINUTE_MS);
    await bench.schedules.remove('a');
    await bench.pass(40 * MINUTE_MS);
    expect([minutesOf('a'), minutesOf('b')]).toEqual([[20], [20, 40, 60]]);
  });

  test('a removed schedule can be set again', async () => {
    await bench.schedules.set(scheduleOf('a', 'every 20'));
    await bench.schedules.remove('a');
    await bench.pass(25 * MINUTE_MS);
    await bench.schedules.set(scheduleOf('a', 'every 20'));
    await bench.pass(20 * MINUTE_MS);
    expect(minutesOf('a')).toEqual([40]);
  });

  test('removing an unknown schedule has no effect', async () => {
    await bench.schedules.remove('unknown');
    expect(bench.delivered).toEqual([]);
  });
}
