import { FairLine } from './fair-line.ts';

/** How long requests that have just entered may work before the event loop is polled, ms. */
const TURN_MS = 5;

/** The most requests that enter after having waited, in one turn of the event loop. */
const MOST_ENTRIES = 32;

/** The longest pause of a tenant, ms. */
const MAX_PAUSE_MS = 100;

/** A tenant counts as present for this long after its last entry, ms. */
const PRESENT_MS = 1000;

/** With what the tenants of requests without a key begin; their addresses follow. No namespace has such a name. */
const STRANGER = 'without a key: ';

/** Requests without a key have the turns of one tenant together, however many addresses they come from. */
const shareOf = (tenant: string): string => (tenant.startsWith(STRANGER) ? STRANGER : tenant);

/**
 * The door that every request passes before work is done for it. A request passes at once while this turn of the event loop
 * has time left and nobody waits. Else it waits: tenants take turns, weighted by the time that their requests took. While
 * several tenants are present, one whose request took longer than a turn pauses for as long: a small request of another
 * passes about ten turns of the event loop, and would wait for a large one in each of them. Requests without a key are one
 * tenant, within which their addresses take turns.
 */
export class Door {
  readonly #now: () => number;
  readonly #later: (resume: () => void, ms: number) => void;
  readonly #line = new FairLine<() => void>();
  /** The requests without a key that wait, by address; for each of them, the line has one entry of their common share. */
  readonly #strangers = new FairLine<() => void>();
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
    if (this.#line.size === 0 && this.#hasTime(now) && !this.#line.isPaused(shareOf(tenant))) {
      this.#admit(tenant, now);
      return undefined;
    }
    return new Promise((resolve) => {
      this.#line.push(shareOf(tenant), resolve);
      if (shareOf(tenant) === STRANGER) this.#strangers.push(tenant, resolve);
      this.#callNext();
    });
  }

  /**
   * Charges a tenant for work that is done outside the turn of one of its requests, ms: in a later turn of the request, or for a
   * run that an event, the clock or a machine goes on with.
   */
  charge(tenant: string, ms: number): void {
    const isCounted = this.#began !== undefined && this.#newest.tenant === tenant;
    if (isCounted) return;
    // The request that has entered last did not take this time.
    this.#newest = { ...this.#newest, at: Math.min(this.#newest.at + ms, this.#now()) };
    this.#line.charge(tenant, ms);
  }

  #shift(): { readonly tenant: string; readonly one: () => void } | undefined {
    const next = this.#line.shift();
    return next?.tenant === STRANGER ? this.#strangers.shift() : next;
  }

  #hasTime(now: number): boolean {
    return this.#began === undefined || now - this.#began < TURN_MS;
  }

  #admit(tenant: string, now: number): void {
    if (this.#began === undefined) {
      this.#began = now;
      setImmediate(this.#endTurn);
    } else this.#chargeNewest(now);
    if (shareOf(this.#newest.tenant) !== shareOf(tenant)) this.#other = this.#newest;
    this.#newest = { tenant, at: now };
  }

  #chargeNewest(now: number): void {
    const { tenant, at } = this.#newest;
    const took = now - at;
    const share = shareOf(tenant);
    this.#line.charge(share, took);
    if (share === STRANGER) this.#strangers.charge(tenant, took);
    if (took <= TURN_MS || now - this.#other.at > PRESENT_MS || this.#line.isPaused(share)) return;
    this.#line.pause(share);
    this.#later(() => this.#resume(share), Math.min(took, MAX_PAUSE_MS));
  }

  #resume(tenant: string): void {
    this.#line.resume(tenant);
    this.#callNext();
  }

  /** Before the entries that wait for this turn: each follows an entry that has begun one. */
  readonly #endTurn = (): void => {
    this.#chargeNewest(this.#now());
    this.#line.settle();
    this.#strangers.settle();
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
    const next = this.#hasTime(now) ? this.#shift() : undefined;
    if (next !== undefined) this.#admit(next.tenant, now);
    this.#callNext();
    this.#callNext();
    next?.one();
  };
}
