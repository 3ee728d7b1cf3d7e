import { parseJson } from '../../language/json-numbers.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Timers } from '../../ports/timers.ts';
import type { Activity } from './concurrency/activity.ts';
import type { Alarm } from './concurrency/timers.ts';
import type { LocalDatabase } from './database/database.ts';
import { Deliveries } from './deliveries/deliveries.ts';
import { DeliveriesJournal } from './deliveries/journal.ts';

export interface LocalTimersOptions {
  /** Where timers are stored until their call has succeeded. */
  readonly database: LocalDatabase;
  /** Calls the steps function. If it throws, it is called again after a delay, for a day. */
  readonly call: (input: object) => Promise<void>;
  /** The tenant of the call for an input, JSON text: tenants take turns. By default all are of one tenant. */
  readonly tenantOf?: ((input: string) => Promise<string>) | undefined;
  readonly clock: Clock;
  /** Rings the timers; by default the alarm of the system. */
  readonly alarm?: Alarm;
  /** Counts the work in progress of several adapters, so that a caller can wait for its end. */
  readonly activity?: Activity;
}

export interface LocalTimers extends Timers {
  /** Sets the timers of an earlier process again; those whose time has come call at once. */
  resume(): Promise<void>;
  /** Stops all timers until the next `resume`. */
  close(): Promise<void>;
}

/** Timers of this process, to the millisecond. They are stored, and have no quota. */
export function localTimers(options: LocalTimersOptions): LocalTimers {
  const { database, call, tenantOf = () => '', clock, alarm, activity } = options;
  const journal = new DeliveriesJournal(database, 'timer', () => clock.now());
  const deliveries = new Deliveries({
    journal,
    handle: (body) => call(parseJson(body) as object),
    tenantOf,
    // The task of the machine that waits for this timer has ended long before.
    giveUp: () => undefined,
    clock,
    alarm,
    activity,
    noun: 'a timer of a delay',
  });
  return {
    async set({ name, at, input }) {
      await deliveries.add([{ body: JSON.stringify(input), due: at, name }]);
      return true;
    },
    resume: async () => void deliveries.resume(),
    close: async () => deliveries.close(),
  };
}
