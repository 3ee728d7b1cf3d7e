import type { BridgeEvent } from '../../events/eventbridge.ts';
import { parseJson } from '../../language/json-numbers.ts';
import type { Blobs } from '../../ports/blobs.ts';
import type { Message } from '../../ports/bus.ts';
import type { Ports } from '../../ports/ports.ts';
import type { Schedule } from '../../ports/schedules.ts';
import type { Item, Write } from '../../ports/table.ts';
import { toTtl } from '../../time/expiry.ts';
import { toTimestamp } from '../../time/timestamps.ts';
import { DAY_MS } from '../../time/units.ts';
import { notFound } from '../errors.ts';
import type { Namespace } from '../namespaces/namespaces.ts';
import { ignoreConflict } from '../storage/conflicts.ts';
import { derivedId } from '../storage/ids.ts';
import * as keys from '../storage/keys.ts';
import type { ListRequest } from '../storage/list-requests.ts';
import { type List, spanOf, toList } from '../storage/lists.ts';
import { pagesOf } from '../storage/queries.ts';
import * as texts from '../storage/texts.ts';
import { readWindow } from '../storage/windows.ts';
import { RETENTION_DAYS } from './events.ts';

/** A delivery that can fail. */
export type Delivery =
  /** An event for the router, with an empty `to`, or for the outside subscriber `to`. */
  | { readonly kind: 'event'; readonly message: Message; readonly to: string }
  /** A planned time (milliseconds since 1970) of a scheduled workflow. */
  | { readonly kind: 'tick'; readonly target: Schedule['target']; readonly planned: number }
  /** An event of another bus, for the namespace. */
  | { readonly kind: 'inbound'; readonly event: BridgeEvent };

/** How a delivery failed. */
export interface Failure {
  /** Milliseconds since 1970. */
  readonly failed: number;
  readonly tries: number;
  readonly error: string;
}

/** A delivery that exhausted its retries. The API calls it a failed delivery. */
export interface DeadLetter extends Failure {
  readonly id: string;
  readonly delivery: Delivery;
}

export interface DeadLetterRecord {
  readonly id: string;
  readonly kind: Delivery['kind'];
  readonly failedAt: string;
  readonly tries: number;
  readonly error: string;
  /** When the event was received, or the tick was planned. */
  readonly due: string;
  /** The id of the event, its type and source; empty for a tick. */
  readonly event: string;
  readonly type: string;
  readonly source: string;
  /** The path of the scheduled workflow. */
  readonly workflow: string;
  /** The subscriber outside. */
  readonly to: string;
}

type Needs = Pick<Ports, 'table' | 'blobs'>;

const MAX_ERROR_LENGTH = 1000;

const instantOf = (text: string): number => {
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? 0 : ms;
};

/** The time when a delivery was due, and its identifier among those of that time. */
const IDENTITIES: { readonly [K in Delivery['kind']]: (delivery: Extract<Delivery, { kind: K }>) => [number, string] } =
  {
    event: ({ message: { record }, to }) => [keys.timeIn(record.sk), JSON.stringify([record.pk, record.sk, to])],
    tick: ({ target, planned }) => [planned, target.id],
    inbound: ({ event }) => [instantOf(event.time), event.id],
  };

const identityOf = (delivery: Delivery): [number, string] => IDENTITIES[delivery.kind](delivery as never);

/** A delivery that fails again has the same id, so that it is listed once. */
const idOf = (delivery: Delivery): string => {
  const [due, name] = identityOf(delivery);
  return derivedId(due, delivery.kind, name);
};

/** A delivery without the members that are stored with the event, or are of no use later. */
function withoutEvent(delivery: Delivery): Delivery {
  if (delivery.kind !== 'event') return delivery;
  const { event: _, round: __, ...message } = delivery.message;
  return { ...delivery, message };
}

/** Stores a dead letter for as long as events are kept. For one that is stored already, the tries are added up. */
export async function add(
  { table, blobs, meter }: Needs & Partial<Pick<Ports, 'meter'>>,
  namespaceId: string,
  delivery: Delivery,
  { failed, tries, error }: Failure,
): Promise<void> {
  const id = idOf(delivery);
  const key = keys.deadLetter(namespaceId, id);
  const blob = keys.blobOf('namespaces', namespaceId, 'failed', id);
  const set = {
    delivery: await texts.storeText(blobs, blob, JSON.stringify(withoutEvent(delivery))),
    failed,
    error: error.slice(0, MAX_ERROR_LENGTH).toWellFormed(),
    ttl: toTtl(failed + RETENTION_DAYS * DAY_MS),
  };
  await table.write([{ do: 'update', key, set, add: { tries } }]);
  meter?.note({ FailedDeliveries: 1 });
}

