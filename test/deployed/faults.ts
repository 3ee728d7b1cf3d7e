/** What may go wrong between a function and AWS; `silence`: it was done, but nobody says so. */
export type Fault = 'throttle' | 'failure' | 'silence' | 'part';

/** Numbers from 0 to 1 that are the same for the same seed (mulberry32). */
function chances(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const KINDS: readonly Fault[] = ['throttle', 'failure', 'silence'];
const BATCH = /PutEvents$/;

/** Which calls go wrong while it is on. */
export class Faults {
  readonly #counts = new Map<string, number>();
  #chance: () => number = () => 1;
  #share = 0;

  /** From now on a share of the calls, from 0 to 1, goes wrong. */
  begin(share: number, seed: number): void {
    this.#counts.clear();
    this.#chance = chances(seed);
    this.#share = share;
  }

  /** From now on all goes well. Answers how many of each kind there were, by operation. */
  end(): Readonly<Record<string, number>> {
    this.#share = 0;
    return Object.fromEntries([...this.#counts].sort());
  }

  /** What happens to the next call, undefined being nothing. */
  next(operation: string): Fault | undefined {
    if (this.#share === 0 || this.#chance() >= this.#share) return undefined;
    const kinds: readonly Fault[] = BATCH.test(operation) ? [...KINDS, 'part'] : KINDS;
    const fault = kinds[Math.floor(this.#chance() * kinds.length)];
    const name = `${operation.replace(/^(\w+ \/[^/]*).*/, '$1')} ${fault}`;
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
    return fault;
  }
}
