import { beforeEach, describe, expect, test } from 'vitest';
import * as instances from '../../../lib/domain/instances/instances.ts';
import { writtenLinesOf } from '../../../lib/domain/logs/lines.ts';
import * as namespaces from '../../../lib/domain/namespaces/namespaces.ts';
import * as tree from '../../../lib/domain/tree/tree.ts';
import * as workflows from '../../../lib/domain/tree/workflows.ts';
import { createWorkflow, deleteNode, toggleWorkflow, updateWorkflow } from '../../../lib/engine/changes/publishing.ts';
import { keepDeadLetter } from '../../../lib/engine/events/dead-letters.ts';
import { redeliverAll } from '../../../lib/engine/routing/redelivery.ts';
import { startByClock } from '../../../lib/engine/routing/starts.ts';
import { MemoryPorts } from '../../engine/world/memory-ports.ts';

const MINUTE = 60_000;
const cron = (text: string): string => `start: {type: scheduled, cron: '${text}'}\nstates:\n- {id: a, type: noop}\n`;

let quiet: MemoryPorts;

beforeEach(async () => {
  quiet = new MemoryPorts();
  await quiet.namespace('clock');
});

const store = (source: string, path = '/flow') =>
  createWorkflow(quiet.ports, { namespace: 'clock', path, source }).then(() => [...quiet.schedules.values()]);

const runsOf = async () => {
  const request = { limit: 0, offset: 0, order: [], filter: [] };
  return (await instances.list(quiet.ports, 'clock', request)).results;
};

/** The lines of the log of the workflow, without those of its runs. */
async function linesOf(): Promise<string[]> {
  const { node } = await workflows.open(quiet.ports, 'clock', '/flow');
  const lines: string[] = [];
  for await (const page of writtenLinesOf(quiet.ports, node.id, { day: quiet.now, from: 0 })) {
    lines.push(...page.map(({ text }) => text));
  }
  return lines.filter((line) => line.startsWith('Did not start'));
}

/** A tick of the only schedule, for a planned time. */
async function tick(planned: number): Promise<void> {
  const [schedule] = quiet.schedules.values();
  if (schedule === undefined) throw new Error('there is no schedule');
  await startByClock(quiet.ports, schedule.target, planned);
}

