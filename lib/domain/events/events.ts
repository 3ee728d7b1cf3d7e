import { createHash } from 'node:crypto';
import type { CloudEvent } from '../../events/cloud-event.ts';
import { toText } from '../../events/cloud-event.ts';
import type { Blobs } from '../../ports/blobs.ts';
import type { Message } from '../../ports/bus.ts';
import type { Clock } from '../../ports/clock.ts';
import { ConflictError, type Item, type Key, type Table, type Write } from '../../ports/table.ts';
import { toTimestamp } from '../../time/timestamps.ts';
import { alreadyExists, notFound, ServiceError } from '../errors.ts';
import type { Namespace } from '../namespaces/namespaces.ts';
import * as keys from '../storage/keys.ts';
import * as texts from '../storage/texts.ts';

/** What an event did to one listener: shown by `explain`. */
export interface Trace {
  readonly listener: string;
  readonly workflow: string;
  readonly matches: boolean;
  /** The first attribute that did not fit. */
  readonly failed?: { readonly attribute: string; readonly expected: unknown; readonly found: unknown };
  /** Woke the run, started one, or why it did not. */
  readonly did: string;
  /** The run that it started. */
  readonly started?: string;
}

/** A repetition that was asked for: an event of its own, and of its own time. */
export interface Replay {
  readonly id: string;
  readonly key: Key;
}

/** An event as the namespace received it. */
export interface Recorded {
  readonly key: Key;
  /** Milliseconds since 1970. */
  readonly received: number;
  /** When it goes out to those who listen: at once, or after its delay. Milliseconds since 1970. */
  readonly due: number;
  readonly event: CloudEvent;
  /** The router has taken it to everybody who listened. */
  readonly isRouted: boolean;
  /** The last listener up to whom everybody has been served; empty: the router has not come so far. */
  readonly served: string;
  /** Set when this is a repetition: `due`, `isRouted` and `served` are its own. */
  readonly replay?: Replay;
  /** What it did, and how often that was noted. */
  readonly traces: readonly Trace[];
  readonly notes: number;
}

export interface EventRecord {
  readonly receivedAt: string;
  readonly id: string;
  readonly source: string;
  readonly type: string;
  /** Base64 of the event's JSON. */
  readonly cloudevent: string;
}

type Needs = { readonly table: Table; readonly blobs: Blobs };

/** Events are kept this long. */
export const RETENTION_DAYS = 30;
const SECONDS_OF_A_DAY = 86_400;
/** An event is at most this large, in bytes of its JSON. */
export const LARGEST_EVENT = 4 * 1024 * 1024;
/** A bus carries an event itself up to this size; outside listeners get a larger one by its record. */
const LARGEST_ON_BUS = 200 * 1024;

const expiry = (now: number): number => Math.ceil(now / 1000) + RETENTION_DAYS * SECONDS_OF_A_DAY;

export const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 32);

/** Throws `too-large` for an event that cannot be recorded. */
export function needSize(event: CloudEvent): void {
  if (Buffer.byteLength(toText(event)) <= LARGEST_EVENT) return;
  throw new ServiceError('too-large', `an event has at most ${LARGEST_EVENT} bytes`);
}

/**
 * The writes that record an event once: a second one with its id meets the condition of the first write. It is kept
 * where those look who listen, by the time when it is due, and listed by the time when it was received.
 */
export async function toWrites(
  { blobs }: { readonly blobs: Blobs },
  namespaceId: string,
  event: CloudEvent,
  received: number,
  due = received,
): Promise<{ readonly key: Key; readonly writes: readonly [Write, Write] }> {
  needSize(event);
  const text = toText(event);
  const key = keys.event(namespaceId, event.type, due, event.id);
  const ttl = expiry(due);
  const pointer = keys.eventId(namespaceId, event.id);
  const item = {
    pk: key.pk,
    sk: key.sk,
    timeBucket: keys.eventsOf(namespaceId, received),
    time: keys.event(namespaceId, event.type, received, event.id).sk,
    received,
    due,
    routed: false,
    notes: 0,
    event: await texts.storeText(blobs, keys.blobOf('events', namespaceId, hashOf(event.id), String(received)), text),
    ttl,
  };
  const { table, pk, sk } = pointer;
  return {
    key,
    writes: [
      { do: 'put', table, item: { pk, sk, eventPk: key.pk, eventSk: key.sk, ttl }, when: { absent: true } },
      { do: 'put', table: 'journal', item },
    ],
  };
}

/** What the bus is told of a recorded event. */
export function toMessage(namespace: Pick<Namespace, 'id' | 'name'>, key: Key, event: CloudEvent): Message {
  const text = toText(event);
  return {
    namespaceId: namespace.id,
    namespace: namespace.name,
    record: { pk: key.pk, sk: key.sk },
    id: event.id,
    type: event.type,
    source: event.source,
    ...(Buffer.byteLength(text) <= LARGEST_ON_BUS ? { event: text } : {}),
  };
}

const keyOf = ({ pk, sk }: Item): Key => ({ table: 'journal', pk, sk });

