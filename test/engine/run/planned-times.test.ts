import { expect, test } from 'vitest';
import * as runs from '../../../lib/domain/runs/runs.ts';
import { createWorkflow } from '../../../lib/engine/changes/publishing.ts';
import { rerun } from '../../../lib/engine/requests/start/rerun.ts';
import { execute } from '../../../lib/engine/requests/start/start.ts';
import { startByClock } from '../../../lib/engine/routing/starts.ts';
import { runsOf } from '../world/snapshot.ts';
import { openWorlds } from '../world/worlds.ts';

const worldWith = openWorlds();

const PLANNED = Date.UTC(2020, 0, 1, 8);
const SOURCE = `start: {type: scheduled, cron: '0 8 * * *'}
states: [{id: a, type: getter, variables: [{key: scheduled, scope: system}], transform: jq(.var)}]
`;

async function worldWithSchedule() {
  const world = await worldWith({});
  const address = { namespace: world.namespace, path: '/main' };
  await createWorkflow(world.ports, { ...address, source: SOURCE });
  const [schedule] = world.schedules.values();
  if (schedule === undefined) throw new Error('no schedule');
  const start = (planned?: number) =>
    execute(world.ports, {
      ...address,
      ref: '',
      input: new Uint8Array(),
      ...(planned === undefined ? {} : { planned }),
    });
  const dataOf = async (id: string) => {
    await world.pass();
    return (await runs.find(world.reliable, id))?.data;
  };
  return { world, tick: () => startByClock(world.ports, schedule.target, PLANNED), start, dataOf };
}

test('a run reads its planned time, also where it is repeated twice; another run reads null', async () => {
  const { world, tick, start, dataOf } = await worldWithSchedule();
  await tick();
  let [run] = await runsOf(world);
  for (const _ of ['the run', 'a repetition', 'a repetition of that']) {
    if (run === undefined) throw new Error('no run');
    expect(await dataOf(run.id)).toEqual({ scheduled: '2020-01-01T08:00:00Z' });
    const ended = await runs.find(world.reliable, run.id);
    const how = { from: '', revision: 'pinned', repeat: 'all', patch: [] } as const;
    run = ended && (await rerun(world.ports, ended, how)).run;
  }
  expect(await dataOf((await start()).run.id)).toEqual({ scheduled: null });
});

test.each([
  ['the clock', 'a request'],
  ['a request', 'the clock'],
])('a planned time has one run: %s starts it, and %s finds it', async (first) => {
  const { world, tick, start, dataOf } = await worldWithSchedule();
  if (first === 'the clock') await tick();
  const started = await start(PLANNED);
  await tick();
  const again = await start(PLANNED);
  expect([started.existing, again.existing]).toEqual([first === 'the clock', true]);
  expect(again.run.id).toBe(started.run.id);
  expect((await runsOf(world)).map(({ invoker, input }) => [invoker, input.length])).toEqual([['cron', 0]]);
  expect(await dataOf(started.run.id)).toEqual({ scheduled: '2020-01-01T08:00:00Z' });
});

test('a planned time that the clock and requests start at the same moment has one run', async () => {
  const { world, tick, start } = await worldWithSchedule();
  const started = await Promise.all([start(PLANNED), tick(), start(PLANNED), tick()]);
  expect(await runsOf(world)).toHaveLength(1);
  expect(started.flatMap((one) => (one === undefined || one.existing ? [] : ['started'])).length).toBeLessThan(2);
});
