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
  readonly hold?: { readonly by: string; readonly key: string; readonly until: number };
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
  readonly #times = new Map<string, Map<string, number>>();

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

  /** Whether one of a key has begun. */
  hasBegun(key: string, id: string): boolean {
    return this.#begun.get(key)?.has(id) === true;
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

  /** One of a key waits for the time that its rate gave it, which is not before that of any other one that has asked. */
  #noteTime(key: string, id: string, until: number): void {
    const times = memberOf(this.#times, key, () => new Map<string, number>());
    const known = times.get(id);
    const latest = Math.max(...times.values());
    if (known === undefined && until < latest) this.wrong.push(`${id} of ${key} got a time before ${latest}: ${until}`);
    if (known !== undefined && known !== until) this.wrong.push(`${id} of ${key} was moved from ${known} to ${until}`);
    times.set(id, until);
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
    const isWatched = isCall === (this.#subject === 'calls');
    if (isWatched && place.hold?.by === 'rate') this.#noteTime(place.hold.key, id, place.hold.until);
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

  /** The sentences about what has begun before another one that was due and had a lower order. */
  #overtaking(
    orderOf: (begun: { readonly key: string; readonly id: string; readonly time: number }) => number,
  ): string[] {
    return [...this.#begun].flatMap(([key, begun]) => {
      const all = [...begun].map(([id, time]) => ({ id, time, order: orderOf({ key, id, time }) }));
      return all.flatMap(({ id, time, order }) => {
        const passed = all.find((other) => other.order < order && time < this.#due(other.time));
        if (passed === undefined) return [];
        return [`${id} of ${key} began ${this.#due(passed.time) - time} ms before ${passed.id} was due`];
      });
    });
  }

  /** The sentences about what has begun, of ids that are numbers, before what has a lower number and was due later. */
  outOfOrder(): string[] {
    return this.#overtaking(({ id }) => Number(id));
  }

  /** The sentences about what has begun before the time that its rate gave it, or before what had an earlier time. */
  outOfTurn(): string[] {
    const timeOf = (key: string, id: string) => this.#times.get(key)?.get(id);
    const early = [...this.#begun].flatMap(([key, begun]) =>
      [...begun].flatMap(([id, time]) => {
        const until = timeOf(key, id) ?? time;
        return time < until ? [`${id} of ${key} began ${until - time} ms before its time`] : [];
      }),
    );
    return [...early, ...this.#overtaking(({ key, id, time }) => timeOf(key, id) ?? time)];
  }

  /** How many have waited for a time that their rate gave them. */
  get held(): number {
    return [...this.#times.values()].reduce((sum, { size }) => sum + size, 0);
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
