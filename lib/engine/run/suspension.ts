import type { CallKey, Wait } from '../../domain/runs/waits.ts';
import type { StateError } from '../evaluation/failures.ts';

type WaitPart = Pick<Wait, 'isWaiting' | 'until' | 'calls' | 'listening' | 'approval'>;

/** The result of an unfinished state: the wait of a wait state, or of a checkpoint between two parts of long work. */
export class Suspend {
  readonly wait: WaitPart;
  constructor(wait: WaitPart) {
    this.wait = wait;
  }
}

/** Suspends a state only to commit what the run has written; the state is resumed at once. */
export const checkpoint = ({ entered }: Pick<Wait, 'entered'>): Suspend =>
  new Suspend({ isWaiting: false, until: entered });

/** A call whose end a machine reports. */
export interface ReturnedCall extends CallKey {
  /** It failed where one failure does not fail the state. */
  readonly failed?: boolean;
  /** Its retries are exhausted. */
  readonly exceeded?: boolean;
}

/** Why a call could not be made: the fields of a StateError. */
export type Rejection = Pick<StateError, 'kind' | 'code' | 'own' | 'message'>;

/** A character takes up to 6 in JSON, and the cause of a task's error has at most 32,768 in Step Functions. */
const MAX_REJECTION_MESSAGE = 4096;

/** The failure of a call that could not be made, as the cause of its task's error; a longer message is shortened. */
export const rejectionOf = ({ kind, code, own, message }: StateError): Rejection => ({
  kind,
  code,
  own,
  message: message.slice(0, MAX_REJECTION_MESSAGE),
});

/** The signal of a machine when a wait is over. */
export type ResumeSignal =
  /** The time has passed, or there was no wait. */
  | { readonly kind: 'due' }
  /** Calls returned; `k` is the last attempt of each. */
  | { readonly kind: 'callsReturned'; readonly calls: readonly ReturnedCall[] }
  /** One call decides the state alone. */
  | { readonly kind: 'callDecided'; readonly call: ReturnedCall }
  /** A call could not be made; the failure of the state. */
  | { readonly kind: 'callRejected'; readonly failure: Rejection }
  /** The run received the events that it waited for. */
  | { readonly kind: 'eventsReceived' }
  /** The time of the state is over. */
  | { readonly kind: 'timedOut' }
  /** The machine failed. */
  | { readonly kind: 'machineFailed'; readonly error: string; readonly cause: string };
