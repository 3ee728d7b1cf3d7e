import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { textAt } from '../client/replies.ts';
import { bodyOf, openNamespace, readList, refusalOf, type Service, treePath } from '../client/service.ts';
import { NAMESPACE_NOTE, NAMESPACE_OPTION, PLACE_NOTES, PLACE_OPTIONS } from '../client/target.ts';
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
import { readBytes } from '../shell/files.ts';
import type { Terminal } from '../shell/terminal.ts';

const OPTIONS = {
  ...PLACE_OPTIONS,
  ...NAMESPACE_OPTION,
  workflow: { type: 'string', short: 'w' },
  instance: { type: 'string', short: 'i' },
  type: { type: 'string' },
  value: { type: 'string' },
  output: { type: 'string', short: 'o' },
} as const;

type Values = ValuesOf<typeof OPTIONS>;

interface Owner {
  readonly service: Service;
  readonly list: string;
  of(name: string, op: 'var' | 'set-var' | 'delete-var'): string;
}

/** Whose variables are meant: of the namespace, of a workflow or of a run. Throws UsageError. */
async function openOwner(values: Values, terminal: Terminal): Promise<Owner> {
  const { workflow, instance } = values;
  if (workflow !== undefined && instance !== undefined) {
    throw new UsageError('name a workflow or an instance, not both');
  }
  const { service, base, namespace } = await openNamespace(values, terminal);
  if (workflow !== undefined) {
    const path = treePath(namespace, workflow);
    return { service, list: `${path}?op=vars`, of: (name, op) => `${path}?op=${op}&var=${encodeURIComponent(name)}` };
  }
  const owner = instance === undefined ? base : `${base}/instances/${encodeURIComponent(instance)}`;
  return { service, list: `${owner}/vars`, of: (name) => `${owner}/vars/${encodeURIComponent(name)}` };
}

async function list(values: Values, _: readonly string[], terminal: Terminal): Promise<Outcome> {
  const owner = await openOwner(values, terminal);
  const rows = (await readList(owner.service, owner.list, 'variables')) ?? [];
  const cells = rows.map((row) => ['name', 'size', 'mimeType', 'updatedAt'].map((name) => textAt(row, name)));
  return shown(values, rows, () => toTable([['NAME', 'SIZE', 'TYPE', 'UPDATED'], ...cells]));
}

async function get(values: Values, [name = '']: readonly string[], terminal: Terminal): Promise<Outcome> {
  const owner = await openOwner(values, terminal);
  const response = await owner.service.send('GET', owner.of(name, 'var'));
  if (response.status >= 400) throw await refusalOf(response, owner.service.signal);
  const mimeType = response.headers.get('content-type') ?? '';
  if (values.output !== undefined) {
    await writeFile(resolve(terminal.cwd, values.output), bodyOf(response, owner.service.signal));
    return shown(values, { name, mimeType, file: values.output }, () => '');
  }
  if (values.json) {
    const data = (await buffer(bodyOf(response, owner.service.signal))).toString('base64');
    return shown(values, { name, mimeType, data }, () => '');
  }
  for await (const chunk of bodyOf(response, owner.service.signal)) await terminal.write(chunk);
  return good('');
}

async function bytesOf(
  { value }: Values,
  file: string | undefined,
  terminal: Terminal,
): Promise<string | Uint8Array<ArrayBuffer>> {
  if ((value === undefined) === (file === undefined)) {
    throw new UsageError('name a file with the value (- for the standard input), or give --value');
  }
  return value ?? readBytes(terminal, file ?? '-');
}

async function set(values: Values, [name = '', file]: readonly string[], terminal: Terminal): Promise<Outcome> {
  const body = await bytesOf(values, file, terminal);
  const owner = await openOwner(values, terminal);
  // Without a type the service finds one; `fetch` would name its own for a text.
  const headers = values.type === undefined ? {} : { 'Content-Type': values.type };
  const reply = await owner.service.put('PUT', owner.of(name, 'set-var'), { body: Buffer.from(body), headers });
  return shown(values, reply, () => `set ${name} (${textAt(reply, 'totalSize')} bytes, ${textAt(reply, 'mimeType')})`);
}

async function remove(values: Values, [name = '']: readonly string[], terminal: Terminal): Promise<Outcome> {
  const owner = await openOwner(values, terminal);
  await owner.service.call('DELETE', owner.of(name, 'delete-var'));
  return shown(values, { deleted: name }, () => `deleted ${name}`);
}

const VERBS: Verbs<Values> = {
  list: { takes: [], run: list },
  get: { takes: ['NAME'], run: get },
  set: { takes: ['NAME', '[FILE|-]'], run: set },
  delete: { takes: ['NAME'], run: remove },
};

export const vars = defineCommand({
  about: 'Lists, shows, sets and deletes variables',
  usage: [
    'vars list [--workflow PATH | --instance ID]',
    'vars get NAME [--output FILE]',
    'vars set NAME FILE|- [--type MIME]',
    'vars set NAME --value TEXT [--type MIME]',
    'vars delete NAME',
  ],
  notes: [
    '-w, --workflow P  variables of a workflow',
    '-i, --instance ID variables of a run (else of the namespace)',
    '--type MIME       what the value is (else the service finds out)',
    '--value TEXT      the value itself, in place of a file',
    '-o, --output FILE writes the value to a file',
    NAMESPACE_NOTE,
    ...PLACE_NOTES,
  ],
  options: OPTIONS,
  words: Object.keys(VERBS),
  run: (values, rest, terminal) => runVerb(VERBS, values, rest, terminal),
});
