import { parseJson } from '../../language/json-numbers.ts';
import type { Ports } from '../../ports/ports.ts';
import { BATCH_LIMIT, type Item, type Key } from '../../ports/table.ts';
import { toTimestamp } from '../../time/timestamps.ts';
import { notFound, ServiceError } from '../errors.ts';
import { isNamespaceName, needNamespaceName } from '../names.ts';
import type { Namespace } from '../namespaces/namespaces.ts';
import * as namespaces from '../namespaces/namespaces.ts';
import { mostOf, needRoom } from '../quotas.ts';
import { putAt } from '../storage/batches.ts';
import { sha256 } from '../storage/ids.ts';
import * as keys from '../storage/keys.ts';
import { countAll, readAll } from '../storage/queries.ts';

/** The permissions of API keys. `worker` serves queues only; from `read` on, each includes those before it. */
export const PERMISSIONS = ['worker', 'read', 'run', 'write', 'admin'] as const;
export type Permission = (typeof PERMISSIONS)[number];

/** An API key besides the administrative one. */
export interface ApiKey {
  readonly id: string;
  readonly name: string;
  readonly permission: Permission;
  /** The names of the namespaces for which the key was made; empty: all. */
  readonly namespaces: readonly string[];
  /** The ids of these namespaces. */
  readonly namespaceIds: readonly string[];
  readonly created: number;
}

export interface ApiKeyRecord extends Omit<ApiKey, 'created' | 'namespaceIds'> {
  readonly createdAt: string;
}

type Needs = Pick<Ports, 'table' | 'clock'>;

const MAX_NAME_LENGTH = 200;

/** A secret has 256 random bits: a plain hash cannot be reversed by search, and needs no salt. */
const keyOf = (secret: string): Key => keys.apiKey(sha256(secret));

function fromItem(item: Item): ApiKey {
  return {
    id: String(item['id']),
    name: String(item['name']),
    permission: item['permission'] as Permission,
    namespaces: parseJson(String(item['namespaces'])) as string[],
    namespaceIds: parseJson(String(item['ids'])) as string[],
    created: Number(item['created']),
  };
}

function toRecord({ created, namespaceIds: _, ...key }: ApiKey): ApiKeyRecord {
  return { ...key, createdAt: toTimestamp(created) };
}

/** A key with the namespace of a request, if there is one. */
export interface Found {
  readonly key: ApiKey;
  readonly namespace: Namespace | undefined;
}

/**
 * Returns the key with this secret, or undefined, and in the same call the namespace of this name. Only the hash of the
 * secret is stored: it is looked up, and never compared.
 */
export async function find({ table }: Pick<Ports, 'table'>, secret: string, name = ''): Promise<Found | undefined> {
  const wanted = isNamespaceName(name) ? [keys.namespace(name)] : [];
  const [item, namespace] = await table.get([keyOf(secret), ...wanted]);
  if (item === undefined) return undefined;
  return { key: fromItem(item), namespace: namespace && namespaces.fromItem(namespace) };
}

/** Whether a key can access a namespace. A namespace that was deleted and created again is another one: keys hold ids. */
export const canAccess = ({ namespaceIds }: Pick<ApiKey, 'namespaceIds'>, { id }: Pick<Namespace, 'id'>): boolean =>
  namespaceIds.length === 0 || namespaceIds.includes(id);

/** Lists the keys without their secrets, the oldest first. */
export async function list({ table }: Pick<Ports, 'table'>): Promise<ApiKeyRecord[]> {
  const items = await readAll(table, keys.API_KEYS);
  return items
    .map(fromItem)
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .map(toRecord);
}

/** Whether there is a key besides the administrative one. */
export const hasAny = async ({ table }: Pick<Ports, 'table'>): Promise<boolean> =>
  (await table.query({ ...keys.API_KEYS, limit: 1 })).items.length > 0;

/** The ids of namespaces. Throws `invalid` for a name that no namespace can have, and `not-found`. */
async function idsOf({ table }: Needs, names: readonly string[]): Promise<string[]> {
  names.forEach(needNamespaceName);
  if (names.length > BATCH_LIMIT) throw new ServiceError('invalid', `a key is for at most ${BATCH_LIMIT} namespaces`);
  const items = names.length === 0 ? [] : await table.get(names.map(keys.namespace));
  return items.map((item, index) => {
    if (item === undefined)
      throw new ServiceError('not-found', `namespace '${names[index]}' not found: create it first`);
    return String(item['id']);
  });
}

/**
 * Creates a key and returns its secret, which is not stored. Throws `invalid` for an invalid name or namespace,
 * `not-found` for a namespace that does not exist, and `over-quota`.
 */
export async function create(
  ports: Needs & Pick<Ports, 'settings'>,
  wanted: Pick<ApiKey, 'name' | 'permission' | 'namespaces'>,
): Promise<{ readonly key: ApiKeyRecord; readonly secret: string }> {
  if (wanted.name === '' || wanted.name.length > MAX_NAME_LENGTH) {
    throw new ServiceError('invalid', `a key needs a name of 1 to ${MAX_NAME_LENGTH} characters`);
  }
  const { table, clock, settings } = ports;
  needRoom(mostOf(settings, 'keys'), 'keys', await countAll(table, keys.API_KEYS));
  const namespaceIds = await idsOf(ports, wanted.namespaces);
  const secret = clock.secret();
  const key: ApiKey = { ...wanted, namespaceIds, id: clock.uuid(), created: clock.now() };
  const { id, name, permission, created } = key;
  const lists = { namespaces: JSON.stringify(key.namespaces), ids: JSON.stringify(namespaceIds) };
  const attributes = { id, name, permission, created, ...lists };
  await table.write([putAt(keyOf(secret), attributes, { absent: true })]);
  return { key: toRecord(key), secret };
}

/** Deletes the key with this id. Throws `not-found`. */
export async function remove({ table }: Pick<Ports, 'table'>, id: string): Promise<void> {
  const items = await readAll(table, keys.API_KEYS);
  const item = items.find((candidate) => candidate['id'] === id);
  if (item === undefined) throw notFound('key');
  await table.write([{ do: 'delete', key: keys.apiKey(item.sk) }]);
}
