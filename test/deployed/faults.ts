/**
 * A fault between a function and AWS. `silence`: the request took effect, its response is lost; `part`: the second,
 * fourth and so on entry of a batch is rejected.
 */
export type Fault = 'throttle' | 'failure' | 'silence' | 'part';

/** Pseudorandom numbers from 0 to 1 for a seed (mulberry32). */
function randomNumbers(seed: number): () => number {
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

/** Chooses the requests that get a fault. */
export class FaultInjector {
  readonly #counts = new Map<string, number>();
  #random: () => number = () => 1;
  #share = 0;

  /** Starts faults for a share of the requests, from 0 to 1. */
  start(share: number, seed: number): void {
    this.#counts.clear();
    this.#random = randomNumbers(seed);
    this.#share = share;
  }

  /** Stops faults, and returns the number of each kind by operation. */
  stop(): Readonly<Record<string, number>> {
    this.#share = 0;
    return Object.fromEntries([...this.#counts].sort());
  }

  /** The fault of the next request, if it gets one. */
  next(operation: string): Fault | undefined {
    if (this.#share === 0 || this.#random() >= this.#share) return undefined;
    const kinds: readonly Fault[] = BATCH.test(operation) ? [...KINDS, 'part'] : KINDS;
    const fault = kinds[Math.floor(this.#random() * kinds.length)];
    const name = `${operation.replace(/^(\w+ \/[^/]*).*/, '$1')} ${fault}`;
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
    return fault;
  }
}
