import type { Ports } from '../../ports/ports.ts';
import { BATCH_LIMIT, type Condition, type Item, type Table, type Write } from '../../ports/table.ts';
import { notFound, ServiceError } from '../errors.ts';
import { isSecretName, needSecretName } from '../names.ts';
import { existenceCheck, type Namespace } from '../namespaces/namespaces.ts';
import { mostOf, needRoom } from '../quotas.ts';
import { batchesOf, deleteKeys, putAt } from '../storage/batches.ts';
import { ignoreConflict, throwOnConflict } from '../storage/conflicts.ts';
import * as keys from '../storage/keys.ts';
import type { ListRequest } from '../storage/list-requests.ts';
import { type List, paginate } from '../storage/lists.ts';
import { countAll, readAll } from '../storage/queries.ts';
import * as dataKeys from './data-keys.ts';
import { type ExternalValue, readExternal } from './references.ts';

/** The maximum size of a value, bytes (rest-api reference, 9). */
export const MAX_VALUE_BYTES = 65_536;

export interface SecretRecord {
  /** A name that ends in a slash is a folder. */
  readonly name: string;
  /** It has a value. */
  readonly initialized: boolean;
  /** Where its value is, if that is outside the service, and for how long a process uses a value that it has read. */
  readonly reference?: string | undefined;
  readonly cache?: string | undefined;
}

/** The value of a secret, or where it is. */
export type SecretValue = Uint8Array | ExternalValue;

type Needs = Pick<Ports, 'table' | 'sealer'>;
type Home = Pick<Namespace, 'id' | 'name' | 'limits'>;
type Counting = Pick<Ports, 'table' | 'settings'>;

const bindingOf = (namespaceId: string, name: string) => ({ kind: 'secret', owner: namespaceId, name });
/** Marks a secret that a workflow names, and that has no value yet. */
const UNSET = { isUnset: true };
const isFolder = (name: string): boolean => name.endsWith('/');
const absent = (name: string): ServiceError => new ServiceError('not-found', `secret '${name}' not found`);

/** A secret and its new value. */
interface Change {
  readonly name: string;
  readonly value: SecretValue;
}

function needChange({ name, value }: Change): void {
  needSecretName(name);
  if (!(value instanceof Uint8Array)) {
    if (isFolder(name)) throw new ServiceError('malformed', `'${name}' is a folder, which has no reference`);
    return;
  }
  if (value.length === 0 && !isFolder(name)) {
    throw new ServiceError('refused', 'name, namespace and secret values are required: send the value as the body');
  }
  if (value.length > MAX_VALUE_BYTES) {
    throw new ServiceError('too-large', `the value has ${value.length} bytes; a secret has at most ${MAX_VALUE_BYTES}`);
  }
}

/** A folder is an item without a value: it exists without secrets in it. */
async function stored(needs: Needs, home: Home, { name, value }: Change): Promise<Omit<Item, 'pk' | 'sk'>> {
  if (isFolder(name)) return {};
  if (!(value instanceof Uint8Array)) return { ...value };
  const dataKey = await dataKeys.obtain(needs, home.id, [existenceCheck(home)]);
  return { sealed: await needs.sealer.seal(dataKey, value, bindingOf(home.id, name)) };
}

async function put(needs: Needs, home: Home, change: Change, when?: Condition): Promise<void> {
  const store = async () => {
    const write = putAt(keys.secret(home.id, change.name), await stored(needs, home, change), when);
    await needs.table.write([existenceCheck(home), write]);
  };
  await throwOnConflict(store(), ({ failed }) => (failed.includes(0) ? notFound('namespace') : absent(change.name)));
}

/**
 * Creates a secret or changes its value (decision 11), or where that is; a name that ends in a slash makes a folder. Returns whether it is
 * new. Throws `refused` (500) for an invalid name or no value, `too-large`, `not-found` for the namespace, and `over-quota`.
 */
