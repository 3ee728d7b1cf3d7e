import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { LocalTable } from '../../lib/adapters/local/table/table.ts';
import { cases, IS_FULL } from '../effort.ts';
import { type Specimen, specimens } from './world/corpus.ts';
import { type Crash, CrashedError } from './world/crashing-ports.ts';
import { openDatabase, World } from './world/engine-world.ts';
import { runsOf, type Snapshot, snapshotOf, unfinishedOf } from './world/snapshot.ts';

/** How many worlds run side by side, each with a database of its own: the reconciler visits all namespaces of a database. */
const LANES = 4;

const databases: LocalTable[] = [];
const totals = { runs: 0, crashes: 0, differences: 0 };

beforeAll(async () => {
  databases.push(...(await Promise.all(Array.from({ length: LANES }, openDatabase))));
});

afterAll(async () => {
  const { runs, crashes, differences } = totals;
  console.log(`workflows: ${specimens.length}, runs: ${runs}, crashes: ${crashes}, differences: ${differences}`);
  await Promise.all(databases.map((database) => database.close()));
});

/** Starts the run, again after a crash that lost the request, and runs everything to the end. */
async function runOnce(world: World, { sources, input }: Specimen): Promise<Snapshot> {
  totals.runs += 1;
  await world.store(sources);
  await world.execute('main', input).catch(ignoreCrash);
  await world.pass();
  if (world.process.hasCrashed) {
    totals.crashes += 1;
    await world.restart();
    if ((await runsOf(world)).length === 0) await world.execute('main', input);
    await world.pass();
  }
  return snapshotOf(world);
}

function ignoreCrash(error: unknown): void {
  if (!(error instanceof CrashedError)) throw error;
}

async function outcomeOf(database: LocalTable, specimen: Specimen, crash?: Crash) {
  const world = new World(database, { crash, countsJournal: true });
  try {
    const snapshot = await runOnce(world, specimen);
    return { snapshot: { ...snapshot, executions: unfinishedOf(world) }, operations: world.process.operations };
  } finally {
    await world.close();
  }
}

/** Of a longer run only some operations are tried; they differ between workflows. */
const ALWAYS_TRIED = cases(2, 8);
const STRIDE = cases(5, 3);

/**
 * With full effort a crash before some operations is tried too: it leaves the same state as one after the previous operation,
 * unless two overlap.
 */
function* crashesOf(operations: number): Generator<Crash> {
  for (let at = 1; at <= operations; at += 1) {
    if (at === 1 || (IS_FULL && at % STRIDE === 0)) yield { at, when: 'before' };
    if (at <= ALWAYS_TRIED || (at + operations) % STRIDE === 0) yield { at, when: 'after' };
  }
}

type Clean = Awaited<ReturnType<typeof outcomeOf>>;

async function differencesOf(specimen: Specimen, { snapshot, operations }: Clean) {
  const differences: { crash: Crash; found: unknown }[] = [];
  const crashes = crashesOf(operations);
  const lanes = databases.map(async (database) => {
    for (const crash of crashes) {
      const found = await outcomeOf(database, specimen, crash);
      if (JSON.stringify(found.snapshot) !== JSON.stringify(snapshot))
        differences.push({ crash, found: found.snapshot });
    }
  });
  await Promise.all(lanes);
  totals.differences += differences.length;
  return differences;
}

describe('a crash before or after any durable operation does not change the result of', () => {
  test.each(specimens.map((specimen) => [specimen.name, specimen] as const))('%s', async (_name, specimen) => {
    const [database] = databases;
    if (database === undefined) throw new Error('there is no database');
    const clean = await outcomeOf(database, specimen);
    const main = clean.snapshot.runs.map((text) => JSON.parse(text)).find(({ path }) => path === '/main');
    expect(main).toMatchObject({ status: specimen.status, ...(specimen.code ? { code: specimen.code } : {}) });
    expect(clean.snapshot.executions).toEqual([]);
    const differences = await differencesOf(specimen, clean);
    expect(differences.slice(0, 1).map(({ crash, found }) => ({ crash, found }))).toEqual(
      differences.slice(0, 1).map(({ crash }) => ({ crash, found: clean.snapshot })),
    );
  });
});
