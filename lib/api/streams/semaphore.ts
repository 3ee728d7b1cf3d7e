/** A semaphore: limits how many tasks run at the same time. Waiting tasks run in FIFO order. */
export class Semaphore {
  readonly #waiting: (() => void)[] = [];
  #permits: number;

  constructor(permits: number) {
    this.#permits = permits;
  }

  /** Runs the task as soon as a permit is free, and returns what the task returns or throws. */
  async run<T>(task: () => Promise<T>): Promise<T> {
    if (this.#permits > 0) this.#permits -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await task();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#permits += 1;
      else next();
    }
  }
}
