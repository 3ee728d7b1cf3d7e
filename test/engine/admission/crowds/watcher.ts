import type { LocalTable } from '../../../../lib/adapters/local/table/table.ts';
import { runOrder } from '../../../../lib/domain/storage/keys.ts';
import type { Item, Write } from '../../../../lib/ports/table.ts';

/** What a crowd may do, of each key. */
export interface Limits {
  /** The most at work at the same time. */
  readonly atWork?: number;
  /** The most that begin within any period. */
  readonly begin?: { readonly limit: number; readonly perMs: number };
}

/** What the item of a run or of a call says about its queue. */
interface Place {
  readonly callee?: unknown;
  readonly concurrency?: { readonly queuedAt?: string };
  readonly site?: { readonly limits?: { readonly key: string } };
}

function memberOf<T>(all: Map<string, T>, key: string, create: () => T): T {
  const found = all.get(key) ?? create();
  all.set(key, found);
  return found;
}

/** Watches what is at work, of runs or calls, when each begins, and in which order runs and calls leave their queue. */
export class Watcher {
  readonly wrong: string[] = [];
  most = 0;
  /** How late begins what is due, milliseconds, and so closer to the next one. */
  lateMs = 0;
  /** When no process was there. */
  readonly away: { readonly from: number; readonly until: number }[] = [];
  readonly #subject: 'runs' | 'calls';
  readonly #limits: Limits;
  readonly #now: () => number;
  readonly #atWork = new Map<string, Set<string>>();
  readonly #begun = new Map<string, Map<string, number>>();
  readonly #queues = new Map<string, Map<string, string>>();

  /** `calls`: the server that is called says by `begin` and `end` which are at work. */
  constructor(subject: 'runs' | 'calls', limits: Limits, now: () => number) {
    this.#subject = subject;
    this.#limits = limits;
    this.#now = now;
  }

  /** How many have begun. */
  get begun(): number {
    return [...this.#begun.values()].reduce((sum, { size }) => sum + size, 0);
  }

  /** One of a key is at work; again, after a crash, is the same. */
  begin(key: string, id: string): void {
    const atWork = memberOf(this.#atWork, key, () => new Set<string>()).add(id);
    this.most = Math.max(this.most, atWork.size);
    const { atWork: most = Number.POSITIVE_INFINITY } = this.#limits;
    if (atWork.size > most) this.wrong.push(`${atWork.size} of ${key} are at work`);
    const begun = memberOf(this.#begun, key, () => new Map<string, number>());
    if (!begun.has(id)) begun.set(id, this.#now());
  }

  end(key: string, id: string): void {
    this.#atWork.get(key)?.delete(id);
  }

  /** The first of a queue is the next that leaves it; a cancelled one would be too. */
  #noteQueue(key: string, id: string, order: string, isQueued: boolean): void {
    const queue = memberOf(this.#queues, key, () => new Map<string, string>());
    if (isQueued) {
      queue.set(id, order);
      return;
    }
    const first = [...queue.values()].sort()[0];
    if (queue.delete(id) && order !== first) this.wrong.push(`${id} of ${key} left the queue before ${first}`);
  }

  #note(item: Item): void {
    const id = item.pk.slice('run#'.length);
    const place = JSON.parse(String(item['place'])) as Place;
    const isCall = place.callee !== undefined;
    const { k } = JSON.parse(String(item['data'])) as { readonly k?: string };
    const key = isCall ? place.site?.limits?.key : k;
    if (key === undefined) return;
    const isQueued = item['status'] === 'queued';
    const order = runOrder(Number(item['created']), id);
    this.#noteQueue(key, id, order, isQueued && place.concurrency?.queuedAt !== undefined);
    if (this.#subject === 'calls' || isCall || isQueued) return;
    this.begin(key, id);
    if (item['status'] !== 'pending') this.end(key, id);
  }

  /** The database, whose writes of runs are watched. */
  watch(watched: LocalTable): LocalTable {
    const { table } = watched;
    const write = async (writes: readonly Write[]) => {
      await table.write(writes);
      for (const one of writes) if (one.do === 'put' && one.item.pk.startsWith('run#')) this.#note(one.item);
    };
    return { ...watched, table: { ...table, write } };
  }

  /** The earliest time at which was due what has begun at a time: what is due while no process is there begins later. */
  #due(time: number): number {
    const due = time - this.lateMs;
    const away = this.away.find(({ from, until }) => due <= until && time >= from);
    return away === undefined ? due : Math.min(due, away.from - this.lateMs);
  }

  /** The sentences about what has begun, of ids that are numbers, before what has a lower number and was due later. */
  outOfOrder(): string[] {
    return [...this.#begun].flatMap(([key, begun]) => {
      let latest = { id: '', due: Number.NEGATIVE_INFINITY };
      return [...begun]
        .toSorted(([a], [b]) => Number(a) - Number(b))
        .flatMap(([id, time]) => {
          const { id: before, due } = latest;
          if (this.#due(time) > due) latest = { id, due: this.#due(time) };
          return time >= due ? [] : [`${id} of ${key} began ${due - time} ms before ${before} was due`];
        });
    });
  }

  /** The sentences about beginnings within a shorter time than the rate allows. */
  tooSoon(): string[] {
    const { begin } = this.#limits;
    if (begin === undefined) return [];
    return [...this.#begun].flatMap(([key, begun]) => {
      const times = [...begun.values()].sort((a, b) => a - b);
      return times.flatMap((time, n) => {
        const before = times[n - begin.limit];
        const isFine = before === undefined || time - this.#due(before) >= begin.perMs;
        return isFine ? [] : [`${begin.limit + 1} of ${key} began within ${time - before} ms`];
      });
    });
  }
}