/** How far a delivery has come: of the event itself, or of a repetition. */
const deliveryOf = (item: Item): Pick<Recorded, 'due' | 'isRouted' | 'served'> => ({
  due: Number(item['due']),
  isRouted: item['routed'] === true,
  served: String(item['served'] ?? ''),
});

/** The event of an item of the journal and when it was received, without what it did. */
export async function eventOf(blobs: Blobs, item: Item): Promise<Pick<Recorded, 'received' | 'event'>> {
  const event = JSON.parse(await texts.readText(blobs, item['event'])) as CloudEvent;
  return { received: Number(item['received']), event };
}

/** The event that an item of the journal holds. */
export async function fromItem(blobs: Blobs, item: Item): Promise<Recorded> {
  return {
    key: keyOf(item),
    ...deliveryOf(item),
    ...(await eventOf(blobs, item)),
    traces: item['trace'] === undefined ? [] : (JSON.parse(await texts.readText(blobs, item['trace'])) as Trace[]),
    notes: Number(item['notes']),
  };
}

/** As `fromItem`, also of a repetition, which names the event that it repeats; undefined when that is gone. */
async function follow({ table, blobs }: Needs, item: Item): Promise<Recorded | undefined> {
  const replay = item['replay'];
  if (replay === undefined) return fromItem(blobs, item);
  const [original] = await table.get([
    { table: 'journal', pk: String(item['originalPk']), sk: String(item['originalSk']) },
  ]);
  if (original === undefined) return undefined;
  const recorded = await fromItem(blobs, original);
  return { ...recorded, ...deliveryOf(item), replay: { id: String(replay), key: keyOf(item) } };
}

/** The event at a place that a message named; undefined when it is gone. */
export async function read(needs: Needs, { pk, sk }: Message['record']): Promise<Recorded | undefined> {
  const [item] = await needs.table.get([{ table: 'journal', pk, sk }]);
  return item === undefined ? undefined : follow(needs, item);
}

/** The event with this id. Throws `not-found`. */
export async function need(needs: Needs, namespaceId: string, id: string): Promise<Recorded> {
  const [pointer] = await needs.table.get([keys.eventId(namespaceId, id)]);
  const found = pointer && (await read(needs, { pk: String(pointer['eventPk']), sk: String(pointer['eventSk']) }));
  if (found === undefined) throw notFound('cloud_events');
  return found;
}

/** Records an event that is due after `delay` milliseconds. Throws `exists` when the namespace has one with its id. */
export async function record(
  ports: Needs & { readonly clock: Clock },
  namespaceId: string,
  event: CloudEvent,
  delay = 0,
): Promise<Recorded> {
  const received = ports.clock.now();
  const due = received + delay;
  const { key, writes } = await toWrites(ports, namespaceId, event, received, due);
  await ports.table.write(writes).catch((error: unknown) => {
    throw error instanceof ConflictError ? alreadyExists() : error;
  });
  return { key, received, due, event, isRouted: false, served: '', traces: [], notes: 0 };
}

/** Records that an event goes out again, now, to whoever listens from then on. */
export async function recordReplay(
  { table, clock }: { readonly table: Table; readonly clock: Clock },
  namespaceId: string,
  recorded: Recorded,
): Promise<Recorded & { readonly replay: Replay }> {
  const { key: original, event } = recorded;
  const due = clock.now();
  const replay = clock.uuid();
  const key = keys.eventReplay(namespaceId, event.type, due, event.id, replay);
  const place = { pk: key.pk, sk: key.sk, originalPk: original.pk, originalSk: original.sk, ttl: expiry(due) };
  await table.write([{ do: 'put', table: 'journal', item: { ...place, replay, due, routed: false } }]);
  return { ...recorded, due, isRouted: false, served: '', replay: { id: replay, key } };
}

/** Clocks of two computers may differ by less than this. */
const SKEW_MS = 60_000;

/**
 * The events of a type that became due in [from, now] and are wanted, the oldest first, repetitions among them. Sees
 * every one that was recorded before the call.
 */
export async function since(
  needs: Needs & { readonly clock: Clock },
  { namespaceId, type, from }: { readonly namespaceId: string; readonly type: string; readonly from: number },
  isWanted: (event: CloudEvent) => boolean,
): Promise<Recorded[]> {
  const found: Recorded[] = [];
  const now = needs.clock.now();
  const isDue = ({ due, received, replay }: Recorded) => due <= now || due === received || replay !== undefined;
  for (const pk of keys.eventDays(namespaceId, type, from, now + SKEW_MS)) {
    let next: string | undefined;
    do {
      const more = next === undefined ? {} : { next };
      const page = await needs.table.query({ table: 'journal', pk, from: keys.eventTime(from), ...more });
      const read = await Promise.all(page.items.map((item) => follow(needs, item)));
      found.push(...read.filter((one) => one !== undefined).filter((one) => isDue(one) && isWanted(one.event)));
      next = page.next;
    } while (next !== undefined);
  }
  return found;
}

/** As lists show it. */
export function toRecord({ received, event }: Pick<Recorded, 'received' | 'event'>): EventRecord {
  return {
    receivedAt: toTimestamp(received),
    id: event.id,
    source: event.source,
    type: event.type,
    cloudevent: Buffer.from(toText(event)).toString('base64'),
  };
}
