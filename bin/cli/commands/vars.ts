import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { textAt } from '../client/replies.ts';
import { bodyOf, openNamespace, readList, type Service, toFailure, treePath } from '../client/service.ts';
import { NAMESPACE_OPTION, TARGET_OPTIONS } from '../client/target.ts';
import { defineVerbs, type Outcome, result, success, toTable, UsageError, type ValuesOf } from '../shell/command.ts';
import { printValue, readBytes } from '../shell/files.ts';
import type { Terminal } from '../shell/terminal.ts';

const OPTIONS = {
  workflow: { type: 'string', short: 'w', value: 'PATH', help: 'variables of a workflow' },
  instance: { type: 'string', short: 'i', value: 'ID', help: 'variables of a run (default: of the namespace)' },
  type: { type: 'string', value: 'MIME', help: 'media type of the value (default: detected by the service)' },
  value: { type: 'string', value: 'TEXT', help: 'the value, instead of a file' },
  output: { type: 'string', short: 'o', value: 'FILE', help: 'write the value to a file' },
  ...NAMESPACE_OPTION,
  ...TARGET_OPTIONS,
} as const;

type Values = ValuesOf<typeof OPTIONS>;

/** A namespace, a workflow or a run that has variables. */
interface Owner {
  readonly service: Service;
  readonly list: string;
  pathOf(name: string, op: 'var' | 'set-var' | 'delete-var'): string;
}

/** The owner that the options select. Throws UsageError. */
async function openOwner(values: Values, terminal: Terminal): Promise<Owner> {
  const { workflow, instance } = values;
  if (workflow !== undefined && instance !== undefined) {
    throw new UsageError('give either a workflow or an instance, not both');
  }
  const { service, base, namespace } = await openNamespace(values, terminal);
  if (workflow !== undefined) {
    const path = treePath(namespace, workflow);
    const pathOf: Owner['pathOf'] = (name, op) => `${path}?op=${op}&var=${encodeURIComponent(name)}`;
    return { service, list: `${path}?op=vars`, pathOf };
  }
  const owner = instance === undefined ? base : `${base}/instances/${encodeURIComponent(instance)}`;
  return { service, list: `${owner}/vars`, pathOf: (name) => `${owner}/vars/${encodeURIComponent(name)}` };
}

async function list(values: Values, _: readonly string[], terminal: Terminal): Promise<Outcome> {
  const owner = await openOwner(values, terminal);
  const rows = (await readList(owner.service, owner.list, 'variables')) ?? [];
  const cells = rows.map((row) => ['name', 'size', 'mimeType', 'updatedAt'].map((name) => textAt(row, name)));
  return result(values, rows, () => toTable([['NAME', 'SIZE', 'TYPE', 'UPDATED'], ...cells]));
}

async function get(values: Values, [name = '']: readonly string[], terminal: Terminal): Promise<Outcome> {
  const { service, pathOf } = await openOwner(values, terminal);
  const response = await service.send('GET', pathOf(name, 'var'));
  if (response.status >= 400) throw await toFailure(response, service.signal);
  const mimeType = response.headers.get('content-type') ?? '';
  const body = bodyOf(response, service.signal);
  if (values.output !== undefined) {
    await writeFile(resolve(terminal.cwd, values.output), body);
    return result(values, { name, mimeType, file: values.output }, () => '');
  }
  if (values.json) return result(values, { name, mimeType, data: (await buffer(body)).toString('base64') }, () => '');
  if (terminal.printsToTerminal === true) await printValue(terminal, await buffer(body), 'write it with --output FILE');
  else for await (const chunk of body) await terminal.print(chunk);
  return success('');
}

async function bytesOf(
  { value }: Values,
  file: string | undefined,
  terminal: Terminal,
): Promise<string | Uint8Array<ArrayBuffer>> {
  if ((value === undefined) === (file === undefined)) {
    throw new UsageError('give either a file with the value (- for the standard input) or --value');
  }
  return value ?? readBytes(terminal, file ?? '-');
}

async function set(values: Values, [name = '', file]: readonly string[], terminal: Terminal): Promise<Outcome> {
  const body = await bytesOf(values, file, terminal);
  const { service, pathOf } = await openOwner(values, terminal);
  // Without a type, the service detects one. `fetch` adds a type to a text, but not to bytes.
  const headers = values.type === undefined ? {} : { 'Content-Type': values.type };
  const reply = await service.upload('PUT', pathOf(name, 'set-var'), { body: Buffer.from(body), headers });
  const [size, type] = [textAt(reply, 'totalSize'), textAt(reply, 'mimeType')];
  return result(values, reply, () => `set ${name} (${size} bytes, ${type})`);
}

async function remove(values: Values, [name = '']: readonly string[], terminal: Terminal): Promise<Outcome> {
  const { service, pathOf } = await openOwner(values, terminal);
  await service.call('DELETE', pathOf(name, 'delete-var'));
  return result(values, { deleted: name }, () => `deleted ${name}`);
}

export const vars = defineVerbs({
  about: 'Lists, prints, sets and deletes variables',
  usage: [
    'vars [list] [--workflow PATH | --instance ID]',
    'vars get NAME [--output FILE]',
    'vars set NAME FILE|- [--type MIME]',
    'vars set NAME --value TEXT [--type MIME]',
    'vars delete NAME',
  ],
  options: OPTIONS,
  defaultVerb: 'list',
  verbs: {
    list: { takes: [], run: list },
    get: { takes: ['NAME'], run: get },
    set: { takes: ['NAME', '[FILE|-]'], run: set },
    delete: { takes: ['NAME'], run: remove },
  },
});
