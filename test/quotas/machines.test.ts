import { beforeEach, describe, expect, test } from 'vitest';
import { compile } from '../../lib/compiler/compile.ts';
import * as runs from '../../lib/domain/runs/runs.ts';
import { createDirectory, deleteNode, updateWorkflow } from '../../lib/engine/changes/publishing.ts';
import { continueAsNew } from '../../lib/engine/machines/continue-as-new.ts';
import { ensureMachine } from '../../lib/engine/machines/definitions.ts';
import { rearmAll } from '../../lib/engine/recovery/rearming.ts';
import { reconcile } from '../../lib/engine/recovery/reconciler.ts';
import { execute } from '../../lib/engine/requests/start/start.ts';
import { startByClock } from '../../lib/engine/routing/starts.ts';
import { BusyError } from '../../lib/ports/executions.ts';
import { QuotaSpace } from './space.ts';

// Delays of less than half a minute have no machine.
const nap = (number: number) =>
  `timeouts: {interrupt: PT48H}\nstates: [{id: nap${number}, type: delay, duration: PT40S}]\n`;

let space: QuotaSpace;
beforeEach(() => {
  space = new QuotaSpace();
});

const start = async (path: string): Promise<runs.Run> => {
  const invocation = { namespace: 'demo', path: `/${path}`, ref: '', input: Buffer.from('{}') };
  return (await space.pass(execute(space.ports, invocation))).run;
};
const stored = async ({ id }: runs.Run): Promise<runs.Run> => {
  const run = await runs.find(space.ports, id);
  if (run === undefined) throw new Error(`no run ${id}`);
  return run;
};
const DEFINING = ['CreateStateMachine', 'UpdateStateMachine', 'PublishStateMachineVersion'];
const definitions = () => DEFINING.reduce((sum, name) => sum + (space.aws.calls[name] ?? 0), 0);

