import { textAt } from '../client/replies.ts';
import { openNamespace, readList } from '../client/service.ts';
import { NAMESPACE_OPTION, TARGET_OPTIONS } from '../client/target.ts';
import {
  CommandFailedError,
  defineVerbs,
  type Outcome,
  result,
  toTable,
  UsageError,
  type ValuesOf,
} from '../shell/command.ts';
import { readBytes } from '../shell/files.ts';
import type { Terminal } from '../shell/terminal.ts';

const OPTIONS = { ...NAMESPACE_OPTION, ...TARGET_OPTIONS } as const;

type Values = ValuesOf<typeof OPTIONS>;

const EXISTS = 409;

async function list(values: Values, _: readonly string[], terminal: Terminal): Promise<Outcome> {
  const { service, base } = await openNamespace(values, terminal);
  const rows = (await readList(service, `${base}/secrets`, 'secrets')) ?? [];
  const isSet = (row: unknown) => (textAt(row, 'initialized') === 'false' ? 'no' : 'yes');
  return result(values, rows, () =>
    toTable([['NAME', 'SET'], ...rows.map((row) => [textAt(row, 'name'), isSet(row)])]),
  );
}

const NEWLINE_AT_END = /\r?\n$/;

function withoutNewline(bytes: Buffer<ArrayBuffer>): Buffer<ArrayBuffer> {
  const newline = NEWLINE_AT_END.exec(bytes.toString('latin1'))?.[0] ?? '';
  return bytes.subarray(0, bytes.length - newline.length);
}

/**
 * The value of a secret. It is never an argument, because other users of the computer can see the arguments of a program.
 * The newline that `echo` adds to the standard input is removed.
 */
async function readValue(name: string, file: string | undefined, terminal: Terminal): Promise<Uint8Array<ArrayBuffer>> {
  if (file !== undefined && file !== '-') return readBytes(terminal, file);
  if (file === undefined && terminal.isInteractive) {
    return Buffer.from(await terminal.ask(`Value of ${name}: `, { isHidden: true }));
  }
  return withoutNewline(await readBytes(terminal, '-'));
}

const pathOf = (name: string): string => name.split('/').map(encodeURIComponent).join('/');

async function set(values: Values, [name = '', file]: readonly string[], terminal: Terminal): Promise<Outcome> {
  const body = await readValue(name, file, terminal);
  if (body.length === 0) {
    throw new UsageError('the value is empty: write it to the standard input, or name a file');
  }
  const { service, base } = await openNamespace(values, terminal);
  const path = `${base}/secrets/${pathOf(name)}`;
  await service.upload('PUT', path, { body }).catch((error: unknown) => {
    if (!(error instanceof CommandFailedError) || error.status !== EXISTS) throw error;
    return service.upload('PATCH', path, { body });
  });
  return result(values, { set: name }, () => `set ${name}`);
}

async function remove(values: Values, [name = '']: readonly string[], terminal: Terminal): Promise<Outcome> {
  const { service, base } = await openNamespace(values, terminal);
  await service.call('DELETE', `${base}/secrets/${pathOf(name)}`);
  return result(values, { deleted: name }, () => `deleted ${name}`);
}

export const secrets = defineVerbs({
  about: 'Lists the names of secrets, sets and deletes secrets',
  usage: ['secrets [list]', 'secrets set NAME [FILE|-]', 'secrets delete NAME'],
  notes: [
    'The value is read from a file or the standard input; in a terminal, from a hidden question. It is never printed.',
  ],
  options: OPTIONS,
  defaultVerb: 'list',
  verbs: {
    list: { takes: [], run: list },
    set: { takes: ['NAME', '[FILE|-]'], run: set },
    delete: { takes: ['NAME'], run: remove },
  },
});
