import { FairQueue } from '../../../language/sandbox/fair-queue.ts';
import type { Clock } from '../../../ports/clock.ts';
import { Activity } from '../concurrency/activity.ts';
import { type Alarm, systemAlarm, Timers } from '../concurrency/timers.ts';
import type { DeliveriesJournal, DeliveryRow } from './journal.ts';

/** The failure of a delivery that exhausted its retries. */
export interface GivenUp {
  /** Milliseconds since 1970. */
  readonly failed: number;
  readonly tries: number;
  readonly error: string;
}

export interface DeliveriesProps {
  readonly journal: DeliveriesJournal;
  /** Handles a delivery. If it throws, the delivery is repeated after a delay. */
  readonly handle: (body: string) => Promise<void>;
  /**
   * Whether a delivery that threw is only delayed, by how many milliseconds: that counts as no attempt. `never`: it is not
   * repeated at all. By default each is an attempt that failed.
   */
  readonly delayOf?: ((body: string, fault: unknown) => number | 'never' | undefined) | undefined;
  /** The tenant of a delivery: tenants take turns. */
  readonly tenantOf: (body: string) => string | Promise<string>;
  /** Stores a delivery that exhausted its retries. If it throws, the delivery is repeated. */
  readonly giveUp: (body: string, why: GivenUp) => Promise<void> | undefined;
  readonly clock: Clock;
  readonly alarm?: Alarm | undefined;
  /** Counts the work in progress; by default a separate count. */
  readonly activity?: Activity | undefined;
  /** The name of a delivery in the log. */
  readonly noun: string;
}

/** A delivery to add. Its name, if any, is unique. */
export interface Added {
  readonly body: string;
  /** Milliseconds since 1970; now by default. */
  readonly due?: number;
  readonly name?: string;
}

/** A delivery may run states of its tenant for seconds, so a tenant has only a part of the concurrent deliveries. */
const AT_A_TIME = { total: 64, perTenant: 16 };
const FIRST_DELAY_MS = 1000;
const MAX_DELAY_MS = 60_000;
const GIVE_UP_AFTER_MS = 24 * 3_600_000;

const delayAfter = (tries: number): number => Math.min(FIRST_DELAY_MS * 2 ** (tries - 1), MAX_DELAY_MS);

/**
 * The number of attempts in 24 hours. Attempts are counted rather than hours, so that a machine that is switched off
 * overnight makes all of them.
 */
function countAttempts(): number {
  let tries = 1;
  for (let waited = 0; waited + delayAfter(tries) <= GIVE_UP_AFTER_MS; tries++) waited += delayAfter(tries);
  return tries;
}
const MAX_ATTEMPTS = countAttempts();

/**
 * Delivers at least once, when a delivery is due, also if the process crashes in between. Retries follow after 1, 2, 4
 * … 60 seconds; a delivery is given up after the attempts of 24 hours.
 */
export class Deliveries {
  readonly timers: Timers;
  readonly activity: Activity;
  readonly #props: DeliveriesProps;
  readonly #queue = new FairQueue(AT_A_TIME);
  readonly #known = new Set<number>();
  #closed = false;

  constructor(props: DeliveriesProps) {
    this.#props = props;
    this.activity = props.activity ?? new Activity();
    this.timers = new Timers(() => props.clock.now(), props.alarm ?? systemAlarm);
  }

  /** Resolves when all are stored. `also` is run in the same transaction. */
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

  /** Continues with the deliveries that an earlier process left. Returns their number. */
  resume(): number {
    const left = this.#props.journal.all().filter(({ id }) => !this.#known.has(id));
    for (const { id, due } of left) this.#plan(id, due);
    return left.length;
  }

  /** Stops all deliveries; the next `resume` continues them. */
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
      await this.#queue.run(await this.#tenantOf(id), () => this.#try(id));
    } catch (fault) {
      // The database rejected the write. The delivery is repeated, so it is not lost.
      if (!this.#closed) this.#again(id, MAX_DELAY_MS, fault);
    } finally {
      done();
    }
  }

  async #tenantOf(id: number): Promise<string> {
    const { journal, tenantOf } = this.#props;
    const row = this.#closed ? undefined : journal.find(id);
    return row === undefined ? '' : tenantOf(row.body);
  }

  async #try(id: number): Promise<void> {
    const { journal, handle: take, delayOf, clock } = this.#props;
    const row = this.#closed ? undefined : journal.find(id);
    if (row === undefined) return;
    try {
      await take(row.body);
    } catch (fault) {
      if (this.#closed) return;
      const delay = delayOf?.(row.body, fault);
      if (delay === undefined) return this.#noteFault(row, fault);
      if (delay !== 'never') return void this.timers.at(clock.now() + delay, () => void this.#deliver(id));
    }
    // The result of a call in progress is ignored after the end of this process's deliveries.
    if (!this.#closed) await journal.commit(() => journal.remove(id));
    this.#known.delete(id);
  }

  async #noteFault({ id, body, ...row }: DeliveryRow, fault: unknown): Promise<void> {
    const { journal } = this.#props;
    const tries = row.tries + 1;
    if (tries < MAX_ATTEMPTS || !(await this.#mayGiveUp(body, tries, fault))) {
      await journal.commit(() => journal.noteTry(id));
      this.#again(id, delayAfter(tries), fault);
      return;
    }
    await journal.commit(() => journal.remove(id));
    this.#known.delete(id);
  }

  /** Returns false if it could not be stored elsewhere: then it stays. */
  async #mayGiveUp(body: string, tries: number, fault: unknown): Promise<boolean> {
    const { giveUp, noun, clock } = this.#props;
    console.error(`${noun} failed ${tries} times`, fault);
    const error = fault instanceof Error ? `${fault.name}: ${fault.message}` : String(fault);
    try {
      await giveUp(body, { failed: clock.now(), tries, error });
      return true;
    } catch (again) {
      console.error(`${noun} could not be stored as a dead letter`, again);
      return false;
    }
  }

  #again(id: number, delay: number, fault: unknown): void {
    const { noun, clock } = this.#props;
    console.error(`${noun} failed; it is delivered again in ${delay / 1000} s`, fault);
    if (!this.#closed) this.timers.at(clock.now() + delay, () => void this.#deliver(id));
  }
}
