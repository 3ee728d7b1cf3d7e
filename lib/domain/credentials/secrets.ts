import type { Sealer } from '../../ports/sealer.ts';
import { type Condition, ConflictError, type Item, type Table, type Write } from '../../ports/table.ts';
import { notFound, ServiceError } from '../errors.ts';
import { isSecretName, needSecretName } from '../names.ts';
import type { Namespace } from '../namespaces/namespaces.ts';
import { readAll } from '../storage/items.ts';
import * as keys from '../storage/keys.ts';
import { type List, type ListRequest, paginate } from '../storage/pages.ts';
import * as dataKeys from './data-keys.ts';

/** A value is as large as this, in bytes (rest-api reference, 9). */
export const LARGEST_VALUE = 65_536;

export interface SecretRecord {
  /** A name that ends in a slash is a folder. */
  readonly name: string;
  /** It has a value. */
  readonly initialized: boolean;
}

const MOST_WRITES = 100;
/** Of secrets: the data key comes along. */
const MOST_READS = 99;

type Needs = { readonly table: Table; readonly sealer: Sealer };
type Home = Pick<Namespace, 'id' | 'name'>;

const bindingOf = (namespaceId: string, name: string) => ({ kind: 'secret', owner: namespaceId, name });
const isFolder = (name: string): boolean => name.endsWith('/');
const absent = (name: string): ServiceError => new ServiceError('not-found', `secret '${name}' not found`);

/** A namespace that is deleted at this moment is not to get back what its end has just removed. */
export const stillThere = ({ id, name }: Home): Write => ({
  do: 'check',
  key: keys.namespace(name),
  when: { equals: { id } },
});

function needValue(name: string, value: Uint8Array): void {
  if (value.length === 0 && !isFolder(name)) {
    throw new ServiceError('refused', 'name, namespace and secret values are required: send the value as the body');
  }
  if (value.length > LARGEST_VALUE) {
    throw new ServiceError('too-large', `the value has ${value.length} bytes; a secret has at most ${LARGEST_VALUE}`);
  }
}

/** A folder is a row without a value: it is there without secrets. */
async function toItem(needs: Needs, home: Home, name: string, value: Uint8Array): Promise<Item> {
  const { pk, sk } = keys.secret(home.id, name);
  if (isFolder(name)) return { pk, sk };
  const dataKey = await dataKeys.obtain(needs, home.id, [stillThere(home)]);
  return { pk, sk, sealed: await needs.sealer.seal(dataKey, value, bindingOf(home.id, name)) };
}

async function put(needs: Needs, home: Home, name: string, value: Uint8Array, when?: Condition): Promise<void> {
  try {
    const item = await toItem(needs, home, name, value);
    const write: Write = { do: 'put', table: 'catalog', item, ...(when === undefined ? {} : { when }) };
    await needs.table.write([stillThere(home), write]);
  } catch (error) {
    if (!(error instanceof ConflictError)) throw error;
    throw error.failed.includes(0) ? notFound('namespace') : absent(name);
  }
}

/**
 * Gives a secret a value, whether it is there or not (decision 21); a name that ends in a slash makes a folder. Answers
 * whether it is new. Throws `refused` (500) for a bad name or no value, `too-large`, `not-found` for the namespace.
 */
export async function set(needs: Needs, home: Home, name: string, value: Uint8Array): Promise<{ isNew: boolean }> {
  needSecretName(name);
  needValue(name, value);
  const [old] = await needs.table.get([keys.secret(home.id, name)]);
  await put(needs, home, name, value);
  return { isNew: old === undefined };
}

/** Gives a secret that is there another value. Throws as `set` does, and `not-found` for one that is not there. */
export async function overwrite(needs: Needs, home: Home, name: string, value: Uint8Array): Promise<void> {
  needSecretName(name);
  needValue(name, value);
  await put(needs, home, name, value, { present: true });
}

const namesOf = async (table: Table, { id }: Home): Promise<string[]> =>
  (await readAll(table, keys.secrets(id), ['pk', 'sk'])).map(({ sk }) => sk);

