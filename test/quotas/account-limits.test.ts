import { setTimeout } from 'node:timers/promises';
import { beforeEach, describe, expect, test } from 'vitest';
import * as runs from '../../lib/domain/runs/runs.ts';
import { deleteNode } from '../../lib/engine/changes/publishing.ts';
import { reconcile } from '../../lib/engine/recovery/reconciler.ts';
import { execute, executeAndWait } from '../../lib/engine/requests/start/start.ts';
import { MachineLimitError } from '../../lib/ports/executions.ts';
import { MINUTE_MS } from '../../lib/time/units.ts';
import { QuotaSpace } from './space.ts';

const NAP = 'timeouts: {interrupt: PT48H}\nstates: [{id: nap, type: delay, duration: PT1H}]\n';

/** Longer than the first polls of a request that waits. */
const POLL_MS = 300;

let space: QuotaSpace;
beforeEach(() => {
  space = new QuotaSpace();
});

const invocationOf = (path: string) => ({ namespace: 'demo', path: `/${path}`, ref: '', input: Buffer.from('{}') });
const start = async (path: string) => (await space.pass(execute(space.ports, invocationOf(path)))).run;

async function nextPass(): Promise<void> {
  space.time.advance(15 * MINUTE_MS);
  await space.pass(reconcile(space.ports, { isExclusive: false }));
}

async function isMadeByMachine({ id }: runs.Run): Promise<boolean> {
  const run = await runs.find(space.ports, id);
  if (run === undefined) throw new Error(`no run ${id}`);
  return space.aws.executions.get(`${run.machine.split(':')[6]}/${runs.executionOf(run)}`)?.status === 'RUNNING';
}

/** Each start of an execution is answered with this error of Step Functions. */
const REFUSED: Readonly<Record<string, () => void>> = {
  'starts a second': () => {
    for (let n = 0; n < 1_300; n += 1) space.aws.takeToken('StartExecution');
  },
  'open executions': () => {
    space.aws.most.openExecutions = 0;
  },
};

describe.each(Object.entries(REFUSED))('an account whose quota of %s is exhausted', (_quota, exhaust) => {
  beforeEach(async () => {
    await space.store('w', NAP);
    exhaust();
  });

  test('answers with the instance, which is stored, and the next pass of the reconciler starts it', async () => {
    const run = await start('w');
    expect(run).toMatchObject({ status: 'pending' });
    expect(await isMadeByMachine(run)).toBe(false);
    space.aws.most.openExecutions = 1_000_000;
    await nextPass();
    expect(await isMadeByMachine(run)).toBe(true);
  });

  test('lets a request wait for its run, also over the checks of the run', async () => {
    const waiting = executeAndWait(space.ports, invocationOf('w'), space.time.clock.now() + 4 * MINUTE_MS);
    // A poll and a check of the run by the timer of the system, then the deadline.
    for (const ms of [0, 2 * MINUTE_MS, 4 * MINUTE_MS]) {
      space.time.advance(ms);
      await setTimeout(POLL_MS);
    }
    expect((await waiting).run.status).toBe('pending');
  });
});

describe('an account with as many state machines as it may have', () => {
  test('stores a workflow, says why it does not start, and defines it after another was deleted', async () => {
    await space.store('old', NAP);
    space.aws.most.machines = space.aws.machines.size;
    await space.store('new', NAP);
    const refused = await start('new').catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(MachineLimitError);
    expect(String(refused)).toContain('as many state machines as Step Functions allows: delete workflows');
    await deleteNode(space.ports, 'demo', '/old', true);
    await nextPass();
    expect(space.aws.machines.size).toBe(1);
    expect(await isMadeByMachine(await start('new'))).toBe(true);
  });
});
