import type { Rejection } from '../../compiler/emit/task-protocol.ts';
import type { Wait } from '../../domain/runs/waits.ts';
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

/** A character takes up to 6 in JSON, and the cause of a task's error has at most 32,768 in Step Functions. */
const MAX_REJECTION_MESSAGE = 4096;

/** The failure of a call that could not be made, as the cause of its task's error; a longer message is shortened. */
export const rejectionOf = ({ kind, code, own, message }: StateError): Rejection => ({
  kind,
  code,
  own,
  message: message.slice(0, MAX_REJECTION_MESSAGE),
});
