import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type LocalTimers, localTimers } from '../../../lib/adapters/local/timers.ts';
import { HOUR_MS, SECOND_MS } from '../../../lib/time/units.ts';
import { type TimersBench, timersContract } from '../../contract/timers.ts';
import { owning } from './owning.ts';
import { VirtualTime } from './virtual-time.ts';

describe('local timers, by the contract of the port', () => {
  timersContract(async (): Promise<TimersBench> => {
    const time = new VirtualTime();
    const calls: object[] = [];
    const timers = owning(':memory:', (database) =>
      localTimers({ database, call: async (input) => void calls.push(input), ...time }),
    );
    return {
      timers,
      calls,
      now: () => time.clock.now(),
      pass: (milliseconds) => time.sleep(milliseconds),
      close: () => timers.close(),
    };
  });
});

describe('local timers', () => {
  let folder: string;
  let time: VirtualTime;
  let timers: LocalTimers;
  let called: number[];
  let start: number;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'timers-'));
    time = new VirtualTime();
    start = time.clock.now();
    called = [];
    vi.spyOn(console, 'error').mockImplementation(() => {});
  });
  afterEach(async () => {
    await timers.close();
    rmSync(folder, { recursive: true });
    vi.restoreAllMocks();
  });

  const note = async () => void called.push(time.clock.now() - start);
  const open = (call: () => Promise<void> = note): void => {
    timers = owning(join(folder, 'timers.sqlite'), (database) => localTimers({ database, call, ...time }));
  };
  const setTimer = () => timers.set({ name: 'a', at: start + HOUR_MS, input: {} });

  test('are set again by the next process, to the millisecond', async () => {
    open();
    await setTimer();
    await timers.close();
    await time.sleep(1000);
    open();
    await timers.resume();
    await time.sleep(2 * HOUR_MS);
    expect(called).toEqual([HOUR_MS]);
  });

  test('call at once when their time passed while no process was running, and once', async () => {
    open();
    await setTimer();
    await timers.close();
    await time.sleep(3 * HOUR_MS);
    open();
    await timers.resume();
    await time.sleep(HOUR_MS);
    await timers.close();
    open();
    await timers.resume();
    await time.sleep(HOUR_MS);
    expect(called).toEqual([3 * HOUR_MS]);
  });

  test('call again when the call failed', async () => {
    let failures = 1;
    open(async () => {
      if (failures-- > 0) throw new Error('the database is away');
      await note();
    });
    await setTimer();
    await time.sleep(2 * HOUR_MS);
    expect(called).toEqual([HOUR_MS + SECOND_MS]);
  });
});
