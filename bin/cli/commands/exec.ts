import { stat, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { NumberRangeError, parseJson } from '../../../lib/language/json-numbers.ts';
import { omitUndefined } from '../../../lib/language/omit-undefined.ts';
import { bytesAt, textAt } from '../client/replies.ts';
import { namespacePath, needNamespace, openService, type Service, treePath } from '../client/service.ts';
import { followRun, type LogLine, type RunResult, waitForEnd } from '../client/streams.ts';
import { NAMESPACE_OPTION, TARGET_OPTIONS } from '../client/target.ts';
import { failureLines } from '../inspection/timelines.ts';
import {
  CommandFailedError,
  data,
  defineCommand,
  type Outcome,
  success,
  toJson,
  UsageError,
  type ValuesOf,
} from '../shell/command.ts';
import { readBytes } from '../shell/files.ts';
import type { Terminal } from '../shell/terminal.ts';
import { pathOfFile } from '../workflows/file-path.ts';
import { inputLines } from '../workflows/input-fields.ts';
import { push } from '../workflows/pushing.ts';
import { lineText } from './logs.ts';

const OPTIONS = {
  input: {
    type: 'string',
    short: 'i',
    value: 'FILE',
    help: 'input of the run; - is the standard input (default: the NAME arguments, else {})',
  },
  output: { type: 'string', short: 'o', value: 'FILE', help: 'write the output to a file' },
  ref: { type: 'string', value: 'REF', help: 'revision, tag or latest (default: as the router divides starts)' },
  label: { type: 'string', multiple: true, value: 'NAME=VALUE', help: 'a label of the run, by which it is found' },
  'no-push': { type: 'boolean', help: 'do not push the file first; run the stored workflow' },
  'no-wait': { type: 'boolean', help: 'print the id of the run and do not wait for its end' },
  'idempotency-key': { type: 'string', value: 'KEY', help: 'start only one run for all calls with this key' },
  quiet: { type: 'boolean', short: 'q', help: 'do not print the log (on the standard error)' },
  ...NAMESPACE_OPTION,
  ...TARGET_OPTIONS,
} as const;

type Values = ValuesOf<typeof OPTIONS>;

type Body = string | Uint8Array<ArrayBuffer>;

const EXTENSION = /\.ya?ml$/;

/** The input of `NAME=TEXT` and `NAME:=JSON` arguments. Throws UsageError. */
export function toInput(words: readonly string[]): Record<string, unknown> {
  const entries = words.map((word) => {
    const [, name = '', operator, text = ''] = /^([^=:]+)(:?=)(.*)$/s.exec(word) ?? [];
    if (operator === undefined) throw new UsageError(`'${word}' is no input; write it as NAME=TEXT or NAME:=JSON`);
    return [name, operator === '=' ? text : jsonOf(word, text)] as const;
  });
  return Object.fromEntries(entries);
}

function jsonOf(word: string, text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof NumberRangeError) throw new UsageError(`'${word}' is ${error.message}`);
    throw new UsageError(`'${word}' has no JSON after ':='; write a text as NAME=TEXT`);
  }
}

