import { FairLine } from './fair-line.ts';

/** How long requests that have just entered may work before the event loop is polled, ms. */
const TURN_MS = 5;

/** The most requests that enter after having waited, in one turn of the event loop. */
const MOST_ENTRIES = 32;

/**
 * The door that every request passes before work is done for it. A request passes at once while this turn of the event loop
 * has time left and nobody waits. Else it waits: tenants take turns, weighted by the time that their requests took.
 */
export class Door {
  readonly #now: () => number;
  readonly #line = new FairLine<() => void>();
  /** When the first request of this turn entered. */
  #began: number | undefined;
  /** The request that entered last: the time until the next one enters is taken for its work. */
  #newest = { tenant: '', at: 0 };
  #entries = 0;

  /** `now`: the time in milliseconds. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Undefined if work for the tenant may begin at once; else resolves when it may. */
  enter(tenant: string): Promise<void> | undefined {
    const now = this.#now();
    if (this.#line.size === 0 && this.#hasTime(now)) {
      this.#admit(tenant, now);
      return undefined;
    }
    return new Promise((resolve) => {
      this.#line.push(tenant, resolve);
      if (this.#entries >= MOST_ENTRIES) return;
      this.#entries += 1;
      setImmediate(() => this.#enterNext());
    });
  }

  #hasTime(now: number): boolean {
    return this.#began === undefined || now - this.#began < TURN_MS;
  }

  #admit(tenant: string, now: number): void {
    if (this.#began === undefined) {
      this.#began = now;
      setImmediate(() => this.#endTurn());
    } else this.#chargeNewest(now);
    this.#newest = { tenant, at: now };
  }

  #chargeNewest(now: number): void {
    this.#line.charge(this.#newest.tenant, now - this.#newest.at);
  }

  /** Before the entries that wait for this turn: each follows an entry that has begun one. */
  #endTurn(): void {
    this.#chargeNewest(this.#now());
    this.#line.settle();
    this.#began = undefined;
  }

  /** One entry: its work, which goes on when this returns, is done before the next entry. */
  #enterNext(): void {
    const now = this.#now();
    if (this.#hasTime(now)) {
      const next = this.#line.shift();
      if (next !== undefined) this.#admit(next.tenant, now);
      next?.one();
    }
    if (this.#line.size >= this.#entries) setImmediate(() => this.#enterNext());
    else this.#entries -= 1;
  }
}
