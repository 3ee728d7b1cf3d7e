import { FairLine } from './fair-line.ts';

/** How long requests that have just entered may work before the event loop is polled, ms. */
const TURN_MS = 5;

/** The most requests that enter after having waited, in one turn of the event loop. */
const MOST_ENTRIES = 32;

/** The longest pause of a tenant, ms. */
const MAX_PAUSE_MS = 100;

/** A tenant counts as present for this long after its last entry, ms. */
const PRESENT_MS = 1000;

/**
 * The door that every request passes before work is done for it. A request passes at once while this turn of the event loop
 * has time left and nobody waits. Else it waits: tenants take turns, weighted by the time that their requests took. While
 * several tenants are present, one whose request took longer than a turn pauses for as long: a small request of another
 * passes about ten turns of the event loop, and would wait for a large one in each of them.
 */
export class Door {
  readonly #now: () => number;
  readonly #later: (resume: () => void, ms: number) => void;
  readonly #line = new FairLine<() => void>();
  /** When the first request of this turn entered. */
  #began: number | undefined;
  /** The last entry of this turn: the time until the next one is taken for its work. */
  #newest = { tenant: '', at: Number.NEGATIVE_INFINITY };
  /** The last entry of a tenant other than the newest one. */
  #other = { tenant: '', at: Number.NEGATIVE_INFINITY };
  #entries = 0;

  /** `now`: the time in milliseconds; `later` calls a function after some. */
  constructor(
    now: () => number = () => performance.now(),
    later: (resume: () => void, ms: number) => void = setTimeout,
  ) {
    this.#now = now;
    this.#later = later;
  }

  /** Undefined if work for the tenant may begin at once; else resolves when it may. */
  enter(tenant: string): Promise<void> | undefined {
    const now = this.#now();
    if (this.#line.size === 0 && this.#hasTime(now) && !this.#line.isPaused(tenant)) {
      this.#admit(tenant, now);
      return undefined;
    }
    return new Promise((resolve) => {
      this.#line.push(tenant, resolve);
      this.#callNext();
    });
  }

  #hasTime(now: number): boolean {
    return this.#began === undefined || now - this.#began < TURN_MS;
  }

  #admit(tenant: string, now: number): void {
    if (this.#began === undefined) {
      this.#began = now;
      setImmediate(this.#endTurn);
    } else this.#chargeNewest(now);
    if (this.#newest.tenant !== tenant) this.#other = this.#newest;
    this.#newest = { tenant, at: now };
  }

  #chargeNewest(now: number): void {
    const { tenant, at } = this.#newest;
    const took = now - at;
    this.#line.charge(tenant, took);
    if (took <= TURN_MS || now - this.#other.at > PRESENT_MS || this.#line.isPaused(tenant)) return;
    this.#line.pause(tenant);
    this.#later(() => this.#resume(tenant), Math.min(took, MAX_PAUSE_MS));
  }

  #resume(tenant: string): void {
    this.#line.resume(tenant);
    this.#callNext();
  }

  /** Before the entries that wait for this turn: each follows an entry that has begun one. */
  readonly #endTurn = (): void => {
    this.#chargeNewest(this.#now());
    this.#line.settle();
    this.#began = undefined;
  };

  #callNext(): void {
    if (this.#entries >= Math.min(this.#line.size, MOST_ENTRIES)) return;
    this.#entries += 1;
    setImmediate(this.#enterNext);
  }

  /** One entry: its work, which goes on when this returns, is done before the next entry. */
  readonly #enterNext = (): void => {
    const now = this.#now();
    this.#entries -= 1;
    const next = this.#hasTime(now) ? this.#line.shift() : undefined;
    if (next !== undefined) this.#admit(next.tenant, now);
    this.#callNext();
    this.#callNext();
    next?.one();
  };
}
