import { isDeepStrictEqual } from 'node:util';
import { type CloudEvent, toText } from '../../events/cloud-event.ts';
import { parseJson } from '../../language/json-numbers.ts';
import { omitUndefined } from '../../language/omit-undefined.ts';
import type { Blobs } from '../../ports/blobs.ts';
import type { Message } from '../../ports/bus.ts';
import type { Ports } from '../../ports/ports.ts';
import type { Item, Key } from '../../ports/table.ts';
import { toTtl } from '../../time/expiry.ts';
import { DAY_MS, MINUTE_MS } from '../../time/units.ts';
import { alreadyExists, notFound, ServiceError } from '../errors.ts';
import type { Namespace } from '../namespaces/namespaces.ts';
import { type Put, putAt } from '../storage/batches.ts';
import { onConflict, retryOnConflict } from '../storage/conflicts.ts';
import * as keys from '../storage/keys.ts';
import { pagesOf, readPage } from '../storage/queries.ts';
import * as texts from '../storage/texts.ts';
import { hashOf, isOfSource, isVoid, recordIn, reserve } from './reservations.ts';

/** The outcome of an event for one listener, for the explanation of the event. */
export interface Trace {
  readonly listener: string;
  readonly workflow: string;
  readonly matches: boolean;
  /** The first attribute that does not match. */
  readonly failed?: { readonly attribute: string; readonly expected: unknown; readonly found: unknown };
  /** The effect: a run resumed, or was started; or why there was none. */
  readonly did: string;
  /** The id of the run that was started. */
  readonly started?: string;
}

/** A replay: a further delivery of an event, which a user requested. */
export interface Replay {
  readonly id: string;
  readonly key: Key;
}

/** An event as it is stored. */
export interface Recorded {
  readonly key: Key;
  /** Milliseconds since 1970. */
  readonly received: number;
  /** When it is delivered: at once, or after its delay. Milliseconds since 1970. */
  readonly due: number;
  readonly event: CloudEvent;
  /** The router has delivered it to all listeners. */
  readonly isRouted: boolean;
  /** The cursor of the router after the last listener that was served (`Candidates`); empty at the beginning. */
  readonly served: string;
  /** Set for a replay: `due`, `isRouted` and `served` are those of the replay. */
  readonly replay?: Replay;
  /** The traces of the event and of its replays, and the number of updates of them. */
  readonly traces: readonly Trace[];
  readonly notes: number;
}

type Needs = Pick<Ports, 'table' | 'blobs'>;

/** How long events are kept, days. */
export const RETENTION_DAYS = 30;

/** The maximum size of an event, bytes of its JSON. */
export const MAX_EVENT_BYTES = 4 * 1024 * 1024;

/** The maximum size of an event in a message; of a larger one the message has only the key. */
const MAX_MESSAGE_BYTES = 200 * 1024;

const ttlOf = (due: number): number => toTtl(due + RETENTION_DAYS * DAY_MS);

/** Throws `too-large` for an event that cannot be recorded. */
export function needSize(event: CloudEvent): void {
  const bytes = Buffer.byteLength(toText(event));
  if (bytes <= MAX_EVENT_BYTES) return;
  throw new ServiceError('too-large', `the event has ${bytes} bytes; an event has at most ${MAX_EVENT_BYTES}`);
}

/**
 * When an event is received and when it is due, milliseconds since 1970; at once, if `due` is absent. `isSecond`: an event of
 * another source has its id.
 */
interface Recording {
  readonly received: number;
  readonly due?: number | undefined;
  readonly isSecond?: boolean;
}

/**
 * Returns the key of an event and the writes that record it. They are one transaction, or `reserve` makes the first one.
 * Listeners find the event by the time when it is due, lists by the time when it was received. Throws `too-large`.
 */
export async function toWrites(
  { blobs }: Pick<Ports, 'blobs'>,
  home: keys.Home,
  event: CloudEvent,
  { received, due = received, isSecond = false }: Recording,
): Promise<{ readonly key: Key; readonly writes: readonly [Put, Put] }> {
  needSize(event);
  const { id, type } = event;
  const source = isSecond ? event.source : undefined;
  const key = keys.event(home, { type, id, source }, due);
  const ttl = ttlOf(due);
  const blob = keys.blobOf(keys.eventBlobs(key.pk), hashOf(`${id} ${event.source}`), String(received));
  const pointer = { eventPk: key.pk, eventSk: key.sk, source: hashOf(event.source), ttl };
  const attributes = {
    ...keys.eventReceived(home, id, received),
    received,
    due,
    routed: false,
    notes: 0,
    event: await texts.storeText(blobs, blob, toText(event)),
    ttl,
  };
  const absent = { absent: true } as const;
  return { key, writes: [putAt(keys.eventId(home.id, id, source), pointer, absent), putAt(key, attributes, absent)] };
}

