import type { Ports } from '../../ports/ports.ts';
import type { Item, Key } from '../../ports/table.ts';
import { toTimestamp } from '../../time/timestamps.ts';
import { notFound, ServiceError } from '../errors.ts';
import { needNamespaceName } from '../names.ts';
import { putAt } from '../storage/batches.ts';
import { sha256 } from '../storage/ids.ts';
import * as keys from '../storage/keys.ts';
import { readAll } from '../storage/queries.ts';

/** The permissions of API keys; each one includes those before it. */
export const PERMISSIONS = ['read', 'run', 'write', 'admin'] as const;
export type Permission = (typeof PERMISSIONS)[number];

/** An API key besides the administrative one. */
export interface ApiKey {
  readonly id: string;
  readonly name: string;
  readonly permission: Permission;
  /** The namespaces that the key can access; empty: all. */
  readonly namespaces: readonly string[];
  readonly created: number;
}

export interface ApiKeyRecord extends Omit<ApiKey, 'created'> {
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
    namespaces: JSON.parse(String(item['namespaces'])) as string[],
    created: Number(item['created']),
  };
}

function toRecord({ created, ...key }: ApiKey): ApiKeyRecord {
  return { ...key, createdAt: toTimestamp(created) };
}

/** Returns the key with this secret, or undefined. Only the hash is stored: it is looked up, and never compared. */
export async function find({ table }: Pick<Ports, 'table'>, secret: string): Promise<ApiKey | undefined> {
  const [item] = await table.get([keyOf(secret)]);
  return item === undefined ? undefined : fromItem(item);
}

/** Lists the keys without their secrets, the oldest first. */
export async function list({ table }: Pick<Ports, 'table'>): Promise<ApiKeyRecord[]> {
  const items = await readAll(table, keys.API_KEYS);
  return items
    .map(fromItem)
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .map(toRecord);
}

/** Creates a key and returns its secret, which is not stored. Throws `invalid` for an invalid name or namespace. */
export async function create(
  { table, clock }: Needs,
  wanted: Pick<ApiKey, 'name' | 'permission' | 'namespaces'>,
): Promise<{ readonly key: ApiKeyRecord; readonly secret: string }> {
  if (wanted.name === '' || wanted.name.length > MAX_NAME_LENGTH) {
    throw new ServiceError('invalid', `a key needs a name of 1 to ${MAX_NAME_LENGTH} characters`);
  }
  wanted.namespaces.forEach(needNamespaceName);
  const secret = clock.secret();
  const key: ApiKey = { ...wanted, id: clock.uuid(), created: clock.now() };
  const attributes = { ...key, namespaces: JSON.stringify(key.namespaces) };
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
