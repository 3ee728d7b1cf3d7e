import { parseJson } from '../../language/json-numbers.ts';
import type { Ports } from '../../ports/ports.ts';
import type { Item, Write } from '../../ports/table.ts';
import { toTimestamp } from '../../time/timestamps.ts';
import { alreadyExists, changedMeanwhile, notFound, ServiceError } from '../errors.ts';
import { isNamespaceName, needNamespaceName } from '../names.ts';
import { mostOf, needRoom } from '../quotas.ts';
import type { RecordMode } from '../record-modes.ts';
import type { NamespaceLimits } from '../run-limits.ts';
import { ignoreConflict, throwOnConflict } from '../storage/conflicts.ts';
import * as keys from '../storage/keys.ts';
import type { ListRequest } from '../storage/list-requests.ts';
import { type List, paginate } from '../storage/lists.ts';
import * as purges from '../storage/purges.ts';
import { countAll, readAll } from '../storage/queries.ts';
import { type Spread, spreadFrom } from '../storage/spread.ts';
import type { AlertSettings } from './alert-settings.ts';
import type { MailSettings } from './mail-settings.ts';
import { type TreeCounts, treeCountsIn } from './tree-counts.ts';

/** The settings of a namespace. Its item stores them as one JSON text. */
export interface NamespaceSettings {
  /** The broadcasts that are switched on. */
  readonly broadcasts: readonly string[];
  /** How far waits for events look back, milliseconds; 0: not at all. */
  readonly lookback: number;
  /** The mode of the records of its runs. */
  readonly record: RecordMode;
  /** The limits that differ from the default values. */
  readonly limits?: Partial<NamespaceLimits> | undefined;
  /** The private hosts and address ranges that its workflows may reach (docs/http.md). */
  readonly egress: readonly string[];
  /** Containers run also for the images that Weft serves itself. */
  readonly avoidsNative: boolean;
  /** Where alerts about its runs go; absent: there are none. */
  readonly alerts?: AlertSettings | undefined;
  /** The server of mail functions that name none; absent: they need one of their own. */
  readonly mail?: MailSettings | undefined;
}

const DEFAULT_SETTINGS: NamespaceSettings = {
  broadcasts: [],
  lookback: 0,
  record: 'full',
  egress: [],
  avoidsNative: false,
};

export interface Namespace extends NamespaceSettings {
  readonly id: string;
  readonly name: string;
  /** Milliseconds since 1970, as everywhere in the domain. */
  readonly created: number;
  /** When its settings or its partitions last changed. */
  readonly updated: number;
  /** When the root directory's list of children last changed. */
  readonly treeUpdated: number;
  /** The labels of the root directory. */
  readonly attributes: readonly string[];
  /** What its tree has. */
  readonly counts: TreeCounts;
  /** The steps in which the partitions of its rows have grown; undefined: there is one (decision 7). */
  readonly spread: Spread | undefined;
}

export interface NamespaceRecord {
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly name: string;
  readonly oid: string;
}

/** The namespace of an item. */
export function fromItem(item: Item): Namespace {
  return {
    id: String(item['id']),
    name: item.sk,
    created: Number(item['created']),
    updated: Number(item['updated']),
    treeUpdated: Number(item['treeUpdated']),
    attributes: parseJson(String(item['attributes'] ?? '[]')) as string[],
    ...DEFAULT_SETTINGS,
    ...(parseJson(String(item['settings'] ?? '{}')) as Partial<NamespaceSettings>),
    counts: treeCountsIn(item),
    spread: spreadFrom(item),
  };
}

/** The wire form (rest-api reference, 4.1). */
export function toRecord(namespace: Namespace): NamespaceRecord {
  return {
    createdAt: toTimestamp(namespace.created),
    updatedAt: toTimestamp(namespace.updated),
    name: namespace.name,
    oid: namespace.id,
  };
}

/** A check that the namespace still exists, for writes that must not add contents to a deleted namespace. */
export const existenceCheck = ({ id, name }: Pick<Namespace, 'id' | 'name'>): Write => ({
  do: 'check',
  key: keys.namespace(name),
  when: { equals: { id } },
});

/** Lists the namespaces that are visible; all by default. */
export async function list(
  { table }: Pick<Ports, 'table'>,
  request: ListRequest,
  isVisible: (namespace: Namespace) => boolean = () => true,
): Promise<List<NamespaceRecord>> {
  const items = await readAll(table, keys.NAMESPACES);
  const all = items.map(fromItem).filter(isVisible).map(toRecord);
  return paginate(all, request, {
    orders: { NAME: (row) => row.name },
    defaults: [{ field: 'NAME', direction: 'ASC' }],
    filters: { 'NAME/CONTAINS': (row, value) => row.name.includes(value) },
    idOf: (row) => row.name,
  });
}

/** Returns the namespace. Throws `not-found`. */
export async function need({ table }: Pick<Ports, 'table'>, name: string): Promise<Namespace> {
  const [item] = isNamespaceName(name) ? await table.get([keys.namespace(name)]) : [];
  if (item === undefined) throw notFound('namespace');
  return fromItem(item);
}

/** Creates the namespace with an empty root directory. Throws `exists`, `invalid`, `over-quota`. */
export async function create(
  { table, clock, settings }: Pick<Ports, 'table' | 'clock' | 'settings'>,
  name: string,
): Promise<Namespace> {
  needNamespaceName(name);
  needRoom(mostOf(settings, 'namespaces'), 'namespaces', await countAll(table, keys.NAMESPACES));
  const now = clock.now();
  const { pk, sk } = keys.namespace(name);
  const item = {
    pk,
    sk,
    id: clock.uuid(),
    created: now,
    updated: now,
    treeUpdated: now,
  };
  await throwOnConflict(table.write([{ do: 'put', table: 'catalog', item, when: { absent: true } }]), alreadyExists);
  return fromItem(item);
}

/**
 * Moves a creation in the future back to the present: the clock was ahead then, and rows until that time would be older
 * than the namespace.
 */
export async function withdrawFuture(
  { table, clock }: Pick<Ports, 'table' | 'clock'>,
  { id, name, created }: Namespace,
): Promise<void> {
  const now = clock.now();
  if (created <= now) return;
  const when = { equals: { id } };
  await ignoreConflict(table.write([{ do: 'update', key: keys.namespace(name), set: { created: now }, when }]));
}

/**
 * Deletes the namespace: it is out of reach at once, and the returned purge removes its contents.
 * Throws `not-found`, and `refused` when the tree is not empty and `recursive` is false.
 */
export async function remove(
  ports: Pick<Ports, 'table' | 'clock'>,
  name: string,
  recursive: boolean,
): Promise<purges.Purge> {
  const { table } = ports;
  const { id, treeUpdated, spread } = await need(ports, name);
  const children = await table.query({ ...keys.directory(id), limit: 1 });
  if (children.items.length > 0 && !recursive) {
    throw new ServiceError('refused', 'refusing to delete non-empty namespace without explicit recursive argument');
  }
  const purge = purges.of(ports, { kind: 'namespace', id, namespaceId: id, spread });
  const equals = recursive ? { id } : { id, treeUpdated };
  const deletion: Write = { do: 'delete', key: keys.namespace(name), when: { equals } };
  await throwOnConflict(table.write([deletion, purges.toWrite(purge)]), () => changedMeanwhile(`namespace '${name}'`));
  return purge;
}
