import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { LocalTable } from '../../lib/adapters/local/table/table.ts';
import { IS_FULL } from '../effort.ts';
import { type Specimen, specimens } from './world/corpus.ts';
import { openDatabase, World } from './world/engine-world.ts';
import { type Death, Died } from './world/mortal.ts';
import { runsOf, type Snapshot, snapshotOf, unfinishedOf } from './world/snapshot.ts';

/** Worlds side by side, each with a database of its own: a sweep goes through all that is in one. */
const LANES = 4;
/** What was lost is found at the latest by the second sweep. */
const MOST_SWEEPS = 2;

const databases: LocalTable[] = [];
const totals = { runs: 0, deaths: 0, differences: 0 };

beforeAll(async () => {
  databases.push(...(await Promise.all(Array.from({ length: LANES }, openDatabase))));
});

afterAll(async () => {
  const { runs, deaths, differences } = totals;
  console.log(`workflows: ${specimens.length}, runs: ${runs}, deaths: ${deaths}, differences: ${differences}`);
  await Promise.all(databases.map((database) => database.close()));
});

async function isAnythingOpen(world: World): Promise<boolean> {
  const found = await runsOf(world);
  return unfinishedOf(world).length > 0 || found.some(({ status }) => status === 'pending');
}

/** Starts the run as a client does who asks again when nothing came of it, and goes on until all is over. */
async function runOnce(world: World, { sources, input }: Specimen): Promise<Snapshot> {
  totals.runs += 1;
  await world.store(sources);
  await world.execute('main', input).catch(ignoreDeath);
  await world.pass();
  if (world.life.isOver) {
    totals.deaths += 1;
    await world.resume();
    if ((await runsOf(world)).length === 0) await world.execute('main', input);
    await world.pass();
  }
  for (let sweeps = 0; sweeps < MOST_SWEEPS && (await isAnythingOpen(world)); sweeps += 1) {
    await world.sweepLater();
    await world.pass();
  }
  return snapshotOf(world);
}

function ignoreDeath(error: unknown): void {
  if (!(error instanceof Died)) throw error;
}

async function outcomeOf(database: LocalTable, specimen: Specimen, death?: Death) {
  const world = new World(database, { death, countsJournal: true });
  try {
    const snapshot = await runOnce(world, specimen);
    return { snapshot: { ...snapshot, executions: unfinishedOf(world) }, moves: world.life.moves };
  } finally {
    await world.close();
  }
}

/**
 * A death before a move leaves what a death after the former move leaves, unless two moves overlap: so all deaths
 * before a move are tried only with full effort.
 */
function* deathsOf(moves: number): Generator<Death> {
  for (let at = 1; at <= moves; at += 1) {
    if (IS_FULL || at === 1) yield { at, when: 'before' };
    yield { at, when: 'after' };
  }
}

type Clean = Awaited<ReturnType<typeof outcomeOf>>;

async function differencesOf(specimen: Specimen, { snapshot, moves }: Clean) {
  const differences: { death: Death; found: unknown }[] = [];
  const deaths = deathsOf(moves);
  const lanes = databases.map(async (database) => {
    for (const death of deaths) {
      const found = await outcomeOf(database, specimen, death);
      if (JSON.stringify(found.snapshot) !== JSON.stringify(snapshot))
        differences.push({ death, found: found.snapshot });
    }
  });
  await Promise.all(lanes);
  totals.differences += differences.length;
  return differences;
}

describe('a process that dies before or after any durable move changes nothing of', () => {
  test.each(specimens.map((specimen) => [specimen.name, specimen] as const))('%s', async (_name, specimen) => {
    const [database] = databases;
    if (database === undefined) throw new Error('there is no database');
    const clean = await outcomeOf(database, specimen);
    const main = clean.snapshot.runs.map((text) => JSON.parse(text)).find(({ path }) => path === '/main');
    expect(main).toMatchObject({ status: specimen.status, ...(specimen.code ? { code: specimen.code } : {}) });
    expect(clean.snapshot.executions).toEqual([]);
    const differences = await differencesOf(specimen, clean);
    expect(differences.slice(0, 1).map(({ death, found }) => ({ death, found }))).toEqual(
      differences.slice(0, 1).map(({ death }) => ({ death, found: clean.snapshot })),
    );
  });
});
