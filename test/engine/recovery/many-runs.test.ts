import { afterEach, beforeEach, expect, test } from 'vitest';
import { type LocalTable, openLocalTable } from '../../../lib/adapters/local/table/table.ts';
import * as namespaces from '../../../lib/domain/namespaces/namespaces.ts';
import { batchesOf } from '../../../lib/domain/storage/batches.ts';
import * as keys from '../../../lib/domain/storage/keys.ts';
import * as workflows from '../../../lib/domain/tree/workflows.ts';
import type { RunnerPorts } from '../../../lib/engine/ports.ts';
import { reconcile } from '../../../lib/engine/recovery/reconciler.ts';
import { sweep } from '../../../lib/engine/recovery/sweep.ts';
import { execute } from '../../../lib/engine/requests/start/start.ts';
import type { Item, Query } from '../../../lib/ports/table.ts';
import { cases } from '../../effort.ts';
import { MemoryPorts } from '../world/memory-ports.ts';

const HOUR = 3_600_000;
const WAITING = cases(5_000, 40_000);
const NAMESPACES = 20;
const NAP = 'timeouts: {interrupt: PT48H}\nstates: [{id: nap, type: delay, duration: PT40H}]\n';

/** Many waiting runs, in a table with indexes, over executions whose inspection takes time. */
class Crowd {
  readonly memory = new MemoryPorts();
  readonly queries: Query[] = [];
  readonly visited: string[] = [];
  readonly ports: RunnerPorts;
  /** The duration of each visit of a run, milliseconds. */
  msPerVisit = 0;
  private readonly local: LocalTable;

  constructor(local: LocalTable) {
    this.local = local;
    const { ports } = this.memory;
    const table = {
      ...local.table,
      query: (query: Query) => {
        this.queries.push(query);
        return local.table.query(query);
      },
    };
    const start = async (_handle: string, name: string): Promise<boolean> => {
      this.visited.push(name);
      this.memory.now += this.msPerVisit;
      return true;
    };
    this.ports = { ...ports, table, executions: { ...ports.executions, start } };
  }

  private async aRun(namespace: string): Promise<Item> {
    await workflows.create(this.ports, namespace, '/w', NAP);
    const invocation = { namespace, path: '/w', ref: '', input: Buffer.from('{}') };
    const { run } = await execute(this.ports, invocation);
    const [item] = await this.local.table.get([keys.run(run.id)]);
    if (item === undefined) throw new Error('no run');
    await this.local.table.write([{ do: 'delete', key: keys.run(run.id) }]);
    return item;
  }

  /** Stores copies of a run that waits in a namespace, a millisecond apart. */
  async wait(namespace: string, count: number): Promise<void> {
    await namespaces.create(this.ports, namespace);
    const run = await this.aRun(namespace);
    const items = Array.from({ length: count }, (_, index): Item => {
      const id = `${namespace}-${String(index).padStart(7, '0')}`;
      const created = this.memory.now + index;
      return { ...run, ...keys.run(id), table: undefined, id, created, order: keys.runOrder(created, id) };
    });
    for (const batch of batchesOf(items)) {
      await this.local.table.write(batch.map((item) => ({ do: 'put', table: 'runs', item })));
    }
    this.memory.now += count;
    this.visited.length = 0;
  }

  async pass(lasts?: number): Promise<{ readonly visits: number; readonly queries: number }> {
    this.queries.length = 0;
    const before = this.visited.length;
    const until = lasts === undefined ? {} : { until: this.memory.now + lasts };
    await reconcile(this.ports, { isExclusive: false, ...until });
    return { visits: this.visited.length - before, queries: this.queries.length };
  }
}

let local: LocalTable;
let crowd: Crowd;
beforeEach(async () => {
  local = await openLocalTable();
  crowd = new Crowd(local);
});
afterEach(() => local.close());

test('one pass visits all waiting runs of many namespaces, each once, and lets them rest for as long as they have waited', async () => {
  for (let index = 0; index < NAMESPACES; index += 1) await crowd.wait(`ns-${index}`, WAITING / NAMESPACES);
  crowd.memory.now += HOUR;
  expect((await crowd.pass()).visits).toBe(WAITING);
  expect(new Set(crowd.visited).size).toBe(WAITING);
  crowd.memory.now += HOUR / 2;
  const resting = await crowd.pass();
  expect(resting.visits).toBe(0);
  // The list is read in pages of 1,000 rows; a namespace adds the queries of its two cursors.
  expect(resting.queries).toBeLessThan(WAITING / 1000 + 8 * NAMESPACES + 10);
  crowd.memory.now += HOUR;
  expect((await crowd.pass()).visits).toBe(WAITING);
}, 300_000);

test('a pass that ends in the middle of a namespace continues there in the next one', async () => {
  await crowd.wait('large', WAITING);
  crowd.memory.now += HOUR;
  crowd.msPerVisit = 10;
  let passes = 0;
  while (new Set(crowd.visited).size < WAITING && passes < 100) {
    const [began, lasts] = [crowd.memory.now, (WAITING * crowd.msPerVisit) / 4];
    await crowd.pass(lasts);
    expect(crowd.memory.now - began).toBeLessThan(lasts * 1.1);
    passes += 1;
  }
  expect({ passes, all: new Set(crowd.visited).size }).toEqual({ passes: expect.any(Number), all: WAITING });
  expect(passes).toBeLessThan(10);
  // Only runs whose visit had begun when a pass ended are visited twice.
  expect(crowd.visited.length).toBeLessThan(WAITING * 1.2);
}, 300_000);

test('a pass that ends before it has visited all namespaces leaves none of them out', async () => {
  const names = Array.from({ length: 60 }, (_, index) => `ns-${String(index).padStart(2, '0')}`);
  for (const name of names) await crowd.wait(name, 3);
  crowd.memory.now += HOUR;
  crowd.msPerVisit = 1000;
  for (let passes = 0; passes < 12; passes += 1) await crowd.pass(20_000);
  const visited = new Set(crowd.visited.map((name) => name.slice(0, 'ns-00'.length)));
  expect([...visited].sort()).toEqual(names);
});

test('a namespace at rest costs no writes, and a fault in one does not stop the sweep of the others', async () => {
  for (const name of ['a', 'b', 'c']) await namespaces.create(crowd.ports, name);
  const swept: string[] = [];
  const { query } = crowd.ports.table;
  const [a, b, c] = await Promise.all(['a', 'b', 'c'].map((name) => namespaces.need(crowd.ports, name)));
  const table = {
    ...crowd.ports.table,
    query: (one: Query) => {
      for (const { id, name } of [a, b, c] as namespaces.Namespace[]) if (one.pk.includes(id)) swept.push(name);
      if (one.pk.includes(String(a?.id))) throw new Error('a fault');
      return query(one);
    },
    write: async () => {
      throw new Error('a write');
    },
  };
  await expect(sweep({ ...crowd.ports, table })).rejects.toThrow('a fault');
  expect([...new Set(swept)]).toEqual(['a', 'b', 'c']);
});
