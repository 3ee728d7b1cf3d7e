import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type LocalTable, openLocalTable } from '../../../lib/adapters/local/table/table.ts';
import { systemClock } from '../../../lib/adapters/portable/clock.ts';
import { countingWrites, readActiveRuns } from '../../../lib/domain/runs/active-runs.ts';
import type { Run } from '../../../lib/domain/runs/runs.ts';
import { ActiveRunSamples } from '../../../lib/engine/limits/active-run-samples.ts';
import { StartBlocks } from '../../../lib/engine/limits/start-blocks.ts';
import type { Table } from '../../../lib/ports/table.ts';

let database: LocalTable;
let table: Table;
let now = 1_000_000_000_000;
/** The calls of the table. */
let calls = 0;
let namespaces = 0;
let namespace: string;
const clock = systemClock(() => now);
beforeAll(async () => {
  database = await openLocalTable();
  const counted =
    <A extends readonly unknown[], R>(call: (...args: A) => R) =>
    (...args: A): R => {
      calls += 1;
      return call(...args);
    };
  const { get, query, write } = database.table;
  table = { get: counted(get), query: counted(query), write: counted(write) };
});
beforeEach(() => {
  namespaces += 1;
  namespace = `n${namespaces}`;
  now += 60_000;
  calls = 0;
});
afterAll(() => database.close());

describe('the starts of a namespace, counted by two processes', () => {
  /** The number of admitted starts among 500, for which both processes ask in turns. */
  async function admitted(processes: readonly StartBlocks[], perSecond: number): Promise<number> {
    let count = 0;
    for (let start = 0; start < 500; start += 1) {
      const blocks = processes[start % processes.length] as StartBlocks;
      if ((await blocks.take({ table, clock }, namespace, perSecond)) === 0) count += 1;
    }
    return count;
  }

  test.each([1, 7, 30])(
    'are as many as ten seconds allow, %i a second, and again in the next period',
    async (perSecond) => {
      const processes = [new StartBlocks(), new StartBlocks()];
      expect(await admitted(processes, perSecond)).toBe(perSecond * 10);
      now += 10_000;
      expect(await admitted(processes, perSecond)).toBe(perSecond * 10);
    },
  );

  test('wait for the end of the period when all are taken', async () => {
    const blocks = new StartBlocks();
    now = Math.ceil(now / 10_000) * 10_000 + 3_000;
    await admitted([blocks], 2);
    expect(await blocks.take({ table, clock }, namespace, 2)).toBe(7_000);
  });

  test('cost two calls for half a second of starts, and none when all are taken', async () => {
    await admitted([new StartBlocks()], 40);
    expect(calls).toBe(2 * 20);
  });
});

describe('the active runs of a namespace that limits them', () => {
  const runOf = (change: Partial<Pick<Run, 'seq' | 'status' | 'settings'>>): Parameters<typeof countingWrites>[0] => ({
    ...{ kind: 'workflow', id: clock.uuid(), namespaceId: namespace, seq: 1, status: 'pending' },
    ...{ settings: { lookback: 0, broadcasts: [], logger: '', isCounted: true } },
    ...change,
  });
  const commit = async (run: Parameters<typeof countingWrites>[0]) => {
    const writes = countingWrites(run);
    if (writes.length > 0) await table.write(writes);
    return run;
  };

  test('are counted from their first commit to their end', async () => {
    const runs = await Promise.all(Array.from({ length: 20 }, () => commit(runOf({}))));
    expect(await readActiveRuns(table, namespace)).toBe(20);
    for (const run of runs.slice(0, 5)) await commit({ ...run, seq: 2 });
    for (const run of runs.slice(0, 15)) await commit({ ...run, seq: 3, status: 'failed' });
    expect(await readActiveRuns(table, namespace)).toBe(5);
  });

  test('are not counted if they end in their first commit or began before the limit was set', async () => {
    await commit(runOf({ status: 'complete' }));
    const settings = { lookback: 0, broadcasts: [], logger: '' };
    await commit(runOf({ settings }));
    await commit(runOf({ settings, seq: 2, status: 'complete' }));
    expect(calls).toBe(0);
  });

  test('are read once a second by a process, which adds those that it began', async () => {
    const [one, other] = [new ActiveRunSamples(), new ActiveRunSamples()];
    const take = (samples: ActiveRunSamples) => samples.take({ table, clock }, namespace, 3);
    await commit(runOf({}));
    expect([await take(one), await take(one), await take(one), await take(other)]).toEqual([true, true, false, true]);
    now += 1000;
    expect([await take(one), await take(one), await take(one)]).toEqual([true, true, false]);
  });
});