/** The message about a recorded event. */
export function toMessage(namespace: Pick<Namespace, 'id' | 'name'>, key: Key, event: CloudEvent): Message {
  const text = toText(event);
  return omitUndefined({
    namespaceId: namespace.id,
    namespace: namespace.name,
    record: { pk: key.pk, sk: key.sk },
    id: event.id,
    type: event.type,
    source: event.source,
    event: Buffer.byteLength(text) <= MAX_MESSAGE_BYTES ? text : undefined,
  });
}

const keyOf = ({ pk, sk }: Item): Key => ({ table: 'journal', pk, sk });

/** The progress of a delivery: of the event itself, or of a replay. */
const deliveryOf = (item: Item): Pick<Recorded, 'due' | 'isRouted' | 'served'> => ({
  due: Number(item['due']),
  isRouted: item['routed'] === true,
  served: String(item['served'] ?? ''),
});

/** Reads the event of an item, and when it was received. */
export async function eventOf(blobs: Blobs, item: Item): Promise<Pick<Recorded, 'received' | 'event'>> {
  const event = parseJson(await texts.readText(blobs, item['event'])) as CloudEvent;
  return { received: Number(item['received']), event };
}

/** Reads the event of an item with its traces; not of the item of a replay. */
export async function fromItem(blobs: Blobs, item: Item): Promise<Recorded> {
  return {
    key: keyOf(item),
    ...deliveryOf(item),
    ...(await eventOf(blobs, item)),
    traces: item['trace'] === undefined ? [] : (parseJson(await texts.readText(blobs, item['trace'])) as Trace[]),
    notes: Number(item['notes']),
  };
}

/** As `fromItem`, also for the item of a replay; undefined when the event that it replays was removed, and for a void. */
async function resolve({ table, blobs }: Needs, item: Item): Promise<Recorded | undefined> {
  if (isVoid(item)) return undefined;
  const replay = item['replay'];
  if (replay === undefined) return fromItem(blobs, item);
  const [original] = await table.get([
    { table: 'journal', pk: String(item['originalPk']), sk: String(item['originalSk']) },
  ]);
  if (original === undefined) return undefined;
  const recorded = await fromItem(blobs, original);
  return { ...recorded, ...deliveryOf(item), replay: { id: String(replay), key: keyOf(item) } };
}

/** Returns the event, or the replay, of a message; undefined when it was removed. */
export async function read(needs: Needs, { pk, sk }: Message['record']): Promise<Recorded | undefined> {
  const [item] = await needs.table.get([{ table: 'journal', pk, sk }]);
  return item === undefined ? undefined : resolve(needs, item);
}

async function needOf(needs: Needs, pointer: Item | undefined): Promise<Recorded> {
  const found = pointer && (await read(needs, recordIn(pointer)));
  if (found === undefined) throw notFound('cloud_events');
  return found;
}

/** Returns the event with this id, or with its id and source with a blank between them. Throws `not-found`. */
export async function need(needs: Needs, namespaceId: string, name: string): Promise<Recorded> {
  const [pointer] = await needs.table.get([keys.eventId(namespaceId, name)]);
  const end = name.lastIndexOf(' ');
  if (pointer !== undefined || end < 0) return needOf(needs, pointer);
  return needSame(needs, namespaceId, { id: name.slice(0, end), source: name.slice(end + 1) });
}

/** Returns the event of this source with this id. Throws `not-found`. */
export async function needSame(
  needs: Needs,
  namespaceId: string,
  { id, source }: Pick<CloudEvent, 'id' | 'source'>,
): Promise<Recorded> {
  const [first, second] = await needs.table.get([keys.eventId(namespaceId, id), keys.eventId(namespaceId, id, source)]);
  return needOf(needs, first !== undefined && isOfSource(first, source) ? first : second);
}

