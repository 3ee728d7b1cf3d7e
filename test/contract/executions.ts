import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Executions, type Machine, NoMachineError } from '../../lib/ports/executions.ts';

/** How an execution ended, as far as the contract defines it. */
export interface Ending {
  readonly status: 'SUCCEEDED' | 'FAILED' | 'TIMED_OUT' | 'ABORTED';
  readonly output?: unknown;
  readonly error?: string;
  readonly cause?: string;
}

export type TestFunction = (payload: unknown, token: string | undefined) => Promise<unknown>;

/** The parts that an adapter provides for the tests. */
export interface Bench {
  readonly executions: Executions;
  /** The functions that machines can call, by the name in `FunctionName`. */
  readonly functions: Map<string, TestFunction>;
  /** Resolves at the end of an execution. */
  ending(handle: string, name: string): Promise<Ending>;
  /** Undefined: the execution was never started. */
  status(handle: string, name: string): Promise<string | undefined>;
  close(): Promise<void>;
}

/** An error of a function; state machines match its name. */
export class NamedError extends Error {
  override readonly name: string;
  constructor(name: string, message: string) {
    super(message);
    this.name = name;
  }
}

export const INVOKE = 'arn:aws:states:::lambda:invoke';
export const INVOKE_AND_WAIT = `${INVOKE}.waitForTaskToken`;

/** A Task whose output is the result of the function `work`. */
export function task(fields: object = {}): object {
  const Arguments = { FunctionName: 'work', Payload: '{% $states.input %}' };
  return { Type: 'Task', Resource: INVOKE, Arguments, Output: '{% $states.result.Payload %}', End: true, ...fields };
}

/** A Task that passes its token to the function `work`, and whose output is the answer. */
export function listen(fields: object = {}): object {
  const Arguments = { FunctionName: 'work', Payload: { token: '{% $states.context.Task.Token %}' } };
  return { Type: 'Task', Resource: INVOKE_AND_WAIT, Arguments, End: true, ...fields };
}

/** A machine of these states, which starts with the first. */
export function machine(states: Record<string, object>, extras: Partial<Machine> & { timeout?: number } = {}): Machine {
  const { timeout, ...given } = extras;
  const [StartAt] = Object.keys(states);
  const definition = { QueryLanguage: 'JSONata', StartAt, States: states, TimeoutSeconds: timeout };
  return { name: 'contract', definition: JSON.stringify(definition), tier: 'STANDARD', ...given };
}

