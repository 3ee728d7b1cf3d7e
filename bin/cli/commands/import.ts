import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { omitUndefined } from '../../../lib/language/omit-undefined.ts';
import { awaitDefinitions, definitionLines, definitionsOf } from '../client/definitions.ts';
import { needNamespace, openService } from '../client/service.ts';
import { NAMESPACE_OPTION, TARGET_OPTIONS } from '../client/target.ts';
import {
  CommandFailedError,
  defineCommand,
  needArguments,
  type Outcome,
  toJson,
  UsageError,
  type ValuesOf,
} from '../shell/command.ts';
import { unreadable } from '../shell/files.ts';
import { onceForEach, openProgress } from '../shell/progress.ts';
import { paint, type Terminal } from '../shell/terminal.ts';
import { applyPlan, type ItemResult } from '../transfer/apply.ts';
import type { DesiredState } from '../transfer/desired-state.ts';
import { readFolder } from '../transfer/folder.ts';
import { hasOperations, makePlan, type PlanItem } from '../transfer/plan.ts';
import type { Remote } from '../transfer/remote.ts';
import { planLine, resultLine, summary, toRecord } from '../transfer/report.ts';

const OPTIONS = {
  'dry-run': { type: 'boolean', help: 'print what would change, and change nothing' },
  yes: { type: 'boolean', short: 'y', help: 'do not ask for confirmation' },
  all: { type: 'boolean', help: 'also print what does not change' },
  wait: { type: 'boolean', help: 'wait until the service has defined the state machines of all workflows' },
  'no-validate': { type: 'boolean', help: 'do not validate workflows before they are sent' },
  'no-settings': { type: 'boolean', help: 'leave out the settings of the namespace, such as where its alerts go' },
  'keep-extension': { type: 'boolean', help: 'the file wf.yaml is the workflow wf.yaml instead of wf' },
  ...NAMESPACE_OPTION,
  ...TARGET_OPTIONS,
} as const;

type Values = ValuesOf<typeof OPTIONS>;

interface ImportSource {
  readonly desired: DesiredState;
  /** The namespace that was exported, if it is an archive. */
  readonly namespace?: string;
}

/** Loaded late: the libraries are large, and few commands need them. */
const loadReader = () => import('../transfer/archive-reader.ts');

async function fromArchive(folder: string, names: readonly string[]): Promise<ImportSource> {
  const { readDesiredState, readManifest } = await loadReader();
  const { namespace } = await readManifest(folder);
  return { desired: await readDesiredState(folder, names), namespace };
}

interface Place {
  readonly values: Values;
  readonly terminal: Terminal;
  /** An empty folder to unpack into. */
  readonly folder: string;
}

/** Reads an archive, an unpacked archive, or a folder of workflow files. Throws UsageError, CommandFailedError. */
async function read(name: string, { values, terminal, folder }: Place): Promise<ImportSource> {
  const path = resolve(terminal.cwd, name);
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw unreadable(name, error);
  });
  const { namesBelow, unpack } = await loadReader();
  if (found.isFile()) return fromArchive(folder, await unpack(path, folder));
  const { MANIFEST } = await import('../transfer/archive-layout.ts');
  const isArchive = await stat(join(path, MANIFEST)).then(
    (manifest) => manifest.isFile(),
    () => false,
  );
  if (isArchive) return fromArchive(path, await namesBelow(path));
  const keepsExtension = values['keep-extension'] === true;
  return { desired: await readFolder({ name, cwd: terminal.cwd, keepsExtension }) };
}

interface Job {
  readonly values: Values;
  readonly terminal: Terminal;
  readonly remote: Remote;
  readonly plan: readonly PlanItem[];
}

/** Asks for confirmation. Throws UsageError if the user cannot be asked. */
async function isConfirmed({ values, terminal, remote, plan }: Job): Promise<boolean> {
  if (values.yes) return true;
  const count = plan.filter(hasOperations).length;
  if (!terminal.isInteractive) {
    throw new UsageError(
      `nothing was changed: ${count} changes in '${remote.namespace}' need --yes; --dry-run prints them`,
    );
  }
  return /^y(es)?$/i.test((await terminal.ask(`Make these ${count} changes in '${remote.namespace}'? [y/N] `)).trim());
}

