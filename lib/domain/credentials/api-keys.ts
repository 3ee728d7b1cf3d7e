import { createHash } from 'node:crypto';
import type { Clock } from '../../ports/clock.ts';
import type { Item, Table } from '../../ports/table.ts';
import { toTimestamp } from '../../time/timestamps.ts';
import { notFound, ServiceError } from '../errors.ts';
import { needNamespaceName } from '../names.ts';
import { readAll } from '../storage/items.ts';
import * as keys from '../storage/keys.ts';

/** What a key may do; each level includes those before it. */
export const PERMISSIONS = ['read', 'run', 'write', 'admin'] as const;
export type Permission = (typeof PERMISSIONS)[number];

export interface ApiKey {
  readonly id: string;
  readonly name: string;
  readonly permission: Permission;
  /** The namespaces it is good for; none named: all. */
  readonly namespaces: readonly string[];
  readonly created: number;
}

export interface ApiKeyRecord {
  readonly id: string;
  readonly name: string;
  readonly permission: Permission;
  readonly namespaces: readonly string[];
  readonly createdAt: string;
}

type Needs = { readonly table: Table; readonly clock: Clock };

const LONGEST_NAME = 200;

/** Secrets have 256 random bits, so a plain hash cannot be searched and needs no salt. */
const hashOf = (secret: string): string => createHash('sha256').update(secret).digest('hex');

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

/** The key that this text is, or undefined. Only the hash is stored, so it is looked up and never compared. */
export async function find({ table }: { readonly table: Table }, secret: string): Promise<ApiKey | undefined> {
  const [item] = await table.get([keys.apiKey(hashOf(secret))]);
  return item === undefined ? undefined : fromItem(item);
}

/** Every further key, the oldest first, without the keys themselves. */
export async function list({ table }: { readonly table: Table }): Promise<ApiKeyRecord[]> {
  const items = await readAll(table, keys.API_KEYS);
  return items
    .map(fromItem)
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .map(toRecord);
}

/** Makes a key and shows its secret this once. Throws `invalid` for an empty name or a text that names no namespace. */
export async function create(
  { table, clock }: Needs,
  wanted: Pick<ApiKey, 'name' | 'permission' | 'namespaces'>,
): Promise<{ readonly key: ApiKeyRecord; readonly secret: string }> {
  if (wanted.name === '' || wanted.name.length > LONGEST_NAME) {
    throw new ServiceError('invalid', `a key needs a name of 1 to ${LONGEST_NAME} characters`);
  }
  wanted.namespaces.forEach(needNamespaceName);
  const secret = clock.secret();
  const key: ApiKey = { ...wanted, id: clock.uuid(), created: clock.now() };
  const { pk, sk } = keys.apiKey(hashOf(secret));
  const item = { pk, sk, ...key, namespaces: JSON.stringify(key.namespaces) };
  await table.write([{ do: 'put', table: 'catalog', item, when: { absent: true } }]);
  return { key: toRecord(key), secret };
}

/** Deletes the key with this id; it is refused from then on. Throws `not-found`. */
export async function remove({ table }: { readonly table: Table }, id: string): Promise<void> {
  const items = await readAll(table, keys.API_KEYS);
  const item = items.find((candidate) => candidate['id'] === id);
  if (item === undefined) throw notFound('key');
  await table.write([{ do: 'delete', key: { table: 'catalog', pk: item.pk, sk: item.sk } }]);
}
