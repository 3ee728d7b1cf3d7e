import { type ApiKeyRecord, PERMISSIONS } from '../../../lib/domain/credentials/api-keys.ts';
import { openService } from '../client/service.ts';
import { PLACE_NOTES, PLACE_OPTIONS } from '../client/target.ts';
import {
  defineCommand,
  good,
  type Outcome,
  runVerb,
  shown,
  toTable,
  UsageError,
  type ValuesOf,
  type Verbs,
} from '../shell/command.ts';
import type { Terminal } from '../shell/terminal.ts';

const OPTIONS = {
  ...PLACE_OPTIONS,
  name: { type: 'string' },
  permission: { type: 'string' },
  namespace: { type: 'string', multiple: true },
} as const;

type Values = ValuesOf<typeof OPTIONS>;

const PATH = '/api/keys';
const HEAD = ['ID', 'PERMISSION', 'CREATED', 'NAMESPACES', 'NAME'];

const namespacesOf = ({ namespaces }: ApiKeyRecord): string => (namespaces.length === 0 ? 'all' : namespaces.join(','));

async function list(values: Values, _: readonly string[], terminal: Terminal): Promise<Outcome> {
  const service = await openService(values, terminal);
  const { keys } = (await service.call('GET', PATH)) as { readonly keys: readonly ApiKeyRecord[] };
  const rows = keys.map((key) => [key.id, key.permission, key.createdAt, namespacesOf(key), key.name]);
  return shown(values, keys, () => toTable([HEAD, ...rows]));
}

async function create(values: Values, _: readonly string[], terminal: Terminal): Promise<Outcome> {
  const { name, permission, namespace: namespaces = [] } = values;
  if (name === undefined || permission === undefined) throw new UsageError('a key needs --name and --permission');
  if (!PERMISSIONS.some((known) => known === permission)) {
    throw new UsageError(`the permission '${permission}' is none of ${PERMISSIONS.join(', ')}`);
  }
  const service = await openService(values, terminal);
  const made = await service.call('POST', PATH, { name, permission, namespaces });
  const { key, secret } = made as { readonly key: ApiKeyRecord; readonly secret: string };
  const told = { id: key.id, name: key.name, permission: key.permission, namespaces: namespacesOf(key) };
  return shown(values, { ...key, secret }, () =>
    toTable([...Object.entries(told), ['key', `${secret} (it is shown only now)`]]),
  );
}

async function remove(values: Values, [id = '']: readonly string[], terminal: Terminal): Promise<Outcome> {
  const service = await openService(values, terminal);
  await service.call('DELETE', `${PATH}/${encodeURIComponent(id)}`);
  return values.json ? shown(values, { deleted: id }, () => '') : good(`deleted ${id}`);
}

const VERBS: Verbs<Values> = {
  list: { takes: [], run: list },
  create: { takes: [], run: create },
  delete: { takes: ['ID'], run: remove },
};

/** Keys of the interface besides the administrator's. */
export const keys = defineCommand({
  about: 'Lists, makes and deletes keys of a service',
  usage: [
    'keys list',
    `keys create --name NAME --permission ${PERMISSIONS.join('|')} [--namespace NAMESPACE ...]`,
    'keys delete ID',
  ],
  notes: [
    '--name NAME       what the key is for',
    '--permission P    what the key allows; each permission includes those before it',
    '--namespace N     the key is good for this namespace only; may be repeated (else all)',
    ...PLACE_NOTES,
  ],
  options: OPTIONS,
  words: Object.keys(VERBS),
  run: (values, rest, terminal) => runVerb(VERBS, values, rest, terminal),
});
