import { Waiters } from '../delivery/end-waiters.ts';

/** A queue for which polls of this process wait. */
interface WaitedFor {
  polls: number;
  /** When one of them last began to read it, milliseconds since 1970. */
  readAt: number;
  /** A task was offered while none of them waited: all of them read, and one may have been too early to find it. */
  hasMissed: boolean;
  /** How often they have read a part of it, from a random number on. */
  turns: number;
}

/** Why a poll reads the queue: a task was offered in this process, or it is time to look into a part of the queue. */
export type Wake = { readonly why: 'offer' } | { readonly why: 'turn'; readonly turn: number };

/** Another poll has read the queue in the interval of this one, if it did so within this part of it: timers are not exact. */
const RECENT_PART = 0.9;

const queues = new Map<string, WaitedFor>();
const waiters = new Waiters();

const keyOf = (namespaceId: string, queue: string): string => `${namespaceId} ${queue}`;

/** Wakes one of the polls of this process that wait for a task of the queue: one task is for one poll. */
export function wakePoll(namespaceId: string, queue: string): void {
  const key = keyOf(namespaceId, queue);
  const waitedFor = queues.get(key);
  if (!waiters.notifyOne(key) && waitedFor !== undefined) waitedFor.hasMissed = true;
}

/** A poll that waits for a task of a queue. */
export interface WaitingPoll {
  /**
   * Waits until a task was offered in this process, or for `ms` milliseconds. Resolves with why the poll is to read the
   * queue; undefined: another one has begun to since, which wakes this one if it leaves tasks.
   */
  readonly wait: (ms: number) => Promise<Wake | undefined>;
  readonly end: () => void;
}

/**
 * Begins the wait of a poll, which has just read the queue. However many polls of this process wait for a queue, one of them
 * reads it at a time. `start`: a random number, with which their turns begin.
 */
export function beginWait(now: () => number, namespaceId: string, queue: string, start: number): WaitingPoll {
  const key = keyOf(namespaceId, queue);
  const waitedFor = queues.get(key) ?? { polls: 0, readAt: now(), hasMissed: false, turns: start };
  queues.set(key, waitedFor);
  waitedFor.polls += 1;
  return {
    async wait(ms) {
      const isWoken = waitedFor.hasMissed || (await waiters.wait(key, ms));
      if (!isWoken && now() - waitedFor.readAt < ms * RECENT_PART) return undefined;
      waitedFor.readAt = now();
      waitedFor.hasMissed = false;
      if (isWoken) return { why: 'offer' };
      waitedFor.turns += 1;
      return { why: 'turn', turn: waitedFor.turns };
    },
    end() {
      waitedFor.polls -= 1;
      if (waitedFor.polls === 0) queues.delete(key);
    },
  };
}
