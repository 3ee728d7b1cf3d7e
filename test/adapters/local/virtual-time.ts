import { randomBytes, randomUUID } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import type { Alarm } from '../../../lib/adapters/local/concurrency/timers.ts';
import type { Clock } from '../../../lib/ports/clock.ts';

interface Timer {
  readonly due: number;
  readonly ring: () => void;
}

// After this number of turns of the event loop, all work that does not wait for a timer has ended.
const IDLE_TURNS = 20;

/** A clock that stands still while work is in progress, and then jumps to the next timer. */
export class VirtualTime {
  #now = Date.UTC(2026, 10, 21, 12);
  #timers = new Set<Timer>();
  #isAdvancing = false;

  readonly clock: Clock = {
    now: () => this.#now,
    uuid: () => randomUUID(),
    secret: () => randomBytes(32).toString('base64url'),
  };

  readonly alarm: Alarm = (milliseconds, ring) => {
    const timer = { due: this.#now + Math.max(milliseconds, 0), ring };
    this.#timers.add(timer);
    if (!this.#isAdvancing) void this.#advance();
    return () => this.#timers.delete(timer);
  };

  /** Resolves after `milliseconds` of this clock. */
  sleep(milliseconds: number): Promise<void> {
    return new Promise((resolve) => this.alarm(milliseconds, resolve));
  }

  async #advance(): Promise<void> {
    this.#isAdvancing = true;
    while (this.#timers.size > 0) {
      for (let turns = 0; turns < IDLE_TURNS; turns++) await turn();
      const [next] = [...this.#timers].sort((a, b) => a.due - b.due);
      if (!next) break;
      this.#timers.delete(next);
      this.#now = Math.max(this.#now, next.due);
      next.ring();
    }
    this.#isAdvancing = false;
  }
}
