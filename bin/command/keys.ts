import { type ApiKeyRecord, PERMISSIONS } from '../../lib/domain/api-keys.ts';
import { defineCommand, good, type Outcome, toJson, UsageError } from './command.ts';
import { call, SERVICE_NOTES, SERVICE_OPTIONS } from './service.ts';

const OPTIONS = {
  ...SERVICE_OPTIONS,
  name: { type: 'string' },
  permission: { type: 'string' },
  namespace: { type: 'string', multiple: true },
} as const;

interface Values {
  readonly json?: boolean | undefined;
  readonly url?: string | undefined;
  readonly key?: string | undefined;
  readonly name?: string | undefined;
  readonly permission?: string | undefined;
  readonly namespace?: readonly string[] | undefined;
}

const PATH = '/api/keys';
const HEAD = ['ID', 'PERMISSION', 'CREATED', 'NAMESPACES', 'NAME'];

const namespacesOf = ({ namespaces }: ApiKeyRecord): string => (namespaces.length === 0 ? 'all' : namespaces.join(','));

/** Columns as wide as their widest cell. */
function toTable(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

async function list(values: Values): Promise<Outcome> {
  const { keys } = (await call(values, 'GET', PATH)) as { readonly keys: readonly ApiKeyRecord[] };
  if (values.json) return good(toJson(keys));
  const rows = keys.map((key) => [key.id, key.permission, key.createdAt, namespacesOf(key), key.name]);
  return good(toTable([HEAD, ...rows]));
}

async function create(values: Values): Promise<Outcome> {
  const { name, permission, namespace: namespaces = [] } = values;
  if (name === undefined || permission === undefined) throw new UsageError('a key needs --name and --permission');
  if (!PERMISSIONS.some((known) => known === permission)) {
    throw new UsageError(`the permission '${permission}' is none of ${PERMISSIONS.join(', ')}`);
  }
  const made = await call(values, 'POST', PATH, { name, permission, namespaces });
  const { key, secret } = made as { readonly key: ApiKeyRecord; readonly secret: string };
  if (values.json) return good(toJson({ ...key, secret }));
  const told = { id: key.id, name: key.name, permission: key.permission, namespaces: namespacesOf(key) };
  return good(toTable([...Object.entries(told), ['key', `${secret} (it is shown only now)`]]));
}

async function remove(values: Values, id: string): Promise<Outcome> {
  await call(values, 'DELETE', `${PATH}/${encodeURIComponent(id)}`);
  return good(values.json ? toJson({ deleted: id }) : `deleted ${id}`);
}

/** What `weft keys` can do, each with how many words follow it. */
const VERBS: Readonly<
  Record<string, { readonly words: number; readonly run: (v: Values, id: string) => Promise<Outcome> }>
> = {
  list: { words: 0, run: list },
  create: { words: 0, run: create },
  delete: { words: 1, run: remove },
};

/** Keys of the interface besides the administrator's. */
export const keys = defineCommand({
  about: 'Lists, makes and deletes keys of a service',
  usage: [
    'keys list',
    `keys create --name NAME --permission ${PERMISSIONS.join('|')} [--namespace NAMESPACE ...]`,
    'keys delete ID',
  ],
  notes: ['--namespace NAME  the key is good for this namespace only; may be repeated (else all)', ...SERVICE_NOTES],
  options: OPTIONS,
  run: async (values, [verb = '', id = '', ...more]) => {
    const found = Object.hasOwn(VERBS, verb) ? VERBS[verb] : undefined;
    if (found === undefined) throw new UsageError(`choose one of ${Object.keys(VERBS).join(', ')}`);
    const words = more.length + (id === '' ? 0 : 1);
    if (words !== found.words) throw new UsageError(`'keys ${verb}' takes ${found.words === 0 ? 'no name' : 'one ID'}`);
    return found.run(values, id);
  },
});
