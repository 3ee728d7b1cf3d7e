import { randomBytes, randomUUID } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import type { Alarm } from '../../../lib/adapters/local/concurrency/timers.ts';
import type { Clock } from '../../../lib/ports/clock.ts';

interface Appointment {
  readonly due: number;
  readonly ring: () => void;
}

// Whatever works without waiting for a time has come to rest after so many turns of the event loop.
const TURNS_TO_REST = 20;

/** A clock that stands still while anything works and jumps to the next appointment when nothing does. */
export class VirtualTime {
  #now = Date.UTC(2026, 10, 21, 12);
  #appointments = new Set<Appointment>();
  #isPassing = false;

  readonly clock: Clock = {
    now: () => this.#now,
    uuid: () => randomUUID(),
    secret: () => randomBytes(32).toString('base64url'),
  };

  readonly alarm: Alarm = (milliseconds, ring) => {
    const appointment = { due: this.#now + Math.max(milliseconds, 0), ring };
    this.#appointments.add(appointment);
    if (!this.#isPassing) void this.#pass();
    return () => this.#appointments.delete(appointment);
  };

  /** Resolves after so many milliseconds of this time. */
  sleep(milliseconds: number): Promise<void> {
    return new Promise((resolve) => this.alarm(milliseconds, resolve));
  }

  async #pass(): Promise<void> {
    this.#isPassing = true;
    while (this.#appointments.size > 0) {
      for (let turns = 0; turns < TURNS_TO_REST; turns++) await turn();
      const [next] = [...this.#appointments].sort((a, b) => a.due - b.due);
      if (!next) break;
      this.#appointments.delete(next);
      this.#now = Math.max(this.#now, next.due);
      next.ring();
    }
    this.#isPassing = false;
  }
}
