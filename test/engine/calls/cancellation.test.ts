import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { LocalTable } from '../../../lib/adapters/local/table/table.ts';
import type { Run } from '../../../lib/domain/runs/runs.ts';
import { cancel } from '../../../lib/engine/delivery/deliver.ts';
import { cases } from '../../effort.ts';
import fc from '../../fast-check.ts';
import { type Specimen, specimens } from '../world/corpus.ts';
import { openDatabase, World } from '../world/engine-world.ts';
import { runsOf, unfinishedOf } from '../world/snapshot.ts';

let database: LocalTable;
beforeAll(async () => {
  database = await openDatabase();
});
const totals = { cancels: 0, won: 0 };
afterAll(async () => {
  console.log(`cancellations: ${totals.cancels}, of which ${totals.won} ended the run`);
  await database.close();
});

/** Workflows whose children run on after their caller has ended. */
const RUN_ON = /async|parallel or with a winner/;
const WAITING = specimens.filter(({ name }) =>
  /action|async|delay|loop|foreach|parallel|retr|three|timeout/.test(name),
);

/** Chooses the run to cancel. */
type Pick = (runs: readonly Run[]) => Run | undefined;
const main: Pick = (runs) => runs.find(({ path }) => path === '/main');
const child: Pick = (runs) => runs.find(({ path, status }) => path !== '/main' && status === 'pending');

interface Moment {
  /** The number of the call to a port at which the run is cancelled, from 1. */
  readonly at: number;
  /** Whether that call waits for the end of the cancellation. */
  readonly isAlone: boolean;
  /** How many turns of the event loop each call to a port is delayed; the numbers are used in a cycle. */
  readonly delays?: readonly number[];
}

async function delayed(turns: number): Promise<void> {
  for (let count = 0; count < turns; count += 1) await turn();
}

/** Runs the specimen and cancels one of its runs. Returns false when it ended before that call. */
async function cancelAt(world: World, { sources, input }: Specimen, pick: Pick, moment: Moment): Promise<boolean> {
  const { at, isAlone, delays = [0] } = moment;
  let calls = 0;
  let cancelling: Promise<unknown> | undefined;
  await world.store(sources);
  world.process.onCall = async () => {
    calls += 1;
    await delayed(delays[calls % delays.length] ?? 0);
    if (calls < at || cancelling !== undefined) return;
    const found = pick(await runsOf(world));
    if (found === undefined || cancelling !== undefined) return;
    cancelling = world.process.work(() => cancel(world.ports, found));
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

/** Checks that after a cancellation no run waits, and every run ended once. */
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

/** To cancel at every call would take minutes. */
describe.each([
  ['many calls to a port, each of which waits for the cancellation', true, cases(13, 5)],
  ['many calls to a port, at the same time', false, cases(19, 7)],
] as const)('a run that is cancelled at %s ends once, with everything it waits for:', (_how, isAlone, stride) => {
  test.each(WAITING.map((specimen) => [specimen.name, specimen] as const))('%s', async (_name, specimen) => {
    for (let at = 1; await tryMoment(specimen, main, { at, isAlone }); at += stride);
  });
});

test('a child that is cancelled at many calls to a port ends once, and its caller goes on', async () => {
  const callers = WAITING.filter(({ sources }) => Object.keys(sources).length > 1);
  for (const specimen of callers)
    for (let at = 1; await tryMoment(specimen, child, { at, isAlone: true }); at += cases(29, 9));
});

test('a run that is cancelled in a random interleaving ends once, with everything it waits for', async () => {
  const moments = fc.record({
    specimen: fc.constantFrom(...WAITING),
    at: fc.nat(60),
    isAlone: fc.boolean(),
    delays: fc.array(fc.nat(4), { minLength: 1, maxLength: 7 }),
  });
  await fc.assert(
    fc.asyncProperty(moments, async ({ specimen, ...moment }) => void (await tryMoment(specimen, main, moment))),
    { numRuns: cases(40, 120) },
  );
});

test('every child that waits is cancelled with its caller', async () => {
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
