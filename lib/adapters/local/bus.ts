import { parseJson } from '../../language/json-numbers.ts';
import type { Bus, Message } from '../../ports/bus.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Activity } from './concurrency/activity.ts';
import type { Alarm } from './concurrency/timers.ts';
import type { LocalDatabase } from './database/database.ts';
import { Deliveries, type GivenUp } from './deliveries/deliveries.ts';
import { DeliveriesJournal } from './deliveries/journal.ts';

export interface LocalBusOptions {
  /** Stores messages until they are delivered. */
  readonly database: LocalDatabase;
  /** Handles a message. If it throws, the message is delivered again after a delay. */
  readonly deliver: (message: Message) => Promise<void>;
  /** Stores a message that exhausted its retries of a day. If it throws, the message is delivered again. */
  readonly giveUp?: (message: Message, why: GivenUp) => Promise<void>;
  readonly clock: Clock;
  /** Rings the timers; by default the alarm of the system. */
  readonly alarm?: Alarm;
  /** Counts the work in progress of several adapters, so that a caller can wait for its end. */
  readonly activity?: Activity;
}

export interface LocalBus extends Bus {
  /** Delivers the messages that an earlier process left. Resolves with their number. */
  resume(): Promise<number>;
  /** Resolves when no work is in progress except delayed messages and delays before retries. */
  idle(): Promise<void>;
  /** Stops all deliveries; the next `resume` continues them. */
  close(): Promise<void>;
}

/**
 * The bus in this process. A message is in the database before `publish` resolves, and is deleted after its delivery:
 * at least once. At most 16 of a namespace are delivered at a time. Retries follow after 1, 2, 4 … 60 seconds, for a day.
 */
export function localBus({ database, deliver, giveUp: keep, clock, alarm, activity }: LocalBusOptions): LocalBus {
  const journal = new DeliveriesJournal(database, 'bus', () => clock.now());
  const take = (body: string) => deliver(parseJson(body) as Message);
  const giveUp = (body: string, why: GivenUp) => keep?.(parseJson(body) as Message, why);
  const tenantOf = (body: string) => (parseJson(body) as Message).namespaceId;
  const noun = 'an event';
  const deliveries = new Deliveries({ journal, handle: take, tenantOf, giveUp, clock, alarm, activity, noun });
  return {
    publish: (messages) => deliveries.add(messages.map((message) => ({ body: JSON.stringify(message) }))),
    publishAt: (due, name, message) => deliveries.add([{ body: JSON.stringify(message), due, name }]),
    resume: async () => deliveries.resume(),
    idle: () => deliveries.activity.idle(),
    close: async () => deliveries.close(),
  };
}