interface Report {
  readonly results: readonly ItemResult[];
  readonly applied: boolean;
  readonly text: string;
}

/** Adds to a report how far the state machines of the workflows are. */
async function outcomeOf(
  { values, remote, terminal, plan }: Job,
  { results, applied, text }: Report,
): Promise<Outcome> {
  const definitions =
    values['dry-run'] === true
      ? undefined
      : await (values.wait === true ? awaitDefinitions(remote, terminal) : definitionsOf(remote));
  const isFailure =
    plan.some(({ change }) => change === 'conflict') || results.some(({ failure }) => failure !== undefined);
  const json = () =>
    toJson(omitUndefined({ namespace: remote.namespace, applied, items: results.map(toRecord), definitions }));
  const lines = [text, ...(definitions === undefined ? [] : definitionLines(definitions))];
  return { text: values.json ? json() : lines.join('\n'), isSuccess: !isFailure };
}

async function apply(job: Job): Promise<Outcome> {
  const { terminal, remote, plan } = job;
  const progress = openProgress(terminal, 'import', plan.filter(hasOperations).length);
  const stepOnce = onceForEach<PlanItem>((item) => (hasOperations(item) ? progress.step() : undefined));
  const results = await applyPlan(remote, plan, stepOnce).finally(progress.end);
  const changed = results.filter(({ item }) => hasOperations(item));
  const failed = results.filter(({ failure }) => failure !== undefined).length;
  const hint = failed === 0 ? '' : `; ${failed} of them failed, import again to complete them`;
  const lines = [...changed.map((one) => resultLine(terminal, one)), `${summary(plan, 'done')}${hint}`];
  return outcomeOf(job, { results, applied: true, text: lines.join('\n') });
}

/** Prints the plan, asks for confirmation, and applies it. */
async function applyConfirmed(job: Job): Promise<Outcome> {
  const { values, terminal, plan } = job;
  const shown = plan.filter(({ change }) => values.all || change !== 'unchanged');
  const text = [...shown.map((item) => planLine(terminal, item)), summary(plan, 'planned')].join('\n');
  if (values['dry-run'] || !plan.some(hasOperations)) {
    return outcomeOf(job, { results: plan.map((item) => ({ item })), applied: false, text });
  }
  if (!values.json && !values.yes) await terminal.print(`${text}\n`);
  if (await isConfirmed(job)) return apply(job);
  throw new CommandFailedError('nothing was changed');
}

const withoutSettings = (desired: DesiredState): DesiredState =>
  omitUndefined({ ...desired, namespace: desired.namespace && { ...desired.namespace, config: undefined } });

async function run(values: Values, args: readonly string[], terminal: Terminal): Promise<Outcome> {
  needArguments('import', ['FILE.tar.gz|DIRECTORY', '[NAMESPACE]'], args);
  const [name = '', into] = args;
  const service = await openService(values, terminal);
  const folder = await mkdtemp(join(tmpdir(), 'weft-import-'));
  try {
    const { desired, namespace: exported } = await read(name, { values, terminal, folder });
    const namespace = into ?? values.namespace ?? exported ?? needNamespace(service);
    const note = (text: string) => terminal.printStatus(paint(terminal, 'yellow', `note: ${text}`));
    const remote = { service, namespace, note };
    const skipsValidation = values['no-validate'] === true;
    const wanted = values['no-settings'] === true ? withoutSettings(desired) : desired;
    const plan = await makePlan({ remote, desired: wanted, cwd: terminal.cwd, skipsValidation });
    return await applyConfirmed({ values, terminal, remote, plan });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export const importCommand = defineCommand({
  about: 'Imports an archive, or a folder of workflow files, into a namespace; it deletes nothing',
  usage: ['import FILE.tar.gz [NAMESPACE] [--dry-run | --yes]', 'import DIRECTORY [NAMESPACE] [--dry-run | --yes]'],
  notes: [
    'An import can be repeated: after an interruption, the next one completes the rest.',
    'Settings are imported too, with the names of their secrets; those that only an administrator changes need the key of one.',
    'A service on AWS defines one state machine a second. Workflows are stored without waiting for that; import prints how many are left, and --wait follows it.',
  ],
  options: OPTIONS,
  run,
});
