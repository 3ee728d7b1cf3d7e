import type { Exit, StatePlan, Work } from '../../compiler/plan/plan.ts';
import type { Pause } from '../../domain/runs/waits.ts';
import type { Draft } from './unit-of-work.ts';

/** A state that is not done: it waits for its machine, or only commits between two parts of long work. */
export class Hold {
  readonly wait: Pick<Pause, 'isWaiting' | 'until' | 'calls' | 'listening'>;
  constructor(wait: Pick<Pause, 'isWaiting' | 'until' | 'calls' | 'listening'>) {
    this.wait = wait;
  }
}

export type Done = Exit | Hold | undefined;

/**
 * Does one kind of work for a state. Answers the exit it chose, undefined for the state's own, or what it waits for.
 * Throws StateFailure.
 */
export type Perform<Kind extends Work['do']> = (
  draft: Draft,
  work: Extract<Work, { readonly do: Kind }>,
  state: StatePlan,
) => Promise<Done>;

/** What a machine brings when a wait is over. */
export type Signal =
  /** The time is up, or nothing was waited for. */
  | { readonly kind: 'due' }
  /** Calls returned: for each, the attempt that decided, and whether it failed where that does not decide. */
  | { readonly kind: 'returned'; readonly calls: readonly ReturnedCall[] }
  /** One call decides alone. */
  | { readonly kind: 'won' | 'failed'; readonly call: ReturnedCall }
  /** The events that were waited for came. */
  | { readonly kind: 'heard' }
  /** The state's time is over before what it waits for. */
  | { readonly kind: 'late' }
  /** The machine could not do its part. */
  | { readonly kind: 'broken'; readonly error: string; readonly cause: string };

export interface ReturnedCall {
  readonly i: number;
  readonly k: number;
  readonly failed?: boolean;
  /** Its attempts are used up. */
  readonly exceeded?: boolean;
}

/** Goes on with a state that waited. */
export type Resume<Kind extends Work['do']> = (
  draft: Draft,
  work: Extract<Work, { readonly do: Kind }>,
  state: StatePlan,
  pause: Pause,
  signal: Signal,
) => Promise<Done>;
