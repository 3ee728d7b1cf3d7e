import { failedResult } from '../../../containers/session/protocol.ts';
import type { ContainerCall, ContainerResult } from '../../../ports/containers.ts';

/** A call that waits for its turn. */
export interface Waiting {
  readonly call: ContainerCall;
  readonly settle: (result: ContainerResult) => void;
}

/** Most calls that wait at once (workflow-language reference, 11.2). */
export const MOST_WAITING = 100;
export const TOO_MANY = `${MOST_WAITING} calls are waiting for this service already; try again later`;

const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Wakes at an instant (milliseconds since 1970), or earlier where that is weeks away. */
export function timeoutAt(instant: number, wake: () => void): NodeJS.Timeout {
  return setTimeout(wake, Math.min(LONGEST_TIMER_MS, Math.max(0, instant - Date.now())));
}

/** Calls in the order in which they came. */
export class CallQueue {
  readonly #waiting: Waiting[] = [];

  get length(): number {
    return this.#waiting.length;
  }

  /** Resolves with the call's result, whoever takes the call. */
  add(call: ContainerCall): Promise<ContainerResult> {
    return new Promise((settle) => {
      this.#waiting.push({ call, settle });
    });
  }

  take(): Waiting | undefined {
    return this.#waiting.shift();
  }

  /** Takes out one call, if it waits here. */
  withdraw(actionId: string): Waiting | undefined {
    const index = this.#waiting.findIndex(({ call }) => call.actionId === actionId);
    return index < 0 ? undefined : this.#waiting.splice(index, 1)[0];
  }

  failAll(message: string): void {
    for (const { settle } of this.#waiting.splice(0)) settle(failedResult(message));
  }
}
