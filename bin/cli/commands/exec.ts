import { stat, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type Ending, followRun, waitForEnd } from '../client/following.ts';
import { bytesAt, textAt } from '../client/replies.ts';
import { namespacePath, needNamespace, openService, type Service, treePath } from '../client/service.ts';
import { NAMESPACE_NOTE, NAMESPACE_OPTION, PLACE_NOTES, PLACE_OPTIONS } from '../client/target.ts';
import {
  CommandFailedError,
  defineCommand,
  good,
  type Outcome,
  toJson,
  UsageError,
  type ValuesOf,
} from '../shell/command.ts';
import { readBytes } from '../shell/files.ts';
import type { Terminal } from '../shell/terminal.ts';
import { lineText } from './logs.ts';
import { push } from './push.ts';

const OPTIONS = {
  ...PLACE_OPTIONS,
  ...NAMESPACE_OPTION,
  input: { type: 'string', short: 'i' },
  output: { type: 'string', short: 'o' },
  ref: { type: 'string' },
  'no-push': { type: 'boolean' },
  'no-wait': { type: 'boolean' },
  'idempotency-key': { type: 'string' },
  quiet: { type: 'boolean', short: 'q' },
} as const;

type Values = ValuesOf<typeof OPTIONS>;

const EXTENSION = /\.ya?ml$/;

/** `name=text` is a text, `name:=json` any JSON. Throws UsageError. */
export function toInput(words: readonly string[]): Record<string, unknown> {
  const entries = words.map((word) => {
    const [, name = '', mark, text = ''] = /^([^=:]+)(:?=)(.*)$/s.exec(word) ?? [];
    if (mark === undefined) throw new UsageError(`'${word}' is no input; write it as name=text or name:=json`);
    return [name, mark === '=' ? text : jsonOf(word, text)] as const;
  });
  return Object.fromEntries(entries);
}

function jsonOf(word: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(`'${word}' holds no JSON after ':='; write a text as name=text`);
  }
}

async function bodyOf(
  { input }: Values,
  words: readonly string[],
  terminal: Terminal,
): Promise<string | Uint8Array<ArrayBuffer>> {
  if (input !== undefined && words.length > 0)
    throw new UsageError('give the input as a file or as name=value, not both');
  return input === undefined ? JSON.stringify(toInput(words)) : readBytes(terminal, input);
}

/** A file here is pushed first, as the original's tool does; anything else is a path of the service. */
async function pathOf(values: Values, name: string, service: Service, terminal: Terminal): Promise<string> {
  const isFile =
    EXTENSION.test(name) && (await stat(resolve(terminal.cwd, name)).catch(() => undefined))?.isFile() === true;
  if (!isFile) return name;
  if (values['no-push']) return name.replace(EXTENSION, '');
  const source = { name, keepsExtension: false };
  const { done, paths } = await push({ service, terminal, source, isUnchecked: false });
  const failure = done.find((one) => one.failure !== undefined || one.item.change === 'conflict');
  if (failure !== undefined)
    throw new CommandFailedError(`${failure.item.name}: ${failure.failure ?? failure.item.details.join('; ')}`);
  return paths[0] ?? name;
}

async function start(
  values: Values,
  path: string,
  service: Service,
  body: string | Uint8Array<ArrayBuffer>,
): Promise<string> {
  const { ref, 'idempotency-key': key } = values;
  const query = new URLSearchParams({ op: 'execute', ...(ref === undefined ? {} : { ref }) });
  const headers = { 'Content-Type': 'application/json', ...(key === undefined ? {} : { 'Idempotency-Key': key }) };
  const reply = await service.put('POST', `${treePath(needNamespace(service), path)}?${query}`, { body, headers });
  return textAt(reply, 'instance');
}

const failureText = ({ status, errorCode, errorMessage }: Ending): string =>
  [errorCode || status, errorMessage].filter((part) => part !== '').join(': ');

interface Ended extends Ending {
  readonly id: string;
  readonly output: Buffer;
}

async function finish(values: Values, id: string, service: Service, terminal: Terminal): Promise<Ended> {
  const path = `${namespacePath(needNamespace(service))}/instances/${encodeURIComponent(id)}`;
  const isSilent = values.quiet === true || values.json === true;
  const tell = async (line: Parameters<typeof lineText>[1]) => terminal.tell(lineText(terminal, line));
  const ending = await (isSilent ? waitForEnd(service, path, service.signal) : followRun(service, path, tell));
  const hasOutput = ending.status === 'complete';
  const output = hasOutput ? bytesAt(await service.call('GET', `${path}/output`), 'data') : Buffer.alloc(0);
  return { ...ending, id, output };
}

function parsed(output: Buffer): unknown {
  try {
    return JSON.parse(output.toString('utf8'));
  } catch {
    return null;
  }
}

async function run(values: Values, [name, ...words]: readonly string[], terminal: Terminal): Promise<Outcome> {
  if (name === undefined) throw new UsageError('name a workflow: its path, or a file here');
  const service = await openService(values, terminal);
  needNamespace(service);
  const body = await bodyOf(values, words, terminal);
  const path = await pathOf(values, name, service, terminal);
  const id = await start(values, path, service, body);
  if (values['no-wait']) return good(values.json ? toJson({ instance: id }) : id);
  if (!values.json && !values.quiet) terminal.tell(`instance ${id}`);
  const { output, ...ending } = await finish(values, id, service, terminal).catch((error: unknown) => {
    if (service.signal.aborted) {
      terminal.tell(`the run goes on: 'weft logs -f ${id}' shows it, 'weft cancel ${id}' ends it`);
    }
    throw error;
  });
  const isGood = ending.status === 'complete';
  if (values.output !== undefined && isGood) await writeFile(resolve(terminal.cwd, values.output), output);
  if (values.json) {
    const { status, errorCode, errorMessage } = ending;
    return { text: toJson({ instance: id, status, errorCode, errorMessage, output: parsed(output) }), isGood };
  }
  if (!isGood) throw new CommandFailedError(failureText(ending));
  return good(values.output === undefined ? output.toString('utf8') : '');
}

export const exec = defineCommand({
  about: 'Runs a workflow, follows its log and prints its output',
  usage: [
    'exec PATH [NAME=TEXT | NAME:=JSON ...]',
    'exec PATH --input FILE|- [--ref REF] [--output FILE]',
    'exec FILE.yaml [--no-push]',
    'exec PATH --no-wait',
  ],
  notes: [
    '-i, --input FILE  the input; - is the standard input (else NAME=TEXT, NAME:=JSON, else {})',
    '-o, --output FILE writes the output to a file',
    '--ref REF         a revision, a tag or latest (else as the router says)',
    '--no-push         does not push the file first, and runs what the service has',
    '--no-wait         prints the id of the run and ends',
    '--idempotency-key K two calls with the same key are one run',
    '-q, --quiet       does not show the log, which goes to the standard error',
    NAMESPACE_NOTE,
    ...PLACE_NOTES,
  ],
  options: OPTIONS,
  run,
});
