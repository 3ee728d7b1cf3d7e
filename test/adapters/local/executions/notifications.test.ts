import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { EndedExecution, OnEnd } from '../../../../lib/adapters/local/executions/notifications.ts';
import { EXECUTION_LOST } from '../../../../lib/ports/executions.ts';
import { machine, NamedError, type TestFunction, task } from '../../../contract/executions.ts';
import { type LocalBench, openBench } from '../bench.ts';
import { VirtualTime } from '../virtual-time.ts';

describe('notifications of executions that end without success', () => {
  let folder: string;
  let time: VirtualTime;
  let functions: Map<string, TestFunction>;
  let notified: EndedExecution[];
  let bench: LocalBench;
  const file = () => join(folder, 'executions.sqlite');

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'executions-'));
    time = new VirtualTime();
    functions = new Map();
    notified = [];
    vi.spyOn(console, 'error').mockImplementation(() => {});
  });
  afterEach(async () => {
    await bench.close();
    rmSync(folder, { recursive: true });
    vi.restoreAllMocks();
  });

  const open = (onEnd: OnEnd = (ended) => void notified.push(ended)): void => {
    bench = openBench({ file: file(), functions, time, onEnd, limits: { keptDays: 1 / 24 } });
  };
  const restart = async (onEnd?: OnEnd): Promise<void> => {
    await bench.close();
    open(onEnd);
    await bench.executions.resume();
    await bench.executions.idle();
  };
  const begin = async (states: Record<string, object>, name = 'one', timeout?: number): Promise<string> => {
    const handle = await bench.executions.define(machine(states, timeout === undefined ? {} : { timeout }));
    await bench.executions.start(handle, name, {});
    return handle;
  };
  const FAILING = { A: { Type: 'Fail', Error: 'Own.Error', Cause: 'it had to' } };
  const WAITING = { A: { Type: 'Wait', Seconds: 60, End: true } };
  const owed = async (): Promise<unknown[]> => {
    await bench.close();
    const database = new DatabaseSync(file());
    const rows = database.prepare('SELECT name FROM owed').all();
    database.close();
    return rows.map((row) => ({ ...row }));
  };

  test('contain the error of a failure, whose execution can be read before', async () => {
    const seen: unknown[] = [];
    open(({ handle, name }) => void seen.push(bench.executions.describe(handle, name)?.status));
    await begin(FAILING);
    await bench.executions.idle();
    expect(seen).toEqual(['FAILED']);
    await restart();
    expect(notified).toEqual([]);
  });

  test('contain the error names of an exhausted task, a timeout and a stop', async () => {
    functions.set('work', async () => {
      throw new NamedError('Weft.Broken', 'no way');
    });
    open();
    const handle = await begin({ A: task() }, 'failing');
    await begin(WAITING, 'late', 10);
    const stopped = await begin(WAITING, 'stopped');
    await bench.executions.stop(stopped, 'stopped', 'Cancelled', 'by hand');
    await time.sleep(20_000);
    await bench.executions.idle();
    expect(notified.toSorted((a, b) => a.name.localeCompare(b.name))).toEqual([
      { handle, name: 'failing', status: 'FAILED', error: 'Weft.Broken', cause: expect.stringContaining('no way') },
      { handle: expect.any(String), name: 'late', status: 'TIMED_OUT', error: 'States.Timeout' },
      { handle: stopped, name: 'stopped', status: 'ABORTED', error: 'Cancelled', cause: 'by hand' },
    ]);
    expect(await owed()).toEqual([]);
  });

  test('are not sent for a success', async () => {
    open(() => expect.unreachable());
    await begin({ A: { Type: 'Succeed' } });
    await bench.executions.idle();
    expect(await owed()).toEqual([]);
  });

  test('are sent again with growing delays until they are accepted', async () => {
    const at: number[] = [];
    open(() => {
      at.push(time.clock.now());
      if (at.length < 4) throw new Error('not now');
    });
    await begin(FAILING);
    await time.sleep(3_600_000);
    expect(at.map((moment) => moment - (at[0] ?? 0))).toEqual([0, 1000, 3000, 7000]);
    expect(await owed()).toEqual([]);
  });

  test('that an earlier process did not send are sent by the next one, once it resumes', async () => {
    open(() => new Promise(() => {}));
    const handle = await begin(FAILING);
    await time.sleep(1);
    await bench.close();
    open();
    await time.sleep(1000);
    expect(notified).toEqual([]);
    await bench.executions.resume();
    await bench.executions.idle();
    expect(notified).toEqual([{ handle, name: 'one', status: 'FAILED', error: 'Own.Error', cause: 'it had to' }]);
    await restart();
    expect(notified).toHaveLength(1);
  });

  test('are sent again when the process ended during the call', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    open(() => promise);
    await begin(FAILING);
    await time.sleep(1);
    await bench.close();
    resolve();
    open();
    await bench.executions.resume();
    await bench.executions.idle();
    expect(notified).toMatchObject([{ name: 'one' }]);
  });

  test('remain when their execution is deleted, and are not replaced by a later one', async () => {
    const refuse: OnEnd = () => Promise.reject(new Error('not now'));
    open(refuse);
    await begin(FAILING, 'old');
    await bench.executions.idle();
    await time.sleep(2 * 3_600_000);
    await restart(refuse);
    expect(bench.executions.describe(await bench.executions.define(machine(FAILING)), 'old')).toBeUndefined();
    await begin(FAILING, 'new');
    await bench.executions.idle();
    await restart();
    expect(notified.map(({ name }) => name)).toEqual(['old', 'new']);
  });

  test('are sent for an execution whose machine is rejected by this version', async () => {
    open();
    await begin(WAITING);
    await bench.close();
    const database = new DatabaseSync(file());
    database.exec(`UPDATE machines SET definition = '{}'`);
    database.close();
    open();
    await bench.executions.idle();
    expect(notified).toMatchObject([{ name: 'one', status: 'FAILED', error: EXECUTION_LOST }]);
  });

  test('are sent a few at a time, and all of them', async () => {
    let [busy, most] = [0, 0];
    open(async (ended) => {
      most = Math.max(most, ++busy);
      await time.sleep(10);
      busy--;
      notified.push(ended);
    });
    await Promise.all(Array.from({ length: 100 }, (_, index) => begin(FAILING, `run-${index}`)));
    await bench.executions.idle();
    expect(new Set(notified.map(({ name }) => name)).size).toBe(100);
    expect(most).toBeGreaterThan(1);
    expect(most).toBeLessThanOrEqual(16);
  });
});
