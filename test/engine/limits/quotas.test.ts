import { beforeEach, describe, expect, test } from 'vitest';
import type { Namespace } from '../../../lib/domain/namespaces/namespaces.ts';
import { needEvents } from '../../../lib/engine/limits/event-rate.ts';
import { KeptRunSamples } from '../../../lib/engine/limits/kept-run-samples.ts';
import { StartBlocks } from '../../../lib/engine/limits/start-blocks.ts';
import { StartRate } from '../../../lib/engine/limits/start-rate.ts';
import type { Table } from '../../../lib/ports/table.ts';
import { CountedRuns } from '../../domain/metrics/counted-runs.ts';

let world: CountedRuns;
let namespace: Namespace;
/** The calls of the table. */
let calls: number;
let needs: CountedRuns['needs'];

beforeEach(async () => {
  world = new CountedRuns();
  namespace = await world.namespace();
  calls = 0;
  const { table } = world.needs;
  const counted =
    <A extends readonly unknown[], R>(call: (...args: A) => R) =>
    (...args: A): R => {
      calls += 1;
      return call(...args);
    };
  const counting: Table = {
    get: counted((keys) => table.get(keys)),
    query: counted((query) => table.query(query)),
    write: counted((writes) => table.write(writes)),
  };
  needs = { ...world.needs, table: counting };
});

describe('the runs that a namespace keeps', () => {
  const begin = async (count: number) => {
    for (let n = 0; n < count; n += 1) await world.begin(world.newRun(namespace, 'w'));
  };

  test('cost no call while it is far from its quota, and are read again when a hundredth of the rest has begun', async () => {
    const samples = new KeptRunSamples();
    for (let n = 0; n < 1000; n += 1) expect(await samples.take(needs, namespace, 1_000_000)).toBe(true);
    expect(calls).toBe(0);
    expect(await samples.take(needs, namespace, 10_000)).toBe(true);
    expect(calls).toBeGreaterThan(0);
  });

  test('of many processes are counted together, and those that have expired no more', async () => {
    await begin(10);
    const processes = [new KeptRunSamples(), new KeptRunSamples()];
    for (const samples of processes) expect(await samples.take(needs, namespace, 10)).toBe(false);
    world.now += 31 * 24 * 3_600_000;
    for (const samples of processes) expect(await samples.take(needs, namespace, 10)).toBe(true);
  });
});

describe('a batch of events', () => {
  test('takes as many from the bucket of a process, and at most a full one', () => {
    const rate = new StartRate();
    expect(rate.take('a', 2, 0, 15)).toBe(0);
    expect(rate.taken('a', 2, 0)).toBe(2);
    expect(rate.take('a', 2, 0, 6)).toBe(500);
    expect(rate.take('a', 2, 500, 6)).toBe(0);
    expect(rate.take('a', 2, 60_000, 1000)).toBe(0);
  });

  test('takes as many from the counter of all processes', async () => {
    const blocks = new StartBlocks('events', 20);
    expect(await blocks.take(needs, 'a', 100, 20)).toBe(0);
    expect(calls).toBe(0);
    const others = new StartBlocks('events', 20);
    expect(await others.take(needs, 'a', 100, 900)).toBe(0);
    expect(await blocks.taken(needs, 'a')).toBe(88);
    expect(await blocks.take(needs, 'a', 100, 200)).toBeGreaterThan(0);
  });

  test('is refused with a time to come again, also by a quota of nothing', async () => {
    const settings = { brand: 'service', version: 'v0', quotas: { eventsPerSecond: 0 } };
    const refused = needEvents({ ...needs, settings }, namespace, 1);
    await expect(refused).rejects.toMatchObject({ code: 'too-many', retryAfter: 3600 });
  });
});