describe('a workflow with a cron start', () => {
  test('gets its schedule when it is stored, and loses it when it is disabled, changed or deleted', async () => {
    expect(await store(cron('*/5 * * * *'))).toMatchObject([{ cron: '*/5 * * * *', target: { workflow: '/flow' } }]);
    await toggleWorkflow(quiet.ports, 'clock', '/flow', false);
    expect(quiet.schedules.size).toBe(0);
    await toggleWorkflow(quiet.ports, 'clock', '/flow', true);
    expect(quiet.schedules.size).toBe(1);
    await updateWorkflow(quiet.ports, { namespace: 'clock', path: '/flow', source: cron('@hourly') });
    expect([...quiet.schedules.values()]).toMatchObject([{ cron: '@hourly' }]);
    await deleteNode(quiet.ports, 'clock', '/flow', false);
    expect(quiet.schedules.size).toBe(0);
  });

  test('is stored although its cron pattern is invalid, and is never started', async () => {
    expect(await store(cron('every morning'))).toEqual([]);
  });

  test('starts once for each planned minute, however often a tick is delivered and by how many clocks', async () => {
    await store(cron('* * * * *'));
    const planned = quiet.now;
    await tick(planned);
    await tick(planned);
    quiet.now += 40 * MINUTE;
    await Promise.all([tick(planned), tick(planned), tick(planned + MINUTE), tick(planned + MINUTE)]);
    const runs = await runsOf();
    expect(runs.map(({ invoker }) => invoker)).toEqual(['cron', 'cron']);
    expect(runs.map(({ status }) => status)).toEqual(['complete', 'complete']);
  });

  test('has an empty input', async () => {
    await store(cron('* * * * *'));
    await tick(quiet.now);
    const [{ id } = { id: '' }] = await runsOf();
    const run = await instances.need(quiet.ports, 'clock', id);
    expect([run.input.length, run.data]).toEqual([0, { input: '' }]);
  });

  describe.each([
    ['latest', '* * * * *', [4, 5, 6], [4, 5]],
    ['latest', '@every 20m', [4, 6, 19, 21], [4, 6, 19]],
    ['all', '* * * * *', [4, 6, 900], [4, 6, 900]],
    ['none', '0 2 * * *', [4, 5, 6, 900], [4, 5]],
    [undefined, '* * * * *', [4, 6, 900], [4, 6, 900]],
  ])('with missed: %s and %s', (missed, pattern, late, started) => {
    const field = missed === undefined ? '' : `, missed: ${missed}`;
    const source = `start: {type: scheduled, cron: '${pattern}'${field}}\nstates:\n- {id: a, type: noop}\n`;

    test(`of ticks that are ${late} minutes late starts those of ${started}`, async () => {
      await store(source);
      const by = new Map<string, number>();
      for (const minutes of late) {
        await tick(quiet.now - minutes * MINUTE);
        for (const { id } of await runsOf()) if (!by.has(id)) by.set(id, minutes);
      }
      expect([...by.values()]).toEqual(started);
      expect(await linesOf()).toHaveLength(late.length - started.length);
    });
  });

  test('logs why a planned time starts no run, and starts it when its dead letter is delivered again', async () => {
    await store("start: {type: scheduled, cron: '0 2 * * *', missed: none}\nstates:\n- {id: a, type: noop}\n");
    const [{ target } = { target: { id: '', namespace: '', workflow: '' } }] = quiet.schedules.values();
    const planned = quiet.now - 600 * MINUTE;
    await startByClock(quiet.ports, target, planned);
    expect(await runsOf()).toEqual([]);
    const reason = "'missed' is none, and it is 600 minutes late";
    expect(await linesOf()).toEqual([`Did not start for the planned time 2026-01-15T02:00:00Z: ${reason}.`]);
    const failure = { failed: quiet.now, tries: 3, error: 'x' };
    await keepDeadLetter(quiet.ports, { target, planned: new Date(planned).toISOString() }, failure);
    const namespace = await namespaces.need(quiet.ports, 'clock');
    expect(await redeliverAll(quiet.ports, namespace)).toMatchObject({ redelivered: 1 });
    expect(await runsOf()).toHaveLength(1);
  });

  test.each([
    ['all', true, true],
    ['all', false, false],
    ['latest', true, false],
  ])(
    'with missed: %s, a time whose delays cost no attempt (%s) waits for the rate: %s',
    async (missed, isPatient, waits) => {
      await store(`start: {type: scheduled, cron: '0 2 * * *', missed: ${missed}}\nstates:\n- {id: a, type: noop}\n`);
      const [{ target } = { target: { id: '', namespace: '', workflow: '' } }] = quiet.schedules.values();
      const ports = { ...quiet.ports, settings: { ...quiet.ports.settings, limits: { startsPerSecond: 0.5 } } };
      const startAll = async () => {
        for (let late = 600; late < 620; late += 1) {
          await startByClock(ports, target, quiet.now - late * MINUTE, { isPatient });
        }
      };
      if (waits) await expect(startAll()).rejects.toThrow('starts more than 0.5 runs a second');
      else await expect(startAll()).resolves.toBeUndefined();
    },
  );

  test('logs which missed times are too many to be started', async () => {
    await store("start: {type: scheduled, cron: '0 2 * * *', missed: all}\nstates:\n- {id: a, type: noop}\n");
    expect([...quiet.schedules.values()]).toMatchObject([{ missed: 'all' }]);
    const [{ target } = { target: { id: '', namespace: '', workflow: '' } }] = quiet.schedules.values();
    const planned = Date.UTC(2026, 0, 1, 2);
    await startByClock(quiet.ports, target, planned, { omittedUntil: Date.UTC(2026, 0, 15, 2) });
    expect(await runsOf()).toHaveLength(1);
    const [line] = await linesOf();
    expect(line).toContain('--from 2026-01-01T02:00:00Z --to 2026-01-15T02:00:00Z');
  });

  test.each([
    ['that starts its run', '', 1],
    ['that starts none', ', missed: none', 0],
  ])('logs with a time %s which times before it passed while no process ran', async (_, missed, runs) => {
    await store(`start: {type: scheduled, cron: '0 2 * * *'${missed}}\nstates:\n- {id: a, type: noop}\n`);
    const [{ target } = { target: { id: '', namespace: '', workflow: '' } }] = quiet.schedules.values();
    await startByClock(quiet.ports, target, Date.UTC(2026, 0, 4, 2), { missedSince: Date.UTC(2026, 0, 2, 2) });
    expect(await runsOf()).toHaveLength(runs);
    expect((await linesOf()).join('\n')).toContain(
      "Did not start for the planned times from 2026-01-02T02:00:00Z and before 2026-01-04T02:00:00Z: the service did not run then, and 'missed' is not 'all'.",
    );
  });

  test('does not start for a tick after it was disabled, changed or deleted', async () => {
    await store(cron('* * * * *'));
    const [{ target } = { target: { id: '', namespace: '', workflow: '' } }] = quiet.schedules.values();
    const late = () => startByClock(quiet.ports, target, quiet.now);
    await toggleWorkflow(quiet.ports, 'clock', '/flow', false);
    await late();
    await toggleWorkflow(quiet.ports, 'clock', '/flow', true);
    await updateWorkflow(quiet.ports, {
      namespace: 'clock',
      path: '/flow',
      source: 'states:\n- {id: a, type: noop}\n',
    });
    await late();
    await deleteNode(quiet.ports, 'clock', '/flow', false);
    await late();
    expect(await runsOf()).toEqual([]);
  });

  test('keeps its schedule when it or its directory is renamed', async () => {
    await tree.createDirectory(quiet.ports, 'clock', '/dir');
    await store(cron('* * * * *'), '/dir/flow');
    await tree.rename(quiet.ports, 'clock', '/dir', '/other');
    await tick(quiet.now);
    expect((await runsOf()).map(({ as }) => as)).toEqual(['/other/flow']);
    expect([...quiet.schedules.values()]).toMatchObject([{ target: { workflow: '/other/flow' } }]);
  });
});
