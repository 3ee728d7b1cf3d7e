import type { BridgeEvent } from '../../events/eventbridge.ts';
import type { Blobs } from '../../ports/blobs.ts';
import type { Message } from '../../ports/bus.ts';
import type { Ports } from '../../ports/ports.ts';
import type { Schedule } from '../../ports/schedules.ts';
import { ConflictError, type Item, type Table } from '../../ports/table.ts';
import { toTimestamp } from '../../time/timestamps.ts';
import { notFound } from '../errors.ts';
import type { Namespace } from '../namespaces/namespaces.ts';
import { derivedId } from '../storage/ids.ts';
import * as keys from '../storage/keys.ts';
import { type List, type ListRequest, toList } from '../storage/pages.ts';
import * as texts from '../storage/texts.ts';
import { readWindow } from '../storage/windows.ts';

/** What was to be brought to somebody. */
export type Delivery =
  /** An event on its way to the router; `to` names a subscriber outside, and is empty for the router. */
  | { readonly kind: 'event'; readonly message: Message; readonly to: string }
  /** A planned time (milliseconds since 1970) of a workflow that the clock starts. */
  | { readonly kind: 'tick'; readonly target: Schedule['target']; readonly planned: number }
  /** An event of another bus on its way into the namespace. */
  | { readonly kind: 'inbound'; readonly event: BridgeEvent };

/** How it failed for good. */
export interface Failure {
  /** Milliseconds since 1970. */
  readonly failed: number;
  readonly tries: number;
  readonly error: string;
}

export interface FailedDelivery extends Failure {
  readonly id: string;
  readonly delivery: Delivery;
}

export interface FailedRecord {
  readonly id: string;
  readonly kind: Delivery['kind'];
  readonly failedAt: string;
  readonly tries: number;
  readonly error: string;
  /** When it was to happen: the event was received, the tick was planned. */
  readonly due: string;
  /** The id of the event, its type and source; empty for a tick. */
  readonly event: string;
  readonly type: string;
  readonly source: string;
  /** The path of the workflow that the clock was to start. */
  readonly workflow: string;
  /** The subscriber outside that did not get the event. */
  readonly to: string;
}

type Needs = { readonly table: Table; readonly blobs: Blobs };

/** As long as events are kept: what is older cannot be brought again. */
const KEPT_S = 30 * 86_400;
const LONGEST_ERROR = 1000;

const instantOf = (text: string): number => {
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? 0 : ms;
};

/** When it was to happen, and what else tells it from others. */
const NAMES: { readonly [K in Delivery['kind']]: (delivery: Extract<Delivery, { kind: K }>) => [number, string] } = {
  event: ({ message: { record }, to }) => [keys.timeInEvent(record.sk), JSON.stringify([record.pk, record.sk, to])],
  tick: ({ target, planned }) => [planned, target.id],
  inbound: ({ event }) => [instantOf(event.time), event.id],
};

const nameOf = (delivery: Delivery): [number, string] => NAMES[delivery.kind](delivery as never);

/** What failed before is the same row, so that an event which is tried again and again is listed once. */
const idOf = (delivery: Delivery): string => {
  const [due, name] = nameOf(delivery);
  return derivedId(due, delivery.kind, name);
};

/** What a record of the event tells as well is not kept twice. */
function slim(delivery: Delivery): Delivery {
  if (delivery.kind !== 'event') return delivery;
  const { event: _, round: __, ...message } = delivery.message;
  return { ...delivery, message };
}

/** Keeps what could not be delivered, for 30 days. Safe to repeat; each time adds to its tries, and is counted. */
export async function keep(
  { table, blobs, meter }: Needs & Partial<Pick<Ports, 'meter'>>,
  namespaceId: string,
  delivery: Delivery,
  { failed, tries, error }: Failure,
): Promise<void> {
  const id = idOf(delivery);
  const key = keys.failedDelivery(namespaceId, id);
  const blob = keys.blobOf('namespaces', namespaceId, 'failed', id);
  const set = {
    delivery: await texts.storeText(blobs, blob, JSON.stringify(slim(delivery))),
    failed,
    error: error.slice(0, LONGEST_ERROR).toWellFormed(),
    ttl: Math.ceil(failed / 1000) + KEPT_S,
  };
  await table.write([{ do: 'update', key, set, add: { tries } }]);
  meter?.note({ FailedDeliveries: 1 });
}

