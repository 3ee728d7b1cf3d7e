import type { EventFilter, Plan } from '../../compiler/plan/plan.ts';
import { ConflictError, type Item, type Key, type Table, type Write } from '../../ports/table.ts';
import { toTimestamp } from '../../time/timestamps.ts';
import { ServiceError } from '../errors.ts';
import type { Namespace } from '../namespaces/namespaces.ts';
import type { Filter } from '../runs/waits.ts';
import * as keys from '../storage/keys.ts';
import { type List, type ListRequest, paginate } from '../storage/pages.ts';

/** Somebody who listens to a type of events: a run at a pause, or a workflow that events start. */
export interface Listener {
  /** Its place among those who listen to the type; they are served in this order. */
  readonly at: string;
  readonly kind: 'wait' | 'start';
  /** The id of the run or of the workflow. */
  readonly owner: string;
  /** Of a run: the number of its pause. */
  readonly pause: number;
  /** Which of its owner's filters this is. */
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

/** Whose listeners are meant: those of a namespace's run or workflow. */
export interface Owner {
  readonly namespaceId: string;
  readonly kind: Listener['kind'];
  readonly id: string;
}

const nameOf = ({ kind, id }: Pick<Owner, 'kind' | 'id'>): string => `${kind}#${id}`;

const keyOf = (owner: Owner, filter: Filter, slot: number): Key =>
  keys.listener(owner.namespaceId, filter.type, nameOf(owner), slot);

type Details = Pick<Listener, 'pause' | 'mode' | 'path' | 'created'>;

/** The writes that put an owner's listeners in place. */
export function toWrites(owner: Owner, filters: readonly Filter[], details: Details): Write[] {
  return filters.map((filter, slot) => {
    const { table, pk, sk } = keyOf(owner, filter, slot);
    const item = {
      pk,
      sk,
      nsBucket: keys.listenersOf(owner.namespaceId),
      order: sk,
      kind: owner.kind,
      owner: owner.id,
      slot,
      filter: JSON.stringify(filter),
      ...details,
    };
    return { do: 'put', table, item };
  });
}

/** The writes that take them away. */
export function toDeletions(owner: Owner, filters: readonly Filter[]): Write[] {
  return filters.map((filter, slot) => ({ do: 'delete', key: keyOf(owner, filter, slot) }));
}

/** The events that start a plan's workflow; none for one that is started otherwise. */
export function startFilters({ start }: Plan): readonly EventFilter[] {
  return 'events' in start ? start.events : [];
}

const MODES = { event: 'simple', eventsXor: 'or', eventsAnd: 'and' } as const;

/** The listeners of a workflow, before and after, change in one transaction of at most 100 writes. */
const MOST_STARTS = 40;

/** What changes when a workflow's plan takes the place of another: its start listeners. Undefined: it has none. */
export function startWrites(
  workflow: { readonly namespaceId: string; readonly id: string; readonly path: string },
  before: Plan | undefined,
  after: Plan | undefined,
  now: number,
): Write[] {
  const owner: Owner = { namespaceId: workflow.namespaceId, kind: 'start', id: workflow.id };
  const filters = after === undefined ? [] : startFilters(after);
  if (filters.length > MOST_STARTS) {
    throw new ServiceError('invalid', `a workflow starts by at most ${MOST_STARTS} events`);
  }
  const kept = new Set(filters.map((filter, slot) => keyOf(owner, filter, slot).pk + slot));
  const gone = (before === undefined ? [] : startFilters(before)).flatMap((filter, slot): Write[] => {
    const key = keyOf(owner, filter, slot);
    return kept.has(key.pk + slot) ? [] : [{ do: 'delete', key }];
  });
  const type = after?.start.type ?? 'event';
  const mode = type in MODES ? MODES[type as keyof typeof MODES] : 'simple';
  return [...gone, ...toWrites(owner, filters, { pause: 0, mode, path: workflow.path, created: now })];
}

function fromItem(item: Item): Listener {
  return {
    at: item.sk,
    kind: item['kind'] as Listener['kind'],
    owner: String(item['owner']),
    pause: Number(item['pause']),
    slot: Number(item['slot']),
    filter: JSON.parse(String(item['filter'])) as Filter,
    mode: item['mode'] as Listener['mode'],
    path: String(item['path']),
    created: Number(item['created']),
  };
}

/** So many listeners are in memory at once. */
const PAGE = 500;

/** Everybody who listens to a type at this moment and stands behind the place `after`, page by page. */
export async function* of({ table }: { readonly table: Table }, namespaceId: string, type: string, after = '') {
  const range = { table: 'runs', pk: keys.listeners(namespaceId, type), limit: PAGE } as const;
  let next: string | undefined;
  do {
    const page = await table.query({
      ...range,
      ...(after && { from: after }),
      ...(next === undefined ? {} : { next }),
    });
    yield page.items.filter(({ sk }) => sk > after).map(fromItem);
    next = page.next;
  } while (next !== undefined);
}

/** Notes where the workflow of a start listener stands by now, so that the next event need not look for it. */
export async function move(
  { table }: { readonly table: Table },
  namespaceId: string,
  { kind, owner, filter, slot }: Listener,
  path: string,
): Promise<void> {
  const key = keyOf({ namespaceId, kind, id: owner }, filter, slot);
  const write: Write = { do: 'update', key, set: { path }, when: { equals: { owner } } };
  await table.write([write]).catch((error: unknown) => {
    // It went away meanwhile.
    if (!(error instanceof ConflictError)) throw error;
  });
}

/** The keys of all listeners of a namespace. */
async function keysOf(table: Table, namespaceId: string): Promise<Key[]> {
  const found: Key[] = [];
  let next: string | undefined;
  do {
    const pk = keys.listenersOf(namespaceId);
    const page = await table.query({
      table: 'runs',
      index: 'by-namespace',
      pk,
      ...(next === undefined ? {} : { next }),
    });
    found.push(...page.items.map((item) => ({ table: 'runs' as const, pk: item.pk, sk: item.sk })));
    next = page.next;
  } while (next !== undefined);
  return found;
}

const MOST_KEYS = 100;

async function all(table: Table, namespaceId: string): Promise<Listener[]> {
  const wanted = await keysOf(table, namespaceId);
  const found: Listener[] = [];
  for (let from = 0; from < wanted.length; from += MOST_KEYS) {
    const items = await table.get(wanted.slice(from, from + MOST_KEYS));
    found.push(...items.flatMap((item) => (item === undefined ? [] : [fromItem(item)])));
  }
  return found;
}

/** One row an owner, its filters together. */
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

/** Who listens in the namespace (rest-api reference, A.5). */
export async function list(
  { table }: { readonly table: Table },
  namespace: Namespace,
  request: ListRequest,
): Promise<List<ListenerRecord>> {
  return paginate(toRecords(await all(table, namespace.id)), request, {
    orders: { UPDATED: (row) => row.updatedAt },
    defaults: [{ field: 'UPDATED', direction: 'ASC' }],
    filters: {},
    idOf: (row) => `${row.workflow}#${row.instance}`,
  });
}

/** Takes away every listener of a namespace that is gone. */
export async function removeAll({ table }: { readonly table: Table }, namespaceId: string): Promise<void> {
  const gone = await keysOf(table, namespaceId);
  for (let from = 0; from < gone.length; from += MOST_KEYS) {
    await table.write(gone.slice(from, from + MOST_KEYS).map((key) => ({ do: 'delete', key })));
  }
}
