import type { Clock } from '../../../ports/clock.ts';
import { Activity } from '../concurrency/activity.ts';
import { ConcurrencyGate } from '../concurrency/gate.ts';
import { type Alarm, systemAlarm, Timers } from '../concurrency/timers.ts';
import type { DeliveriesJournal, DeliveryRow } from './journal.ts';

/** Why a delivery is given up. */
export interface GivenUp {
  /** Milliseconds since 1970. */
  readonly failed: number;
  readonly tries: number;
  readonly error: string;
}

export interface DeliveriesProps {
  readonly journal: DeliveriesJournal;
  /** Takes one; it is handed over again, after a pause, if this throws. */
  readonly take: (body: string) => Promise<void>;
  /** Keeps what nobody would take; if this throws, it is handed over once more. */
  readonly giveUp: (body: string, why: GivenUp) => Promise<void> | undefined;
  readonly clock: Clock;
  readonly alarm?: Alarm | undefined;
  /** Where work is counted; its own if not given. */
  readonly activity?: Activity | undefined;
  /** What is delivered, for the log. */
  readonly noun: string;
}

/** What is added, when it is due, and a name that no other may have. */
export interface Added {
  readonly body: string;
  /** Milliseconds since 1970; now if not given. */
  readonly due?: number;
  readonly name?: string;
}

const AT_A_TIME = 16;
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 60_000;
const GIVE_UP_AFTER_MS = 24 * 3_600_000;

const pauseAfter = (tries: number): number => Math.min(FIRST_PAUSE_MS * 2 ** (tries - 1), LONGEST_PAUSE_MS);

/** Tries are counted, not hours, so that a machine that is switched off overnight still gets all of them. */
function mostTries(): number {
  let tries = 1;
  for (let waited = 0; waited + pauseAfter(tries) <= GIVE_UP_AFTER_MS; tries++) waited += pauseAfter(tries);
  return tries;
}
const MOST_TRIES = mostTries();

/**
 * Hands things over, each at least once when it is due, however often the process dies meanwhile; again after 1, 2, 4 …
 * 60 seconds when they are not taken. After the tries of 24 hours one is given up.
 */
export class Deliveries {
  readonly timers: Timers;
  readonly activity: Activity;
  readonly #props: DeliveriesProps;
  readonly #turnstile = new ConcurrencyGate(AT_A_TIME);
  readonly #known = new Set<number>();
  #closed = false;

  constructor(props: DeliveriesProps) {
    this.#props = props;
    this.activity = props.activity ?? new Activity();
    this.timers = new Timers(() => props.clock.now(), props.alarm ?? systemAlarm);
  }

  /** Resolves when all are stored. `also` is stored with them or not at all. */
  async add(all: readonly Added[], also: () => void = () => undefined): Promise<void> {
    const { journal, clock } = this.#props;
    const done = this.activity.begin();
    try {
      const ids = await journal.commit(() => {
        also();
        return all.map(({ body, due = clock.now(), name }) => ({ id: journal.add(due, body, name), due }));
      });
      for (const { id, due } of ids) if (id !== undefined) this.#plan(id, due);
    } finally {
      done();
    }
  }

  /** Goes on with what a former process left; their number. */
  resume(): number {
    const left = this.#props.journal.all().filter(({ id }) => !this.#known.has(id));
    for (const { id, due } of left) this.#plan(id, due);
    return left.length;
  }

  /** Nothing is handed over any more; what is left goes on after the next `resume`. */
  close(): void {
    this.#closed = true;
    this.timers.close();
    this.#props.journal.close();
  }

  #plan(id: number, due: number): void {
    if (this.#closed) return;
    this.#known.add(id);
    if (due <= this.#props.clock.now()) void this.#deliver(id);
    else this.timers.at(due, () => void this.#deliver(id));
  }

  async #deliver(id: number): Promise<void> {
    const done = this.activity.begin();
    try {
      await this.#turnstile.run(() => this.#try(id));
    } catch (fault) {
      // The file could not be written. What it holds is handed over again, so nothing is lost.
      if (!this.#closed) this.#again(id, LONGEST_PAUSE_MS, fault);
    } finally {
      done();
    }
  }

  async #try(id: number): Promise<void> {
    const { journal, take } = this.#props;
    const row = this.#closed ? undefined : journal.find(id);
    if (row === undefined) return;
    try {
      await take(row.body);
    } catch (fault) {
      if (!this.#closed) await this.#noteFault(row, fault);
      return;
    }
    // A call that was under way when the process ended does not count.
    if (!this.#closed) await journal.commit(() => journal.remove(id));
    this.#known.delete(id);
  }

  async #noteFault({ id, body, ...row }: DeliveryRow, fault: unknown): Promise<void> {
    const { journal } = this.#props;
    const tries = row.tries + 1;
    if (tries < MOST_TRIES || !(await this.#mayGiveUp(body, tries, fault))) {
      await journal.commit(() => journal.noteTry(id));
      this.#again(id, pauseAfter(tries), fault);
      return;
    }
    await journal.commit(() => journal.remove(id));
    this.#known.delete(id);
  }

  /** False when it could not be kept elsewhere: then it stays. */
  async #mayGiveUp(body: string, tries: number, fault: unknown): Promise<boolean> {
    const { giveUp, noun, clock } = this.#props;
    console.error(`${noun} was not taken in ${tries} tries`, fault);
    const error = fault instanceof Error ? `${fault.name}: ${fault.message}` : String(fault);
    try {
      await giveUp(body, { failed: clock.now(), tries, error });
      return true;
    } catch (again) {
      console.error(`${noun} that nobody takes could not be kept as failed`, again);
      return false;
    }
  }

  #again(id: number, pause: number, fault: unknown): void {
    const { noun, clock } = this.#props;
    console.error(`${noun} was not taken; it is handed over again in ${pause / 1000} s`, fault);
    if (!this.#closed) this.timers.at(clock.now() + pause, () => void this.#deliver(id));
  }
}