async function bodyOf({ input }: Values, words: readonly string[], terminal: Terminal): Promise<Body> {
  if (input === undefined) return JSON.stringify(toInput(words));
  if (words.length > 0) throw new UsageError('give the input either as a file or as NAME=TEXT, not both');
  if (/^\s*[{[]/.test(input)) {
    const hint = 'give values as NAME=TEXT or NAME:=JSON, as in a:=1, or the JSON by --input -';
    throw new UsageError(`--input is a file, not JSON; ${hint}`);
  }
  return readBytes(terminal, input);
}

const isFile = async (terminal: Terminal, name: string): Promise<boolean> =>
  EXTENSION.test(name) && (await stat(resolve(terminal.cwd, name)).catch(() => undefined))?.isFile() === true;

/** The path of the workflow. A local file is pushed first, as Direktiv's command line does. */
async function pathOf(values: Values, name: string, service: Service, terminal: Terminal): Promise<string> {
  if (!(await isFile(terminal, name))) return name;
  const path = await pathOfFile(terminal.cwd, name);
  if (values['no-push']) return path;
  const source = { name, as: path, keepsExtension: false };
  const { results } = await push({ service, terminal, source, skipsValidation: false });
  const failed = results.find((one) => one.failure !== undefined || one.item.change === 'conflict');
  if (failed !== undefined) {
    throw new CommandFailedError(`${failed.item.name}: ${failed.failure ?? failed.item.details.join('; ')}`);
  }
  return path;
}

/** Starts the run and returns its id. */
async function start(values: Values, path: string, service: Service, body: Body): Promise<string> {
  const query = new URLSearchParams(omitUndefined({ op: 'execute', ref: values.ref }));
  for (const text of values.label ?? []) {
    const [, name = '', value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
    if (value === undefined) throw new UsageError(`--label is '${text}'; write it as NAME=VALUE`);
    query.append(`label.${name}`, value);
  }
  const headers = omitUndefined({ 'Content-Type': 'application/json', 'Idempotency-Key': values['idempotency-key'] });
  const url = `${treePath(needNamespace(service), path)}?${query}`;
  return textAt(await service.upload('POST', url, { body, headers }), 'instance');
}

const failureText = ({ status, errorCode, errorMessage }: RunResult): string =>
  [errorCode || status, errorMessage].filter((part) => part !== '').join(': ');

async function waitForOutput(values: Values, id: string, service: Service, terminal: Terminal) {
  const path = `${namespacePath(needNamespace(service))}/instances/${encodeURIComponent(id)}`;
  const isSilent = values.quiet === true || values.json === true;
  const onLine = async (line: LogLine) => terminal.printStatus(lineText(terminal, line));
  const result = await (isSilent ? waitForEnd(service, path, service.signal) : followRun(service, path, onLine));
  const isComplete = result.status === 'complete';
  const output = isComplete ? bytesAt(await service.call('GET', `${path}/output`), 'data') : Buffer.alloc(0);
  return { result, output, isComplete };
}

function parsed(output: Buffer): unknown {
  try {
    return parseJson(output.toString('utf8'));
  } catch {
    return null;
  }
}

async function run(values: Values, [name, ...words]: readonly string[], terminal: Terminal): Promise<Outcome> {
  if (name === undefined) throw new UsageError('no workflow given; give its path, or a local file');
  const service = await openService(values, terminal);
  needNamespace(service);
  const body = await bodyOf(values, words, terminal);
  const path = await pathOf(values, name, service, terminal);
  const id = await start(values, path, service, body);
  if (values['no-wait']) return success(values.json ? toJson({ instance: id }) : id);
  if (!values.json && !values.quiet) terminal.printStatus(`instance ${id}`);
  const ended = await waitForOutput(values, id, service, terminal).catch((error: unknown) => {
    if (service.signal.aborted) {
      terminal.printStatus(`the run continues: 'weft logs -f ${id}' follows it, 'weft cancel ${id}' cancels it`);
    }
    throw error;
  });
  const { result, output, isComplete } = ended;
  if (values.output !== undefined && isComplete) await writeFile(resolve(terminal.cwd, values.output), output);
  if (values.json) {
    return { text: toJson({ instance: id, ...result, output: parsed(output) }), isSuccess: isComplete };
  }
  // The log has the explanation already.
  const explanation = values.quiet ? failureLines(result.error) : [];
  if (!isComplete) throw new CommandFailedError([failureText(result), ...explanation].join('\n  '));
  return data(values.output === undefined ? output.toString('utf8') : '');
}

export const exec = defineCommand({
  about: 'Runs a workflow, follows its log and prints its output',
  usage: [
    'exec PATH [NAME=TEXT | NAME:=JSON ...]',
    'exec PATH --input FILE|- [--ref REF] [--output FILE]',
    'exec FILE.yaml [--no-push]',
    'exec PATH --no-wait',
    'exec --help FILE.yaml',
  ],
  helpOn: async ([name = ''], terminal) => {
    if (!(await isFile(terminal, name))) return [];
    return inputLines(name, new TextDecoder().decode(await readBytes(terminal, name)));
  },
  notes: [
    'A file is pushed first. Its workflow has its path from the folder of .weft.yaml, else from the root of the Git',
    'repository, else that of its folder and its name: examples/hello/workflow.yaml is examples/hello/workflow.',
    '--help with a file lists the members of its input.',
  ],
  options: OPTIONS,
  run,
});
