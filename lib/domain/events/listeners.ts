import type { EventFilter, Plan } from '../../compiler/plan/plan.ts';
import { literalOf } from '../../events/matching.ts';
import { parseJson } from '../../language/json-numbers.ts';
import type { Ports } from '../../ports/ports.ts';
import type { Item, Key, Write } from '../../ports/table.ts';
import { ServiceError } from '../errors.ts';
import type { Filter } from '../runs/waits.ts';
import { putAt } from '../storage/batches.ts';
import { ignoreConflict } from '../storage/conflicts.ts';
import * as listenerKeys from '../storage/keys/listener-keys.ts';
import * as keys from '../storage/keys.ts';
import type { Spread } from '../storage/spread.ts';

/** A listener of a type of events: a run in a wait state, a run that an event cancels, or a workflow that events start. */
export interface Listener {
  readonly key: Key;
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
  /** The partitions of the list of the namespace's listeners; needed only where listeners are stored. */
  readonly spread?: Spread | undefined;
  readonly kind: Listener['kind'];
  readonly id: string;
  /** The partition of its listeners that demand no exact value, among those of their types; absent: the first. */
  readonly partition?: number | undefined;
}

const nameOf = ({ kind, id }: Pick<Owner, 'kind' | 'id'>): string => `${kind}#${id}`;

/** The name of a listener that the explanation of an event shows. */
export const displayName = ({ kind, owner }: Pick<Listener, 'kind' | 'owner'>): string => `${kind} ${owner}`;

function keyOf(owner: Owner, filter: Filter, slot: number): Key {
  const literal = literalOf(filter);
  const value = literal && listenerKeys.valueHash(literal.attribute, literal.text);
  const demand = { type: filter.type, value, partition: owner.partition ?? 0 };
  return listenerKeys.listener(owner.namespaceId, demand, nameOf(owner), slot);
}

/** The keys of all listeners of an owner with these filters. */
export const keysOf = (owner: Owner, filters: readonly Filter[]): Key[] =>
  filters.map((filter, slot) => keyOf(owner, filter, slot));

type Details = Pick<Listener, 'wait' | 'mode' | 'path' | 'created'>;

const partitionItem = ({ partition = 0 }: Owner): { readonly partition?: number } =>
  partition === 0 ? {} : { partition };

/**
 * The attributes of the first listener of an owner: it is in the index of the namespace's listeners, and has the filters and
 * the partition of all of them.
 */
function indexOf(owner: Owner, filters: readonly Filter[], created: number) {
  const home = { id: owner.namespaceId, spread: owner.spread };
  const nsBucket = listenerKeys.listenerBucket(home, created, owner.id);
  const all = filters.length > 1 ? { filters: JSON.stringify(filters), ...partitionItem(owner) } : {};
  return { nsBucket, order: `${keys.timeText(created)}#${nameOf(owner)}`, ...all };
}

/** The writes that store the listeners of an owner; `listenedTypes.store` must come before. */
export function toWrites(owner: Owner, filters: readonly Filter[], details: Details): Write[] {
  return filters.map((filter, slot) =>
    putAt(keyOf(owner, filter, slot), {
      ...(slot === 0 ? indexOf(owner, filters, details.created) : {}),
      kind: owner.kind,
      owner: owner.id,
      slot,
      filter: JSON.stringify(filter),
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

/** A workflow as the owner of its start listeners: they stay for long, so they are all in the first partition of a type. */
export const ownerOfStarts = ({ id: namespaceId, spread }: keys.Home, id: string): Owner => ({
  namespaceId,
  spread,
  kind: 'start',
  id,
});

const MODES = { event: 'simple', eventsXor: 'or', eventsAnd: 'and' } as const;

/**
 * The maximum size of all filters of one owner as JSON, bytes: the item of its first listener has all of them, and an item
 * has at most 400 KB.
 */
export const MAX_FILTER_BYTES = 128 * 1024;

/** Whether the filters of one owner are too large for its listeners. */
export const areTooLarge = (filters: readonly Filter[]): boolean =>
  Buffer.byteLength(JSON.stringify(filters)) > MAX_FILTER_BYTES;

/** One transaction of at most 100 writes replaces the listeners of a workflow. */
const MAX_START_EVENTS = 40;

/**
 * The writes that replace the start listeners of a workflow when its plan changes; an undefined plan has none.
 * `listenedTypes.store` must come before. Throws `invalid` for start events that are too many or too large.
 */
export function startWrites(
  workflow: { readonly namespace: keys.Home; readonly id: string; readonly path: string },
  { before, after }: { readonly before: Plan | undefined; readonly after: Plan | undefined },
  now: number,
): Write[] {
  const owner = ownerOfStarts(workflow.namespace, workflow.id);
  const filters = after === undefined ? [] : startFilters(after);
  if (filters.length > MAX_START_EVENTS) {
    throw new ServiceError('invalid', `a workflow starts by at most ${MAX_START_EVENTS} events`);
  }
  if (areTooLarge(filters)) {
    const most = `${MAX_FILTER_BYTES / 1024} KiB`;
    throw new ServiceError(
      'invalid',
      `the start events of a workflow have at most ${most} together, with their contexts`,
    );
  }
  const kept = new Set(keysOf(owner, filters).map(({ pk, sk }) => `${pk} ${sk}`));
  const former = keysOf(owner, before === undefined ? [] : startFilters(before));
  const gone = former.flatMap((key): Write[] => (kept.has(`${key.pk} ${key.sk}`) ? [] : [{ do: 'delete', key }]));
  const type = after?.start.type ?? 'event';
  const mode = Object.hasOwn(MODES, type) ? MODES[type as keyof typeof MODES] : 'simple';
  return [...gone, ...toWrites(owner, filters, { wait: 0, mode, path: workflow.path, created: now })];
}

/** Reads a listener from its item. */
export function fromItem(item: Item): Listener {
  return {
    key: { table: 'runs', pk: item.pk, sk: item.sk },
    kind: item['kind'] as Listener['kind'],
    owner: String(item['owner']),
    wait: Number(item['wait']),
    slot: Number(item['slot']),
    filter: parseJson(String(item['filter'])) as Filter,
    mode: item['mode'] as Listener['mode'],
    path: String(item['path']),
    created: Number(item['created']),
  };
}

/** Stores the new path of the workflow of a start listener, so that the next event does not search for it. */
export async function move({ table }: Pick<Ports, 'table'>, { key, owner }: Listener, path: string): Promise<void> {
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
  const when = { equals: { owner: owner.id, wait } };
  const deletions = keysOf(owner, filters).map((key): Write => ({ do: 'delete', key, when }));
  await Promise.all(deletions.map((write) => ignoreConflict(table.write([write]))));
}

/** Deletes the listener of a wait that is over. */
export async function removeStale({ table }: Pick<Ports, 'table'>, { key, owner, wait }: Listener): Promise<void> {
  await ignoreConflict(table.write([{ do: 'delete', key, when: { equals: { owner, wait } } }]));
}
