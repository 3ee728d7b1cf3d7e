import { beforeEach, describe, expect, test } from 'vitest';
import * as instances from '../../../lib/domain/instances/instances.ts';
import * as tree from '../../../lib/domain/tree/tree.ts';
import { createWorkflow, deleteNode, toggleWorkflow, updateWorkflow } from '../../../lib/engine/changes/publishing.ts';
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