describe('state machines within the quotas of Step Functions', () => {
  test('a hundred runs that continue as new, of two revisions in turn, define one machine for each revision', async () => {
    await space.store('w', nap(1));
    const old = await start('w');
    await updateWorkflow(space.ports, { namespace: 'demo', path: '/w', source: nap(2) });
    const young = await start('w');
    const before = definitions();
    for (let count = 0; count < 50; count += 1) {
      for (const run of [old, young]) await space.pass(continueAsNew(space.ports, await stored(run)));
    }
    expect(definitions() - before).toBeLessThanOrEqual(3);
    expect((await stored(old)).machine).not.toBe((await stored(young)).machine);
    expect([(await stored(old)).executions, (await stored(young)).executions]).toEqual([51, 51]);
  });

  test('1,001 revisions of a workflow are stored and start, and so does a run of the first one again', async () => {
    await space.store('w', nap(1));
    const run = await start('w');
    for (let seconds = 2; seconds <= 1001; seconds += 1) {
      await space.pass(updateWorkflow(space.ports, { namespace: 'demo', path: '/w', source: nap(seconds) }));
      space.time.advance(3_000);
    }
    const last = await start('w');
    expect(last.revision).not.toBe(run.revision);
    expect(space.aws.executions.get(`${nameOf(last)}/${last.id}`)?.status).toBe('RUNNING');
    expect(space.aws.machines.get(nameOf(last))?.versions.size).toBeLessThanOrEqual(1000);
    // The version of the first revision was deleted, and its execution with it; the reconciler continues the run.
    space.aws.executions.delete(`${nameOf(run)}/${run.id}`);
    space.time.advance(120_000);
    await space.pass(reconcile(space.ports, { isExclusive: false }));
    const moved = await stored(run);
    expect(space.aws.executions.get(`${nameOf(moved)}/${runs.executionOf(moved)}`)?.status).toBe('RUNNING');
  });

  test('a burst of 200 new workflows is stored; those that were throttled are defined when they start', async () => {
    await space.store('w', nap(1));
    await space.pass(Promise.all(Array.from({ length: 200 }, (_, n) => space.store(`w${n}`, nap(1)))));
    expect(space.aws.throttled['CreateStateMachine']).toBeGreaterThan(0);
    expect(space.aws.machines.size).toBe(100);
    space.time.advance(200_000);
    for (let n = 0; n < 200; n += 1) {
      const run = await start(`w${n}`);
      expect(space.aws.executions.get(`${nameOf(run)}/${run.id}`)?.status).toBe('RUNNING');
    }
    expect(space.aws.machines.size).toBe(201);
  });

  test('a start whose machine cannot be defined within some seconds is refused, and leaves no run behind', async () => {
    for (let n = 0; n < 250; n += 1) await space.store(`w${n}`, nap(1));
    const starts = Array.from({ length: 150 }, (_, n) => start(`w${n + 100}`));
    const settled = await Promise.allSettled(starts);
    const refused = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    expect(refused.length).toBeGreaterThan(0);
    expect(refused.every((reason) => reason instanceof BusyError)).toBe(true);
    expect(space.aws.executions.size).toBe(150 - refused.length);
  });

  test('the largest workflow that is accepted fits into a request, and one more call is too many', async () => {
    const calls = (count: number) => {
      const states = Array.from({ length: count }, (_, n) => {
        const next = n < count - 1 ? `, transition: s${n + 1}` : '';
        return `- {id: s${n}, type: action, action: {function: f}${next}}\n`;
      });
      return `functions: [{id: f, type: subflow, workflow: kid}]\nstates:\n${states.join('')}`;
    };
    let [accepted, refused] = [100, 1000];
    while (refused - accepted > 1) {
      const middle = Math.floor((accepted + refused) / 2);
      if ('problems' in compile(calls(middle))) refused = middle;
      else accepted = middle;
    }
    expect(accepted).toBeGreaterThan(500);
    const { revision } = await space.store('w', calls(accepted));
    for (const kind of ['start', 'anyState'] as const) await ensureMachine(space.ports, revision, kind);
    expect(space.aws.machines.size).toBe(2);
  });

  test('a deleted workflow leaves no machine', async () => {
    const { revision } = await space.store('w', nap(1));
    await start('w');
    await ensureMachine(space.ports, revision, 'anyState');
    expect(space.aws.machines.size).toBe(2);
    for (const key of space.aws.executions.keys()) space.aws.complete(...(key.split('/') as [string, string]));
    await deleteNode(space.ports, 'demo', '/w', true);
    await space.pass(reconcile(space.ports, { isExclusive: false }));
    expect(space.aws.machines.size).toBe(0);
  });

  test('machines of 300 deleted workflows go in several passes, without a fault', async () => {
    for (let n = 0; n < 300; n += 1) {
      await space.store(`w${n}`, nap(1));
      space.time.advance(1_000);
    }
    for (let n = 0; n < 300; n += 1) await deleteNode(space.ports, 'demo', `/w${n}`, true);
    await space.pass(reconcile(space.ports, { isExclusive: false }));
    expect(space.aws.machines.size).toBeGreaterThan(0);
    for (let passes = 0; passes < 3; passes += 1) {
      space.time.advance(900_000);
      await space.pass(reconcile(space.ports, { isExclusive: false }));
    }
    expect(space.aws.machines.size).toBe(0);
  });
});

describe('an installation that is deleted and deployed again', () => {
  const redeploy = () => {
    space.ports = space.deployed('weft--0002-');
  };

  test('starts workflows whose machines were deleted with it', async () => {
    await space.store('w', nap(1));
    space.aws.machines.clear();
    redeploy();
    const run = await start('w');
    expect(run.machine).toContain('weft--0002-');
    expect(space.aws.executions.get(`${nameOf(run)}/${run.id}`)?.status).toBe('RUNNING');
    const before = definitions();
    await start('w');
    expect(definitions()).toBe(before);
  });

  test('continues runs whose machine is still being deleted because an execution waits', async () => {
    await space.store('w', nap(1));
    const run = await start('w');
    for (const name of space.aws.machines.keys())
      space.aws.delete(`arn:aws:states:eu-test-1:123456789012:stateMachine:${name}`);
    expect(space.aws.machines.get(nameOf(run))?.isDeleting).toBe(true);
    redeploy();
    space.time.advance(120_000);
    await space.pass(reconcile(space.ports, { isExclusive: false }));
    const moved = await stored(run);
    expect(moved.machine).toContain('weft--0002-');
    expect(space.aws.executions.get(`${nameOf(moved)}/${runs.executionOf(moved)}`)?.status).toBe('RUNNING');
  });
});

