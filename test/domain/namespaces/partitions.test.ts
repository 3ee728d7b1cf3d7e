import { beforeEach, describe, expect, test } from 'vitest';
import { openRunsOf } from '../../../lib/domain/instances/open-runs.ts';
import { configure } from '../../../lib/domain/namespaces/config.ts';
import * as namespaces from '../../../lib/domain/namespaces/namespaces.ts';
import { grow, homeOf } from '../../../lib/domain/namespaces/partitions.ts';
import * as keys from '../../../lib/domain/storage/keys.ts';
import { openItems } from '../../../lib/domain/storage/open-items.ts';
import { ACTIVATION_MS, knownUntil, partitionsAt } from '../../../lib/domain/storage/spread.ts';
import { reconcile } from '../../../lib/engine/recovery/reconciler.ts';
import type { Table } from '../../../lib/ports/table.ts';
import { MemoryPorts } from '../../engine/world/memory-ports.ts';

const MINUTE = 60_000;
const FAR = Number.POSITIVE_INFINITY;

let memory: MemoryPorts;
let ports: MemoryPorts['ports'];
beforeEach(async () => {
  memory = new MemoryPorts();
  ports = { ...memory.ports, settings: { ...memory.ports.settings, limits: { partitionRows: 5 } } };
  await namespaces.create(ports, 'demo');
});

const demo = () => namespaces.need(ports, 'demo');
const partitions = async (at = FAR) => partitionsAt(await demo(), at);

/** Stores the row of a run. */
async function storeRow(status: string, ms: number): Promise<void> {
  const namespace = await demo();
  const id = ports.clock.uuid();
  const index = { nsBucket: keys.rowBucket(namespace, ms, id), order: keys.runOrder(ms, id) };
  const head = { id, n: namespace.id, status, code: '', created: ms, updated: ms };
  await ports.table.write([{ do: 'put', table: 'runs', item: { pk: `run#${id}`, sk: '.', ...head, ...index } }]);
}

/** Stores rows of runs that have ended, so many in a minute. */
async function runsBegin(rows: number): Promise<void> {
  for (let n = 0; n < rows; n += 1) await storeRow('complete', memory.now + Math.floor((n * MINUTE) / rows));
  memory.now += 2 * MINUTE;
}

/** The keys of the open runs that a pass finds which has read the namespace at a time. */
async function openRuns(namespace: namespaces.Namespace, readAt: number): Promise<string[]> {
  const extent = { visitsAll: false, until: FAR, since: 0, knownUntil: knownUntil(readAt) };
  const found: string[] = [];
  for await (const items of openItems(ports, openRunsOf(ports, namespace), extent)) {
    found.push(...items.map(({ key }) => key.pk));
  }
  return found;
}

