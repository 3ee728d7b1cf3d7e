import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { listen, machine, NamedError, type TestFunction, task } from '../../../contract/executions.ts';
import { type LocalBench, openBench } from '../bench.ts';
import { VirtualTime } from '../virtual-time.ts';

describe('after a restart', () => {
  let folder: string;
  let time: VirtualTime;
  let functions: Map<string, TestFunction>;
  let bench: LocalBench;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'executions-'));
    time = new VirtualTime();
    functions = new Map();
    bench = reopen();
  });
  afterEach(async () => {
    await bench.close();
    rmSync(folder, { recursive: true });
  });

  const reopen = (): LocalBench => openBench({ file: join(folder, 'executions.sqlite'), functions, time });
  const restart = async (): Promise<number> => {
    await bench.close();
    bench = reopen();
    return bench.executions.resume();
  };
  const begin = async (states: Record<string, object>, input: unknown = {}): Promise<string> => {
    const handle = await bench.executions.define(machine(states));
    await bench.executions.start(handle, 'one', input);
    return handle;
  };

  test('an interrupted call is made again, and a completed one is not', async () => {
    const calls: unknown[] = [];
    functions.set('work', async (payload) => {
      calls.push(payload);
      if (calls.length === 2) await new Promise(() => {});
      return (payload as number) + 1;
    });
    const handle = await begin({ A: task({ End: undefined, Next: 'B' }), B: task() }, 1);
    await time.sleep(1);
    expect(calls).toEqual([1, 2]);
    expect(await restart()).toBe(1);
    expect(await bench.ending(handle, 'one')).toMatchObject({ status: 'SUCCEEDED', output: 3 });
    expect(calls).toEqual([1, 2, 2]);
    expect(await restart()).toBe(0);
  });

  test('a token is still valid, also before the executions are resumed', async () => {
    const tokens: string[] = [];
    functions.set('work', async (_, token) => void tokens.push(token ?? ''));
    const handle = await begin({ A: listen({ Next: 'B', End: undefined }), B: { Type: 'Succeed' } });
    await bench.executions.idle();
    await bench.close();
    bench = reopen();
    expect(await bench.executions.answer(tokens[0] ?? '', { output: 'yes' })).toBe(true);
    expect(await bench.executions.answer(tokens[0] ?? '', { output: 'no' })).toBe(false);
    expect(await bench.status(handle, 'one')).toBe('RUNNING');
    expect(await restart()).toBe(1);
    expect(await bench.ending(handle, 'one')).toMatchObject({ output: 'yes' });
    expect(tokens).toHaveLength(1);
  });

  test('an execution can be stopped before it is resumed, and its name stays in use', async () => {
    const handle = await begin({ A: { Type: 'Wait', Seconds: 60, End: true } });
    await bench.close();
    bench = reopen();
    await bench.executions.stop(handle, 'one', 'Stopped', '');
    await bench.executions.start(handle, 'one', {});
    expect(await restart()).toBe(0);
    expect(await bench.status(handle, 'one')).toBe('ABORTED');
  });

  test('a wait ends at its due time, however long no process was running', async () => {
    const handle = await begin({ A: { Type: 'Wait', Seconds: 60, End: true } });
    const { started = 0 } = bench.executions.describe(handle, 'one') ?? {};
    await time.sleep(20_000);
    await restart();
    await bench.ending(handle, 'one');
    const { ended = 0 } = bench.executions.describe(handle, 'one') ?? {};
    expect(ended - started).toBe(60_000);
  });

  test('the attempts of a task are not counted again from the beginning', async () => {
    let calls = 0;
    functions.set('work', async () => {
      calls++;
      throw new NamedError('Weft.Again', '');
    });
    const Retry = [{ ErrorEquals: ['Weft.Again'], IntervalSeconds: 10, BackoffRate: 1, MaxAttempts: 3 }];
    const handle = await begin({ A: task({ Retry }) });
    await time.sleep(15_000);
    await restart();
    expect(await bench.ending(handle, 'one')).toMatchObject({ status: 'FAILED', error: 'Weft.Again' });
    expect(calls).toBe(4);
  });

  test('the branches, iterations and variables of an execution are as before', async () => {
    const inner = {
      StartAt: 'V',
      States: {
        V: { Type: 'Pass', Assign: { mine: '{% $states.input * $factor %}' }, Next: 'W' },
        W: { Type: 'Wait', Seconds: '{% $states.input * 10 %}', Output: '{% $mine %}', End: true },
      },
    };
    const handle = await begin({
      A: { Type: 'Pass', Assign: { factor: 100 }, Next: 'P' },
      P: {
        Type: 'Parallel',
        Branches: [
          { StartAt: 'Left', States: { Left: { Type: 'Pass', Output: 'left', End: true } } },
          {
            StartAt: 'M',
            States: { M: { Type: 'Map', Items: [1, 3, 2], MaxConcurrency: 2, ItemProcessor: inner, End: true } },
          },
        ],
        End: true,
      },
    });
    await time.sleep(15_000);
    expect(await restart()).toBe(1);
    await time.sleep(10_000);
    expect(await restart()).toBe(1);
    expect(await bench.ending(handle, 'one')).toMatchObject({ output: ['left', [100, 300, 200]] });
    const { started = 0, ended = 0 } = bench.executions.describe(handle, 'one') ?? {};
    expect(ended - started).toBe(30_000);
  });

  test('an express execution continues as well, within its five minutes', async () => {
    const defined = machine({ A: { Type: 'Wait', Seconds: 600, End: true } }, { tier: 'EXPRESS' });
    const handle = await bench.executions.define(defined);
    await bench.executions.start(handle, 'one', {});
    await time.sleep(100_000);
    expect(await restart()).toBe(1);
    expect(await bench.ending(handle, 'one')).toMatchObject({ status: 'TIMED_OUT' });
    const { started = 0, ended = 0 } = bench.executions.describe(handle, 'one') ?? {};
    expect(ended - started).toBe(300_000);
  });

  test('a second process cannot open the file', () => {
    expect(reopen).toThrow(/locked/);
  });
});