/** Removes a secret, or a folder with all that is in it. Throws `not-found`. */
export async function remove({ table }: { readonly table: Table }, home: Home, name: string): Promise<void> {
  const key = keys.secret(home.id, name);
  if (!isFolder(name)) {
    if (!isSecretName(name)) throw absent(name);
    await table.write([{ do: 'delete', key, when: { present: true } }]).catch((error: unknown) => {
      throw error instanceof ConflictError ? absent(name) : error;
    });
    return;
  }
  const inside = (await namesOf(table, home)).filter((other) => other.startsWith(name));
  if (inside.length === 0) throw absent(name);
  for (let from = 0; from < inside.length; from += MOST_WRITES) {
    const part = inside.slice(from, from + MOST_WRITES);
    await table.write(part.map((other) => ({ do: 'delete', key: keys.secret(home.id, other) })));
  }
}

/** What a folder shows of a name: the secret itself, or the folder next below. */
function levelOf(name: string, folder: string): string {
  const slash = name.indexOf('/', folder.length);
  return slash < 0 ? name : name.slice(0, slash + 1);
}

const unknown = (what: string, given: string): ServiceError =>
  new ServiceError('refused', `invalid ${what}: ${given}: secrets are ordered and filtered by NAME`);

/** Unlike other lists this one refuses what it does not know (rest-api reference, 2.3). */
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

function toList(names: Iterable<string>, request: ListRequest): List<SecretRecord> {
  needKnown(request);
  const rows = [...new Set(names)].map((name) => ({ name, initialized: true }));
  return paginate(rows, request, {
    orders: { NAME: ({ name }) => name },
    defaults: [{ field: 'NAME', direction: 'ASC' }],
    filters: { 'NAME/': byName, 'NAME/CONTAINS': byName, '/': byName, '/CONTAINS': byName },
    idOf: ({ name }) => name,
  });
}

/**
 * The secrets of a folder, and the folders next below with a slash at their end; of the whole namespace if the folder
 * is empty. A name without a slash at its end shows that secret alone. Throws `refused`.
 */
export async function list(
  { table }: { readonly table: Table },
  home: Home,
  folder: string,
  request: ListRequest,
): Promise<List<SecretRecord>> {
  const names = await namesOf(table, home);
  if (folder !== '' && !isFolder(folder)) return toList(names.includes(folder) ? [folder] : [], request);
  const inside = names.filter((name) => name.startsWith(folder) && name !== folder);
  return toList(
    inside.map((name) => levelOf(name, folder)),
    request,
  );
}

/** The secrets of all folders whose names hold a text. Throws `refused`. */
export async function search(
  { table }: { readonly table: Table },
  home: Home,
  term: string,
  request: ListRequest,
): Promise<List<SecretRecord>> {
  const names = await namesOf(table, home);
  return toList(
    names.filter((name) => !isFolder(name) && name.includes(term)),
    request,
  );
}

/** The values of secrets as text, by name; of those that are not there, nothing. One call to the database for 99. */
export async function read(
  { table, sealer }: Needs,
  namespaceId: string,
  names: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const values = new Map<string, string>();
  const wanted = [...new Set(names)].filter((name) => isSecretName(name) && !isFolder(name));
  for (let from = 0; from < wanted.length; from += MOST_READS) {
    const part = wanted.slice(from, from + MOST_READS);
    const places = [keys.dataKey(namespaceId), ...part.map((name) => keys.secret(namespaceId, name))];
    const [keyItem, ...items] = await table.get(places);
    if (keyItem === undefined) return values;
    const dataKey = dataKeys.fromItem(namespaceId, keyItem);
    for (const [index, name] of part.entries()) {
      const sealed = items[index]?.['sealed'];
      if (!(sealed instanceof Uint8Array)) continue;
      values.set(name, Buffer.from(await sealer.open(dataKey, sealed, bindingOf(namespaceId, name))).toString('utf8'));
    }
  }
  return values;
}