async function fromItem(blobs: Blobs, item: Item): Promise<FailedDelivery> {
  return {
    id: item.sk,
    delivery: JSON.parse(await texts.readText(blobs, item['delivery'])) as Delivery,
    failed: Number(item['failed']),
    tries: Number(item['tries']),
    error: String(item['error']),
  };
}

const ABOUT: {
  readonly [K in Delivery['kind']]: (
    delivery: Extract<Delivery, { kind: K }>,
  ) => Pick<FailedRecord, 'event' | 'type' | 'source' | 'workflow' | 'to'>;
} = {
  event: ({ message: { id, type, source }, to }) => ({ event: id, type, source, workflow: '', to }),
  tick: ({ target }) => ({ event: '', type: '', source: '', workflow: target.workflow, to: '' }),
  inbound: ({ event }) => ({ event: event.id, type: event['detail-type'], source: event.source, workflow: '', to: '' }),
};

/** As lists show it. */
export function toRecord({ id, delivery, failed, tries, error }: FailedDelivery): FailedRecord {
  const [due] = nameOf(delivery);
  const about = ABOUT[delivery.kind](delivery as never);
  return { id, kind: delivery.kind, failedAt: toTimestamp(failed), tries, error, due: toTimestamp(due), ...about };
}

/** A reply holds at most so many. */
const MOST_ROWS = 1000;

const rangeOf = ({ id }: Namespace) => ({ table: 'journal', pk: keys.failedDeliveries(id), descending: true }) as const;

/** What could not be delivered, by when it was to happen, the newest first, at most a thousand. */
export async function list(
  { table, blobs }: Needs,
  namespace: Namespace,
  request: ListRequest,
): Promise<List<FailedRecord>> {
  const offset = Math.max(request.offset, 0);
  const most = request.limit > 0 ? Math.min(request.limit, MOST_ROWS) : MOST_ROWS;
  const { items, total } = await readWindow(table, [rangeOf(namespace)], { from: offset, to: offset + most });
  const found = await Promise.all(items.map((item) => fromItem(blobs, item)));
  return toList(request, found.map(toRecord), { from: Math.min(offset, total), total, idOf: ({ id }) => id });
}

/** How many there are. */
export async function count({ table }: Pick<Needs, 'table'>, namespace: Namespace): Promise<number> {
  return (await readWindow(table, [rangeOf(namespace)], { from: 0, to: 0 })).total;
}

/** So many are read together. */
const PAGE = 20;

/** All of them, the newest first, page by page. */
export async function* pages({ table, blobs }: Needs, namespace: Namespace): AsyncGenerator<FailedDelivery[]> {
  let next: string | undefined;
  do {
    const more = next === undefined ? {} : { next };
    const page = await table.query({ ...rangeOf(namespace), limit: PAGE, ...more });
    yield await Promise.all(page.items.map((item) => fromItem(blobs, item)));
    next = page.next;
  } while (next !== undefined);
}

const isId = (id: string): boolean => /^[0-9a-f-]{36}$/.test(id);

/** Throws `not-found`. */
export async function need({ table, blobs }: Needs, namespace: Namespace, id: string): Promise<FailedDelivery> {
  const [item] = isId(id) ? await table.get([keys.failedDelivery(namespace.id, id)]) : [];
  if (item === undefined) throw notFound('failed delivery');
  return fromItem(blobs, item);
}

/** Takes it away, unless it has failed again since it was read. */
export async function forget(
  { table }: Pick<Needs, 'table'>,
  namespace: Namespace,
  { id, failed, tries }: FailedDelivery,
): Promise<void> {
  const key = keys.failedDelivery(namespace.id, id);
  await table.write([{ do: 'delete', key, when: { equals: { failed, tries } } }]).catch((error: unknown) => {
    if (!(error instanceof ConflictError)) throw error;
  });
}
