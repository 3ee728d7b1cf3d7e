import { textAt } from '../client/replies.ts';
import { namespacePath, openService, readList } from '../client/service.ts';
import { TARGET_OPTIONS } from '../client/target.ts';
import { CommandFailedError, defineVerbs, type Outcome, result, toTable, type ValuesOf } from '../shell/command.ts';
import type { Terminal } from '../shell/terminal.ts';

const OPTIONS = {
  recursive: { type: 'boolean', help: 'delete the namespace with everything in it' },
  ...TARGET_OPTIONS,
} as const;

type Values = ValuesOf<typeof OPTIONS>;

async function list(values: Values, _: readonly string[], terminal: Terminal): Promise<Outcome> {
  const rows = (await readList(await openService(values, terminal), '/api/namespaces')) ?? [];
  const cells = rows.map((row) => [textAt(row, 'name'), textAt(row, 'createdAt')]);
  return result(values, rows, () => toTable([['NAME', 'CREATED'], ...cells]));
}

async function create(values: Values, [name = '']: readonly string[], terminal: Terminal): Promise<Outcome> {
  await (await openService(values, terminal)).call('PUT', namespacePath(name));
  return result(values, { created: name }, () => `created ${name}`);
}

async function remove(values: Values, [name = '']: readonly string[], terminal: Terminal): Promise<Outcome> {
  const service = await openService(values, terminal);
  const path = `${namespacePath(name)}?recursive=${values.recursive === true}`;
  await service.call('DELETE', path).catch((error: unknown) => {
    const isFull = error instanceof CommandFailedError && error.message.includes('non-empty');
    throw isFull
      ? new CommandFailedError(`namespace '${name}' is not empty; delete it with everything in it by --recursive`)
      : error;
  });
  return result(values, { deleted: name }, () => `deleted ${name}`);
}

export const namespaces = defineVerbs({
  about: 'Lists, creates and deletes namespaces',
  usage: ['namespaces [list]', 'namespaces create NAME', 'namespaces delete NAME [--recursive]'],
  options: OPTIONS,
  defaultVerb: 'list',
  verbs: {
    list: { takes: [], run: list },
    create: { takes: ['NAME'], run: create },
    delete: { takes: ['NAME'], run: remove },
  },
});
