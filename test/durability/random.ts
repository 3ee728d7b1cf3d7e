/** Pseudo-random numbers from a seed. */
export interface Random {
  /** A number of [0, 1). */
  fraction(): number;
  /** A whole number of [from, to]. */
  between(from: number, to: number): number;
}

/** The generator mulberry32: 32 bits of state, the same numbers for the same seed. */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  const fraction = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return { fraction, between: (from, to) => from + Math.floor(fraction() * (to - from + 1)) };
}
