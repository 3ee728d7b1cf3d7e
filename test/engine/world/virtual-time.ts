import { randomBytes } from 'node:crypto';
import type { Alarm } from '../../../lib/adapters/local/concurrency/timers.ts';
import type { Clock } from '../../../lib/ports/clock.ts';

interface Timer {
  readonly due: number;
  readonly fire: () => void;
}

/** Counted through all worlds, so that worlds of one database make different ids. */
let uuids = 0;

/** A UUID of version 7 whose last part is a count: it sorts by time, and within a millisecond by order. */
function uuidOf(ms: number, count: number): string {
  const time = ms.toString(16).padStart(12, '0');
  const number = count.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8${randomBytes(2).toString('hex').slice(1)}-${number}`;
}

/** Time that a test advances: to the next timer, or by an amount. */
export class VirtualTime {
  readonly clock: Clock;
  private instant = Date.UTC(2026, 0, 15, 12);
  private readonly timers = new Set<Timer>();

  /** `msPerRead`: the milliseconds by which the clock advances each time it is read. */
  constructor(msPerRead = 0) {
    this.clock = {
      now: () => {
        this.instant += msPerRead;
        return Math.floor(this.instant);
      },
      uuid: () => uuidOf(Math.floor(this.instant), uuids++),
      secret: () => randomBytes(32).toString('base64url'),
    };
  }

  readonly alarm: Alarm = (milliseconds, fire) => {
    const timer = { due: this.instant + Math.max(milliseconds, 0), fire };
    this.timers.add(timer);
    return () => this.timers.delete(timer);
  };

  /** Advances to the next timer and fires it. Returns false if there is none up to `limit`, milliseconds since 1970. */
  fireNext(limit: number): boolean {
    let next: Timer | undefined;
    for (const timer of this.timers) if (next === undefined || timer.due < next.due) next = timer;
    if (next === undefined || next.due > limit) return false;
    this.timers.delete(next);
    this.instant = Math.max(this.instant, next.due);
    next.fire();
    return true;
  }

  advance(milliseconds: number): void {
    this.instant += milliseconds;
  }
}