async function fromItem(blobs: Blobs, item: Item): Promise<DeadLetter> {
  return {
    id: item.sk,
    delivery: parseJson(await texts.readText(blobs, item['delivery'])) as Delivery,
    failed: Number(item['failed']),
    tries: Number(item['tries']),
    error: String(item['error']),
  };
}

const fromItems = (blobs: Blobs, items: readonly Item[]): Promise<DeadLetter[]> =>
  Promise.all(items.map((item) => fromItem(blobs, item)));

const SUBJECTS: {
  readonly [K in Delivery['kind']]: (
    delivery: Extract<Delivery, { kind: K }>,
  ) => Pick<DeadLetterRecord, 'event' | 'type' | 'source' | 'workflow' | 'to'>;
} = {
  event: ({ message: { id, type, source }, to }) => ({ event: id, type, source, workflow: '', to }),
  tick: ({ target }) => ({ event: '', type: '', source: '', workflow: target.workflow, to: '' }),
  inbound: ({ event }) => ({ event: event.id, type: event['detail-type'], source: event.source, workflow: '', to: '' }),
};

/** The wire form of a dead letter in lists. */
export function toRecord({ id, delivery, failed, tries, error }: DeadLetter): DeadLetterRecord {
  const [due] = identityOf(delivery);
  const subject = SUBJECTS[delivery.kind](delivery as never);
  return { id, kind: delivery.kind, failedAt: toTimestamp(failed), tries, error, due: toTimestamp(due), ...subject };
}

/** The maximum number of rows of a reply. */
const MAX_ROWS = 1000;

const rangeOf = ({ id }: Namespace) => ({ ...keys.deadLetters(id), descending: true });

/** Lists dead letters by the time when they were due, the newest first, at most a thousand. */
export async function list(
  { table, blobs }: Needs,
  namespace: Namespace,
  request: ListRequest,
): Promise<List<DeadLetterRecord>> {
  const span = spanOf(request, MAX_ROWS);
  const { items, total } = await readWindow(table, [rangeOf(namespace)], span);
  const records = (await fromItems(blobs, items)).map(toRecord);
  return toList(request, records, { from: Math.min(span.from, total), total, idOf: ({ id }) => id });
}

/** Returns the number of dead letters. */
export async function count({ table }: Pick<Needs, 'table'>, namespace: Namespace): Promise<number> {
  return (await readWindow(table, [rangeOf(namespace)], { from: 0, to: 0 })).total;
}

/** The number of dead letters that are in memory at the same time. */
const PAGE_SIZE = 20;

/** Yields all dead letters, the newest first, page by page. */
export async function* pages({ table, blobs }: Needs, namespace: Namespace): AsyncGenerator<DeadLetter[]> {
  for await (const items of pagesOf(table, { ...rangeOf(namespace), limit: PAGE_SIZE })) yield fromItems(blobs, items);
}

const isId = (id: string): boolean => /^[0-9a-f-]{36}$/.test(id);

/** Returns the dead letter with this id. Throws `not-found`. */
export async function need({ table, blobs }: Needs, namespace: Namespace, id: string): Promise<DeadLetter> {
  const [item] = isId(id) ? await table.get([keys.deadLetter(namespace.id, id)]) : [];
  if (item === undefined) throw notFound('failed delivery');
  return fromItem(blobs, item);
}

/** Deletes a dead letter, unless its delivery failed again since it was read. */
export async function remove(
  { table }: Pick<Needs, 'table'>,
  namespace: Namespace,
  { id, failed, tries }: DeadLetter,
): Promise<void> {
  const when = { equals: { failed, tries } };
  const deletion: Write = { do: 'delete', key: keys.deadLetter(namespace.id, id), when };
  await ignoreConflict(table.write([deletion]));
}

/** Deletes the dead letter of a delivery that was made at last, if there is one. */
export async function removeDelivered(
  { table }: Pick<Needs, 'table'>,
  namespaceId: string,
  delivery: Delivery,
): Promise<void> {
  await table.write([{ do: 'delete', key: keys.deadLetter(namespaceId, idOf(delivery)) }]);
}
