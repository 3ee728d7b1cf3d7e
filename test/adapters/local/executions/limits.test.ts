import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import type { Limits } from '../../../../lib/adapters/local/interpreter/context/limits.ts';
import { listen, machine, task } from '../../../contract/executions.ts';
import { type LocalBench, openBench } from '../bench.ts';

describe('the limits of local executions', () => {
  let bench: LocalBench;
  afterEach(() => bench.close());

  const open = (limits: Partial<Limits>): LocalBench => {
    bench = openBench({ limits });
    return bench;
  };
  const begin = async (states: Record<string, object>, name = 'one', input: unknown = {}): Promise<string> => {
    const handle = await bench.executions.define(machine(states));
    await bench.executions.start(handle, name, input);
    return handle;
  };
  const loop = { A: { Type: 'Pass', Next: 'B' }, B: { Type: 'Pass', Next: 'A' } };

  test('a standard execution ends with too many history events', async () => {
    open({ events: 1000 });
    const handle = await begin(loop);
    expect(await bench.ending(handle, 'one')).toMatchObject({
      status: 'FAILED',
      error: 'States.Runtime',
      cause: 'The execution reached the maximum number of history events (1000).',
    });
  });

  test('the last event may be the success', async () => {
    // ExecutionStarted, PassStateEntered, PassStateExited, ExecutionSucceeded
    open({ events: 4 });
    const handle = await begin({ A: { Type: 'Pass', End: true } });
    expect(await bench.ending(handle, 'one')).toMatchObject({ status: 'SUCCEEDED' });
    open({ events: 3 });
    const other = await begin({ A: { Type: 'Pass', End: true } });
    expect(await bench.ending(other, 'one')).toMatchObject({ status: 'FAILED' });
  });

  test('a machine that never waits does not block the process, and can be stopped', async () => {
    open({ events: Number.POSITIVE_INFINITY });
    const handle = await begin(loop);
    await turn();
    await bench.executions.stop(handle, 'one', 'Stopped', '');
    expect(await bench.status(handle, 'one')).toBe('ABORTED');
  });

  test('a state whose output is above the limit fails', async () => {
    open({ bytes: 100 });
    const handle = await begin({ A: { Type: 'Pass', Output: `{% $pad('', 99, 'é') %}`, End: true } });
    expect(await bench.ending(handle, 'one')).toMatchObject({ status: 'FAILED', error: 'States.DataLimitExceeded' });
  });

  test('an answer above the limit is rejected, and the task still waits', async () => {
    open({ bytes: 100 });
    let token = '';
    bench.functions.set('work', async (_, given) => {
      token = given ?? '';
    });
    const handle = await begin({ A: listen() });
    await bench.executions.idle();
    await expect(bench.executions.answer(token, { output: 'x'.repeat(100) })).rejects.toThrow(/DataLimitExceeded/);
    expect(await bench.executions.answer(token, { output: 'x' })).toBe(true);
    expect(await bench.ending(handle, 'one')).toMatchObject({ output: 'x' });
  });

  test('the number of concurrent function calls is limited, and all of them are made', async () => {
    open({ calls: { total: 3, perTenant: 3 } });
    let [running, most] = [0, 0];
    bench.functions.set('work', async () => {
      most = Math.max(most, ++running);
      await bench.time.sleep(1000);
      running--;
    });
    const names = Array.from({ length: 20 }, (_, index) => `run-${index}`);
    const handle = await bench.executions.define(machine({ A: task() }));
    await Promise.all(names.map((name) => bench.executions.start(handle, name, {})));
    await bench.executions.idle();
    expect(most).toBe(3);
    expect(await Promise.all(names.map((name) => bench.status(handle, name)))).toEqual(names.map(() => 'SUCCEEDED'));
  });

  test('functions of one tenant never keep those of another from being called', async () => {
    const tenantOf = async (input: string): Promise<string> => JSON.parse(input) as string;
    bench = openBench({ limits: { calls: { total: 4, perTenant: 3 } }, tenantOf });
    const called: unknown[] = [];
    bench.functions.set('work', async (payload) => {
      called.push(payload);
      // The functions of the first tenant return late.
      await bench.time.sleep(payload === 'one' ? 1_000_000 : 1);
    });
    const handle = await bench.executions.define(machine({ A: task() }));
    for (let index = 0; index < 10; index += 1) await bench.executions.start(handle, `one-${index}`, 'one');
    for (let index = 0; index < 3; index += 1) await bench.executions.start(handle, `other-${index}`, 'other');
    await bench.time.sleep(10);
    expect(called).toEqual(['one', 'one', 'one', 'other', 'other', 'other']);
  });

  test('a queued call whose execution was stopped is not made', async () => {
    open({ calls: { total: 1, perTenant: 1 } });
    const calls: unknown[] = [];
    bench.functions.set('work', async (payload) => {
      calls.push(payload);
      await bench.time.sleep(1000);
    });
    const handle = await begin({ A: task() }, 'first', 1);
    await begin({ A: task() }, 'second', 2);
    await bench.executions.stop(handle, 'second', 'Stopped', '');
    await bench.executions.idle();
    expect(calls).toEqual([1]);
  });

  test('the oldest ended executions are deleted, running ones never', async () => {
    open({ kept: 10 });
    const waiting = await begin({ A: { Type: 'Wait', Seconds: 1_000_000, End: true } }, 'waiting');
    const handle = await bench.executions.define(machine({ A: { Type: 'Succeed' } }));
    const names = Array.from({ length: 15 }, (_, index) => `run-${index}`);
    for (const name of names) await bench.executions.start(handle, name, {});
    await bench.executions.idle();
    const known = names.filter((name) => bench.executions.describe(handle, name));
    expect(known.length).toBeLessThanOrEqual(10);
    expect(known).toEqual(names.slice(-known.length));
    expect(await bench.status(waiting, 'waiting')).toBe('RUNNING');
  });

  test('a task that exceeds its timeout fails, although its function returns later', async () => {
    open({});
    bench.functions.set('work', () => bench.time.sleep(5000));
    const Catch = [{ ErrorEquals: ['States.Timeout'], Output: 'late', Next: 'B' }];
    const handle = await begin({ A: task({ TimeoutSeconds: 2, Catch }), B: { Type: 'Succeed' } });
    expect(await bench.ending(handle, 'one')).toMatchObject({ status: 'SUCCEEDED', output: 'late' });
  });

  test('a task without a heartbeat fails before its timeout', async () => {
    open({});
    bench.functions.set('work', async () => undefined);
    const handle = await begin({ A: listen({ TimeoutSeconds: 60, HeartbeatSeconds: 5 }) });
    expect(await bench.ending(handle, 'one')).toMatchObject({ error: 'States.HeartbeatTimeout' });
  });
});