export async function set(
  needs: Needs & Counting,
  home: Home,
  name: string,
  value: SecretValue,
): Promise<{ isNew: boolean }> {
  needChange({ name, value });
  const [old] = await needs.table.get([keys.secret(home.id, name)]);
  if (old === undefined) {
    const used = await countAll(needs.table, keys.secrets(home.id));
    needRoom(mostOf(needs.settings, 'secrets', home.limits), 'secrets', used);
  }
  await put(needs, home, { name, value });
  return { isNew: old === undefined || old['isUnset'] === true };
}

/** Changes the value of an existing secret. Throws as `set` does, and `not-found` for the secret. */
export async function overwrite(needs: Needs, home: Home, name: string, value: SecretValue): Promise<void> {
  needChange({ name, value });
  await put(needs, home, { name, value }, { present: true });
}

/**
 * Lists secrets that a workflow names and that have no value yet, with `initialized: false` (rest-api reference, 9). One read if
 * all of them exist; a call without names costs nothing. Those beyond the quota of secrets are not listed.
 */
export async function declare({ table, settings }: Counting, home: Home, names: ReadonlySet<string>): Promise<void> {
  const most = mostOf(settings, 'secrets', home.limits);
  const wanted = [...names].filter((name) => isSecretName(name) && !isFolder(name));
  for (const batch of batchesOf(wanted, BATCH_LIMIT)) {
    const items = await table.get(batch.map((name) => keys.secret(home.id, name)));
    const absentHere = batch.filter((_, index) => items[index] === undefined);
    const used = absentHere.length === 0 ? 0 : await countAll(table, keys.secrets(home.id));
    const missing = absentHere.slice(0, Math.max(most - used, 0));
    const puts = missing.map((name) => putAt(keys.secret(home.id, name), UNSET, { absent: true }));
    await Promise.all(puts.map((put) => ignoreConflict(table.write([existenceCheck(home), put]))));
  }
}

/** Where the value of a stored secret is, if it is outside the service. */
function externalOf({ reference, cache }: Item): ExternalValue | undefined {
  if (typeof reference !== 'string') return undefined;
  return { reference, ...(typeof cache === 'string' ? { cache } : {}) };
}

const recordsOf = async (table: Table, { id }: Pick<Home, 'id'>): Promise<SecretRecord[]> =>
  (await readAll(table, { ...keys.secrets(id), only: ['isUnset', 'reference', 'cache'] })).map((item) => ({
    name: item.sk,
    initialized: item['isUnset'] !== true,
    ...externalOf(item),
  }));

/** The names of all secrets and folders of a namespace, each with whether it has a value. */
export async function initializedOf(
  { table }: Pick<Ports, 'table'>,
  home: Pick<Home, 'id'>,
): Promise<ReadonlyMap<string, boolean>> {
  return new Map((await recordsOf(table, home)).map(({ name, initialized }) => [name, initialized]));
}

/** Deletes a secret, or a folder with its contents. Throws `not-found`. */
export async function remove({ table }: Pick<Ports, 'table'>, home: Home, name: string): Promise<void> {
  if (isFolder(name)) {
    const inside = (await recordsOf(table, home)).filter((other) => other.name.startsWith(name));
    if (inside.length === 0) throw absent(name);
    await deleteKeys(
      table,
      inside.map((other) => keys.secret(home.id, other.name)),
    );
    return;
  }
  if (!isSecretName(name)) throw absent(name);
  const deletion: Write = { do: 'delete', key: keys.secret(home.id, name), when: { present: true } };
  await throwOnConflict(table.write([deletion]), () => absent(name));
}

/** The entry of a folder for a name: the secret itself, or the next folder below. */
function levelOf(name: string, folder: string): string {
  const slash = name.indexOf('/', folder.length);
  return slash < 0 ? name : name.slice(0, slash + 1);
}

const unknown = (label: string, value: string): ServiceError =>
  new ServiceError('refused', `invalid ${label}: ${value}: secrets are ordered and filtered by NAME`);

