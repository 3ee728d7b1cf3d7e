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

const OPTIONS = {
  reference: { type: 'string', value: 'REFERENCE', help: 'where the value is, such as aws-sm:orders/db#password' },
  cache: { type: 'string', value: 'DURATION', help: 'how long a value that was read is used; PT5M by default' },
  ...NAMESPACE_OPTION,
  ...TARGET_OPTIONS,
} as const;

type Values = ValuesOf<typeof OPTIONS>;

const EXISTS = 409;

async function list(values: Values, _: readonly string[], terminal: Terminal): Promise<Outcome> {
  const { service, base } = await openNamespace(values, terminal);
  const rows = (await readList(service, `${base}/secrets`, 'secrets')) ?? [];
  const isSet = (row: unknown) => (textAt(row, 'initialized') === 'false' ? 'no' : 'yes');
  return result(values, rows, () =>
    toTable([
      ['NAME', 'SET', 'REFERENCE'],
      ...rows.map((row) => [textAt(row, 'name'), isSet(row), textAt(row, 'reference')]),
    ]),
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

/** The body of the request, and its query. */
async function readSetting(
  { reference, cache }: Values,
  [name = '', file]: readonly string[],
  terminal: Terminal,
): Promise<[Uint8Array<ArrayBuffer>, query: string]> {
  if (reference === undefined) {
    if (cache !== undefined) throw new UsageError('--cache is for --reference');
    return [await readValue(name, file, terminal), ''];
  }
  if (file !== undefined) throw new UsageError('a secret has a value or a --reference: leave the file out');
  const query = new URLSearchParams({ reference: 'true', ...(cache === undefined ? {} : { cache }) });
  return [Buffer.from(reference), `?${query}`];
}

async function set(values: Values, taken: readonly string[], terminal: Terminal): Promise<Outcome> {
  const [name = ''] = taken;
  const [body, query] = await readSetting(values, taken, terminal);
  if (body.length === 0) {
    throw new UsageError('the value is empty: write it to the standard input, or name a file');
  }
  const { service, base } = await openNamespace(values, terminal);
  const path = `${base}/secrets/${pathOf(name)}${query}`;
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
  usage: [
    'secrets [list]',
    'secrets set NAME [FILE|-]',
    'secrets set NAME --reference REFERENCE [--cache DURATION]',
    'secrets delete NAME',
  ],
  notes: [
    'The value is read from a file or the standard input; in a terminal, from a hidden question. It is never printed.',
    'With --reference the value stays where it is, and the operator must allow it (docs/secrets.md).',
  ],
  options: OPTIONS,
  defaultVerb: 'list',
  verbs: {
    list: { takes: [], run: list },
    set: { takes: ['NAME', '[FILE|-]'], run: set },
    delete: { takes: ['NAME'], run: remove },
  },
});
