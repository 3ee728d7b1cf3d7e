/** A turn that awaits nothing but the database yields after this long. */
const MAX_TURN_MS = 10;
const DONE = Promise.resolve();

/** A turn of the event loop, from the first work of the database in it. */
export class Turn {
  readonly #onEnd: () => void;
  #began: number | undefined;

  /** `onEnd` is called at the end of each turn, as its last part. */
  constructor(onEnd: () => void) {
    this.#onEnd = onEnd;
  }

  /** More work of this turn may follow, so its commit must wait for its end. */
  get hasBegun(): boolean {
    return this.#began !== undefined;
  }

  /** Begins a turn, which ends with this turn of the event loop. */
  begin(): void {
    this.#began = performance.now();
    setImmediate(() => this.end());
  }

  /** Ends the turn now, if one has begun. */
  end(): void {
    if (this.#began === undefined) return;
    this.#onEnd();
    this.#began = undefined;
  }

  /** Resolves at once, or in the next turn if this turn has lasted long. */
  yielded(): Promise<void> {
    if (this.#began === undefined || performance.now() - this.#began < MAX_TURN_MS) return DONE;
    return new Promise((resolve) => setImmediate(resolve));
  }
}
