/** The options of a mode of the program. */
export interface ModeOptions {
  /** How many rounds of random disturbances; a mode that tries all cases ignores it. */
  readonly rounds: number;
  /** The same seed makes the same choices. */
  readonly seed: number;
  /** The longest fault, seconds. */
  readonly longest: number;
  /** Names of the cases to try, for a mode whose cases have names; undefined: all. */
  readonly only?: readonly string[] | undefined;
  /** Prints a line of progress. */
  readonly print: (line: string) => void;
}

/** The result of a mode: how many rounds or cases passed, and a sentence for each failure. */
export interface Verdict {
  readonly passed: number;
  readonly failures: readonly string[];
}

/** A way to disturb the service, and to check its promises. */
export interface Mode {
  /** A line of the help. */
  readonly about: string;
  /** Part of a run without an option that names modes. */
  readonly isUsual: boolean;
  readonly run: (options: ModeOptions) => Promise<Verdict>;
}

export type ModeName = 'kills' | 'points' | 'crowds' | 'faults' | 'restarts' | 'attacks';

/** Every mode; its name is the option that selects it. A mode is loaded when it runs. */
export const MODES: Readonly<Record<ModeName, Mode>> = {
  kills: {
    about: 'kill -9 under load and while it recovers; power cuts of copies',
    isUsual: true,
    run: async (options) => (await import('./kills.ts')).kills(options),
  },
  points: {
    about: 'every crash point of each workload, and pairs of them',
    isUsual: true,
    run: async (options) => (await import('./points.ts')).points(options),
  },
  crowds: {
    about: '1,000 starts at once under limits of workflows and functions, with crashes',
    isUsual: true,
    run: async (options) => (await import('./crowds.ts')).crowds(options),
  },
  faults: {
    about: 'database stopped, disk full, bus unwritable, clock set',
    isUsual: true,
    run: async (options) => (await import('./faults.ts')).faults(options),
  },
  restarts: {
    about: 'clock set back, folder removed, restore killed, files damaged, disk full at a start',
    isUsual: true,
    run: async (options) => (await import('./restarts/restarts.ts')).restarts(options),
  },
  // Latencies are measured: on a busy machine they are not meaningful.
  attacks: {
    about: 'latency of one tenant during attacks of another, on a quiet machine',
    isUsual: false,
    run: async (options) => (await import('./attacks/attacks.ts')).attacks(options),
  },
};
