import type { Clock } from '../../../ports/clock.ts';

/** How long the batches of this process compute, all together, before the event loop is polled, ms. */
const MAX_TURN_MS = 4;

/** How often the event loop is polled before the next batch computes: a request needs several turns of it. */
const POLLS = 4;

/** A tenant counts as computing for this long after its last batch, ms. */
const ACTIVE_MS = 1_000;

/** The last computation of a tenant; `at` in milliseconds since 1970. */
interface LastComputation {
  readonly tenant: string;
  readonly at: number;
}

const NONE: LastComputation = { tenant: '', at: Number.NEGATIVE_INFINITY };

/** Calls back in this turn of the event loop, when what has been resumed in it computes no further. */
function afterMicrotasks(callBack: () => void): void {
  queueMicrotask(() => process.nextTick(callBack));
}

/**
 * The turns in which the batches of runs compute on the event loop: tenants take turns, each with one of its batches, and the
 * batches of a tenant compute in the order in which they asked.
 */
export class ProcessorTurns {
  readonly #clock: Pick<Clock, 'now'>;
  /** By tenant: its batches that wait, in FIFO order. The tenant whose turn comes last is last. */
  readonly #waiting = new Map<string, (() => void)[]>();
  /** When a batch first computed since the last polls; undefined: none has. */
  #began: number | undefined;
  #polls = 0;
  /** The tenants that have computed since the last polls. */
  readonly #served = new Set<string>();
  #isTurnEnding = false;
  #newest = NONE;
  /** The last computation of a tenant other than the newest one. */
  #other = NONE;
  /** The tenant that computes in this turn of the event loop, and since when its time is not charged. */
  #computing: LastComputation | undefined;
  readonly #charge: (tenant: string, ms: number) => void;

  /** `charge` is called with the time that a tenant has computed, ms. */
  constructor(clock: Pick<Clock, 'now'>, charge: (tenant: string, ms: number) => void = () => undefined) {
    this.#clock = clock;
    this.#charge = charge;
  }

  /** Whether a tenant other than this one has computed in the last second. */
  isShared(tenant: string): boolean {
    const { at } = this.#newest.tenant === tenant ? this.#other : this.#newest;
    return this.#clock.now() - at <= ACTIVE_MS;
  }

  /**
   * Whether a batch of the tenant may compute on before the event loop is polled again. During the polls after a long turn,
   * a tenant that has not computed yet has a whole turn.
   */
  mayCompute(tenant: string): boolean {
    const now = this.#clock.now();
    this.#noteComputing(tenant, now);
    if (this.#began === undefined || (this.#polls > 0 && !this.#served.has(tenant))) this.#began = now;
    this.#endTurnSoon();
    if (now - this.#began >= MAX_TURN_MS) return false;
    this.#served.add(tenant);
    return true;
  }

  /**
   * Resolves when a batch of the tenant may compute: at once if there is time left before the event loop is polled, and no
   * other batch of the tenant waits.
   */
  async take(tenant: string): Promise<void> {
    if (!this.#waiting.has(tenant) && this.mayCompute(tenant)) return;
    await this.#wait(tenant);
    const now = this.#clock.now();
    this.#noteComputing(tenant, now);
    this.#began ??= now;
    this.#served.add(tenant);
  }

  #noteComputing(tenant: string, now: number): void {
    if (this.#newest.tenant !== tenant) this.#other = this.#newest;
    this.#newest = { tenant, at: now };
    if (this.#computing === undefined) afterMicrotasks(this.#endComputing);
    else this.#chargeComputing(this.#computing, now);
    this.#computing = this.#newest;
  }

  #chargeComputing({ tenant, at }: LastComputation, now: number): void {
    if (now > at) this.#charge(tenant, now - at);
  }

  readonly #endComputing = (): void => {
    if (this.#computing !== undefined) this.#chargeComputing(this.#computing, this.#clock.now());
    this.#computing = undefined;
  };

  #wait(tenant: string): Promise<void> {
    return new Promise((resolve) => {
      const batches = this.#waiting.get(tenant) ?? [];
      batches.push(resolve);
      this.#waiting.set(tenant, batches);
      this.#endTurnSoon();
    });
  }

  #endTurnSoon(): void {
    if (this.#isTurnEnding) return;
    this.#isTurnEnding = true;
    setImmediate(() => this.#endTurn());
  }

  #endTurn(): void {
    this.#isTurnEnding = false;
    this.#polls += 1;
    if (this.#waiting.size > 0 && this.#polls < POLLS) this.#endTurnSoon();
    else this.#resumeNext();
  }

  #resumeNext(): void {
    this.#polls = 0;
    this.#began = undefined;
    this.#served.clear();
    this.#resumeOne();
  }

  /** Resumes the batch whose turn it is and, while there is time left in this turn, those after it. */
  #resumeOne(): void {
    const [next] = this.#waiting;
    if (next === undefined) return;
    const [tenant, batches] = next;
    const resume = batches.shift();
    this.#waiting.delete(tenant);
    if (batches.length > 0) this.#waiting.set(tenant, batches);
    this.#endTurnSoon();
    resume?.();
    afterMicrotasks(() => {
      if (this.#began !== undefined && this.#clock.now() - this.#began < MAX_TURN_MS) this.#resumeOne();
    });
  }
}
