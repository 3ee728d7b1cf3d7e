/** A call of a child: which element or branch of the state, and the how-manieth attempt (from 0). */
export interface CallKey {
  readonly i: number;
  readonly k: number;
}

/** A call that a machine is to make. `s`: the attempt comes after so many seconds; it failed before. */
export interface WaitingCall extends CallKey {
  readonly s?: number;
}

/** How far a state that makes calls has come. */
export interface Calls {
  /** How many the state makes in all. */
  readonly total: number;
  /** The first call that is not begun. */
  readonly next: number;
  /** What the calls returned, by their number. */
  readonly results: readonly unknown[];
  /** How many have returned. */
  readonly returned: number;
  /** The calls of this round that a machine waits for. */
  readonly waiting: readonly WaitingCall[];
  /** Calls that failed where a failure does not decide. */
  readonly failed: number;
}

/** A state that was entered and is not done. */
export interface Pause {
  /** Counted through the run from 1; a machine that comes back names it, so a late comer is known. */
  readonly number: number;
  /** The state's id. */
  readonly state: string;
  /** False: only a commit between two parts of long work, nobody waits. */
  readonly isWaiting: boolean;
  /** When the state was entered, milliseconds since 1970. */
  readonly entered: number;
  /** What the ids of its calls are made from with time: the commit before it was entered, milliseconds since 1970. */
  readonly origin: number;
  /** When what is waited for is due or given up, milliseconds since 1970. */
  readonly until: number;
  /** When the machine must come back: then, or when the run's own time is over. */
  readonly wake: number;
  readonly calls?: Calls;
}

/** How a caller wants failed attempts repeated. Delays in milliseconds. */
export interface Retries {
  readonly codes: readonly string[];
  readonly most: number;
  readonly delay: number;
  readonly multiplier: number;
}

/** Who called a run and waits for its end. */
export interface Parent extends CallKey {
  readonly id: string;
  /** `and`: every call must succeed; `or`: the first that does decides. */
  readonly mode: 'and' | 'or';
  readonly retries?: Retries;
  /** How long the caller waits, milliseconds since 1970. */
  readonly until: number;
  /** The task that waits; empty while none does. */
  readonly token: string;
}
