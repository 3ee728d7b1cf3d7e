/** How many bytes of bodies are taken in a turn of the event loop: copying them takes about half a millisecond. */
const TURN_BYTES = 1024 * 1024;

/**
 * Divides the arrival of large bodies among the turns of the event loop: in one turn, all connections together may bring more
 * than it can copy in a tenth of a second, and all other requests would wait for that. The holders take turns.
 */
export class Arrivals {
  readonly #turnBytes: number;
  /** By holder: its waiting bodies, with the bytes that each will take, in FIFO order. The next holder is the first. */
  readonly #waiting = new Map<string, { readonly bytes: number; readonly resume: () => void }[]>();
  #taken = 0;
  #isTurnEnding = false;

  constructor(turnBytes = TURN_BYTES) {
    this.#turnBytes = turnBytes;
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
      const others = this.#waiting.get(holder) ?? [];
      others.push({ bytes, resume: resolve });
      this.#waiting.set(holder, others);
      this.#endTurnSoon();
    });
  }

  #endTurnSoon(): void {
    if (this.#isTurnEnding) return;
    this.#isTurnEnding = true;
    setImmediate(() => this.#beginTurn());
  }

  #beginTurn(): void {
    this.#isTurnEnding = false;
    this.#taken = 0;
    let granted = 0;
    for (const [holder, others] of this.#waiting) {
      if (granted >= this.#turnBytes) break;
      const next = others.shift();
      this.#waiting.delete(holder);
      if (others.length > 0) this.#waiting.set(holder, others);
      if (next === undefined) continue;
      granted += next.bytes;
      next.resume();
    }
    if (this.#waiting.size > 0) this.#endTurnSoon();
  }
}
