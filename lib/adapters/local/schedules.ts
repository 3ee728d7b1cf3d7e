import { parseJson } from '../../language/json-numbers.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Schedule, Schedules } from '../../ports/schedules.ts';
import type { Activity } from './concurrency/activity.ts';
import type { Alarm, Timer } from './concurrency/timers.ts';
import type { LocalDatabase } from './database/database.ts';
import { prepareAll, type Statement } from './database/statement.ts';
import { Deliveries, type GivenUp } from './deliveries/deliveries.ts';
import { DeliveriesJournal } from './deliveries/journal.ts';
import { type NextTick, newestTick, ticksBetween } from './newest-tick.ts';

export interface LocalSchedulesOptions {
  /** Where schedules, and ticks until they are delivered, are stored. */
  readonly database: LocalDatabase;
  /**
   * Handles a tick with its planned time (milliseconds since 1970), and names those that are not delivered. If it throws, it is
   * called again after a delay.
   */
  readonly tick: (schedule: Schedule, planned: number, undelivered: Undelivered) => Promise<void>;
  /**
   * The milliseconds after which a tick that threw is delivered again although it did not fail; undefined: it failed. Of the
   * ticks of a schedule that are delayed, the newest is delivered, or all if it has `missed: all`.
   */
  readonly delayOf?: (fault: unknown) => number | undefined;
  /** Stores a tick that exhausted its retries of a day. If it throws, the tick is delivered again. */
  readonly giveUp?: (schedule: Schedule, planned: number, why: GivenUp) => Promise<void>;
  readonly clock: Clock;
  readonly nextTick: NextTick;
  /** Rings the timers; by default the alarm of the system. */
  readonly alarm?: Alarm;
  /** Counts the work in progress of several adapters, so that a caller can wait for its end. */
  readonly activity?: Activity;
}

/** The planned times of a schedule that are not delivered, beside one that is, milliseconds since 1970. */
export interface Undelivered {
  /** The last of those after it: there are too many. */
  readonly omittedUntil?: number;
  /** The first of those before it: they passed while no process ran. */
  readonly missedSince?: number;
}

export interface LocalSchedules extends Schedules {
  /** Continues the schedules of an earlier process, with their missed ticks: the newest, or each with `missed: all`. */
  resume(): Promise<void>;
  /** Resolves when no tick is being delivered; later ticks and delays before retries do not count. */
  idle(): Promise<void>;
  /** Stops all ticks until the next `resume`. */
  close(): Promise<void>;
}

interface ScheduleRow {
  readonly name: string;
  readonly cron: string;
  /** JSON: the target, with `missed`. */
  readonly target: string;
  /** The stored column: the newest planned time that was delivered, or the time when the schedule was set. */
  readonly told: number;
}

interface Tick extends Undelivered {
  readonly name: string;
  readonly planned: number;
}

type Target = Schedule['target'] & Pick<Schedule, 'missed'>;

const targetOf = ({ target }: Pick<ScheduleRow, 'target'>): Target => parseJson(target) as Target;

const startsAll = (row: ScheduleRow | undefined): boolean => row !== undefined && targetOf(row).missed === 'all';

const SCHEMA = `CREATE TABLE IF NOT EXISTS schedules (
  name TEXT PRIMARY KEY, cron TEXT NOT NULL, target TEXT NOT NULL, told INTEGER NOT NULL
) STRICT, WITHOUT ROWID`;

const STATEMENTS = {
  put: 'INSERT OR REPLACE INTO schedules VALUES (?, ?, ?, ?)',
  find: 'SELECT * FROM schedules WHERE name = ?',
  all: 'SELECT * FROM schedules',
  told: 'UPDATE schedules SET told = ? WHERE name = ? AND cron = ?',
  correct: 'UPDATE schedules SET told = ? WHERE told > ?',
  remove: 'DELETE FROM schedules WHERE name = ?',
} as const;

