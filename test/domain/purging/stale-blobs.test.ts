import { describe, expect, test } from 'vitest';
import { removeStaleBlobs } from '../../../lib/domain/purging/stale-blobs.ts';
import { derivedId } from '../../../lib/domain/storage/ids.ts';
import * as keys from '../../../lib/domain/storage/keys.ts';
import { DAY_MS } from '../../../lib/time/units.ts';
import { MemoryPorts } from '../../engine/world/memory-ports.ts';

const BYTES = new Uint8Array(1);

class Space {
  readonly memory = new MemoryPorts();
  readonly ports = this.memory.ports;
  listings = 0;

  daysAgo = (days: number): number => this.memory.now - days * DAY_MS;
  put = (...all: readonly string[]) => Promise.all(all.map((key) => this.ports.blobs.put(key, BYTES)));
  keys = () => this.ports.blobs.list('');

  async sweep(): Promise<void> {
    const { blobs } = this.ports;
    const list = (prefix: string, after?: string) => {
      this.listings += 1;
      return blobs.list(prefix, after);
    };
    await removeStaleBlobs({ ...this.ports, blobs: { ...blobs, list } });
  }
}

const runId = (ms: number, name = ''): string => derivedId(ms, 'run', name);

test('blobs of a run go when the run is gone, also those that no item refers to', async () => {
  const space = new Space();
  const [gone, waiting, young] = [40, 39, 2].map((days) => runId(space.daysAgo(days)));
  const { pk, sk } = keys.run(waiting ?? '');
  await space.ports.table.write([{ do: 'put', table: 'runs', item: { pk, sk } }]);
  const kept = [
    `instances/${waiting}/variables/x@${space.daysAgo(38)}`,
    `runs/${waiting}/data-3@${space.daysAgo(39)}-0`,
    `runs/${young}/data-1@${space.daysAgo(2)}-0`,
    `threads/${gone}/variables/x@${space.daysAgo(40)}`,
  ];
  await space.put(...kept, `runs/${gone}/input`, `runs/${gone}/data-9@${space.daysAgo(35)}-0`);
  await space.put(`instances/${gone}/variables/x`);
  await space.sweep();
  expect(await space.keys()).toEqual(kept);
});

test('a blob of a run that is about to be stored stays, however old its id is', async () => {
  const space = new Space();
  const key = `runs/${runId(space.daysAgo(100))}/data-1@${space.memory.now - 1000}-0`;
  await space.put(key);
  await space.sweep();
  expect(await space.keys()).toEqual([key]);
});

test('blobs of events go two days after the retention of their day', async () => {
  const space = new Space();
  const dayOf = (days: number) => keys.dateOf(space.daysAgo(days));
  const of = (namespace: string, days: number) => `events/${namespace}/${dayOf(days)}/hash/1`;
  const kept = [of('a', 30), of('a', 1), of('b', -100)];
  await space.put(...kept, of('a', 33), of('a', 400), of('c', 33));
  await space.sweep();
  expect(await space.keys()).toEqual(kept);
});

describe('a pass', () => {
  test('costs four listings where nothing can have expired, and one a day', async () => {
    const space = new Space();
    await space.put(...Array.from({ length: 3000 }, (_, n) => `runs/${runId(space.daysAgo(1), String(n))}/input`));
    await space.sweep();
    await space.sweep();
    expect(space.listings).toBe(4);
    space.memory.now += DAY_MS;
    await space.sweep();
    expect(space.listings).toBe(8);
  });

  test('continues where the call before ended', async () => {
    const space = new Space();
    const old = Array.from({ length: 110 }, (_, n) => runId(space.daysAgo(90), String(n)));
    await space.put(...old.flatMap((id) => Array.from({ length: 1000 }, (_, n) => `runs/${id}/log-${n}`)));
    await space.sweep();
    expect((await space.keys()).length).toBeGreaterThan(0);
    await space.sweep();
    expect(await space.keys()).toEqual([]);
    expect(space.listings).toBeLessThan(120);
  });
});
