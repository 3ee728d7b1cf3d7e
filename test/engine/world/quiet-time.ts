import { randomBytes } from 'node:crypto';
import type { Alarm } from '../../../lib/adapters/local/concurrency/timers.ts';
import type { Clock } from '../../../lib/ports/clock.ts';

interface Appointment {
  readonly due: number;
  readonly ring: () => void;
}

/** Worlds of one database must not make the same. */
let uuids = 0;

/** A UUID of version 7 whose random part is a count: it sorts by time, and by order within a millisecond. */
function uuidOf(ms: number, count: number): string {
  const time = ms.toString(16).padStart(12, '0');
  const number = count.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8${randomBytes(2).toString('hex').slice(1)}-${number}`;
}

/** Time that moves only when it is told to: to the next appointment, or on by so much. */
export class QuietTime {
  readonly clock: Clock;
  private instant = Date.UTC(2026, 0, 15, 12);
  private readonly appointments = new Set<Appointment>();

  /** `pace`: so many milliseconds pass each time somebody looks at the clock. */
  constructor(pace = 0) {
    this.clock = {
      now: () => {
        this.instant += pace;
        return Math.floor(this.instant);
      },
      uuid: () => uuidOf(Math.floor(this.instant), uuids++),
      secret: () => randomBytes(32).toString('base64url'),
    };
  }

  readonly alarm: Alarm = (milliseconds, ring) => {
    const appointment = { due: this.instant + Math.max(milliseconds, 0), ring };
    this.appointments.add(appointment);
    return () => this.appointments.delete(appointment);
  };

  /** The next appointment is kept, unless there is none up to that instant; then false. */
  jump(limit: number): boolean {
    let next: Appointment | undefined;
    for (const one of this.appointments) if (next === undefined || one.due < next.due) next = one;
    if (next === undefined || next.due > limit) return false;
    this.appointments.delete(next);
    this.instant = Math.max(this.instant, next.due);
    next.ring();
    return true;
  }

  moveOn(milliseconds: number): void {
    this.instant += milliseconds;
  }
}
