import type { Sealer } from '../../ports/sealer.ts';
import { ConflictError, type Item, type Table, type Write } from '../../ports/table.ts';
import { notFound, ServiceError } from '../errors.ts';
import type { Namespace } from '../namespaces/namespaces.ts';
import { readAll } from '../storage/items.ts';
import * as keys from '../storage/keys.ts';
import * as dataKeys from './data-keys.ts';
import { hostOf, hostOfImage, mayBeUrl } from './registry-hosts.ts';
import { stillThere } from './secrets.ts';

/** Whom a registry's credentials are for: every service, global services alone, or one namespace (specification). */
export type Scope = 'global' | 'private' | Pick<Namespace, 'id' | 'name'>;

export interface RegistryRecord {
  /** The address. */
  readonly name: string;
  /** The address in base64. */
  readonly id: string;
  /** Only hinted at. */
  readonly user: string;
}

export interface Credentials {
  readonly url: string;
  readonly user: string;
  readonly password: string;
}

type Needs = { readonly table: Table; readonly sealer: Sealer };

/** An address and credentials are each as long as this, in characters. */
const LONGEST = 8192;

const placeOf = (scope: Scope): string => (typeof scope === 'string' ? scope : scope.id);
const ownerOf = (scope: Scope): string => (typeof scope === 'string' ? dataKeys.INSTALLATION : scope.id);
const bindingOf = (scope: Scope, name: string) => ({ kind: 'registry', owner: placeOf(scope), name });
const guardOf = (scope: Scope): readonly Write[] => (typeof scope === 'string' ? [] : [stillThere(scope)]);

/** The user as lists show it (rest-api reference, 10). */
export function obscured(user: string): string {
  const letters = [...user];
  const [first = '', second = ''] = letters;
  if (letters.length <= 3) return `${first}***`;
  const last = letters.slice(-2).join('');
  return letters.length <= 5 ? `${first}***${letters.at(-1)}` : `${first}${second}***${last}`;
}

/** Only the first colon divides. */
function toCredentials(url: string, data: string): Credentials {
  const colon = data.indexOf(':');
  if (colon <= 0) throw new ServiceError('refused', 'invalid username/token format: data is <USER>:<TOKEN>');
  return { url, user: data.slice(0, colon), password: data.slice(colon + 1) };
}

function needFitting(name: string, text: string): void {
  if (text.length <= LONGEST) return;
  throw new ServiceError('too-large', `the field ${name} has ${text.length} characters; at most ${LONGEST} fit`);
}

/** The registries of a scope, by address. */
export async function list({ table }: { readonly table: Table }, scope: Scope): Promise<RegistryRecord[]> {
  const items = await readAll(table, keys.registries(placeOf(scope)), ['pk', 'sk', 'url', 'user']);
  return items
    .map(({ url, user }) => ({ name: String(url), user: String(user) }))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, user }) => ({ name, id: Buffer.from(name).toString('base64'), user }));
}

/**
 * Keeps the credentials, `<USER>:<TOKEN>`, for a registry; those it had are replaced. Throws `refused` (500, rest-api
 * reference, 10) for an address or credentials that are none, `too-large`, and `not-found` for the namespace.
 */
export async function set(needs: Needs, scope: Scope, url: string, data: string): Promise<void> {
  needFitting('reg', url);
  needFitting('data', data);
  const { user } = toCredentials(url, data);
  hostOf(url);
  const { pk, sk } = keys.registry(placeOf(scope), url);
  try {
    const dataKey = await dataKeys.obtain(needs, ownerOf(scope), guardOf(scope));
    const sealed = await needs.sealer.seal(dataKey, Buffer.from(data), bindingOf(scope, url));
    const item = { pk, sk, url, user: obscured(user), sealed };
    await needs.table.write([...guardOf(scope), { do: 'put', table: 'catalog', item }]);
  } catch (error) {
    if (error instanceof ConflictError) throw notFound('namespace');
    throw error;
  }
}

/** Forgets a registry. Throws `not-found`, `too-large`. */
export async function remove({ table }: { readonly table: Table }, scope: Scope, url: string): Promise<void> {
  needFitting('reg', url);
  const absent = new ServiceError('not-found', `registry '${url}' does not exist`);
  if (!mayBeUrl(url)) throw absent;
  const key = keys.registry(placeOf(scope), url);
  await table.write([{ do: 'delete', key, when: { present: true } }]).catch((error: unknown) => {
    throw error instanceof ConflictError ? absent : error;
  });
}

async function open({ table, sealer }: Needs, scope: Scope, items: readonly Item[]): Promise<Credentials[]> {
  const [keyItem] = items.length === 0 ? [] : await table.get([keys.dataKey(ownerOf(scope))]);
  if (keyItem === undefined) return [];
  const dataKey = dataKeys.fromItem(ownerOf(scope), keyItem);
  const opened = items.map(async ({ url, sealed }) => {
    const data = await sealer.open(dataKey, sealed as Uint8Array, bindingOf(scope, String(url)));
    return toCredentials(String(url), Buffer.from(data).toString('utf8'));
  });
  return Promise.all(opened);
}

/**
 * The credentials that may pull an image, in the order in which to try them: those for every service, those for global
 * services if the service is one, those of its namespace (specification, Registries). None: nobody knows its registry.
 */
export async function credentialsFor(
  needs: Needs,
  service: 'global' | Pick<Namespace, 'id' | 'name'>,
  image: string,
): Promise<readonly Credentials[]> {
  const host = hostOfImage(image);
  const found: Credentials[] = [];
  for (const scope of ['global', service === 'global' ? 'private' : service] as const) {
    const items = await readAll(needs.table, keys.registries(placeOf(scope)));
    found.push(
      ...(await open(
        needs,
        scope,
        items.filter(({ url }) => hostOf(String(url)) === host),
      )),
    );
  }
  return found;
}
