import type { CloudEvent } from '../../events/cloud-event.ts';
import { attributeOf, matches } from '../../events/matching.ts';
import type { Ports } from '../../ports/ports.ts';
import type { Item, Table } from '../../ports/table.ts';
import { batchesOf } from '../storage/batches.ts';
import * as listenerKeys from '../storage/keys/listener-keys.ts';
import type { PartitionRange } from '../storage/keys.ts';
import { pagesOf } from '../storage/queries.ts';
import * as listeners from './listeners.ts';

/** A part of the listeners of a type: those that match an event, at least one and at most 500. */
export interface Candidates {
  readonly matching: readonly listeners.Listener[];
  /** The position after the part; the listeners up to it need not be considered again. */
  readonly last: string;
}

/** The number of listeners of a part. */
const PART_SIZE = 500;

/** A part of the partition of a type: listeners that demand no exact value, and attributes of which others demand one. */
interface TypePage {
  readonly attributes: readonly string[];
  readonly listeners: readonly listeners.Listener[];
}

function toTypePage(items: readonly Item[]): TypePage {
  const [attributes, others] = [true, false].map((is) => items.filter(({ sk }) => listenerKeys.isAttribute(sk) === is));
  return {
    attributes: (attributes ?? []).map(listeners.toAttribute),
    listeners: (others ?? []).map(listeners.fromItem),
  };
}

/** The partitions of types that are kept in memory, where the table knows whether they have changed. */
interface Kept {
  readonly generation: number;
  readonly page: TypePage;
}

/** So many listeners are kept in total. */
const MAX_KEPT = 20_000;

const keptPages = new WeakMap<NonNullable<Table['generation']>, Map<string, Kept>>();

/** Keeps the partition of a type, in place of the oldest ones if there are too many listeners. */
function keep(generation: NonNullable<Table['generation']>, partition: string, one: Kept): void {
  const kept = keptPages.get(generation) ?? new Map<string, Kept>();
  keptPages.set(generation, kept);
  kept.delete(partition);
  kept.set(partition, one);
  let total = 0;
  for (const { page } of kept.values()) total += page.listeners.length + 1;
  for (const [oldest, { page }] of kept) {
    if (total <= MAX_KEPT) break;
    kept.delete(oldest);
    total -= page.listeners.length + 1;
  }
}

/** Reads the partition of a type from a position on; all of it is kept where the table knows when it changes. */
async function* typePages(
  { table }: Pick<Ports, 'table'>,
  range: PartitionRange,
  after: string,
): AsyncGenerator<TypePage> {
  const { generation } = table;
  const current = generation?.('runs', range.pk);
  const known = generation && keptPages.get(generation)?.get(range.pk);
  if (known !== undefined && known.generation === current) {
    yield known.page;
    return;
  }
  const all: TypePage[] = [];
  let isAll = after === '';
  let count = 0;
  for await (const items of pagesOf(table, { ...range, from: after === '' ? undefined : after })) {
    const page = toTypePage(items);
    count += page.listeners.length;
    isAll &&= count <= MAX_KEPT;
    if (isAll) all.push(page);
    yield page;
  }
  if (!isAll || generation === undefined || current === undefined) return;
  const page = {
    attributes: all.flatMap(({ attributes }) => attributes),
    listeners: all.flatMap((one) => one.listeners),
  };
  if (generation('runs', range.pk) === current) keep(generation, range.pk, { generation: current, page });
}

/** Positions of listeners that demand an exact value sort after all others. */
const BY_VALUE = '~';

/** The ranges of listeners that demand a value which the event has, in the order of their sort keys. */
function valueRanges(namespaceId: string, event: CloudEvent, attributes: readonly string[]): PartitionRange[] {
  const values = attributes.map((name) => [name, attributeOf(event, name)] as const);
  const present = values.filter(([, value]) => value !== undefined);
  // A value of another type than text matches any text.
  if (present.some(([, value]) => typeof value !== 'string')) return listenerKeys.byValue(namespaceId, event.type);
  const hashes = present.map(([name, value]) => listenerKeys.valueHash(name, String(value)));
  return hashes.sort().map((hash) => listenerKeys.ofValue(namespaceId, event.type, hash));
}

function* partsOf(
  page: readonly listeners.Listener[],
  event: CloudEvent,
  after: string,
  prefix = '',
): Generator<Candidates> {
  const matching = page.filter(({ at, filter }) => at > after && matches(filter, event));
  for (const part of batchesOf(matching, PART_SIZE)) yield { matching: part, last: prefix + (part.at(-1)?.at ?? '') };
}

/**
 * Yields the listeners of an event's type that match it, after the position `after`, part by part, in their order.
 * Listeners that demand an exact value of an attribute are read only if the event has that value (docs/decisions/052).
 */
export async function* candidatesOf(
  ports: Pick<Ports, 'table'>,
  namespaceId: string,
  event: CloudEvent,
  after = '',
): AsyncGenerator<Candidates> {
  const isPastType = after.startsWith(BY_VALUE);
  const attributes = new Set(after === '' ? [] : await listeners.attributesOf(ports, namespaceId, event.type));
  if (!isPastType) {
    for await (const page of typePages(ports, listenerKeys.ofType(namespaceId, event.type), after)) {
      for (const name of page.attributes) attributes.add(name);
      yield* partsOf(page.listeners, event, after);
    }
  }
  const from = isPastType ? after.slice(BY_VALUE.length) : '';
  for (const range of valueRanges(namespaceId, event, [...attributes])) {
    for await (const items of pagesOf(ports.table, { ...range, from: from === '' ? undefined : from })) {
      yield* partsOf(items.map(listeners.fromItem), event, from, BY_VALUE);
    }
  }
}

/** Reads the listeners of a type, at most `maximum`, whether or not they match an event. */
export async function someOfType(
  ports: Pick<Ports, 'table'>,
  namespaceId: string,
  type: string,
  maximum: number,
): Promise<listeners.Listener[]> {
  const found: listeners.Listener[] = [];
  const attributes: string[] = [];
  for await (const page of typePages(ports, listenerKeys.ofType(namespaceId, type), '')) {
    attributes.push(...page.attributes);
    found.push(...page.listeners);
    if (found.length >= maximum) return found.slice(0, maximum);
  }
  if (attributes.length === 0) return found;
  const limit = maximum - found.length;
  const pages = listenerKeys.byValue(namespaceId, type).map((range) => ports.table.query({ ...range, limit }));
  for (const { items } of await Promise.all(pages)) found.push(...items.map(listeners.fromItem));
  return found.slice(0, maximum);
}
