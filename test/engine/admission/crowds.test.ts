import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { LocalTable } from '../../../lib/adapters/local/table/table.ts';
import { runOrder } from '../../../lib/domain/storage/keys.ts';
import { execute } from '../../../lib/engine/requests/start/start.ts';
import type { Item, Write } from '../../../lib/ports/table.ts';
import { type Random, randomFrom } from '../../durability/random.ts';
import { cases, SEED } from '../../effort.ts';
import { type Crash, CrashedError } from '../world/crashing-ports.ts';
import { openDatabase, World } from '../world/engine-world.ts';
import { shown } from './admission-world.ts';

let database: LocalTable;
beforeAll(async () => {
  database = await openDatabase();
});
afterAll(() => database.close());

// The log says which lines a crashed process could not write.
vi.spyOn(console, 'error').mockReturnValue();

const STARTS = 1000;
const KEYS = 20;
const LIMIT = 3;
const KILLS = 3;
/** Fewer than the durable operations of all starts. */
const OPERATIONS = 2500;

const SOURCE = `concurrency: {limit: ${LIMIT}, key: jq(.k)}
states: [{id: nap, type: delay, duration: PT10S}]
`;

/** Watches the writes of runs: how many of a key are at work, and which leaves the queue first. */
class Watcher {
  readonly wrong: string[] = [];
  most = 0;
  private readonly atWork = new Map<string, Set<string>>();
  private readonly queues = new Map<string, Map<string, string>>();

  private setOf<T>(all: Map<string, T>, key: string, create: () => T): T {
    const found = all.get(key) ?? create();
    all.set(key, found);
    return found;
  }

  private note(item: Item): void {
    const { k: key } = JSON.parse(String(item['data'])) as { k: string };
    const id = item.pk.slice('run#'.length);
    const atWork = this.setOf(this.atWork, key, () => new Set());
    const queue = this.setOf(this.queues, key, () => new Map());
    const order = runOrder(Number(item['created']), id);
    if (item['status'] === 'queued') {
      queue.set(id, order);
      return;
    }
    const first = [...queue.values()].sort()[0];
    if (queue.delete(id) && order !== first) this.wrong.push(`${id} of ${key} left the queue before ${first}`);
    if (item['status'] === 'pending') atWork.add(id);
    else atWork.delete(id);
    this.most = Math.max(this.most, atWork.size);
    if (atWork.size > LIMIT) this.wrong.push(`${atWork.size} runs of ${key} are at work`);
  }

  /** The database, whose writes are watched. */
  watch(watched: LocalTable): LocalTable {
    const { table } = watched;
    const write = async (writes: readonly Write[]) => {
      await table.write(writes);
      for (const one of writes) if (one.do === 'put' && one.item.pk.startsWith('run#')) this.note(one.item);
    };
    return { ...watched, table: { ...table, write } };
  }
}

const crashOf = (random: Random): Crash => ({
  at: random.between(1, OPERATIONS),
  when: random.fraction() < 0.5 ? 'before' : 'after',
});

/** Requests all starts at once that have no reply yet, and lets all runs end, unless the process crashes. */
async function startAll(world: World, replied: Set<number>): Promise<void> {
  const starts = Array.from({ length: STARTS }, async (_, n) => {
    if (replied.has(n)) return;
    const input = Buffer.from(JSON.stringify({ n, k: `k${n % KEYS}` }));
    const invocation = { namespace: world.namespace, path: '/main', ref: '', input, key: `key-${n}` };
    await world.process.work(() => execute(world.ports, invocation));
    replied.add(n);
  });
  await Promise.allSettled(starts);
  await world.pass();
}

describe('a crowd of starts, with kills', () => {
  const seeds = Array.from({ length: cases(1, 3) }, (_, index) => SEED + index);
  test.each(seeds)(
    'never has more runs of a key at work than the limit, loses none and keeps the order (seed %i)',
    async (seed) => {
      const random = randomFrom(seed);
      const watcher = new Watcher();
      const world = new World(watcher.watch(database));
      try {
        await world.store({ main: SOURCE });
        const replied = new Set<number>();
        world.process.crashAt(crashOf(random));
        await startAll(world, replied);
        let kills = 0;
        while (world.process.hasCrashed) {
          kills += 1;
          await world.restart(kills < KILLS ? crashOf(random) : undefined).catch((error: unknown) => {
            if (!(error instanceof CrashedError)) throw error;
          });
          if (!world.process.hasCrashed) await startAll(world, replied);
        }
        expect(kills).toBeGreaterThan(0);
        expect(watcher.wrong).toEqual([]);
        expect(watcher.most).toBe(LIMIT);
        expect(replied.size).toBe(STARTS);
        expect(await shown(world)).toEqual(Array.from({ length: STARTS }, (_, n) => `${n} complete`));
      } finally {
        await world.close();
      }
    },
  );
});
