/** Counts the work in progress, so that a caller can wait until there is none. */
export class Activity {
  #busy = 0;
  #waiting: (() => void)[] = [];

  /** Counts one piece of work as started. The returned function counts it as done, once. */
  begin(): () => void {
    this.#busy++;
    let open = true;
    return () => {
      if (!open) return;
      open = false;
      this.#busy--;
      if (this.#busy === 0) this.#notify();
    };
  }

  /** How many pieces of work are in progress. */
  get count(): number {
    return this.#busy;
  }

  /** Resolves when no work is in progress. */
  idle(): Promise<void> {
    if (this.#busy === 0) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #notify(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}
