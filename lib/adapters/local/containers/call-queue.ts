import { failedResult } from '../../../containers/session/protocol.ts';
import type { ContainerCall, ContainerResult } from '../../../ports/containers.ts';

/** A call that waits for a pod. */
export interface QueuedCall {
  readonly call: ContainerCall;
  readonly settle: (result: ContainerResult) => void;
  /** It was given to a pod that had ended, which received nothing of it. */
  isRepeated: boolean;
}

/** The most calls that wait at once (workflow-language reference, 11.2). */
export const MAX_QUEUED = 100;
/** The problem of a call that finds the queue full. */
export const QUEUE_FULL = `${MAX_QUEUED} calls are waiting for this service already; try again later`;

/** The longest delay of setTimeout. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Calls `wake` at an instant (milliseconds since 1970), or before it where that is more than 24 days away. */
export function timeoutAt(instant: number, wake: () => void): NodeJS.Timeout {
  return setTimeout(wake, Math.min(MAX_TIMER_MS, Math.max(0, instant - Date.now())));
}

/** A FIFO queue of calls. */
export class CallQueue {
  readonly #calls: QueuedCall[] = [];

  /** The number of queued calls. */
  get length(): number {
    return this.#calls.length;
  }

  /** Adds a call. Resolves with its result. */
  add(call: ContainerCall): Promise<ContainerResult> {
    return new Promise((settle) => {
      this.#calls.push({ call, settle, isRepeated: false });
    });
  }

  /** Puts a call that no pod received before all others. */
  putBack(call: QueuedCall): void {
    call.isRepeated = true;
    this.#calls.unshift(call);
  }

  /** Removes the first call. */
  take(): QueuedCall | undefined {
    return this.#calls.shift();
  }

  /** Removes the call of an action; undefined if it is not in the queue. */
  withdraw(actionId: string): QueuedCall | undefined {
    const index = this.#calls.findIndex(({ call }) => call.actionId === actionId);
    return index < 0 ? undefined : this.#calls.splice(index, 1)[0];
  }

  /** Removes all calls; they fail with this message. */
  failAll(message: string): void {
    for (const { settle } of this.#calls.splice(0)) settle(failedResult(message));
  }
}
