import { beforeEach, describe, expect, test } from 'vitest';
import { localSealer } from '../../lib/adapters/local/sealer.ts';
import { emit } from '../../lib/compiler/emit/emit.ts';
import * as runs from '../../lib/domain/runs/runs.ts';
import { onExecutionEnd } from '../../lib/engine/recovery/lifecycle.ts';
import { reconcile } from '../../lib/engine/recovery/reconciler.ts';
import { execute } from '../../lib/engine/requests/start/start.ts';
import { toTaskError } from '../../lib/engine/tasks/results.ts';
import { step } from '../../lib/engine/tasks/step.ts';
import { MINUTE_MS } from '../../lib/time/units.ts';
import { planOf } from '../compiler/texts.ts';
import { ProgrammedLambdas } from '../contract/programmed-lambdas.ts';
import { ProgrammedWeb } from '../contract/programmed-web.ts';
import { QuotaSpace } from './space.ts';

const nap = 'timeouts: {interrupt: PT48H}\nstates: [{id: nap, type: delay, duration: PT1H}]\n';
const quick = 'states: [{id: a, type: noop}]\n';

let space: QuotaSpace;
beforeEach(() => {
  space = new QuotaSpace();
});

const executed = async (): Promise<runs.Run> => {
  const invocation = { namespace: 'demo', path: '/w', ref: '', input: Buffer.from('{}') };
  return (await space.pass(execute(space.ports, invocation))).run;
};
const start = async (source: string): Promise<runs.Run> => {
  await space.store('w', source);
  return executed();
};
const stored = async ({ id }: runs.Run): Promise<runs.Run> => {
  const run = await runs.find(space.ports, id);
  if (run === undefined) throw new Error(`no run ${id}`);
  return run;
};
/** The tier of the machine whose execution carries a run, if that execution is there. */
const tierOf = (run: runs.Run): string | undefined => {
  const execution = space.aws.executions.get(`${run.machine.split(':')[6]}/${runs.executionOf(run)}`);
  return execution && space.aws.machines.get(execution.machine)?.type;
};

const TRANSIENT = [
  ...['Lambda.TooManyRequestsException', 'Lambda.ServiceException', 'Weft.Fault'],
  // A function in a VPC after a month without a call.
  ...['Lambda.ResourceNotReadyException', 'Lambda.ENINotReadyException', 'Lambda.ResourceConflictException'],
];

describe('a transient fault', () => {
  test.each(TRANSIENT)(
    '%s is retried for hours by every batch, and for minutes by every wait, with full jitter',
    (name) => {
      const { States } = emit(
        planOf(nap.replace('delay, duration: PT1H', 'consumeEvent, event: {type: x}')),
      ).definition;
      const attempts = Object.values(States).flatMap((state) => {
        const retrier = state.Type === 'Task' && state.Retry?.find(({ ErrorEquals }) => ErrorEquals.includes(name));
        return retrier ? [{ jitter: retrier.JitterStrategy, attempts: retrier.MaxAttempts }] : [];
      });
      const [batch, wait] = [400, 15].map((count) => ({ jitter: 'FULL', attempts: count }));
      expect(attempts).toEqual([batch, batch, wait]);
    },
  );

  test.each(['ProvisionedThroughputExceededException', 'ThrottlingException', 'SlowDown', 'InternalServerError'])(
    '%s of a service of AWS ends a task as one that its machine retries',
    (name) => {
      expect(toTaskError(Object.assign(new Error('slow down'), { name }))).toMatchObject({ name: 'Weft.Fault' });
    },
  );

  test.each(TRANSIENT)('%s that outlasts all attempts continues the run in a new execution', async (error) => {
    const run = await start(nap);
    await onExecutionEnd(space.ports, { name: runs.executionOf(run), status: 'FAILED', error, cause: '' });
    expect(await stored(run)).toMatchObject({ status: 'pending', executions: 2 });
    expect(tierOf(await stored(run))).toBe('STANDARD');
  });

  test('of a function that exhausts its memory each time ends the run', async () => {
    const run = await start(nap);
    const ended = { name: runs.executionOf(run), status: 'FAILED', error: 'Runtime.ExitError', cause: '' } as const;
    await onExecutionEnd(space.ports, ended);
    expect((await stored(run)).status).toBe('crashed');
  });
});

describe('a run whose EXPRESS execution ended without an event', () => {
  beforeEach(() => {
    space.ports = { ...space.ports, settings: { ...space.ports.settings, startBudgetMs: 0 } };
  });

  const reconcileAfter = async (ms: number): Promise<void> => {
    space.time.advance(ms);
    await space.pass(reconcile(space.ports, { isExclusive: false }));
  };

  test('is started again by the next pass of the reconciler, without a reader', async () => {
    const run = await start(quick);
    expect(tierOf(run)).toBe('EXPRESS');
    space.aws.executions.clear();
    await reconcileAfter(120_000);
    expect(tierOf(await stored(run))).toBe('EXPRESS');
  });

  test('is noticed at most 16 minutes later, whenever it ends between two passes', async () => {
    const PERIOD_MS = 15 * MINUTE_MS;
    await space.store('w', quick);
    const noticed: number[] = [];
    // The first pass begins after `seconds`; the execution ends when it begins, or when that pass has visited its run.
    for (const seconds of [1, 30, 59, 61, 179, 181, 240, 299, 301, 600, 899]) {
      for (const visits of seconds < 300 ? [0, 1] : [0]) {
        const run = await executed();
        let died = space.time.clock.now();
        let waits = seconds * 1000;
        for (let passes = 0; ; passes += 1) {
          if (passes === visits) {
            died = space.time.clock.now();
            space.aws.executions.clear();
          }
          await reconcileAfter(waits);
          waits = PERIOD_MS;
          if (passes >= visits && tierOf(await stored(run)) !== undefined) break;
        }
        noticed.push(space.time.clock.now() - died);
        // The run ends, so that later passes do not visit it.
        await runs.update(space.ports, await stored(run), (current) => ({ run: { ...current, status: 'complete' } }));
      }
    }
    expect(Math.max(...noticed)).toBeGreaterThan(PERIOD_MS);
    expect(Math.max(...noticed)).toBeLessThanOrEqual(PERIOD_MS + MINUTE_MS);
  });

  test('continues in a STANDARD execution after the five minutes of its tier', async () => {
    const run = await start(quick);
    space.aws.executions.clear();
    await reconcileAfter(301_000);
    expect(await stored(run)).toMatchObject({ status: 'pending', executions: 2, express: false });
    expect(tierOf(await stored(run))).toBe('STANDARD');
  });
});

test('a wait for events whose deadline has just passed gets the shortest timeout that Step Functions accepts', async () => {
  const { run } = await stepInto('consumeEvent, event: {type: x}, timeout: PT10S');
  space.time.advance(11_000);
  expect(await advance(run)).toMatchObject({ next: 'nap', seconds: 1 });
});

test('a delay that is over waits for no time', async () => {
  const { run } = await stepInto('delay, duration: PT40S', 40);
  space.time.advance(41_000);
  expect(await advance(run)).toMatchObject({ next: 'nap', seconds: 0 });
});

const advance = ({ id }: runs.Run) =>
  step(
    { ...space.ports, sealer: localSealer(), web: new ProgrammedWeb(), lambdas: new ProgrammedLambdas() },
    { run: id },
  );

async function stepInto(state: string, seconds = 10): Promise<{ readonly run: runs.Run }> {
  const run = await start(nap.replace('delay, duration: PT1H', state));
  expect(await advance(run)).toMatchObject({ next: 'nap', seconds });
  return { run };
}
