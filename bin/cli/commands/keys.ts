import { type ApiKeyRecord, PERMISSIONS } from '../../../lib/domain/credentials/api-keys.ts';
import { openService } from '../client/service.ts';
import { TARGET_OPTIONS } from '../client/target.ts';
import { defineVerbs, type Outcome, result, toTable, UsageError, type ValuesOf } from '../shell/command.ts';
import type { Terminal } from '../shell/terminal.ts';

const OPTIONS = {
  name: { type: 'string', value: 'NAME', help: 'purpose of the key' },
  permission: {
    type: 'string',
    value: 'PERMISSION',
    help: `${PERMISSIONS.join(', ')}: each includes those before it; worker only serves queues`,
  },
  namespace: {
    type: 'string',
    multiple: true,
    value: 'NAME',
    help: 'namespace that the key is valid for; may be repeated (default: all)',
  },
  ...TARGET_OPTIONS,
} as const;

type Values = ValuesOf<typeof OPTIONS>;

const PATH = '/api/keys';
const HEAD = ['ID', 'PERMISSION', 'CREATED', 'NAMESPACES', 'NAME'];

const namespacesOf = ({ namespaces }: ApiKeyRecord): string => (namespaces.length === 0 ? 'all' : namespaces.join(','));

async function list(values: Values, _: readonly string[], terminal: Terminal): Promise<Outcome> {
  const service = await openService(values, terminal);
  const { keys } = (await service.call('GET', PATH)) as { readonly keys: readonly ApiKeyRecord[] };
  const rows = keys.map((key) => [key.id, key.permission, key.createdAt, namespacesOf(key), key.name]);
  return result(values, keys, () => toTable([HEAD, ...rows]));
}

async function create(values: Values, _: readonly string[], terminal: Terminal): Promise<Outcome> {
  const { name, permission, namespace: namespaces = [] } = values;
  if (name === undefined || permission === undefined) throw new UsageError('a key needs --name and --permission');
  if (!PERMISSIONS.some((known) => known === permission)) {
    throw new UsageError(`--permission is '${permission}'; it must be one of ${PERMISSIONS.join(', ')}`);
  }
  const service = await openService(values, terminal);
  const created = await service.call('POST', PATH, { name, permission, namespaces });
  const { key, secret } = created as { readonly key: ApiKeyRecord; readonly secret: string };
  const fields = { id: key.id, name: key.name, permission: key.permission, namespaces: namespacesOf(key) };
  return result(values, { ...key, secret }, () =>
    toTable([...Object.entries(fields), ['key', `${secret} (it is not shown again)`]]),
  );
}

async function remove(values: Values, [id = '']: readonly string[], terminal: Terminal): Promise<Outcome> {
  const service = await openService(values, terminal);
  await service.call('DELETE', `${PATH}/${encodeURIComponent(id)}`);
  return result(values, { deleted: id }, () => `deleted ${id}`);
}

export const keys = defineVerbs({
  about: 'Lists, creates and deletes API keys',
  usage: ['keys [list]', 'keys create --name NAME --permission PERMISSION [--namespace NAME ...]', 'keys delete ID'],
  options: OPTIONS,
  defaultVerb: 'list',
  verbs: {
    list: { takes: [], run: list },
    create: { takes: [], run: create },
    delete: { takes: ['ID'], run: remove },
  },
});
