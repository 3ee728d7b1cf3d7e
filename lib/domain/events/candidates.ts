import type { CloudEvent } from '../../events/cloud-event.ts';
import { attributeOf, matches } from '../../events/matching.ts';
import { parseJson } from '../../language/json-numbers.ts';
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
  /** The text of the cursor after the part; the listeners up to it need not be considered again. */
  readonly last: string;
}

/**
 * A place among the listeners of a type. The phase `type` comes first: those that demand no exact value, partition by
 * partition. The phase `value` has those that demand one.
 */
interface Cursor {
  readonly phase: 'type' | 'value';
  /** The partition of the type; 0 in the phase `value`. */
  readonly partition: number;
  /** The sort key of the last listener before the place; empty at the beginning of the partition or phase. */
  readonly after: string;
}

const BEGINNING: Cursor = { phase: 'type', partition: 0, after: '' };

const cursorFrom = (text: string): Cursor => (text === '' ? BEGINNING : (parseJson(text) as Cursor));

/** The number of listeners of a part. */
const PART_SIZE = 500;

/** A page of a partition of a type: its listeners and, in the first partition, the descriptions of the type. */
interface TypePage extends ListenedType {
  readonly listeners: readonly listeners.Listener[];
}

function toTypePage(items: readonly Item[]): TypePage {
  const isDescription = ({ sk }: Item): boolean => listenerKeys.isDescription(sk);
  const others = items.filter((item) => !isDescription(item));
  return { ...listenedTypes.fromItems(items.filter(isDescription)), listeners: others.map(listeners.fromItem) };
}

/** A partition of a type in memory, for a table that knows whether the partition has changed. */
interface Kept {
  readonly generation: number;
  readonly page: TypePage;
}

/** The most listeners that are kept in total. */
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

/** Reads a partition of a type after a sort key; a whole partition is kept if the table knows when it changes. */
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
  for await (const items of pagesOf(table, { ...range, from: after || undefined })) {
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

/** The number of partitions that are read at the same time. */
const READ_TOGETHER = 4;

/** A type of events in a namespace. */
interface Type {
  readonly namespaceId: string;
  readonly type: string;
  /** How many partitions it has at least. */
  readonly partitions: number;
}

/**
 * Reads the partitions of a type from a cursor on, in their order, each page with the cursor from which its partition is
 * read. The first partition contains how many there are.
 */
async function* pagesOfType(
  ports: Pick<Ports, 'table'>,
  { namespaceId, type, partitions }: Type,
  begin = BEGINNING,
): AsyncGenerator<{ readonly from: Cursor; readonly page: TypePage }> {
  const read = (partition: number) => {
    const from = partition === begin.partition ? begin : { ...BEGINNING, partition };
    return { from, pages: typePages(ports, listenerKeys.ofType(namespaceId, type, partition), from.after) };
  };
  let count = partitions;
  if (begin.partition === 0) {
    const { from, pages } = read(0);
    for await (const page of pages) {
      count = Math.max(count, page.partitions);
      yield { from, page };
    }
  }
  const numbers = Array.from({ length: count }, (_, number) => number).slice(Math.max(begin.partition, 1));
  for (const some of batchesOf(numbers, READ_TOGETHER)) {
    const begun = some.map(read);
    const firsts = await Promise.all(begun.map(({ pages }) => pages.next()));
    for (const [index, { from, pages }] of begun.entries()) {
      const first = firsts[index];
      if (first?.done === false) yield { from, page: first.value };
      for await (const page of pages) yield { from, page };
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

function* partsOf(page: readonly listeners.Listener[], event: CloudEvent, from: Cursor): Generator<Candidates> {
  const matching = page.filter(({ key, filter }) => key.sk > from.after && matches(filter, event));
  for (const part of batchesOf(matching, PART_SIZE)) {
    const last: Cursor = { ...from, after: part.at(-1)?.key.sk ?? '' };
    yield { matching: part, last: JSON.stringify(last) };
  }
}

/**
 * Yields the listeners of an event's type that match it, part by part, in their order; after the cursor of a part, if one is
 * given. Listeners that demand an exact value of an attribute are read only if the event has that value
 * (docs/decisions/017).
 */
export async function* candidatesOf(
  ports: Pick<Ports, 'table'>,
  namespaceId: string,
  event: CloudEvent,
  cursor = '',
): AsyncGenerator<Candidates> {
  const begin = cursorFrom(cursor);
  // From the beginning, the descriptions of the type are read with its first partition.
  const known = cursor === '' ? undefined : await listenedTypes.read(ports, namespaceId, event.type);
  const attributes = new Set(known?.attributes);
  if (begin.phase === 'type') {
    const type = { namespaceId, type: event.type, partitions: known?.partitions ?? 1 };
    for await (const { from, page } of pagesOfType(ports, type, begin)) {
      for (const name of page.attributes) attributes.add(name);
      yield* partsOf(page.listeners, event, from);
    }
  }
  const from: Cursor = begin.phase === 'value' ? begin : { phase: 'value', partition: 0, after: '' };
  for (const range of valueRanges(namespaceId, event, [...attributes])) {
    for await (const items of pagesOf(ports.table, { ...range, from: from.after || undefined })) {
      yield* partsOf(items.map(listeners.fromItem), event, from);
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
  for await (const { page } of pagesOfType(ports, { namespaceId, type, partitions: 1 })) {
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
