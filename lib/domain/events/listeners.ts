import type { EventFilter, Plan } from '../../compiler/plan/plan.ts';
import type { Ports } from '../../ports/ports.ts';
import type { Item, Key, Table, Write } from '../../ports/table.ts';
import { toTimestamp } from '../../time/timestamps.ts';
import { ServiceError } from '../errors.ts';
import type { Namespace } from '../namespaces/namespaces.ts';
import type { Filter } from '../runs/waits.ts';
import { deleteKeys, getAll, putAt } from '../storage/batches.ts';
import { ignoreConflict } from '../storage/conflicts.ts';
import * as keys from '../storage/keys.ts';
import type { ListRequest } from '../storage/list-requests.ts';
import { type List, paginate } from '../storage/lists.ts';
import { pagesOf, readAll } from '../storage/queries.ts';

/** A listener of a type of events: a run in a wait state, or a workflow that events start. */
export interface Listener {
  /** Its position among the listeners of the type, which are served in this order. */
  readonly at: string;
  readonly kind: 'wait' | 'start';
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

export interface ListenerRecord {
  readonly workflow: string;
  readonly instance: string;
  readonly updatedAt: string;
  readonly mode: Listener['mode'];
  readonly events: readonly { readonly type: string; readonly filters: Readonly<Record<string, unknown>> }[];
  readonly createdAt: string;
}

/** The owner of listeners: a run or a workflow. */
export interface Owner {
  readonly namespaceId: string;
  readonly kind: Listener['kind'];
  readonly id: string;
}

const nameOf = ({ kind, id }: Pick<Owner, 'kind' | 'id'>): string => `${kind}#${id}`;

const keyOf = (owner: Owner, filter: Filter, slot: number): Key =>
  keys.listener(owner.namespaceId, filter.type, nameOf(owner), slot);

type Details = Pick<Listener, 'wait' | 'mode' | 'path' | 'created'>;

/** The writes that store the listeners of an owner. */
export function toWrites(owner: Owner, filters: readonly Filter[], { wait, ...details }: Details): Write[] {
  return filters.map((filter, slot) => {
    const key = keyOf(owner, filter, slot);
    return putAt(key, {
      nsBucket: keys.listenersOf(owner.namespaceId).pk,
      order: key.sk,
      kind: owner.kind,
      owner: owner.id,
      slot,
      filter: JSON.stringify(filter),
      pause: wait,
      ...details,
    });
  });
}

/** The writes that delete the listeners of an owner. */
export function toDeletions(owner: Owner, filters: readonly Filter[]): Write[] {
  return filters.map((filter, slot) => ({ do: 'delete', key: keyOf(owner, filter, slot) }));
}

/** The start events of a plan; empty for a plan with another start. */
export function startFilters({ start }: Plan): readonly EventFilter[] {
  return 'events' in start ? start.events : [];
}

const MODES = { event: 'simple', eventsXor: 'or', eventsAnd: 'and' } as const;

/** One transaction of at most 100 writes replaces the listeners of a workflow. */
const MAX_START_EVENTS = 40;

/**
 * The writes that replace the start listeners of a workflow when its plan changes; an undefined plan has none. Throws
 * `invalid` for too many start events.
 */
export function startWrites(
  workflow: { readonly namespaceId: string; readonly id: string; readonly path: string },
  { before, after }: { readonly before: Plan | undefined; readonly after: Plan | undefined },
  now: number,
): Write[] {
  const owner: Owner = { namespaceId: workflow.namespaceId, kind: 'start', id: workflow.id };
  const filters = after === undefined ? [] : startFilters(after);
  if (filters.length > MAX_START_EVENTS) {
    throw new ServiceError('invalid', `a workflow starts by at most ${MAX_START_EVENTS} events`);
  }
  const kept = new Set(filters.map((filter, slot) => keyOf(owner, filter, slot).pk + slot));
  const gone = (before === undefined ? [] : startFilters(before)).flatMap((filter, slot): Write[] => {
    const key = keyOf(owner, filter, slot);
    return kept.has(key.pk + slot) ? [] : [{ do: 'delete', key }];
  });
  const type = after?.start.type ?? 'event';
  const mode = type in MODES ? MODES[type as keyof typeof MODES] : 'simple';
  return [...gone, ...toWrites(owner, filters, { wait: 0, mode, path: workflow.path, created: now })];
}

function fromItem(item: Item): Listener {
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

/** The number of listeners that are in memory at the same time. */
const PAGE_SIZE = 500;

/** The partition of the listeners of a type. */
export const partitionOf = (namespaceId: string, type: string): string => keys.listeners(namespaceId, type).pk;

/** Yields the listeners of a type after the position `after`, page by page. */
export async function* of({ table }: Pick<Ports, 'table'>, namespaceId: string, type: string, after = '') {
  const range = { ...keys.listeners(namespaceId, type), limit: PAGE_SIZE, from: after === '' ? undefined : after };
  for await (const items of pagesOf(table, range)) yield items.filter(({ sk }) => sk > after).map(fromItem);
}

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

/** The keys of all listeners of a namespace. */
async function keysOf(table: Table, namespaceId: string): Promise<Key[]> {
  const items = await readAll(table, keys.listenersOf(namespaceId));
  return items.map(({ pk, sk }) => ({ table: 'runs', pk, sk }));
}

/** One record an owner, with all its filters. */
function toRecords(listeners: readonly Listener[]): ListenerRecord[] {
  const groups = Map.groupBy(listeners, ({ kind, owner }) => nameOf({ kind, id: owner }));
  return [...groups.values()].map((group) => {
    const [first] = group;
    const at = toTimestamp(first?.created ?? 0);
    const sorted = group.toSorted((a, b) => a.slot - b.slot);
    return {
      workflow: first?.path ?? '',
      instance: first?.kind === 'wait' ? first.owner : '',
      updatedAt: at,
      mode: first?.mode ?? 'simple',
      events: sorted.map(({ filter }) => ({ type: filter.type, filters: filter.context })),
      createdAt: at,
    };
  });
}

/** Lists the listeners of a namespace (rest-api reference, A.5). */
export async function list(
  { table }: Pick<Ports, 'table'>,
  namespace: Namespace,
  request: ListRequest,
): Promise<List<ListenerRecord>> {
  const items = await getAll(table, await keysOf(table, namespace.id));
  const listeners = items.filter((item) => item !== undefined).map(fromItem);
  return paginate(toRecords(listeners), request, {
    orders: { UPDATED: (row) => row.updatedAt },
    defaults: [{ field: 'UPDATED', direction: 'ASC' }],
    filters: {},
    idOf: (row) => `${row.workflow}#${row.instance}`,
  });
}

/** Deletes all listeners of a deleted namespace. */
export async function removeAll({ table }: Pick<Ports, 'table'>, namespaceId: string): Promise<void> {
  await deleteKeys(table, await keysOf(table, namespaceId));
}
