/** Counts what is at work, so that one can wait for the moment when nothing is. */
export class Activity {
  #busy = 0;
  #waiting: (() => void)[] = [];

  /** Something begins; it ends, once, with the returned function. */
  begin(): () => void {
    this.#busy++;
    let open = true;
    return () => {
      if (!open) return;
      open = false;
      this.#busy--;
      if (this.#busy === 0) this.#rest();
    };
  }

  /** Resolves when nothing is at work. */
  idle(): Promise<void> {
    if (this.#busy === 0) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #rest(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}
