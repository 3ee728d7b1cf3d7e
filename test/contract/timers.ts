import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Timer, Timers } from '../../lib/ports/timers.ts';
import { MINUTE_MS } from '../../lib/time/units.ts';

/** Timers, and the inputs of the calls that they made. */
export interface TimersBench {
  readonly timers: Timers;
  readonly calls: readonly object[];
  /** Milliseconds since 1970. */
  now(): number;
  /** Advances the time; resolves when all calls of that time are made. */
  pass(milliseconds: number): Promise<void>;
  close(): Promise<void>;
}

/** The contract of the port `Timers`. Calls are compared as a set, because one can be made twice. */
export function timersContract(open: () => Promise<TimersBench>): void {
  let bench: TimersBench;
  beforeEach(async () => {
    bench = await open();
  });
  afterEach(() => bench.close());

  const timerIn = (name: string, milliseconds: number): Timer => ({
    name,
    at: bench.now() + milliseconds,
    input: { run: name, timer: 1 },
  });
  const runsCalled = (): unknown[] => [...new Set(bench.calls.map((input) => (input as { run: string }).run))].sort();

  test.each([MINUTE_MS, 90_500, 60 * MINUTE_MS, 40 * 24 * 60 * MINUTE_MS])(
    'a timer in %i ms calls with its input, not before its time and at most two minutes after it',
    async (milliseconds) => {
      expect(await bench.timers.set(timerIn('a', milliseconds))).toBe(true);
      await bench.pass(milliseconds - 1);
      expect(bench.calls).toEqual([]);
      await bench.pass(2 * MINUTE_MS + 1);
      expect(bench.calls[0]).toEqual({ run: 'a', timer: 1 });
    },
  );

  test('timers are independent', async () => {
    for (const minutes of [3, 1, 8]) await bench.timers.set(timerIn(`in-${minutes}`, minutes * MINUTE_MS));
    await bench.pass(5 * MINUTE_MS);
    expect(runsCalled()).toEqual(['in-1', 'in-3']);
  });

  test('a timer that is set again stays as it is', async () => {
    await bench.timers.set(timerIn('a', 2 * MINUTE_MS));
    expect(await bench.timers.set({ ...timerIn('a', 60 * MINUTE_MS), input: { run: 'other' } })).toBe(true);
    await bench.pass(4 * MINUTE_MS);
    expect(runsCalled()).toEqual(['a']);
  });
}
