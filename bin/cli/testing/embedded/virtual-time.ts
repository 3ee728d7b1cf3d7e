import { createHash } from 'node:crypto';
import type { Alarm } from '../../../../lib/adapters/local/concurrency/timers.ts';
import type { Clock } from '../../../../lib/ports/clock.ts';

interface Timer {
  readonly due: number;
  readonly order: number;
  readonly ring: () => void;
}

/** A UUID of version 7 whose last part is a count: it sorts by time, and within a millisecond by order. */
function uuidOf(ms: number, count: number): string {
  const time = ms.toString(16).padStart(12, '0');
  const number = count.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${number}`;
}

/**
 * A clock that stands still until a timer is due. Ids and keys are a function of the time and of the order in which they
 * are made, so that a case that is run twice makes the same.
 */
export class VirtualTime {
  readonly clock: Clock;
  #now: number;
  #made = 0;
  #order = 0;
  #timers = new Set<Timer>();

  /** `start` in milliseconds since 1970. */
  constructor(start: number) {
    this.#now = start;
    this.clock = {
      now: () => this.#now,
      uuid: () => uuidOf(this.#now, ++this.#made),
      secret: () =>
        createHash('sha256')
          .update(`secret ${++this.#made}`)
          .digest('base64url'),
    };
  }

  /** Sets a timer; milliseconds from now. */
  readonly alarm: Alarm = (milliseconds, ring) => {
    const timer = { due: this.#now + Math.max(milliseconds, 0), order: this.#order++, ring };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  };

  /** When the next timer is due, milliseconds since 1970; undefined if there is none. */
  get next(): number | undefined {
    return this.#first()?.due;
  }

  /** Advances to the time of the next timer, and fires the timer. */
  advance(): void {
    const timer = this.#first();
    if (timer === undefined) return;
    this.#timers.delete(timer);
    this.#now = Math.max(this.#now, timer.due);
    timer.ring();
  }

  /** Advances to a time. Fires no timer. */
  advanceTo(time: number): void {
    this.#now = Math.max(this.#now, time);
  }

  /** Removes all timers. */
  clear(): void {
    this.#timers = new Set();
  }

  #first(): Timer | undefined {
    let first: Timer | undefined;
    for (const timer of this.#timers) {
      if (first === undefined || timer.due < first.due || (timer.due === first.due && timer.order < first.order))
        first = timer;
    }
    return first;
  }
}
