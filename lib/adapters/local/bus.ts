import type { Bus, Message } from '../../ports/bus.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Activity } from './concurrency/activity.ts';
import type { Alarm } from './concurrency/timers.ts';
import type { LocalDatabase } from './database/database.ts';
import { Deliveries, type GivenUp } from './deliveries/deliveries.ts';
import { DeliveriesJournal } from './deliveries/journal.ts';

export interface LocalBusOptions {
  /** Where messages are kept until they are taken. */
  readonly database: LocalDatabase;
  /** Takes a message; it is delivered again, after a pause, if this throws. */
  readonly deliver: (message: Message) => Promise<void>;
  /** Keeps a message that was not taken in a day; if this throws, it is delivered once more. */
  readonly giveUp?: (message: Message, why: GivenUp) => Promise<void>;
  readonly clock: Clock;
  /** What wakes the timers; the system's own if not given. */
  readonly alarm?: Alarm;
  /** Where work is counted, to wait for the end of several adapters' work at once. */
  readonly activity?: Activity;
}

export interface LocalBus extends Bus {
  /** Goes on with the messages that a former process left; resolves to their number. */
  resume(): Promise<number>;
  /** Resolves when nothing is under way but messages for later and pauses before another try. */
  idle(): Promise<void>;
  /** Nothing moves any more; what is left goes on after the next `resume`. */
  close(): Promise<void>;
}

/**
 * The bus in this process: a message is in the database before `publish` resolves, and leaves it when it was taken.
 * At most 16 are delivered at a time, each again after 1, 2, 4 … 60 seconds until it is taken, for a day.
 */
export function localBus({ database, deliver, giveUp: keep, clock, alarm, activity }: LocalBusOptions): LocalBus {
  const journal = new DeliveriesJournal(database, 'bus', () => clock.now());
  const take = (body: string) => deliver(JSON.parse(body) as Message);
  const giveUp = (body: string, why: GivenUp) => keep?.(JSON.parse(body) as Message, why);
  const deliveries = new Deliveries({ journal, take, giveUp, clock, alarm, activity, noun: 'an event' });
  return {
    publish: (messages) => deliveries.add(messages.map((message) => ({ body: JSON.stringify(message) }))),
    publishAt: (due, name, message) => deliveries.add([{ body: JSON.stringify(message), due, name }]),
    resume: async () => deliveries.resume(),
    idle: () => deliveries.activity.idle(),
    close: async () => deliveries.close(),
  };
}