/** Unlike other lists this one rejects unknown orders and filters (rest-api reference, 2.3). */
function needKnown({ order, filter }: ListRequest): void {
  for (const { field, direction } of order) {
    if (field !== 'NAME' && field !== '') throw unknown('order field', field);
    if (!/^(ASC|DESC)?$/.test(direction)) throw unknown('order direction', direction);
  }
  for (const { field, type } of filter) {
    if (field !== 'NAME' && field !== '') throw unknown('filter field', field);
    if (type !== '' && type !== 'CONTAINS') throw unknown('filter type', type);
  }
}

const byName = ({ name }: SecretRecord, text: string): boolean => name.includes(text);

function toList(found: readonly SecretRecord[], request: ListRequest): List<SecretRecord> {
  needKnown(request);
  const rows = new Map(found.map((record) => [record.name, record]));
  return paginate([...rows.values()], request, {
    orders: { NAME: ({ name }) => name },
    defaults: [{ field: 'NAME', direction: 'ASC' }],
    filters: { 'NAME/': byName, 'NAME/CONTAINS': byName, '/': byName, '/CONTAINS': byName },
    idOf: ({ name }) => name,
  });
}

/**
 * Lists the secrets of a folder and the folders directly below it, which end in a slash; the empty folder is the whole
 * namespace. A name without a trailing slash lists that secret only. Throws `refused`.
 */
export async function list(
  { table }: Pick<Ports, 'table'>,
  home: Home,
  folder: string,
  request: ListRequest,
): Promise<List<SecretRecord>> {
  const records = await recordsOf(table, home);
  if (folder !== '' && !isFolder(folder)) {
    return toList(
      records.filter(({ name }) => name === folder),
      request,
    );
  }
  const inside = records.filter(({ name }) => name.startsWith(folder) && name !== folder);
  const rows = inside.map((record) => {
    const shown = levelOf(record.name, folder);
    return isFolder(shown) ? { name: shown, initialized: true } : { ...record, name: shown };
  });
  return toList(rows, request);
}

/** Lists the secrets of all folders whose names contain a text. Throws `refused`. */
export async function search(
  { table }: Pick<Ports, 'table'>,
  home: Home,
  term: string,
  request: ListRequest,
): Promise<List<SecretRecord>> {
  const records = await recordsOf(table, home);
  return toList(
    records.filter(({ name }) => !isFolder(name) && name.includes(term)),
    request,
  );
}

/**
 * Returns the values of secrets as text, by name; a missing secret has no entry. One call to the database for each 99
 * secrets, which are read together with the data key. Throws ExternalSecretError for one whose value is outside the service
 * and cannot be read.
 */
export async function read(
  ports: Needs & Pick<Ports, 'settings' | 'externalSecrets'>,
  home: Pick<Home, 'id' | 'name'>,
  names: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const values = new Map<string, string>();
  const wanted = [...new Set(names)].filter((name) => isSecretName(name) && !isFolder(name));
  for (const batch of batchesOf(wanted, BATCH_LIMIT - 1)) {
    const batchKeys = batch.map((name) => keys.secret(home.id, name));
    const [keyItem, ...items] = await ports.table.get([keys.dataKey(home.id), ...batchKeys]);
    const textOf = async (name: string, item: Item | undefined): Promise<string | undefined> => {
      const external = item && externalOf(item);
      if (external !== undefined) return readExternal(ports, home, name, external);
      const bytes = item?.['sealed'];
      if (keyItem === undefined || !(bytes instanceof Uint8Array)) return undefined;
      const opened = await ports.sealer.open(dataKeys.fromItem(home.id, keyItem), bytes, bindingOf(home.id, name));
      return Buffer.from(opened).toString('utf8');
    };
    const found = await Promise.all(batch.map((name, index) => textOf(name, items[index])));
    for (const [index, name] of batch.entries()) {
      const value = found[index];
      if (value !== undefined) values.set(name, value);
    }
  }
  return values;
}
