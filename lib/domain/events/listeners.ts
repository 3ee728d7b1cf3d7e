import type { EventFilter, Plan } from '../../compiler/plan/plan.ts';
import { literalOf } from '../../events/matching.ts';
import type { Ports } from '../../ports/ports.ts';
import type { Item, Key, Table, Write } from '../../ports/table.ts';
import { ServiceError } from '../errors.ts';
import type { Filter } from '../runs/waits.ts';
import { putAt } from '../storage/batches.ts';
import { ignoreConflict } from '../storage/conflicts.ts';
import * as listenerKeys from '../storage/keys/listener-keys.ts';
import * as keys from '../storage/keys.ts';
import { readAll } from '../storage/queries.ts';
import type { Spread } from '../storage/spread.ts';

/** A listener of a type of events: a run in a wait state, a run that an event cancels, or a workflow that events start. */
export interface Listener {
  /** Its sort key. */
  readonly at: string;
  readonly kind: 'wait' | 'cancel' | 'start';
  /** The id of the run or of the workflow. */
  readonly owner: string;
  /** The number of the wait of a run. */
  readonly wait: number;
  /** The index of the filter among those of the owner. */
  readonly slot: number;
  readonly filter: Filter;
  readonly mode: 'simple' | 'and' | 'or';
  /** The path of the workflow. */
  readonly path: string;
  /** Milliseconds since 1970. */
  readonly created: number;
}

/** The owner of listeners: a run or a workflow. */
export interface Owner {
  readonly namespaceId: string;
  /** Over how many partitions the list of the namespace's listeners is spread; it matters only where they are stored. */
  readonly spread?: Spread | undefined;
  readonly kind: Listener['kind'];
  readonly id: string;
}

const nameOf = ({ kind, id }: Pick<Owner, 'kind' | 'id'>): string => `${kind}#${id}`;

/** The name of a listener that the explanation of an event shows. */
export const displayName = ({ kind, owner }: Pick<Listener, 'kind' | 'owner'>): string => `${kind} ${owner}`;

function keyOf(owner: Owner, filter: Filter, slot: number): Key {
  const literal = literalOf(filter);
  const value = literal && listenerKeys.valueHash(literal.attribute, literal.text);
  return listenerKeys.listener(owner.namespaceId, { type: filter.type, value }, nameOf(owner), slot);
}

/** The keys of all listeners of an owner with these filters. */
export const keysOf = (owner: Owner, filters: readonly Filter[]): Key[] =>
  filters.map((filter, slot) => keyOf(owner, filter, slot));

/** The attributes that are stored, as `namespace type attribute`, by the table in which they are. */
const storedAttributes = new WeakMap<Table, Set<string>>();
/** So many are remembered. */
const MAX_REMEMBERED = 20_000;

/**
 * Stores by which attributes the listeners with these filters are found, for each type. Must be called before `toWrites`
 * is written. An attribute is stored once and stays: it costs a write the first time that a process sees it.
 */
export async function storeAttributes(
  { table }: Pick<Ports, 'table'>,
  namespaceId: string,
  filters: readonly Filter[],
): Promise<void> {
  const stored = storedAttributes.get(table) ?? new Set<string>();
  storedAttributes.set(table, stored);
  for (const filter of filters) {
    const attribute = literalOf(filter)?.attribute;
    const name = JSON.stringify([namespaceId, filter.type, attribute]);
    if (attribute === undefined || stored.has(name)) continue;
    const key = listenerKeys.attribute(namespaceId, filter.type, attribute);
    const nsBucket = listenerKeys.attributesOfAll(namespaceId).pk;
    await table.write([putAt(key, { attribute, nsBucket, order: key.sk })]);
    if (stored.size >= MAX_REMEMBERED) stored.clear();
    stored.add(name);
  }
}

type Details = Pick<Listener, 'wait' | 'mode' | 'path' | 'created'>;

/** Of an owner, the first listener is in the index of the namespace's listeners, and has the filters of all of them. */
function indexOf(owner: Owner, filters: readonly Filter[], created: number) {
  const home = { id: owner.namespaceId, spread: owner.spread };
  const nsBucket = listenerKeys.listenerBucket(home, created, owner.id);
  const all = filters.length > 1 ? { filters: JSON.stringify(filters) } : {};
  return { nsBucket, order: `${keys.timeText(created)}#${nameOf(owner)}`, ...all };
}

