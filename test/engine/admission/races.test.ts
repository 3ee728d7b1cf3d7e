import { afterAll, describe, expect, test } from 'vitest';
import { openEndpointTable } from '../../../lib/adapters/local/endpoint/tables.ts';
import { type LocalTable, openLocalTable } from '../../../lib/adapters/local/table/table.ts';
import * as namespaces from '../../../lib/domain/namespaces/namespaces.ts';
import * as runs from '../../../lib/domain/runs/runs.ts';
import { leaveHere, takeHere } from '../../../lib/engine/admission/call-places.ts';
import { cancel } from '../../../lib/engine/delivery/deliver.ts';
import { startDynamoDBLocal } from '../../emulator/dynamodb-local.ts';
import { UnavailableError } from '../../emulator/python-packages.ts';
import { World } from '../world/engine-world.ts';
import { runsOf } from '../world/snapshot.ts';
import { rowsOf } from './admission-world.ts';

const LIMIT = 2;
const STARTS = 12;
const SOURCE = `concurrency: {limit: ${LIMIT}, key: jq(.k)}
states: [{id: until, type: consumeEvent, event: {type: go}}]
`;

const emulator = await startDynamoDBLocal().catch((error: unknown) => {
  if (error instanceof UnavailableError) return error.message;
  throw error;
});
const local = await openLocalTable();
afterAll(async () => {
  await local.close();
  if (typeof emulator !== 'string') await emulator.close();
});

/** How many runs are at work, queued and ended. */
async function countsOf(world: World): Promise<readonly number[]> {
  const all = await runsOf(world);
  const queued = all.filter(runs.isQueued).length;
  const pending = all.filter(({ status }) => status === 'pending').length;
  return [pending - queued, queued, all.length - pending];
}

/** The index that lists runs follows the table some time later in DynamoDB. */
const expectCounts = (world: World, counts: readonly number[]): Promise<void> =>
  expect.poll(() => countsOf(world), { timeout: 30_000 }).toEqual(counts);

/** Starts all runs at the same time, then cancels all that are at work at the same time, until all have ended. */
async function race(database: LocalTable): Promise<void> {
  const world = new World(database);
  try {
    await world.store({ main: SOURCE });
    await Promise.all(Array.from({ length: STARTS }, () => world.execute('main', '{"k":"a"}')));
    for (let ended = 0; ended < STARTS; ended += LIMIT) {
      await expectCounts(world, [LIMIT, STARTS - LIMIT - ended, ended]);
      const atWork = (await runsOf(world)).filter((run) => run.status === 'pending' && !runs.isQueued(run));
      await world.process.work(() => Promise.all(atWork.map((run) => cancel(world.ports, run))));
    }
    await expectCounts(world, [0, 0, STARTS]);
    expect(await rowsOf(world)).toEqual([]);
  } finally {
    await world.close();
  }
}

const PER_MS = 10_000;

/** Starts all runs of a rate at the same time. */
async function raceOfStarts(database: LocalTable): Promise<void> {
  const world = new World(database);
  try {
    await world.store({ main: `rate: {limit: ${LIMIT}, per: PT10S}\nstates: [{id: a, type: noop}]\n` });
    await Promise.all(Array.from({ length: STARTS }, () => world.execute('main', '{}')));
    await expect.poll(() => runsOf(world), { timeout: 30_000 }).toHaveLength(STARTS);
    const times = (await runsOf(world)).map(({ hold }) => hold?.until ?? Number.NaN).sort((a, b) => a - b);
    expect(times.every((time, n) => n < LIMIT || time - (times[n - LIMIT] ?? 0) >= PER_MS)).toBe(true);
    await world.pass();
    await expectCounts(world, [0, 0, STARTS]);
  } finally {
    await world.close();
  }
}

const MOST_STARTS = 5;

/** Begins all calls of a function at the same time, each in a process of its own, then ends those that began, until its rate is exhausted. */
async function raceOfCalls(database: LocalTable): Promise<void> {
  const world = new World(database);
  try {
    const limits = `concurrency: {limit: ${LIMIT}}, rate: {limit: ${MOST_STARTS}, per: PT1H}`;
    await world.store({
      main: `functions: [{id: f, type: http, url: 'https://a.test', ${limits}}]\nstates: [{id: a, type: noop}]\n`,
    });
    const { id: namespaceId } = await namespaces.need(world.reliable, world.namespace);
    const scope = { scope: 'f', key: '', rateKey: '' };
    const calls = Array.from({ length: STARTS }, (_, n) => {
      const site = { caller: `caller-${n}`, limits: scope };
      const child = { kind: 'call', id: `call-${n}`, namespaceId, site } as runs.Call;
      // Calls on one table take turns.
      return { ports: { ...world.ports, table: { ...world.ports.table } }, call: { child, limits: scope, ms: 1000 } };
    });
    const counts: number[] = [];
    for (let round = 0; round < 4; round += 1) {
      const taken = await Promise.all(calls.map(({ ports, call }) => takeHere(ports, call)));
      const begun = calls.filter((_, n) => taken[n] !== undefined);
      counts.push(begun.length);
      await Promise.all(begun.map(({ ports, call }) => leaveHere(ports, call)));
    }
    expect(counts).toEqual([LIMIT, LIMIT, MOST_STARTS - 2 * LIMIT, 0]);
  } finally {
    await world.close();
  }
}

const RACES = [
  ['starts and ends at the same time take no more places than there are, and leave none empty', race],
  ['calls at the same time take no more places than there are, and begin no more often than they may', raceOfCalls],
  ['starts at the same time get times of their own, as the rate has them', raceOfStarts],
] as const;

describe.each(RACES)('%s', (_name, tryRace) => {
  test('in SQLite', () => tryRace(local));

  if (typeof emulator === 'string') test.skip(`in DynamoDB is not tried: ${emulator}`);
  else {
    test('in DynamoDB', async () => {
      const endpoint = await openEndpointTable(emulator);
      try {
        await tryRace({ ...local, table: endpoint.table });
      } finally {
        await endpoint.close();
      }
    });
  }
});
