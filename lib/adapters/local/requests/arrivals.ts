import { FairLine } from './fair-line.ts';

/** How many bytes of bodies are taken in a turn of the event loop: copying them takes about half a millisecond. */
export const TURN_BYTES = 1024 * 1024;

/**
 * A turn that takes longer, because of tiny chunks, is followed by a pause of some times its length, at most the last number:
 * requests that pass meanwhile take about ten turns.
 */
const LONG_MS = 5;
const PAUSE_FACTOR = 4;
const MAX_PAUSE_MS = 250;

/**
 * Divides the arrival of large bodies among the turns of the event loop: in one turn, all connections together may bring more
 * than it can copy in a tenth of a second, and all other requests would wait for that. The holders take turns.
 */
export class Arrivals {
  readonly #turnBytes: number;
  readonly #line = new FairLine<{ readonly bytes: number; readonly resume: () => void }>();
  #taken = 0;
  #isTurnEnding = false;
  #began = 0;
  readonly #now: () => number;
  readonly #later: (resume: () => void, ms: number) => void;

  /** `now`: the time in milliseconds; `later` calls a function after some. */
  constructor(
    turnBytes = TURN_BYTES,
    now: () => number = () => performance.now(),
    later: (resume: () => void, ms: number) => void = setTimeout,
  ) {
    this.#turnBytes = turnBytes;
    this.#now = now;
    this.#later = later;
  }

  /** Takes bytes that are there. Returns false when no more should be taken in this turn; `wait` then. */
  take(bytes: number): boolean {
    this.#taken += bytes;
    this.#endTurnSoon();
    return this.#taken < this.#turnBytes;
  }

  /** Resolves in a turn in which the holder may take `bytes`, or all bytes of a turn if they are fewer. */
  wait(holder: string, bytes: number): Promise<void> {
    return new Promise((resolve) => {
      this.#line.push(holder, { bytes, resume: resolve });
      this.#endTurnSoon();
    });
  }

  #endTurnSoon(): void {
    if (this.#isTurnEnding) return;
    this.#isTurnEnding = true;
    this.#began = this.#now();
    setImmediate(this.#endTurn);
  }

  readonly #endTurn = (): void => {
    const took = this.#now() - this.#began;
    if (took <= LONG_MS || this.#line.size === 0) this.#beginTurn();
    else this.#later(() => this.#beginTurn(), Math.min(PAUSE_FACTOR * took, MAX_PAUSE_MS));
  };

  #beginTurn(): void {
    this.#isTurnEnding = false;
    this.#taken = 0;
    for (let granted = 0; granted < this.#turnBytes; ) {
      const next = this.#line.shift();
      if (next === undefined) break;
      granted += next.one.bytes;
      this.#line.charge(next.tenant, next.one.bytes);
      next.one.resume();
    }
    this.#line.settle();
    if (this.#line.size > 0) this.#endTurnSoon();
  }
}
