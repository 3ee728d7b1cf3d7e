import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { LocalTable } from '../../../lib/adapters/local/table/table.ts';
import type { Run } from '../../../lib/domain/runs/runs.ts';
import { cancel } from '../../../lib/engine/calls/cancel.ts';
import { cases } from '../../effort.ts';
import { type Specimen, specimens } from '../world/corpus.ts';
import { openDatabase, World } from '../world/engine-world.ts';
import { runsOf, unfinishedOf } from '../world/snapshot.ts';

let database: LocalTable;
beforeAll(async () => {
  database = await openDatabase();
});
const totals = { cancels: 0, won: 0 };
afterAll(async () => {
  console.log(`cancellations: ${totals.cancels}, of which ${totals.won} came in time`);
  await database.close();
});

/** Who runs on after its caller has left: a child nobody waits for, and what lost to another branch. */
const RUN_ON = /async|parallel or with a winner/;
const WAITING = specimens.filter(({ name }) =>
  /action|async|delay|loop|foreach|parallel|retr|three|timeout/.test(name),
);

/** Which run is cancelled. */
type Pick = (runs: readonly Run[]) => Run | undefined;
const main: Pick = (runs) => runs.find(({ path }) => path === '/main');
const child: Pick = (runs) => runs.find(({ path, status }) => path !== '/main' && status === 'pending');

interface Moment {
  /** At the how-manieth call to a port, from 1. */
  readonly at: number;
  /** Whether that call waits until the cancellation is through. */
  readonly isAlone: boolean;
  /** Turns of the event loop that the calls to the ports are held up, in a ring. */
  readonly delays?: readonly number[];
}

async function delayed(turns: number): Promise<void> {
  for (let count = 0; count < turns; count += 1) await turn();
}

/** Runs the specimen and cancels one of its runs at a moment; false when the specimen makes no such call. */
async function cancelAt(world: World, { sources, input }: Specimen, pick: Pick, moment: Moment): Promise<boolean> {
  const { at, isAlone, delays = [0] } = moment;
  let calls = 0;
  let cancelling: Promise<void> | undefined;
  await world.store(sources);
  world.life.onCall = async () => {
    calls += 1;
    await delayed(delays[calls % delays.length] ?? 0);
    if (calls < at || cancelling !== undefined) return;
    const found = pick(await runsOf(world));
    if (found === undefined || cancelling !== undefined) return;
    cancelling = world.life.work(() => cancel(world.ports, found));
    if (isAlone) await cancelling;
  };
  await world.execute('main', input);
  await world.pass();
  await cancelling;
  return calls >= at;
}

function isOver({ status }: Run): boolean {
  return status !== 'pending';
}

/** After a cancellation nothing is left to wait for, whatever it interrupted. */
async function expectEnds(world: World): Promise<Run | undefined> {
  const found = await runsOf(world);
  expect(found.filter((run) => !isOver(run)).map(({ path, machine }) => ({ path, machine }))).toEqual([]);
  expect(unfinishedOf(world)).toEqual([]);
  expect([...world.endings.values()].filter((times) => times !== 1)).toEqual([]);
  return main(found);
}

async function tryMoment(specimen: Specimen, pick: Pick, moment: Moment): Promise<boolean> {
  const world = new World(database);
  try {
    const wasReached = await cancelAt(world, specimen, pick, moment);
    const ended = await expectEnds(world);
    totals.cancels += 1;
    if (ended?.code === 'service.cancels.api') totals.won += 1;
    return wasReached;
  } finally {
    await world.close();
  }
}

/** Every call would take minutes: the first one, and then every so-manieth. */
describe.each([
  ['many a call to a port, which waits for it', true, cases(7, 3)],
  ['many a call to a port, at the same time', false, cases(11, 5)],
] as const)('a run that is cancelled at %s ends once, with all it waits for:', (_how, isAlone, stride) => {
  test.each(WAITING.map((specimen) => [specimen.name, specimen] as const))('%s', async (_name, specimen) => {
    for (let at = 1; await tryMoment(specimen, main, { at, isAlone }); at += stride);
  });
});

test('a child that is cancelled at many a call to a port ends once, and its caller goes on', async () => {
  const callers = WAITING.filter(({ sources }) => Object.keys(sources).length > 1);
  for (const specimen of callers)
    for (let at = 1; await tryMoment(specimen, child, { at, isAlone: true }); at += cases(13, 6));
});

test('a run that is cancelled in any interleaving ends once, with all it waits for', async () => {
  const moments = fc.record({
    specimen: fc.constantFrom(...WAITING),
    at: fc.nat(60),
    isAlone: fc.boolean(),
    delays: fc.array(fc.nat(4), { minLength: 1, maxLength: 7 }),
  });
  await fc.assert(
    fc.asyncProperty(moments, async ({ specimen, ...moment }) => void (await tryMoment(specimen, main, moment))),
    { numRuns: cases(80, 200) },
  );
});

test('nobody that waits outlives a cancelled caller', async () => {
  for (const specimen of WAITING.filter(({ name }) => !RUN_ON.test(name))) {
    const world = new World(database);
    await world.store(specimen.sources);
    await world.execute('main', specimen.input);
    await world.pass(world.time.clock.now() + 500);
    const running = main(await runsOf(world));
    if (running !== undefined) await cancel(world.ports, running);
    await world.pass(world.time.clock.now());
    const found = await runsOf(world);
    const cancelled = found.filter(({ code }) => code === 'service.cancels.parent');
    expect(found.filter((run) => !isOver(run))).toEqual([]);
    expect(cancelled.every(({ status }) => status === 'failed')).toBe(true);
    await world.close();
  }
});
