import { watch } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { needNamespace, openService, type Service } from '../client/service.ts';
import { findOlderConfig, NAMESPACE_NOTE, NAMESPACE_OPTION, PLACE_NOTES, PLACE_OPTIONS } from '../client/target.ts';
import {
  CommandFailedError,
  defineCommand,
  needWords,
  type Outcome,
  ServiceUnreachableError,
  toJson,
  UsageError,
  type ValuesOf,
} from '../shell/command.ts';
import { paint, type Terminal } from '../shell/terminal.ts';
import { carryOut, type Done } from '../transfer/carrying.ts';
import { readFolder } from '../transfer/folder.ts';
import { checkFile, findingTexts } from '../transfer/offline.ts';
import { type Item, makePlan } from '../transfer/plan.ts';
import { doneLine, summary, toRecord } from '../transfer/telling.ts';
import { latestOf, type Wanted } from '../transfer/wanted.ts';

const OPTIONS = {
  ...PLACE_OPTIONS,
  ...NAMESPACE_OPTION,
  watch: { type: 'boolean' },
  'no-validate': { type: 'boolean' },
  'keep-extension': { type: 'boolean' },
  quiet: { type: 'boolean', short: 'q' },
} as const;

type Values = ValuesOf<typeof OPTIONS>;

/** What is pushed, and how. */
export interface Pushed {
  readonly service: Service;
  readonly terminal: Terminal;
  readonly source: { readonly name: string; readonly as?: string | undefined; readonly keepsExtension: boolean };
  readonly isUnchecked: boolean;
}

async function needRight(wanted: Wanted, cwd: string): Promise<void> {
  const checked = await Promise.all(wanted.workflows.map((workflow) => checkFile(latestOf(workflow).file, cwd)));
  const texts = checked.flatMap(findingTexts);
  if (texts.length === 0) return;
  const count = checked.reduce((sum, { findings }) => sum + findings.length, 0);
  throw new CommandFailedError(
    `${count} ${count === 1 ? 'problem' : 'problems'}, nothing was sent\n${texts.join('\n')}`,
  );
}

async function read({ terminal, source }: Pushed): Promise<Wanted> {
  const home = (await findOlderConfig(terminal.cwd))?.folder;
  const wanted = await readFolder({ ...source, cwd: terminal.cwd, home });
  if (wanted.workflows.length === 0)
    throw new UsageError(`${source.name} holds no workflow; they end in .yaml or .yml`);
  return wanted;
}

/**
 * Sends what differs from what the service has. Throws UsageError, CommandFailedError with every mistake,
 * ServiceUnreachableError.
 */
export async function push(
  job: Pushed,
): Promise<{ readonly done: readonly Done[]; readonly paths: readonly string[] }> {
  const { service, terminal, isUnchecked } = job;
  const wanted = await read(job);
  if (!isUnchecked) await needRight(wanted, terminal.cwd);
  const note = (text: string) => terminal.tell(`note: ${text}`);
  const remote = { service, namespace: needNamespace(service), note };
  const plan = await makePlan({ remote, wanted, cwd: terminal.cwd, isUnchecked: true });
  return { done: await carryOut(remote, plan, () => undefined), paths: wanted.workflows.map(({ path }) => path) };
}

const isBad = ({ item, failure }: Done): boolean => failure !== undefined || item.change === 'conflict';
const isTold = ({ item }: Done): boolean => item.kind !== 'directory' || item.change !== 'unchanged';

function report(values: Values, terminal: Terminal, done: readonly Done[]): Outcome {
  const items: Item[] = done.filter((one) => !isBad(one)).map(({ item }) => item);
  const bad = done.filter(isBad).length;
  const told = values.quiet ? done.filter(isBad) : done.filter(isTold);
  const end =
    bad === 0
      ? summary(
          items.filter((item) => item.kind !== 'directory'),
          'done',
        )
      : `${bad} failed`;
  const text = [...told.map((one) => doneLine(terminal, one)), end].join('\n');
  return { text: values.json ? toJson(done.map(toRecord)) : text, isGood: bad === 0 };
}

/** Editors write a file in several steps; what comes within this time is one change. */
const CALM_MS = 150;

/** Pushes after each change below the folder or file, until Ctrl-C. */
async function keepPushing(job: Pushed, values: Values): Promise<Outcome> {
  const { terminal, source } = job;
  const changes = watching(resolve(terminal.cwd, source.name), terminal.signal);
  do {
    try {
      await terminal.write(`${report(values, terminal, (await push(job)).done).text}\n`);
    } catch (error) {
      if (
        terminal.signal.aborted ||
        !(
          error instanceof CommandFailedError ||
          error instanceof ServiceUnreachableError ||
          error instanceof UsageError
        )
      )
        throw error;
      terminal.tell(paint(terminal, 'red', `weft: ${error.message}`));
    }
    terminal.tell(`watching ${source.name} …`);
  } while (!(await changes.next()).done);
  return { text: '', isGood: true };
}

/** Yields once after each flurry of changes; ends with the signal. */
async function* watching(path: string, signal: AbortSignal): AsyncGenerator<void> {
  let wake: () => void = () => undefined;
  let hasChanged = false;
  const watcher = watch(path, { recursive: true, signal }, () => {
    hasChanged = true;
    wake();
  });
  watcher.on('error', () => wake());
  signal.addEventListener('abort', () => wake(), { once: true });
  while (!signal.aborted) {
    if (!hasChanged) await new Promise<void>((resolve) => (wake = resolve));
    while (hasChanged && !signal.aborted) {
      hasChanged = false;
      await setTimeout(CALM_MS);
    }
    if (!signal.aborted) yield;
  }
}

export const pushCommand = defineCommand({
  about: 'Creates and updates workflows from files, after checking them all',
  usage: ['push FILE.yaml [PATH]', 'push DIRECTORY [PATH]', 'push FILE.yaml|DIRECTORY [PATH] --watch'],
  notes: [
    '--watch           pushes again whenever a file changes, until Ctrl-C',
    '--no-validate     lets the service say what is wrong',
    '--keep-extension  a file wf.yaml is the workflow wf.yaml, and not wf',
    '-q, --quiet       tells only what failed',
    'A file wf.yaml.NAME is the variable NAME of the workflow of wf.yaml. .weftignore and .direktivignore hide files.',
    'Paths begin at the folder of the .direktiv.yaml if there is one, else at what is named.',
    NAMESPACE_NOTE,
    ...PLACE_NOTES,
  ],
  options: OPTIONS,
  run: async (values, rest, terminal) => {
    needWords('push', ['FILE.yaml|DIRECTORY', '[PATH]'], rest);
    const [name = '', as] = rest;
    const service = await openService(values, terminal);
    needNamespace(service);
    const source = { name, as, keepsExtension: values['keep-extension'] === true };
    const job = { service, terminal, source, isUnchecked: values['no-validate'] === true };
    if (values.watch) return keepPushing(job, values);
    return report(values, terminal, (await push(job)).done);
  },
});
