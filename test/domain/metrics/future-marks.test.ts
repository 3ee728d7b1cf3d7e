import { expect, test } from 'vitest';
import * as aggregates from '../../../lib/domain/metrics/aggregates.ts';
import * as metrics from '../../../lib/domain/metrics/metrics.ts';
import { begun, counterNames, ended } from '../../../lib/domain/metrics/run-counts.ts';
import { numberAt } from '../../../lib/domain/metrics/sums.ts';
import * as namespaces from '../../../lib/domain/namespaces/namespaces.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../lib/time/units.ts';
import { CountedRuns } from './counted-runs.ts';

async function countsOf(world: CountedRuns, home: namespaces.Namespace, workflow: string) {
  const prefix = counterNames.ofWorkflow(workflow);
  const before = (await aggregates.read(world.needs, home, begun, { prefix })).get(prefix) ?? {};
  const after = (await aggregates.read(world.needs, home, ended, { prefix })).get(prefix) ?? {};
  const [runs, done, failed, ms] = [before, after, after, after].map((sums, index) =>
    numberAt(sums, ['runs', 'done', 'failed', 'ms'][index] ?? ''),
  );
  return { runs, done, failed, ms };
}

async function makeRuns(world: CountedRuns, home: namespaces.Namespace, count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    const run = await world.begin(world.newRun(home, 'w'));
    world.now += 1000;
    await world.end(run, n % 3 === 0 ? 'failed' : 'complete');
  }
}

/** Withdraws future marks, as a start does where no other process is at work. */
async function settle(world: CountedRuns): Promise<namespaces.Namespace> {
  await namespaces.withdrawFuture(world.needs, await world.namespace());
  const home = await world.namespace();
  await metrics.withdrawFutureMarks(world.needs, home);
  return home;
}

test.each([
  ['some minutes', 40 * MINUTE_MS],
  ['days', 3 * DAY_MS],
])('runs are counted once after the clock was %s ahead and counters were made then', async (_, ahead) => {
  const world = new CountedRuns();
  const home = await world.namespace();
  await makeRuns(world, home, 30);
  world.now += ahead;
  // More than one transaction takes off: each run has an hour of its own.
  for (let hour = 0; hour < 120; hour += 1) {
    await makeRuns(world, home, 5);
    world.now += hour % 2 === 0 ? 1 : HOUR_MS;
  }
  const away = world.now;
  world.now += HOUR_MS;
  await metrics.rollUp(world.needs, home);
  world.now = Date.UTC(2026, 0, 15, 12) + 10 * MINUTE_MS;
  await settle(world);
  await makeRuns(world, home, 25);
  // A second start withdraws no mark.
  await settle(world);
  world.now += 30 * MINUTE_MS;
  await metrics.rollUp(world.needs, home);
  await makeRuns(world, home, 7);
  world.now = away + HOUR_MS;
  await metrics.rollUp(world.needs, home);
  await makeRuns(world, home, 3);
  expect(await countsOf(world, home, 'w')).toEqual(world.truth('w'));
});

test('runs of a namespace that was created while the clock was ahead are counted', async () => {
  const world = new CountedRuns();
  world.now += 3 * DAY_MS;
  await makeRuns(world, await world.namespace(), 4);
  world.now -= 2 * DAY_MS;
  const home = await settle(world);
  await makeRuns(world, home, 5);
  expect((await countsOf(world, home, 'w')).runs).toBe(5);
  expect(home.created).toBeLessThanOrEqual(world.now);
  world.now += 3 * DAY_MS;
  expect(await countsOf(world, home, 'w')).toEqual(world.truth('w'));
});
