/** The size of a resource, and how much of it one holder has at most. */
export interface ShareLimits {
  readonly total: number;
  readonly perHolder: number;
}

/** A resource that several holders share: none of them can use it up. */
export class Shares {
  readonly #limits: ShareLimits;
  readonly #held = new Map<string, number>();
  #used = 0;

  constructor(limits: ShareLimits) {
    this.#limits = limits;
  }

  /** Takes an amount for a holder. Returns false, and takes nothing, when that exceeds a limit. */
  take(holder: string, amount: number): boolean {
    const held = (this.#held.get(holder) ?? 0) + amount;
    if (held > this.#limits.perHolder || this.#used + amount > this.#limits.total) return false;
    this.#held.set(holder, held);
    this.#used += amount;
    return true;
  }

  /** Gives back an amount that was taken. */
  give(holder: string, amount: number): void {
    const held = (this.#held.get(holder) ?? 0) - amount;
    this.#used -= amount;
    if (held > 0) this.#held.set(holder, held);
    else this.#held.delete(holder);
  }
}
