import { textAt } from '../client/replies.ts';
import { openNamespace, readList } from '../client/service.ts';
import { NAMESPACE_NOTE, NAMESPACE_OPTION, PLACE_NOTES, PLACE_OPTIONS } from '../client/target.ts';
import {
  CommandFailedError,
  defineCommand,
  type Outcome,
  runVerb,
  shown,
  toTable,
  UsageError,
  type ValuesOf,
  type Verbs,
} from '../shell/command.ts';
import { readBytes } from '../shell/files.ts';
import type { Terminal } from '../shell/terminal.ts';

const OPTIONS = { ...PLACE_OPTIONS, ...NAMESPACE_OPTION } as const;

type Values = ValuesOf<typeof OPTIONS>;

const EXISTS = 409;

async function list(values: Values, _: readonly string[], terminal: Terminal): Promise<Outcome> {
  const { service, base } = await openNamespace(values, terminal);
  const rows = (await readList(service, `${base}/secrets`, 'secrets')) ?? [];
  const isSet = (row: unknown) => (textAt(row, 'initialized') === 'false' ? 'no' : 'yes');
  return shown(values, rows, () => toTable([['NAME', 'SET'], ...rows.map((row) => [textAt(row, 'name'), isSet(row)])]));
}

/** The value of a secret is never an argument: every user of the machine can read those of others. */
async function readValue(name: string, file: string | undefined, terminal: Terminal): Promise<Uint8Array<ArrayBuffer>> {
  if (file === undefined && !terminal.isInteractive) {
    throw new UsageError('name a file with the value, or - for the standard input');
  }
  const typed =
    file === undefined ? Buffer.from(await terminal.ask(`Value of ${name}: `, { isHidden: true })) : undefined;
  const bytes = typed ?? (await readBytes(terminal, file ?? '-'));
  // `echo` and editors of one line end with a newline that nobody means.
  const value =
    file === '-' ? bytes.subarray(0, bytes.length - (/\r?\n$/.exec(bytes.toString('latin1'))?.[0].length ?? 0)) : bytes;
  if (value.length === 0) throw new UsageError('the value of a secret is not empty');
  return value;
}

const nameIn = (name: string): string => name.split('/').map(encodeURIComponent).join('/');

async function set(values: Values, [name = '', file]: readonly string[], terminal: Terminal): Promise<Outcome> {
  const body = await readValue(name, file, terminal);
  const { service, base } = await openNamespace(values, terminal);
  const path = `${base}/secrets/${nameIn(name)}`;
  await service.put('PUT', path, { body }).catch((error: unknown) => {
    if (!(error instanceof CommandFailedError) || error.status !== EXISTS) throw error;
    return service.put('PATCH', path, { body });
  });
  return shown(values, { set: name }, () => `set ${name}`);
}

async function remove(values: Values, [name = '']: readonly string[], terminal: Terminal): Promise<Outcome> {
  const { service, base } = await openNamespace(values, terminal);
  await service.call('DELETE', `${base}/secrets/${nameIn(name)}`);
  return shown(values, { deleted: name }, () => `deleted ${name}`);
}

const VERBS: Verbs<Values> = {
  list: { takes: [], run: list },
  set: { takes: ['NAME', '[FILE|-]'], run: set },
  delete: { takes: ['NAME'], run: remove },
};

export const secrets = defineCommand({
  about: 'Lists the names of secrets, sets and deletes them',
  usage: ['secrets list', 'secrets set NAME [FILE|-]', 'secrets delete NAME'],
  notes: [
    'The value is read from a file or the standard input (less its last newline), or asked for; it is never shown.',
    NAMESPACE_NOTE,
    ...PLACE_NOTES,
  ],
  options: OPTIONS,
  words: Object.keys(VERBS),
  run: (values, rest, terminal) => runVerb(VERBS, values, rest, terminal),
});
