/** A turn that awaits nothing but the database yields after this long. */
const MAX_TURN_MS = 5;
/** The same in operations, where the time must not matter. */
const MAX_OPERATIONS = 100;
const DONE = Promise.resolve();

/** A turn of the event loop, from the first work of the database in it. */
export class Turn {
  readonly #onEnd: () => void;
  readonly #isTimed: boolean;
  #began: number | undefined;
  #operations = 0;
  #yields = 0;

  /** `onEnd` is called at the end of each turn, as its last part. A turn that is not timed is long by its operations. */
  constructor(onEnd: () => void, isTimed = true) {
    this.#onEnd = onEnd;
    this.#isTimed = isTimed;
  }

  /** More work of this turn may follow, so its commit must wait for its end. */
  get hasBegun(): boolean {
    return this.#began !== undefined;
  }

  /** No turn has begun, and no caller waits in `yielded`. */
  get isQuiet(): boolean {
    return this.#began === undefined && this.#yields === 0;
  }

  /** Begins a turn, which ends with this turn of the event loop. */
  begin(): void {
    this.#began = performance.now();
    this.#operations = 0;
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
    if (this.#began === undefined) return DONE;
    this.#operations += 1;
    const isLong = this.#isTimed ? performance.now() - this.#began >= MAX_TURN_MS : this.#operations >= MAX_OPERATIONS;
    if (!isLong) return DONE;
    this.#yields += 1;
    return new Promise((resolve) => {
      setImmediate(() => {
        this.#yields -= 1;
        resolve();
      });
    });
  }
}
