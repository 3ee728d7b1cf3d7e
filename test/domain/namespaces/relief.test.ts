import { beforeEach, describe, expect, test } from 'vitest';
import * as namespaces from '../../../lib/domain/namespaces/namespaces.ts';
import { withRelief } from '../../../lib/domain/namespaces/relief.ts';
import * as keys from '../../../lib/domain/storage/keys.ts';
import { ACTIVATION_MS, partitionsAt } from '../../../lib/domain/storage/spread.ts';
import type { Table } from '../../../lib/ports/table.ts';
import { MemoryPorts } from '../../engine/world/memory-ports.ts';

let memory: MemoryPorts;
let ports: MemoryPorts['ports'];
/** The keys that the database has throttled since they were asked for. */
let throttled: string[];

beforeEach(async () => {
  memory = new MemoryPorts();
  throttled = [];
  const { table } = memory.ports;
  const takeThrottled: Table['takeThrottled'] = (isWanted) => throttled.splice(0).filter(isWanted);
  const limited: Table = {
    get: (all) => table.get(all),
    query: (query) => table.query(query),
    write: (writes) => table.write(writes),
    takeThrottled,
  };
  ports = { ...memory.ports, table: limited };
  await namespaces.create(ports, 'demo');
});

const demo = () => namespaces.need(ports, 'demo');
const hotKey = async () => keys.rowBucket(await demo(), memory.now, 'run');
const partitions = async (at = Number.POSITIVE_INFINITY) => partitionsAt(await demo(), at);

/** Writes rows, of which one is throttled. */
async function writeThrottled(key?: string): Promise<string> {
  const namespace = await demo();
  const hot = key ?? (await hotKey());
  return withRelief(ports, namespace, async () => {
    throttled.push(hot);
    return 'written';
  });
}

describe('a throttled key of a namespace', () => {
  test('doubles its partitions, which are used ten seconds later', async () => {
    const decided = memory.now;
    expect(await writeThrottled()).toBe('written');
    expect(await partitions(decided + ACTIVATION_MS - 1)).toBe(1);
    expect(await partitions(decided + ACTIVATION_MS)).toBe(2);
    expect(ACTIVATION_MS).toBe(10_000);
  });

  test('doubles them again only when the last ones were used for some seconds, and up to 16', async () => {
    const found: number[] = [];
    for (let second = 0; second < 80; second += 1) {
      await writeThrottled();
      found.push(await partitions());
      memory.now += 1_000;
    }
    const steps = found.flatMap((count, second) => (count === found[second - 1] ? [] : [[second, count]]));
    expect(steps).toEqual([
      [0, 2],
      [13, 4],
      [26, 8],
      [39, 16],
    ]);
  });

  test('doubles them also when the writes fail, and their error is thrown', async () => {
    const hot = await hotKey();
    const failing = withRelief(ports, await demo(), async () => {
      throttled.push(hot);
      throw new Error('throttled for two seconds');
    });
    await expect(failing).rejects.toThrow('throttled for two seconds');
    expect(await partitions()).toBe(2);
  });

  test('changes nothing if it is of another namespace, of none, or of one that was made again', async () => {
    await namespaces.create(ports, 'other');
    const other = await namespaces.need(ports, 'other');
    await writeThrottled(keys.rowBucket(other, memory.now, 'run'));
    await writeThrottled('run#1');
    const old = await demo();
    const hot = await hotKey();
    await namespaces.remove(ports, 'demo', true);
    await namespaces.create(ports, 'demo');
    await withRelief(ports, old, async () => throttled.push(hot));
    expect([await partitions(), partitionsAt(other, Number.POSITIVE_INFINITY)]).toEqual([1, 1]);
  });

  test('leaves the result of the writes as it is when the namespace cannot be changed', async () => {
    const { table } = ports;
    ports = { ...ports, table: { ...table, write: () => Promise.reject(new Error('throttled too')) } };
    expect(await writeThrottled()).toBe('written');
  });
});
