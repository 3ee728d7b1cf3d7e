import type { CloudEvent } from '../../events/cloud-event.ts';
import { attributeOf, matches } from '../../events/matching.ts';
import type { Ports } from '../../ports/ports.ts';
import type { Item, Table } from '../../ports/table.ts';
import { batchesOf } from '../storage/batches.ts';
import * as listenerKeys from '../storage/keys/listener-keys.ts';
import type { PartitionRange } from '../storage/keys.ts';
import { pagesOf } from '../storage/queries.ts';
import type { ListenedType } from './listened-types.ts';
import * as listenedTypes from './listened-types.ts';
import * as listeners from './listeners.ts';

/** A part of the listeners of a type: those that match an event, at least one and at most 500. */
export interface Candidates {
  readonly matching: readonly listeners.Listener[];
  /** The position after the part; the listeners up to it need not be considered again. */
  readonly last: string;
}

/** The number of listeners of a part. */
const PART_SIZE = 500;

/** A part of a partition of a type: listeners that demand no exact value and, in the first partition, where others are. */
interface TypePage extends ListenedType {
  readonly listeners: readonly listeners.Listener[];
}

function toTypePage(items: readonly Item[]): TypePage {
  const isDescription = ({ sk }: Item): boolean => listenerKeys.isDescription(sk);
  const others = items.filter((item) => !isDescription(item));
  return { ...listenedTypes.fromItems(items.filter(isDescription)), listeners: others.map(listeners.fromItem) };
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

/** Reads a partition of a type from a position on; all of it is kept where the table knows when it changes. */
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
    partitions: Math.max(1, ...all.map(({ partitions }) => partitions)),
    listeners: all.flatMap((one) => one.listeners),
  };
  if (generation('runs', range.pk) === current) keep(generation, range.pk, { generation: current, page });
}

/** Positions of listeners that demand an exact value begin so; they are after all others. */
const BY_VALUE = '~';
/** Positions in partitions of a type but the first begin so, and with the number of the partition. */
const IN_PARTITION = '!';
const PARTITION_DIGITS = 2;

/** A place among the listeners of a type: after the sort key `from` in a partition. */
interface Place {
  readonly partition: number;
  readonly from: string;
}

/** The place of a position, the beginning for an empty one; undefined for one among listeners by value. */
function placeOf(position: string): Place | undefined {
  if (position.startsWith(BY_VALUE)) return undefined;
  if (!position.startsWith(IN_PARTITION)) return { partition: 0, from: position };
  const end = IN_PARTITION.length + PARTITION_DIGITS;
  return { partition: Number(position.slice(IN_PARTITION.length, end)), from: position.slice(end) };
}

/** The prefix of the sort keys of a partition in positions. */
const prefixOf = (partition: number): string =>
  partition === 0 ? '' : IN_PARTITION + String(partition).padStart(PARTITION_DIGITS, '0');

/** So many partitions are begun side by side. */
const READ_TOGETHER = 4;

/**
 * Reads the partitions of a type from a place on, one after another: the first one says how many there are. `partitions`:
 * how many are known, where the first one is not read.
 */
async function* pagesOfType(
  ports: Pick<Ports, 'table'>,
  {
    namespaceId,
    type,
    partitions = 1,
  }: { readonly namespaceId: string; readonly type: string; readonly partitions?: number },
  place: Place = { partition: 0, from: '' },
): AsyncGenerator<Place & { readonly page: TypePage }> {
  let count = partitions;
  const begin = (partition: number) => {
    const from = partition === place.partition ? place.from : '';
    return { partition, from, pages: typePages(ports, listenerKeys.ofType(namespaceId, type, partition), from) };
  };
  if (place.partition === 0) {
    const { pages, ...first } = begin(0);
    for await (const page of pages) {
      count = Math.max(count, page.partitions);
      yield { ...first, page };
    }
  }
  const numbers = Array.from({ length: count }, (_, number) => number).slice(Math.max(place.partition, 1));
  for (const some of batchesOf(numbers, READ_TOGETHER)) {
    const begun = some.map(begin);
    const firsts = await Promise.all(begun.map(({ pages }) => pages.next()));
    for (const [index, { partition, from, pages }] of begun.entries()) {
      const first = firsts[index];
      if (first?.done === false) yield { partition, from, page: first.value };
      for await (const page of pages) yield { partition, from, page };
    }
  }
}

/** The ranges of listeners that demand a value which the event has, in the order of their sort keys. */
function valueRanges(namespaceId: string, event: CloudEvent, attributes: readonly string[]): PartitionRange[] {
  const values = attributes.map((name) => [name, attributeOf(event, name)] as const);
  const present = values.filter(([, value]) => value !== undefined);
  const texts = present.flatMap(([name, value]) => (typeof value === 'string' ? [[name, value] as const] : []));
  // A value of another type than text matches any text.
  if (texts.length < present.length) return listenerKeys.byValue(namespaceId, event.type);
  const hashes = texts.map(([name, value]) => listenerKeys.valueHash(name, value));
  return hashes.sort().map((hash) => listenerKeys.ofValue(namespaceId, event.type, hash));
}

function* partsOf(
  page: readonly listeners.Listener[],
  event: CloudEvent,
  after: string,
  prefix = '',
): Generator<Candidates> {
  const matching = page.filter(({ key, filter }) => key.sk > after && matches(filter, event));
  for (const part of batchesOf(matching, PART_SIZE))
    yield { matching: part, last: prefix + (part.at(-1)?.key.sk ?? '') };
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
  const place = placeOf(after);
  const known = after === '' ? undefined : await listenedTypes.read(ports, namespaceId, event.type);
  const attributes = new Set(known?.attributes);
  if (place !== undefined) {
    const type = { namespaceId, type: event.type, ...(known && { partitions: known.partitions }) };
    for await (const { partition, from, page } of pagesOfType(ports, type, place)) {
      for (const name of page.attributes) attributes.add(name);
      yield* partsOf(page.listeners, event, from, prefixOf(partition));
    }
  }
  const from = place === undefined ? after.slice(BY_VALUE.length) : '';
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
  for await (const { page } of pagesOfType(ports, { namespaceId, type })) {
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
