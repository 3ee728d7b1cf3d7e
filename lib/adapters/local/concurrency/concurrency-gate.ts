type Job = () => void;

/** Lets only so many jobs run at a time; the others wait in the order they came. */
export class ConcurrencyGate {
  readonly #width: number;
  #running = 0;
  #queue: Job[] = [];
  #head = 0;

  constructor(width: number) {
    this.#width = width;
  }

  /** The job's result, once it had its turn. Throws what the job throws. */
  async run<T>(job: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#width) await new Promise<void>((resolve) => this.#queue.push(resolve));
    else this.#running++;
    try {
      return await job();
    } finally {
      this.#next();
    }
  }

  // The place of one that ends goes straight to the next in line, so that no newcomer slips in between.
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