test('a week of a schedule of every five minutes starts each tick once, by one machine, within all quotas', async () => {
  const wait = 'states: [{id: a, type: delay, duration: PT40S}]';
  await space.store('often', `start: {type: scheduled, cron: "*/5 * * * *"}\n${wait}\n`);
  await space.pass(reconcile(space.ports, { isExclusive: false }));
  const [schedule] = space.memory.schedules.values();
  if (schedule === undefined) throw new Error('there is no schedule');
  const before = definitions();
  const ticks = (7 * 24 * 60) / 5;
  for (let n = 0; n < ticks; n += 1) {
    const planned = space.time.clock.now();
    // EventBridge Scheduler delivers at least once.
    for (let times = 0; times < 2; times += 1) await space.pass(startByClock(space.ports, schedule.target, planned));
    space.time.advance(5 * 60_000);
  }
  expect([space.aws.executions.size, definitions() - before, space.aws.throttled]).toEqual([ticks, 0, {}]);
});

test('a run that rests after a visit is continued in an installation that is deployed again', async () => {
  await space.store('w', nap(1));
  await rearmAll(space.ports, 'weft--0001-');
  const run = await start('w');
  const pass = async (since: number) => space.pass(reconcile(space.ports, { isExclusive: false, since }));
  space.time.advance(10 * 3_600_000);
  await pass(0);
  space.time.advance(120_000);
  await pass(0);
  space.aws.machines.clear();
  space.aws.executions.clear();
  space.ports = space.deployed('weft--0002-');
  await pass(await rearmAll(space.ports, 'weft--0002-'));
  const moved = await stored(run);
  expect(moved.machine).toContain('weft--0002-');
  expect(space.aws.executions.get(`${nameOf(moved)}/${runs.executionOf(moved)}`)?.status).toBe('RUNNING');
  await pass(await rearmAll(space.ports, 'weft--0002-'));
  expect((await stored(run)).executions).toBe(moved.executions);
});

const cron = 'start: {type: scheduled, cron: "0 8 * * *"}\nstates: [{id: a, type: noop}]\n';

describe('the schedules of an installation that is deleted and deployed again', () => {
  test('are set again once, also those of workflows in directories', async () => {
    await space.store('daily', cron);
    await createDirectory(space.ports, 'demo', '/reports');
    await space.store('reports/daily', cron);
    await space.store('other', nap(1));
    await rearmAll(space.ports, 'weft--0001-');
    await space.pass(reconcile(space.ports, { isExclusive: false }));
    const armed = [...space.memory.schedules.values()];
    expect(armed).toHaveLength(2);
    // The group of the schedules is deleted with the stack.
    space.memory.schedules.clear();
    await rearmAll(space.ports, 'weft--0001-');
    await space.pass(reconcile(space.ports, { isExclusive: false }));
    expect(space.memory.schedules.size).toBe(0);
    await rearmAll(space.ports, 'weft--0002-');
    await space.pass(reconcile(space.ports, { isExclusive: false }));
    expect([...space.memory.schedules.values()]).toEqual(expect.arrayContaining(armed));
  });

  test('start one run for each tick, also for one that is delivered before and after', async () => {
    await space.store(
      'nightly',
      'start: {type: scheduled, cron: "0 8 * * *"}\nstates: [{id: a, type: delay, duration: PT2M}]\n',
    );
    const deploy = async (prefix: string) => {
      space.ports = space.deployed(prefix);
      await rearmAll(space.ports, prefix);
      await space.pass(reconcile(space.ports, { isExclusive: false }));
      const [schedule] = space.memory.schedules.values();
      if (schedule === undefined) throw new Error('there is no schedule');
      // EventBridge Scheduler delivers at least once.
      return async (planned: number) => {
        for (let times = 0; times < 2; times += 1)
          await space.pass(startByClock(space.ports, schedule.target, planned));
      };
    };
    const runsOfMachines = () => [...space.aws.executions.keys()].map((key) => key.split('/')).toSorted();
    const firstTick = space.time.clock.now();
    await (await deploy('weft--0001-'))(firstTick);
    const [[, first] = []] = runsOfMachines();
    space.memory.schedules.clear();
    space.aws.machines.clear();
    space.aws.executions.clear();
    space.time.advance(3_600_000);
    const tick = await deploy('weft--0002-');
    await tick(firstTick);
    await tick(firstTick + 86_400_000);
    const after = runsOfMachines();
    expect(after.map(([machine]) => machine?.slice(0, 11))).toEqual(['weft--0002-', 'weft--0002-']);
    // The run of the first tick goes on, in a new execution.
    expect(after.filter(([, name]) => name?.startsWith(first ?? '-'))).toHaveLength(1);
    expect(new Set(after.map(([, name]) => name)).size).toBe(2);
  });
});

const nameOf = ({ machine }: runs.Run): string => machine.split(':')[6] ?? '';
