import { Waiters } from '../run/end-waiters.ts';

/** A queue for which polls of this process wait. */
interface WaitedFor {
  polls: number;
  /** When one of them last began to read it, milliseconds since 1970. */
  readAt: number;
}

const queues = new Map<string, WaitedFor>();
const waiters = new Waiters();

const keyOf = (namespaceId: string, queue: string): string => `${namespaceId} ${queue}`;

/** Wakes one of the polls of this process that wait for a task of the queue: one task is for one poll. */
export const wakePoll = (namespaceId: string, queue: string): void => waiters.notifyOne(keyOf(namespaceId, queue));

/** A poll that waits for a task of a queue. */
export interface WaitingPoll {
  /**
   * Waits until a task was offered in this process, or for `ms` milliseconds. Resolves with whether the poll is to read the
   * queue: not if another one has begun to since, which wakes this one if it leaves tasks.
   */
  readonly wait: (ms: number) => Promise<boolean>;
  readonly end: () => void;
}

/**
 * Begins the wait of a poll, which has just read the queue. However many polls of this process wait for a queue, one of them
 * reads it at a time.
 */
export function beginWait(now: () => number, namespaceId: string, queue: string): WaitingPoll {
  const key = keyOf(namespaceId, queue);
  const waitedFor = queues.get(key) ?? { polls: 0, readAt: now() };
  queues.set(key, waitedFor);
  waitedFor.polls += 1;
  return {
    async wait(ms) {
      const isWoken = await waiters.wait(key, ms);
      const mustRead = isWoken || now() - waitedFor.readAt >= ms;
      if (mustRead) waitedFor.readAt = now();
      return mustRead;
    },
    end() {
      waitedFor.polls -= 1;
      if (waitedFor.polls === 0) queues.delete(key);
    },
  };
}
