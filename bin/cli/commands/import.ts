import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { needNamespace, openService } from '../client/service.ts';
import { NAMESPACE_NOTE, NAMESPACE_OPTION, PLACE_NOTES, PLACE_OPTIONS } from '../client/target.ts';
import {
  CommandFailedError,
  defineCommand,
  needWords,
  type Outcome,
  toJson,
  UsageError,
  type ValuesOf,
} from '../shell/command.ts';
import { paint, type Terminal } from '../shell/terminal.ts';
import { carryOut, type Done } from '../transfer/carrying.ts';
import { readFolder } from '../transfer/folder.ts';
import { MANIFEST } from '../transfer/layout.ts';
import { type Item, isToDo, makePlan } from '../transfer/plan.ts';
import type { Remote } from '../transfer/remote.ts';
import { doneLine, planLine, summary, toRecord } from '../transfer/telling.ts';
import { namesBelow, readArchive, readManifest, unpack } from '../transfer/unpacking.ts';
import type { Wanted } from '../transfer/wanted.ts';

const OPTIONS = {
  ...PLACE_OPTIONS,
  ...NAMESPACE_OPTION,
  'dry-run': { type: 'boolean' },
  yes: { type: 'boolean', short: 'y' },
  all: { type: 'boolean' },
  'no-validate': { type: 'boolean' },
  'keep-extension': { type: 'boolean' },
} as const;

type Values = ValuesOf<typeof OPTIONS>;

interface Read {
  readonly wanted: Wanted;
  /** The namespace that the archive was made of. */
  readonly namespace?: string;
}

async function fromArchive(folder: string, names: readonly string[]): Promise<Read> {
  const { namespace } = await readManifest(folder);
  return { wanted: await readArchive(folder, names), namespace };
}

/**
 * An archive, an unpacked archive, or a folder of workflow files as people keep them. Throws UsageError,
 * CommandFailedError.
 */
async function read(name: string, values: Values, terminal: Terminal, folder: string): Promise<Read> {
  const path = resolve(terminal.cwd, name);
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`${name} cannot be read: ${error.code}`);
  });
  if (found.isFile()) return fromArchive(folder, await unpack(path, folder));
  const isArchive = await stat(join(path, MANIFEST)).then(
    (manifest) => manifest.isFile(),
    () => false,
  );
  if (isArchive) return fromArchive(path, await namesBelow(path));
  const keepsExtension = values['keep-extension'] === true;
  return { wanted: await readFolder({ name, cwd: terminal.cwd, keepsExtension }) };
}

interface Job {
  readonly values: Values;
  readonly terminal: Terminal;
  readonly remote: Remote;
  readonly plan: readonly Item[];
}

/** Whether the plan may be carried out. Throws UsageError where nobody can be asked. */
async function isAgreed({ values, terminal, remote, plan }: Job): Promise<boolean> {
  if (values.yes) return true;
  const count = plan.filter(isToDo).length;
  if (!terminal.isInteractive) {
    throw new UsageError(
      `nothing was changed: ${count} changes in '${remote.namespace}' need --yes, or --dry-run to see them`,
    );
  }
  return /^y(es)?$/i.test((await terminal.ask(`Make these ${count} changes in '${remote.namespace}'? [y/N] `)).trim());
}

function report({ values, plan }: Job, done: readonly Done[], more: object, text: string): Outcome {
  const hasTrouble =
    plan.some(({ change }) => change === 'conflict') || done.some(({ failure }) => failure !== undefined);
  return { text: values.json ? toJson({ ...more, items: done.map(toRecord) }) : text, isGood: !hasTrouble };
}

async function apply(job: Job): Promise<Outcome> {
  const { values, terminal, remote, plan } = job;
  const lines: string[] = [];
  const done = await carryOut(remote, plan, (one) => {
    if (isToDo(one.item) && !values.json) lines.push(doneLine(terminal, one));
  });
  const failed = done.filter(({ failure }) => failure !== undefined).length;
  const end =
    failed === 0 ? summary(plan, 'done') : `${summary(plan, 'done')}; ${failed} of them failed, import again to go on`;
  return report(job, done, { namespace: remote.namespace, applied: true }, [...lines, end].join('\n'));
}

/** Tells the plan, asks, and carries it out. */
async function offer(job: Job): Promise<Outcome> {
  const { values, terminal, remote, plan } = job;
  const shown = plan.filter(({ change }) => values.all || change !== 'unchanged');
  const planned = plan.map((item) => ({ item }));
  const isIdle = !plan.some(isToDo);
  const lines = [...shown.map((item) => planLine(terminal, item)), summary(plan, 'planned')];
  if (values['dry-run'] || isIdle) {
    return report(job, planned, { namespace: remote.namespace, applied: false }, lines.join('\n'));
  }
  if (!values.json && !values.yes) await terminal.write(`${lines.join('\n')}\n`);
  if (await isAgreed(job)) return apply(job);
  throw new CommandFailedError('nothing was changed');
}

async function run(values: Values, rest: readonly string[], terminal: Terminal): Promise<Outcome> {
  needWords('import', ['FILE.tar.gz|DIRECTORY', '[NAMESPACE]'], rest);
  const [name = '', into] = rest;
  const service = await openService(values, terminal);
  const folder = await mkdtemp(join(tmpdir(), 'weft-import-'));
  try {
    const { wanted, namespace: from } = await read(name, values, terminal, folder);
    const namespace = into ?? values.namespace ?? from ?? needNamespace(service);
    const note = (text: string) => terminal.tell(paint(terminal, 'yellow', `note: ${text}`));
    const remote = { service, namespace, note };
    const plan = await makePlan({ remote, wanted, cwd: terminal.cwd, isUnchecked: values['no-validate'] === true });
    return await offer({ values, terminal, remote, plan });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export const importCommand = defineCommand({
  about: 'Brings an archive, or a folder of workflow files, into a namespace; it deletes nothing',
  usage: ['import FILE.tar.gz [NAMESPACE] [--dry-run | --yes]', 'import DIRECTORY [NAMESPACE] [--dry-run | --yes]'],
  notes: [
    '--dry-run         tells what would change, and changes nothing',
    '-y, --yes         does not ask',
    '--all             tells also what stays as it is',
    '--no-validate     lets the service say what is wrong with workflows',
    '--keep-extension  a file wf.yaml is the workflow wf.yaml, and not wf',
    'Importing again does what is left, also after an interruption.',
    NAMESPACE_NOTE,
    ...PLACE_NOTES,
  ],
  options: OPTIONS,
  run,
});
