import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { INVOKE_AND_WAIT } from '../../lib/compiler/emit/asl.ts';
import { emit, STEPS_FUNCTION } from '../../lib/compiler/emit/emit.ts';
import { planOf } from '../compiler/texts.ts';
import { type Emulator, openEmulator, type Steps } from './emulator.ts';
import { UnavailableError } from './python-packages.ts';
import { scripted } from './script.ts';

/** The time to install the emulator, which happens once. */
const MAX_INSTALL_MS = 180_000;

const machineOf = (states: string): object => emit(planOf(`states: ${states}`)).definition;
const STRAIGHT = machineOf('[{id: one, type: noop, transition: two}, {id: two, type: noop}]');
const LOOPING = machineOf('[{id: one, type: noop, catch: [{error: x, transition: one}]}]');
const RUN = '0192f0c1-2d3e-7f40-8a51-b62c73d84e95';

describe('an emitted machine on an emulator of Step Functions', () => {
  let emulator: Emulator;
  let missing: string | undefined;

  beforeAll(async () => {
    try {
      emulator = await openEmulator();
    } catch (error) {
      if (!(error instanceof UnavailableError)) throw error;
      missing = error.message;
      console.warn(`Emitted machines are not tested on the emulator: ${missing}`);
    }
  }, MAX_INSTALL_MS);
  afterAll(() => emulator?.close());
  beforeEach(({ skip }) => skip(missing !== undefined, missing));

  const run = (definition: object, { steps }: ReturnType<typeof scripted>) =>
    emulator.run(definition, steps, { run: RUN });

  test('calls the steps function once with its run, and succeeds', async () => {
    const script = scripted({ answer: {} });
    expect(await run(STRAIGHT, script)).toEqual({ status: 'SUCCEEDED', output: {} });
    expect(script.calls).toEqual([expect.objectContaining({ run: RUN })]);
  });

  test('fails with the name of the error, at the first error', async () => {
    const script = scripted({ error: 'orders.rejected', message: 'no stock' });
    expect(await run(STRAIGHT, script)).toMatchObject({
      status: 'FAILED',
      error: 'orders.rejected',
      cause: expect.stringContaining('no stock'),
    });
    expect(script.calls).toHaveLength(1);
  });

  test('repeats the call with the same payload while the steps function asks for it', async () => {
    const script = scripted(...Array.from({ length: 5 }, () => ({ error: 'Weft.Again' })), { answer: {} });
    expect(await run(LOOPING, script)).toEqual({ status: 'SUCCEEDED', output: {} });
    expect(script.calls).toEqual(Array.from({ length: 6 }, () => script.calls[0]));
  });

  test('fails with an error of the run after such a repetition', async () => {
    const script = scripted({ error: 'Weft.Again' }, { error: 'orders.rejected' }, { answer: {} });
    expect(await run(LOOPING, script)).toMatchObject({ status: 'FAILED', error: 'orders.rejected' });
    expect(script.calls).toHaveLength(2);
  });

  test.each(['Lambda.TooManyRequestsException', 'Lambda.ServiceException', 'Sandbox.Timedout'])(
    'repeats the call after a transient error of Lambda, %s',
    async (error) => {
      const script = scripted({ error }, { error: 'Weft.Again' }, { error }, { answer: {} });
      expect(await run(STRAIGHT, script)).toMatchObject({ status: 'SUCCEEDED' });
      expect(script.calls).toHaveLength(4);
    },
  );

  test.each([
    [{ output: { paid: true } }, { status: 'SUCCEEDED', output: { paid: true } }],
    [
      { error: 'orders.rejected', cause: 'no stock' },
      { status: 'FAILED', error: 'orders.rejected', cause: 'no stock' },
    ],
  ])('waits at a task with a token for its answer: %j', async (answer, ending) => {
    const wait = {
      Type: 'Task',
      Resource: INVOKE_AND_WAIT,
      Arguments: { FunctionName: STEPS_FUNCTION, Payload: { token: '{% $states.context.Task.Token %}' } },
      TimeoutSeconds: '{% $states.input.seconds %}',
      End: true,
    };
    const accepted: Promise<boolean>[] = [];
    const steps: Steps = (payload, executions) => {
      const { token } = payload as { readonly token: string };
      accepted.push(executions.answer(token, answer));
    };
    const definition = { QueryLanguage: 'JSONata', StartAt: 'Wait', States: { Wait: wait } };
    expect(await emulator.run(definition, steps, { seconds: 30 })).toEqual(ending);
    expect(await Promise.all(accepted)).toEqual([true]);
  });
});
