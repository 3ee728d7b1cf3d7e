import { textAt } from '../client/replies.ts';
import { namespacePath, openService, readList } from '../client/service.ts';
import { PLACE_NOTES, PLACE_OPTIONS } from '../client/target.ts';
import {
  CommandFailedError,
  defineCommand,
  type Outcome,
  runVerb,
  shown,
  toTable,
  type ValuesOf,
  type Verbs,
} from '../shell/command.ts';
import type { Terminal } from '../shell/terminal.ts';

const OPTIONS = { ...PLACE_OPTIONS, recursive: { type: 'boolean' } } as const;

type Values = ValuesOf<typeof OPTIONS>;

async function list(values: Values, _: readonly string[], terminal: Terminal): Promise<Outcome> {
  const rows = (await readList(await openService(values, terminal), '/api/namespaces')) ?? [];
  const cells = rows.map((row) => [textAt(row, 'name'), textAt(row, 'createdAt')]);
  return shown(values, rows, () => toTable([['NAME', 'CREATED'], ...cells]));
}

async function create(values: Values, [name = '']: readonly string[], terminal: Terminal): Promise<Outcome> {
  await (await openService(values, terminal)).call('PUT', namespacePath(name));
  return shown(values, { created: name }, () => `created ${name}`);
}

async function remove(values: Values, [name = '']: readonly string[], terminal: Terminal): Promise<Outcome> {
  const service = await openService(values, terminal);
  const path = `${namespacePath(name)}?recursive=${values.recursive === true}`;
  await service.call('DELETE', path).catch((error: unknown) => {
    const isFull = error instanceof CommandFailedError && error.message.includes('non-empty');
    throw isFull
      ? new CommandFailedError(`'${name}' is not empty; delete it with all that is in it by --recursive`)
      : error;
  });
  return shown(values, { deleted: name }, () => `deleted ${name}`);
}

const VERBS: Verbs<Values> = {
  list: { takes: [], run: list },
  create: { takes: ['NAME'], run: create },
  delete: { takes: ['NAME'], run: remove },
};

export const namespaces = defineCommand({
  about: 'Lists, makes and deletes namespaces',
  usage: ['namespaces list', 'namespaces create NAME', 'namespaces delete NAME [--recursive]'],
  notes: ['--recursive       deletes a namespace with all that is in it', ...PLACE_NOTES],
  options: OPTIONS,
  words: Object.keys(VERBS),
  run: (values, rest, terminal) => runVerb(VERBS, values, rest, terminal),
});