/** The write that records an event, after its name was reserved. Throws `exists`. */
async function reserved(
  ports: Needs,
  home: keys.Home,
  event: CloudEvent,
  times: Recording,
): Promise<{ readonly key: Key; readonly record: Put }> {
  for (const isSecond of [false, true]) {
    const { key, writes } = await toWrites(ports, home, event, { ...times, isSecond });
    const [pointer, record] = writes;
    if (await reserve(ports, pointer)) return { key, record };
  }
  throw alreadyExists();
}

/**
 * Records an event that is due after `delay` milliseconds: reserves its name, then stores it. After a crash in between it is
 * not recorded, and recorded when it is sent again. Throws `too-large`, and `exists` when the namespace has an event with its
 * source and id.
 */
export async function record(
  ports: Needs & Pick<Ports, 'clock'>,
  home: keys.Home,
  event: CloudEvent,
  delay = 0,
): Promise<Recorded> {
  return retryOnConflict(async () => {
    const received = ports.clock.now();
    const due = received + delay;
    const { key, record } = await reserved(ports, home, event, { received, due });
    await onConflict(ports.table.write([record]), async (conflict) => {
      const [stored] = await ports.table.get([key]);
      // Another process has taken the name over.
      if (stored === undefined || isVoid(stored)) throw conflict;
      // The client of the database repeats a request whose response was lost.
      if (!isDeepStrictEqual(stored['event'], record.item['event'])) throw alreadyExists();
    });
    return { key, received, due, event, isRouted: false, served: '', traces: [], notes: 0 };
  });
}

/** Records a replay of an event, which is due now. */
export async function recordReplay(
  { table, clock }: Pick<Ports, 'table' | 'clock'>,
  home: keys.Home,
  recorded: Recorded,
): Promise<Recorded & { readonly replay: Replay }> {
  const { key: original, event } = recorded;
  const due = clock.now();
  const replay = clock.uuid();
  const key = keys.eventReplay(home, event, due, replay);
  const pointer = { originalPk: original.pk, originalSk: original.sk, ttl: ttlOf(due) };
  await table.write([putAt(key, { ...pointer, replay, due, routed: false })]);
  return { ...recorded, due, isRouted: false, served: '', replay: { id: replay, key } };
}

/** The maximum difference between the clocks of two computers. */
const MAX_CLOCK_SKEW_MS = MINUTE_MS;

/**
 * Returns the events and replays of a type that became due in [from, until] and are wanted, the oldest first. All that
 * were recorded before the call are found. Without `until`: up to now.
 */
export async function dueSince(
  needs: Needs & Pick<Ports, 'clock'>,
  { home, type, from, until }: { home: keys.Home; type: string; from: number; until?: number | undefined },
  isWanted: (event: CloudEvent) => boolean,
): Promise<Recorded[]> {
  const found: Recorded[] = [];
  const now = Math.min(needs.clock.now(), until ?? Number.POSITIVE_INFINITY);
  const to = until === undefined ? {} : { to: keys.timeText(until) };
  const isDue = ({ due, received, replay }: Recorded) => due <= now || due === received || replay !== undefined;
  for (const day of keys.eventsOfType(home, type, from, now + MAX_CLOCK_SKEW_MS)) {
    for await (const items of pagesOf(needs.table, { ...day, from: keys.timeText(from), ...to })) {
      const recorded = await Promise.all(items.map((item) => resolve(needs, item)));
      found.push(...recorded.filter((one) => one !== undefined).filter((one) => isDue(one) && isWanted(one.event)));
    }
  }
  return found;
}

/** Returns the newest events of a type that were due since a time, at most `limit` of them, the newest first. */
export async function newestOfType(
  needs: Needs & Pick<Ports, 'clock'>,
  { home, type, from }: { readonly home: keys.Home; readonly type: string; readonly from: number },
  limit: number,
): Promise<Recorded[]> {
  const found: Recorded[] = [];
  const now = needs.clock.now();
  for (const day of keys.eventsOfType(home, type, from, now).toReversed()) {
    const range = { ...day, from: keys.timeText(from), to: keys.timeText(now + 1), descending: true };
    const { items } = found.length < limit ? await readPage(needs.table, range, { limit }) : { items: [] };
    const recorded = await Promise.all(items.map((item) => resolve(needs, item)));
    found.push(...recorded.filter((one) => one !== undefined));
  }
  return found.slice(0, limit);
}
