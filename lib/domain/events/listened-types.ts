import { literalOf } from '../../events/matching.ts';
import type { Ports } from '../../ports/ports.ts';
import type { Item, Key, Table } from '../../ports/table.ts';
import type { Filter } from '../runs/waits.ts';
import { putAt } from '../storage/batches.ts';
import * as listenerKeys from '../storage/keys/listener-keys.ts';
import { readAll } from '../storage/queries.ts';
import { partitionsIn } from '../storage/spread.ts';
import type { Owner } from './listeners.ts';

/** The stored descriptions of a type of events: where its listeners are. */
export interface ListenedType {
  /** The attributes by whose values listeners are stored. */
  readonly attributes: readonly string[];
  /** Over how many partitions the other listeners are spread. */
  readonly partitions: number;
}

/** Reads the descriptions of a type, or some of them. */
export const fromItems = (items: readonly Item[]): ListenedType => ({
  attributes: items.flatMap(({ attribute }) => (attribute === undefined ? [] : [String(attribute)])),
  partitions: Math.max(1, ...items.map(({ partitions }) => Number(partitions ?? 1))),
});

/** Reads all descriptions of a type. */
export async function read({ table }: Pick<Ports, 'table'>, namespaceId: string, type: string): Promise<ListenedType> {
  return fromItems(await readAll(table, listenerKeys.descriptions(namespaceId, type)));
}

/** The keys of descriptions that are known to be stored, by their table. */
const storedKeys = new WeakMap<Table, Set<string>>();
/** The most keys that are remembered. */
const MAX_REMEMBERED = 20_000;

/** A description, and whether other processes have probably stored it. */
interface Description {
  readonly key: Key;
  readonly item: { readonly attribute: string } | { readonly partitions: number };
  readonly isUsual: boolean;
}

/** The description that a reader needs to find the listener with a filter; undefined if it needs none. */
function descriptionOf({ namespaceId, spread, partition = 0 }: Owner, filter: Filter): Description | undefined {
  const attribute = literalOf(filter)?.attribute;
  if (attribute !== undefined) {
    return { key: listenerKeys.attribute(namespaceId, filter.type, attribute), item: { attribute }, isUsual: false };
  }
  if (partition === 0) return undefined;
  const partitions = Math.max(partitionsIn(spread), partition + 1);
  // A partition that is too busy must not get a write from each new process.
  return { key: listenerKeys.partitions(namespaceId, filter.type, partitions), item: { partitions }, isUsual: true };
}

/**
 * Stores the descriptions by which readers find the listeners of an owner with these filters. Must be called before
 * `listeners.toWrites` is written. A description is stored once and stays until the namespace is deleted. It costs each
 * process one request.
 */
export async function store({ table }: Pick<Ports, 'table'>, owner: Owner, filters: readonly Filter[]): Promise<void> {
  const stored = storedKeys.get(table) ?? new Set<string>();
  storedKeys.set(table, stored);
  for (const filter of filters) {
    const described = descriptionOf(owner, filter);
    const name = described && `${described.key.pk} ${described.key.sk}`;
    if (described === undefined || name === undefined || stored.has(name)) continue;
    const { key, item, isUsual } = described;
    const [present] = isUsual ? await table.get([key]) : [];
    const nsBucket = listenerKeys.descriptionsOfAll(owner.namespaceId).pk;
    if (present === undefined) await table.write([putAt(key, { ...item, nsBucket, order: key.sk })]);
    if (stored.size >= MAX_REMEMBERED) stored.clear();
    stored.add(name);
  }
}