/** The writes that store the listeners of an owner; `storeAttributes` must come before. */
export function toWrites(owner: Owner, filters: readonly Filter[], { wait, ...details }: Details): Write[] {
  return filters.map((filter, slot) =>
    putAt(keyOf(owner, filter, slot), {
      ...(slot === 0 ? indexOf(owner, filters, details.created) : {}),
      kind: owner.kind,
      owner: owner.id,
      slot,
      filter: JSON.stringify(filter),
      pause: wait,
      ...details,
    }),
  );
}

/** The writes that delete the listeners of an owner. */
export function toDeletions(owner: Owner, filters: readonly Filter[]): Write[] {
  return keysOf(owner, filters).map((key) => ({ do: 'delete', key }));
}

/** The start events of a plan; empty for a plan with another start. */
export function startFilters({ start }: Plan): readonly EventFilter[] {
  return 'events' in start ? start.events : [];
}

const MODES = { event: 'simple', eventsXor: 'or', eventsAnd: 'and' } as const;

/** One transaction of at most 100 writes replaces the listeners of a workflow. */
const MAX_START_EVENTS = 40;

/**
 * The writes that replace the start listeners of a workflow when its plan changes; an undefined plan has none.
 * `storeAttributes` must come before. Throws `invalid` for too many start events.
 */
export function startWrites(
  workflow: { readonly namespace: keys.Home; readonly id: string; readonly path: string },
  { before, after }: { readonly before: Plan | undefined; readonly after: Plan | undefined },
  now: number,
): Write[] {
  const { id: namespaceId, spread } = workflow.namespace;
  const owner: Owner = { namespaceId, spread, kind: 'start', id: workflow.id };
  const filters = after === undefined ? [] : startFilters(after);
  if (filters.length > MAX_START_EVENTS) {
    throw new ServiceError('invalid', `a workflow starts by at most ${MAX_START_EVENTS} events`);
  }
  const kept = new Set(keysOf(owner, filters).map(({ pk, sk }) => `${pk} ${sk}`));
  const former = keysOf(owner, before === undefined ? [] : startFilters(before));
  const gone = former.flatMap((key): Write[] => (kept.has(`${key.pk} ${key.sk}`) ? [] : [{ do: 'delete', key }]));
  const type = after?.start.type ?? 'event';
  const mode = type in MODES ? MODES[type as keyof typeof MODES] : 'simple';
  return [...gone, ...toWrites(owner, filters, { wait: 0, mode, path: workflow.path, created: now })];
}

/** Reads a listener from its item. */
export function fromItem(item: Item): Listener {
  return {
    at: item.sk,
    kind: item['kind'] as Listener['kind'],
    owner: String(item['owner']),
    wait: Number(item['pause']),
    slot: Number(item['slot']),
    filter: JSON.parse(String(item['filter'])) as Filter,
    mode: item['mode'] as Listener['mode'],
    path: String(item['path']),
    created: Number(item['created']),
  };
}

/** The attributes by whose values the listeners of a type are stored. */
export async function attributesOf({ table }: Pick<Ports, 'table'>, namespaceId: string, type: string) {
  return (await readAll(table, listenerKeys.attributes(namespaceId, type))).map(toAttribute);
}

/** Reads an attribute from its item. */
export const toAttribute = (item: Item): string => String(item['attribute']);

/** Stores the new path of the workflow of a start listener, so that the next event does not search for it. */
export async function move(
  { table }: Pick<Ports, 'table'>,
  namespaceId: string,
  { kind, owner, filter, slot }: Listener,
  path: string,
): Promise<void> {
  const key = keyOf({ namespaceId, kind, id: owner }, filter, slot);
  const write: Write = { do: 'update', key, set: { path }, when: { equals: { owner } } };
  // The listener may have been deleted meanwhile.
  await ignoreConflict(table.write([write]));
}

/** Deletes the listeners of a wait that is over; one that another wait has replaced stays. */
export async function removeAll(
  { table }: Pick<Ports, 'table'>,
  owner: Owner,
  filters: readonly Filter[],
  wait: number,
): Promise<void> {
  const when = { equals: { owner: owner.id, pause: wait } };
  const deletions = keysOf(owner, filters).map((key): Write => ({ do: 'delete', key, when }));
  await Promise.all(deletions.map((write) => ignoreConflict(table.write([write]))));
}

/** Deletes the listener of a wait that is over: a version that stores listeners elsewhere may have left it. */
export async function removeStale(
  { table }: Pick<Ports, 'table'>,
  namespaceId: string,
  { kind, owner, filter, slot, wait }: Listener,
): Promise<void> {
  const key = keyOf({ namespaceId, kind, id: owner }, filter, slot);
  await ignoreConflict(table.write([{ do: 'delete', key, when: { equals: { owner, pause: wait } } }]));
}