/** The contract of the port `Executions`. */
export function executionsContract(open: () => Promise<Bench>): void {
  let bench: Bench;
  let one: string;
  beforeEach(async () => {
    bench = await open();
    one = randomUUID();
  });
  afterEach(() => bench.close());

  const begin = async (defined: Machine, input: unknown = {}): Promise<string> => {
    const handle = await bench.executions.define(defined);
    await bench.executions.start(handle, one, input);
    return handle;
  };
  const run = async (defined: Machine, input: unknown = {}): Promise<Ending> =>
    bench.ending(await begin(defined, input), one);
  const does = (work: TestFunction): void => void bench.functions.set('work', work);
  const fails = (name: string): void =>
    does(async () => {
      throw new NamedError(name, `${name} happened`);
    });
  /** Collects the tokens that the function gets; `next` resolves with the next one. */
  const collectTokens = (): { next(): Promise<string> } => {
    const tokens: string[] = [];
    let arrived = Promise.withResolvers<void>();
    does(async (payload, token) => {
      expect((payload as { token: string }).token).toBe(token);
      tokens.push(token ?? '');
      arrived.resolve();
    });
    const next = async (): Promise<string> => {
      await arrived.promise;
      const token = tokens.shift() ?? '';
      if (tokens.length === 0) arrived = Promise.withResolvers();
      return token;
    };
    return { next };
  };

  describe('define', () => {
    test('returns the same handle for the same machine, and another one for each version', async () => {
      const { executions } = bench;
      const first = machine({ A: { Type: 'Pass', Output: 1, End: true } });
      const second = machine({ A: { Type: 'Pass', Output: 2, End: true } });
      const handle = await executions.define(first);
      expect(await executions.define(first)).toBe(handle);
      const other = await executions.define(second);
      expect(other).not.toBe(handle);
      await executions.start(handle, `${one}-old`, {});
      await executions.start(other, `${one}-new`, {});
      expect(await bench.ending(handle, `${one}-old`)).toMatchObject({ status: 'SUCCEEDED', output: 1 });
      expect(await bench.ending(other, `${one}-new`)).toMatchObject({ status: 'SUCCEEDED', output: 2 });
    });

    test('rejects an invalid machine', async () => {
      await expect(bench.executions.define(machine({ A: { Type: 'Pass', Next: 'B' } }))).rejects.toThrow();
    });

    test('rejects an express machine that waits for a token', async () => {
      await expect(bench.executions.define(machine({ A: listen() }, { tier: 'EXPRESS' }))).rejects.toThrow();
    });
  });

  describe('start', () => {
    test('passes the input to the function, and ends with its result', async () => {
      does(async (payload) => ({ got: payload }));
      expect(await run(machine({ A: task() }), { a: [1, null] })).toMatchObject({
        status: 'SUCCEEDED',
        output: { got: { a: [1, null] } },
      });
    });

    test('has no effect with a name in use, during the execution and afterwards', async () => {
      const inputs: unknown[] = [];
      does(async (payload) => inputs.push(payload));
      const handle = await begin(machine({ A: task() }), 1);
      await bench.executions.start(handle, one, 2);
      await bench.ending(handle, one);
      await bench.executions.start(handle, one, 3);
      await bench.executions.start(handle, `${one}-2`, 4);
      await bench.ending(handle, `${one}-2`);
      expect(inputs).toEqual([1, 4]);
    });

    test('throws NoMachineError for a machine that was never defined', async () => {
      const handle = await bench.executions.define(machine({ A: { Type: 'Succeed' } }));
      await expect(bench.executions.start(`${handle}x`, one, {})).rejects.toThrow(NoMachineError);
    });

    test('throws NoMachineError for a machine that was deleted, until it is defined again', async () => {
      const simple = machine({ A: { Type: 'Succeed' } });
      const handle = await bench.executions.define(simple);
      await bench.executions.remove(handle);
      await bench.executions.remove(handle);
      await expect(bench.executions.start(handle, one, {})).rejects.toThrow(NoMachineError);
      await bench.executions.start(await bench.executions.define(simple), one, {});
      expect(await bench.ending(handle, one)).toMatchObject({ status: 'SUCCEEDED' });
    });

    test('throws for an input above 256 KiB', async () => {
      const handle = await bench.executions.define(machine({ A: { Type: 'Succeed' } }));
      await expect(bench.executions.start(handle, one, 'x'.repeat(262_144))).rejects.toThrow();
    });
  });

  describe('a function that throws', () => {
    test('fails the execution with the name of its error', async () => {
      fails('service.shop.closed');
      const ending = await run(machine({ A: task() }));
      expect(ending).toMatchObject({ status: 'FAILED', error: 'service.shop.closed' });
      expect(ending.cause).toContain('service.shop.closed happened');
    });

    test('is retried as often as Retry allows', async () => {
      let calls = 0;
      does(async () => {
        if (++calls < 4) throw new NamedError('Weft.Again', 'not yet');
        return calls;
      });
      const Retry = [{ ErrorEquals: ['Weft.Again'], IntervalSeconds: 1, BackoffRate: 1, MaxAttempts: 100_000 }];
      expect(await run(machine({ A: task({ Retry }) }))).toMatchObject({ status: 'SUCCEEDED', output: 4 });
    });

    test('fails when its retries are exhausted, and is not retried for another error', async () => {
      let calls = 0;
      does(async () => {
        throw new NamedError(++calls < 3 ? 'First' : 'Second', '');
      });
      const Retry = [{ ErrorEquals: ['First'], IntervalSeconds: 1, MaxAttempts: 5 }];
      expect(await run(machine({ A: task({ Retry }) }))).toMatchObject({ status: 'FAILED', error: 'Second' });
      expect(calls).toBe(3);
    });

    test('is caught by the name of its error', async () => {
      fails('Mine');
      const Catch = [
        { ErrorEquals: ['Other'], Next: 'B' },
        { ErrorEquals: ['Mine'], Output: { caught: '{% $states.errorOutput.Error %}' }, Next: 'B' },
      ];
      const ending = await run(machine({ A: task({ Catch }), B: { Type: 'Succeed' } }));
      expect(ending).toMatchObject({ status: 'SUCCEEDED', output: { caught: 'Mine' } });
    });
  });

  describe('stop', () => {
    test('ends a running execution for good', async () => {
      const tokens = collectTokens();
      const handle = await begin(machine({ A: listen() }));
      const token = await tokens.next();
      await bench.executions.stop(handle, one, 'Cancelled', 'by hand');
      const ending = { status: 'ABORTED', error: 'Cancelled', cause: 'by hand' };
      expect(await bench.ending(handle, one)).toMatchObject(ending);
      expect(await bench.executions.answer(token, { output: 1 })).toBe(false);
      expect(await bench.ending(handle, one)).toMatchObject(ending);
    });

    test('has no effect on an execution that has ended or was never started', async () => {
      const handle = await begin(machine({ A: { Type: 'Succeed' } }));
      await bench.ending(handle, one);
      await bench.executions.stop(handle, one, 'Late', '');
      await bench.executions.stop(handle, `${one}-0`, 'Early', '');
      expect(await bench.ending(handle, one)).toMatchObject({ status: 'SUCCEEDED' });
      expect(await bench.status(handle, `${one}-0`)).toBeUndefined();
    });
  });

  describe('isRunning', () => {
    test('is true from the start of an execution to its end', async () => {
      const tokens = collectTokens();
      const handle = await begin(machine({ A: listen() }));
      const token = await tokens.next();
      expect(await bench.executions.isRunning(handle, one)).toBe(true);
      expect(await bench.executions.isRunning(handle, `${one}-0`)).toBe(false);
      await bench.executions.answer(token, { output: 1 });
      await bench.ending(handle, one);
      expect(await bench.executions.isRunning(handle, one)).toBe(false);
    });
  });

  describe('answer', () => {
    test('ends a waiting task once', async () => {
      const tokens = collectTokens();
      const handle = await begin(machine({ A: listen() }));
      const token = await tokens.next();
      expect(await bench.executions.answer(token, { output: { paid: true } })).toBe(true);
      expect(await bench.executions.answer(token, { output: { paid: false } })).toBe(false);
      expect(await bench.ending(handle, one)).toMatchObject({ status: 'SUCCEEDED', output: { paid: true } });
    });

    test('returns false for an unknown token', async () => {
      expect(await bench.executions.answer('unknown', { output: 1 })).toBe(false);
    });

    test('fails the task with the name of an error, which Catch matches', async () => {
      const tokens = collectTokens();
      const Catch = [{ ErrorEquals: ['Declined'], Output: '{% $states.errorOutput.Cause %}', Next: 'B' }];
      const handle = await begin(machine({ A: listen({ Catch }), B: { Type: 'Succeed' } }));
      expect(await bench.executions.answer(await tokens.next(), { error: 'Declined', cause: 'no money' })).toBe(true);
      expect(await bench.ending(handle, one)).toMatchObject({ status: 'SUCCEEDED', output: 'no money' });
    });

    test('is accepted before the function has returned', async () => {
      const returned = Promise.withResolvers<void>();
      const answered = Promise.withResolvers<boolean>();
      does(async (_, token) => {
        answered.resolve(await bench.executions.answer(token ?? '', { output: 'quick' }));
        await returned.promise;
      });
      const handle = await begin(machine({ A: listen() }));
      expect(await answered.promise).toBe(true);
      expect(await bench.ending(handle, one)).toMatchObject({ output: 'quick' });
      returned.resolve();
    });

    test('returns false after the timeout of the task; each attempt has its own token', async () => {
      const tokens = collectTokens();
      const Retry = [{ ErrorEquals: ['States.Timeout'], IntervalSeconds: 1, MaxAttempts: 1 }];
      const handle = await begin(machine({ A: listen({ TimeoutSeconds: 1, Retry }) }));
      const first = await tokens.next();
      const second = await tokens.next();
      expect(second).not.toBe(first);
      expect(await bench.executions.answer(first, { output: 1 })).toBe(false);
      expect(await bench.ending(handle, one)).toMatchObject({ status: 'FAILED', error: 'States.Timeout' });
      expect(await bench.executions.answer(second, { output: 1 })).toBe(false);
    });
  });

  describe('limits', () => {
    test('an execution is timed out by the TimeoutSeconds of its machine', async () => {
      const wait = { Type: 'Wait', Seconds: 60, End: true };
      expect(await run(machine({ A: wait }, { timeout: 1 }))).toMatchObject({ status: 'TIMED_OUT' });
    });

    test('a result above 256 KiB fails the task, and States.ALL does not catch it', async () => {
      does(async () => 'x'.repeat(262_144));
      const Catch = [{ ErrorEquals: ['States.ALL'], Next: 'B' }];
      const ending = await run(machine({ A: task({ Catch }), B: { Type: 'Succeed' } }));
      expect(ending).toMatchObject({ status: 'FAILED', error: 'States.DataLimitExceeded' });
    });
  });
}