describe('the partitions of a namespace', () => {
  test('grow when the reconciler finds more new runs a second than one takes, and are used later', async () => {
    await runsBegin(5 * 60);
    await reconcile(ports, { isExclusive: false });
    expect(await partitions()).toBe(1);
    memory.now += 4 * MINUTE;
    await runsBegin(12 * 60);
    const decided = memory.now;
    await reconcile(ports, { isExclusive: false });
    expect(await partitions()).toBe(4);
    expect(await partitions(decided + ACTIVATION_MS - 1)).toBe(1);
    expect(await partitions(decided + ACTIVATION_MS)).toBe(4);
  });

  test('are as many as an administrator sets ahead of a load, and never fewer', async () => {
    expect((await configure(ports, 'demo', { record: 'flow' })).partitions).toBeUndefined();
    const decided = memory.now;
    expect((await configure(ports, 'demo', { partitions: 8 })).partitions).toBe(8);
    expect(await partitions(decided + ACTIVATION_MS - 1)).toBe(1);
    expect(await partitions(decided + ACTIVATION_MS)).toBe(8);
    const same = await demo();
    expect((await configure(ports, 'demo', { partitions: 8 })).partitions).toBe(8);
    expect((await demo()).spread).toEqual(same.spread);
    await grow(ports, same, 20);
    expect(await partitions()).toBe(8);
    await grow(ports, same, 1_000);
    expect(await partitions()).toBe(16);
    for (const count of [0, 8, 17]) {
      const text = `the setting 'partitions' is 16, and can be 16 to 16: it never gets less`;
      await expect(configure(ports, 'demo', { partitions: count })).rejects.toThrow(text);
    }
  });

  test('are set by one of two changes at the same moment, and the other is refused', async () => {
    const { table } = ports;
    const write: Table['write'] = async (writes) => {
      const [first] = writes;
      if (first?.do === 'update' && first.set?.['spread'] !== undefined)
        await grow({ ...ports, table }, await demo(), 9);
      await table.write(writes);
    };
    const racing: Table = { get: (all) => table.get(all), query: (query) => table.query(query), write };
    const change = configure({ ...ports, table: racing }, 'demo', { partitions: 8 });
    await expect(change).rejects.toThrow('try again');
    expect(await partitions()).toBe(3);
  });

  test('grow further, never shrink, and have a most', async () => {
    const namespace = await demo();
    for (const [rate, expected] of [
      [4, 1],
      [6, 2],
      [3, 2],
      [9, 2],
      [11, 3],
      [1_000_000, 16],
      [6, 16],
    ] as const) {
      await grow(ports, namespace, rate);
      expect([rate, await partitions()]).toEqual([rate, expected]);
    }
  });

  test('stay one where the database has no limit', async () => {
    await grow(memory.ports, await demo(), 1_000_000);
    expect(await partitions()).toBe(1);
  });

  test('of two processes that let them grow at once, only one does: no reader loses what the other wrote by', async () => {
    const namespace = await demo();
    const reads: (() => void)[] = [];
    const together: Table = {
      ...ports.table,
      query: (query) => ports.table.query(query),
      write: (writes) => ports.table.write(writes),
      get: async (all) => {
        const items = await ports.table.get(all);
        await new Promise<void>((resolve) => {
          reads.push(resolve);
          if (reads.length === 2) for (const go of reads) go();
        });
        return items;
      },
    };
    await Promise.all([12, 60].map((rate) => grow({ ...ports, table: together }, namespace, rate)));
    expect((await demo()).spread).toHaveLength(1);
  });

  test('are not those of a namespace that was made again with the same name', async () => {
    const old = await demo();
    await namespaces.remove(ports, 'demo', true);
    await namespaces.create(ports, 'demo');
    await grow(ports, old, 1000);
    expect(await partitions()).toBe(1);
  });

  test('that a pass does not know yet are read by the next one: its cursor stays before their rows', async () => {
    const [old, readAt] = [await demo(), memory.now];
    await grow(ports, old, 1000);
    memory.now += ACTIVATION_MS;
    for (let n = 0; n < 40; n += 1) await storeRow('pending', memory.now + n);
    memory.now += 10 * MINUTE;
    const first = await openRuns(old, readAt);
    expect(first.length).toBeGreaterThan(0);
    expect(first.length).toBeLessThan(40);
    const second = await openRuns(await demo(), memory.now);
    expect(new Set([...first, ...second]).size).toBe(40);
  });

  test('are known to a run from its start, and read again only by one that began long ago', async () => {
    const namespace = await demo();
    const run = { namespaceId: namespace.id, namespace: 'demo', created: memory.now, settings: {} };
    memory.now += 3_000;
    await grow(ports, namespace, 1000);
    expect((await homeOf(ports, run)).spread).toBeUndefined();
    // The run waited before it started: its settings were read before its creation.
    const waited = { ...run, settings: { readAt: memory.now - 9_000 } };
    expect(partitionsAt(await homeOf(ports, waited), FAR)).toBe(16);
    // From then on there may be events in the new partitions.
    memory.now += ACTIVATION_MS;
    expect(partitionsAt(await homeOf(ports, run), memory.now)).toBe(16);
    await namespaces.remove(ports, 'demo', true);
    expect((await homeOf(ports, run)).id).toBe(namespace.id);
  });
});
