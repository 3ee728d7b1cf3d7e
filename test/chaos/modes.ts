/** What a mode of the program is given. */
export interface ModeOptions {
  /** How many rounds of random disturbances; a mode that tries all cases ignores it. */
  readonly rounds: number;
  /** The same seed makes the same choices. */
  readonly seed: number;
  /** The longest fault, seconds. */
  readonly longest: number;
  /** Prints a line of progress. */
  readonly print: (line: string) => void;
}

/** What a mode found: how many rounds or cases passed, and a sentence for each failure. */
export interface Verdict {
  readonly passed: number;
  readonly failures: readonly string[];
}

/** A way to disturb the service, and to check what it promises. */
export interface Mode {
  /** Part of a run without an option that names modes. */
  readonly isUsual: boolean;
  readonly run: (options: ModeOptions) => Promise<Verdict>;
}

export type ModeName = 'kills' | 'points' | 'faults' | 'attacks';

/** Every mode; its name is the option that selects it. A mode is loaded when it runs. */
export const MODES: Readonly<Record<ModeName, Mode>> = {
  kills: { isUsual: true, run: async (options) => (await import('./kills.ts')).kills(options) },
  points: { isUsual: true, run: async (options) => (await import('./points.ts')).points(options) },
  faults: { isUsual: true, run: async (options) => (await import('./faults.ts')).faults(options) },
  // Latencies are measured: on a busy machine they say nothing.
  attacks: { isUsual: false, run: async (options) => (await import('./attacks/attacks.ts')).attacks(options) },
};
