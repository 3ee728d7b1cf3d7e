import type { Activity } from '../concurrency/activity.ts';
import { ConcurrencyGate } from '../concurrency/gate.ts';
import type { Timers } from '../concurrency/timers.ts';
import { waitUntilStored } from '../interpreter/context/runtime.ts';
import type { Execution } from '../interpreter/context/thread.ts';
import type { ExecutionsJournal } from './journal.ts';
import type { PendingNotificationRow } from './schema.ts';

/** An execution that ended without success. */
export interface EndedExecution {
  readonly handle: string;
  readonly name: string;
  readonly status: 'FAILED' | 'TIMED_OUT' | 'ABORTED';
  readonly error?: string;
  readonly cause?: string;
}

/** Handles the end of an execution. If it throws, it is called again after a delay. */
export type OnEnd = (ended: EndedExecution) => Promise<void> | void;

export interface NotificationsProps {
  readonly onEnd: OnEnd;
  readonly journal: ExecutionsJournal;
  readonly timers: Timers;
  readonly activity: Activity;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Many executions often fail together, and each notification takes work. */
const AT_A_TIME = 16;
const FIRST_DELAY_MS = 1000;
const MAX_DELAY_MS = 60_000;

/** A success needs no notification: the last step of the machine has stored it. */
export const needsNotification = ({ outcome }: Execution): boolean =>
  outcome !== undefined && outcome.status !== 'SUCCEEDED';

/** Sends a notification for each pending end in the journal, at least once, also if the process crashes in between. */
export class Notifications {
  readonly #props: NotificationsProps;
  readonly #gate = new ConcurrencyGate(AT_A_TIME);
  #pending: readonly PendingNotificationRow[];
  #closed = false;

  constructor(props: NotificationsProps) {
    this.#props = props;
    this.#pending = props.journal.pendingNotifications();
  }

  /** Sends the notification for an execution that has just ended, once its end is stored. */
  async notify(execution: Execution): Promise<void> {
    if (!needsNotification(execution)) return;
    const done = this.#props.activity.begin();
    await waitUntilStored(this.#props);
    await this.#send(execution.id, endedOf({ ...execution, ...execution.outcome }));
    done();
  }

  /** Sends the notifications that an earlier process left. */
  resume(): void {
    for (const row of this.#pending) void this.#send(row.execution, endedOf(row));
    this.#pending = [];
  }

  /** Stops all notifications; the next `resume` continues them. */
  close(): void {
    this.#closed = true;
  }

  async #send(id: number, ended: EndedExecution, delay = FIRST_DELAY_MS): Promise<void> {
    const { activity, journal, timers, now, onEnd } = this.#props;
    const done = activity.begin();
    try {
      await this.#gate.run(async () => {
        if (this.#closed) return;
        await onEnd(ended);
        journal.noteNotified(id);
      });
    } catch (error) {
      if (this.#closed) return;
      console.error(`the notification of the end of execution ${ended.name} failed; it is sent again`, error);
      const longer = Math.min(2 * delay, MAX_DELAY_MS);
      timers.at(now() + delay, () => void this.#send(id, ended, longer));
    } finally {
      done();
    }
  }
}

type Row = { readonly [field in 'error' | 'cause' | 'status']?: string | null | undefined } & {
  readonly handle: string;
  readonly name: string;
};

function endedOf({ handle, name, status, error, cause }: Row): EndedExecution {
  return {
    handle,
    name,
    status: status as EndedExecution['status'],
    ...(error == null ? {} : { error }),
    ...(cause == null ? {} : { cause }),
  };
}
