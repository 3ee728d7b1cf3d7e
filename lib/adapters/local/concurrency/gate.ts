type Job = () => void;

/** Limits the number of concurrent jobs; waiting jobs start in FIFO order. */
export class ConcurrencyGate {
  readonly #width: number;
  #running = 0;
  #queue: Job[] = [];
  #head = 0;

  constructor(width: number) {
    this.#width = width;
  }

  /** Runs the job as soon as there is room, and returns its result. Throws what the job throws. */
  async run<T>(job: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#width) await new Promise<void>((resolve) => this.#queue.push(resolve));
    else this.#running++;
    try {
      return await job();
    } finally {
      this.#next();
    }
  }

  /** Passes the slot of a job that ended to the first waiting job, so that no later job overtakes it. */
  #next(): void {
    const next = this.#queue[this.#head++];
    if (!next) {
      this.#running--;
      this.#queue = [];
      this.#head = 0;
      return;
    }
    if (this.#head > 1000) {
      this.#queue = this.#queue.slice(this.#head);
      this.#head = 0;
    }
    next();
  }
}
