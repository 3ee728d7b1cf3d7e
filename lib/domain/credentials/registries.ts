import type { Ports } from '../../ports/ports.ts';
import type { Item, Write } from '../../ports/table.ts';
import { notFound, ServiceError } from '../errors.ts';
import { existenceCheck, type Namespace } from '../namespaces/namespaces.ts';
import { mostOf, needRoom } from '../quotas.ts';
import { putAt } from '../storage/batches.ts';
import { throwOnConflict } from '../storage/conflicts.ts';
import * as keys from '../storage/keys.ts';
import { countAll, readAll } from '../storage/queries.ts';
import * as dataKeys from './data-keys.ts';
import { hostOf, hostOfImage, mayBeUrl } from './registry-hosts.ts';

/** The services that can use the credentials: all, the global ones, or those of one namespace (specification). */
export type Scope = 'global' | 'private' | Pick<Namespace, 'id' | 'name' | 'limits'>;

export interface RegistryRecord {
  /** The address. */
  readonly name: string;
  /** The address in base64. */
  readonly id: string;
  /** Partly replaced by asterisks. */
  readonly user: string;
}

export interface Credentials {
  readonly url: string;
  readonly user: string;
  readonly password: string;
}

type Needs = Pick<Ports, 'table' | 'sealer'>;

/** The maximum length of an address, and of credentials, in characters. */
const MAX_LENGTH = 8192;

const idOf = (scope: Scope): string => (typeof scope === 'string' ? scope : scope.id);
const ownerOf = (scope: Scope): string => (typeof scope === 'string' ? dataKeys.INSTALLATION : scope.id);
const bindingOf = (scope: Scope, name: string) => ({ kind: 'registry', owner: idOf(scope), name });
const guardOf = (scope: Scope): readonly Write[] => (typeof scope === 'string' ? [] : [existenceCheck(scope)]);

/** The user as lists show it (rest-api reference, 10). */
export function obscured(user: string): string {
  const letters = [...user];
  const [first = '', second = ''] = letters;
  if (letters.length <= 3) return `${first}***`;
  const last = letters.slice(-2).join('');
  return letters.length <= 5 ? `${first}***${letters.at(-1)}` : `${first}${second}***${last}`;
}

/** Only the first colon is a separator. */
function toCredentials(url: string, data: string): Credentials {
  const colon = data.indexOf(':');
  if (colon <= 0) throw new ServiceError('refused', 'invalid username/token format: data is <USER>:<TOKEN>');
  return { url, user: data.slice(0, colon), password: data.slice(colon + 1) };
}

function needLength(name: string, text: string): void {
  if (text.length <= MAX_LENGTH) return;
  throw new ServiceError('too-large', `the field ${name} has ${text.length} characters; at most ${MAX_LENGTH} fit`);
}

/** The registries of a scope, by address. */
export async function list({ table }: Pick<Ports, 'table'>, scope: Scope): Promise<RegistryRecord[]> {
  const items = await readAll(table, { ...keys.registries(idOf(scope)), only: ['url', 'user'] });
  return items
    .map(({ url, user }) => ({ name: String(url), user: String(user) }))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, user }) => ({ name, id: Buffer.from(name).toString('base64'), user }));
}

/**
 * Stores the credentials `<USER>:<TOKEN>` for a registry, in place of those it had. Throws `refused` (500, rest-api
 * reference, 10) for a malformed address or malformed credentials, `too-large`, `not-found` for the namespace, and
 * `over-quota`.
 */
export async function set(
  needs: Needs & Pick<Ports, 'settings'>,
  scope: Scope,
  url: string,
  data: string,
): Promise<void> {
  needLength('reg', url);
  needLength('data', data);
  const { user } = toCredentials(url, data);
  hostOf(url);
  if (typeof scope !== 'string') await needPlace(needs, scope, url);
  const store = async () => {
    const dataKey = await dataKeys.obtain(needs, ownerOf(scope), guardOf(scope));
    const sealed = await needs.sealer.seal(dataKey, Buffer.from(data), bindingOf(scope, url));
    const put = putAt(keys.registry(idOf(scope), url), { url, user: obscured(user), sealed });
    await needs.table.write([...guardOf(scope), put]);
  };
  await throwOnConflict(store(), () => notFound('namespace'));
}

/** Administrators alone set the registries of the installation, which have no quota. */
async function needPlace(
  { table, settings }: Pick<Ports, 'table' | 'settings'>,
  { id, limits }: Exclude<Scope, string>,
  url: string,
): Promise<void> {
  const most = mostOf(settings, 'registries', limits);
  const used = await countAll(table, keys.registries(id));
  const [old] = used < most ? [] : await table.get([keys.registry(id, url)]);
  if (old === undefined) needRoom(most, 'registries', used);
}

/** Deletes a registry. Throws `not-found`, `too-large`. */
export async function remove({ table }: Pick<Ports, 'table'>, scope: Scope, url: string): Promise<void> {
  needLength('reg', url);
  const absent = new ServiceError('not-found', `registry '${url}' does not exist`);
  if (!mayBeUrl(url)) throw absent;
  const deletion: Write = { do: 'delete', key: keys.registry(idOf(scope), url), when: { present: true } };
  await throwOnConflict(table.write([deletion]), () => absent);
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
 * Returns the credentials that may pull an image, in the order in which to try them: those for all services, then those
 * for global services or of the service's namespace (specification, Registries). Empty when none is for its registry.
 */
export async function credentialsFor(
  needs: Needs,
  service: 'global' | Pick<Namespace, 'id' | 'name'>,
  image: string,
): Promise<readonly Credentials[]> {
  const host = hostOfImage(image);
  const found: Credentials[] = [];
  for (const scope of ['global', service === 'global' ? 'private' : service] as const) {
    const items = await readAll(needs.table, keys.registries(idOf(scope)));
    const ofHost = items.filter(({ url }) => hostOf(String(url)) === host);
    found.push(...(await open(needs, scope, ofHost)));
  }
  return found;
}