/**
 * A planned time further ahead than this was stored while the clock was wrong, and would suppress the schedule until
 * then. A clock that was set back by less delivers no planned time twice.
 */
const MAX_AHEAD_MS = 15 * 60_000;
const RETRY_MS = 1000;
/** The most ticks that a schedule with `missed: all` delivers at once. */
const MAX_MISSED = 1000;

/**
 * The clock that starts workflows, in this process. A tick is stored before it is delivered, and deleted afterwards.
 * The schedule stores its planned time, so that no planned time is delivered twice when the clock is set back.
 */
export function localSchedules(options: LocalSchedulesOptions): LocalSchedules {
  return new JournaledSchedules(options);
}

class JournaledSchedules implements LocalSchedules {
  readonly #options: LocalSchedulesOptions;
  readonly #journal: DeliveriesJournal;
  readonly #deliveries: Deliveries;
  readonly #sql: Readonly<Record<keyof typeof STATEMENTS, Statement>>;
  readonly #armed = new Map<string, Timer>();

  constructor(options: LocalSchedulesOptions) {
    const { database, clock, alarm, activity } = options;
    this.#options = options;
    this.#journal = new DeliveriesJournal(database, 'clock', () => clock.now());
    database.define(SCHEMA);
    this.#sql = prepareAll(database, STATEMENTS);
    const handle = (body: string) => this.#deliver(parseJson(body) as Tick);
    const giveUp = (body: string, why: GivenUp) => {
      const { planned, ...tick } = parseJson(body) as Tick;
      return this.#with(tick, async (schedule) => options.giveUp?.(schedule, planned, why));
    };
    const tenantOf = (body: string) => this.#tenantOf(parseJson(body) as Tick);
    const delayOf = (body: string, fault: unknown) => this.#delayOf(parseJson(body) as Tick, fault);
    const props = { journal: this.#journal, handle, delayOf, tenantOf, giveUp, clock, alarm, activity };
    this.#deliveries = new Deliveries({ ...props, noun: 'a tick of a schedule' });
  }

  /** Every cron pattern that can be parsed is supported here. */
  problemOf(): undefined {}

  async set({ name, cron, target: { id, namespace, workflow }, missed }: Schedule): Promise<void> {
    const target = JSON.stringify({ id, namespace, workflow, missed } satisfies Record<keyof Target, unknown>);
    const row = await this.#journal.commit(() => {
      const former = this.#find(name);
      const isSame = former?.cron === cron && former.target === target;
      // An unchanged schedule keeps the time of its last tick, and so its missed ticks.
      const told = isSame ? former.told : this.#options.clock.now();
      this.#sql.put.run(name, cron, target, told);
      return { name, cron, target, told };
    });
    this.#arm(row);
  }

  async remove(name: string): Promise<void> {
    await this.#journal.commit(() => this.#sql.remove.run(name));
    this.#disarm(name);
  }

  async resume(): Promise<void> {
    const rows = await this.#journal.commit(() => {
      const now = this.#options.clock.now();
      this.#sql.correct.run(now, now + MAX_AHEAD_MS);
      const all = this.#sql.all.all() as unknown as ScheduleRow[];
      this.#dropOlder(all);
      return all;
    });
    this.#deliveries.resume();
    for (const row of rows) if (!this.#armed.has(row.name)) this.#arm(row);
  }

  async idle(): Promise<void> {
    await this.#deliveries.activity.idle();
  }

  async close(): Promise<void> {
    this.#deliveries.close();
  }

  /**
   * Of the ticks that an earlier process left, each schedule keeps the newest, and none when it missed a newer one, which then
   * names them as not delivered; with `missed: all` it keeps them all.
   */
  #dropOlder(rows: readonly ScheduleRow[]): void {
    const keepers = new Set(rows.filter(startsAll).map(({ name }) => name));
    const late = new Map(rows.filter((row) => this.#newest(row) !== undefined).map((row) => [row.name, row.cron]));
    const seen = new Set(late.keys());
    const left = this.#journal.all().map(({ id, body }) => ({ id, ...(parseJson(body) as Tick) }));
    for (const { id, name, planned } of left.toSorted((a, b) => b.planned - a.planned)) {
      const isDropped = seen.has(name) && !keepers.has(name);
      if (isDropped) this.#journal.remove(id);
      const cron = isDropped ? late.get(name) : undefined;
      if (cron !== undefined) this.#sql.told.run(planned - 1, name, cron);
      seen.add(name);
    }
  }

  #newest({ cron, told }: ScheduleRow): number | undefined {
    return newestTick(this.#options.nextTick, cron, told, this.#options.clock.now());
  }

  #arm(row: ScheduleRow): void {
    this.#disarm(row.name);
    const next = this.#options.nextTick(row.cron, row.told);
    if (next === undefined) return;
    this.#armed.set(
      row.name,
      this.#deliveries.timers.at(next, () => void this.#ring(row.name)),
    );
  }

  #disarm(name: string): void {
    this.#armed.get(name)?.cancel();
    this.#armed.delete(name);
  }

  /** The ticks of a schedule after its last one: the newest, or with `missed: all` each of them, the earliest first. */
  #dueTicks(row: ScheduleRow, newest: number): Tick[] {
    const { name, cron, told: since } = row;
    if (!startsAll(row)) {
      const first = this.#options.nextTick(cron, since) ?? newest;
      return [{ name, planned: newest, ...(first < newest ? { missedSince: first } : {}) }];
    }
    const times = ticksBetween(this.#options.nextTick, cron, { since, until: newest, most: MAX_MISSED });
    const isPart = times.at(-1) !== newest;
    return times.map((planned, index) => ({
      ...{ name, planned },
      ...(isPart && index === times.length - 1 ? { omittedUntil: newest } : {}),
    }));
  }

  /** Delivers the ticks that are due, however late the timer rings. */
  async #ring(name: string): Promise<void> {
    const row = this.#find(name);
    if (row === undefined) return;
    const newest = this.#newest(row);
    if (newest === undefined) return this.#arm(row);
    const ticks = this.#dueTicks(row, newest).map((tick) => ({ body: JSON.stringify(tick) }));
    try {
      await this.#deliveries.add(ticks, () => this.#sql.told.run(newest, name, row.cron));
      // The schedule may have been changed or removed meanwhile.
      const current = this.#find(name);
      if (current) this.#arm(current);
    } catch (fault) {
      console.error(`a tick of the schedule ${name} could not be stored; it is tried again`, fault);
      this.#deliveries.timers.at(this.#options.clock.now() + RETRY_MS, () => void this.#ring(name));
    }
  }

  #deliver({ name, planned, ...undelivered }: Tick): Promise<void> {
    return this.#with({ name }, (schedule) => this.#options.tick(schedule, planned, undelivered));
  }

  /** Does nothing for a schedule that was removed meanwhile. */
  async #with({ name }: Pick<Tick, 'name'>, work: (schedule: Schedule) => Promise<void>): Promise<void> {
    const row = this.#find(name);
    if (row === undefined) return;
    const { missed, ...target } = targetOf(row);
    await work({ name, cron: row.cron, target, ...(missed && { missed }) });
  }

  #delayOf({ name, planned }: Tick, fault: unknown): number | 'never' | undefined {
    const delay = this.#options.delayOf?.(fault);
    const row = this.#find(name);
    const isOlder = delay !== undefined && (row?.told ?? planned) > planned && !startsAll(row);
    return isOlder ? 'never' : delay;
  }

  /** The namespace of a schedule; empty for one that was removed. */
  #tenantOf({ name }: Tick): string {
    const row = this.#find(name);
    return row === undefined ? '' : targetOf(row).namespace;
  }

  #find(name: string): ScheduleRow | undefined {
    return this.#sql.find.get(name) as unknown as ScheduleRow | undefined;
  }
}
