import { resolve } from 'node:path';
import { openService } from '../client/service.ts';
import { NAMESPACE_OPTION, TARGET_OPTIONS } from '../client/target.ts';
import {
  CommandFailedError,
  counted,
  defineCommand,
  needArguments,
  type Outcome,
  result,
  type ValuesOf,
} from '../shell/command.ts';
import { openProgress } from '../shell/progress.ts';
import { paint, type Terminal } from '../shell/terminal.ts';
import type { Counts, ExportJob } from '../transfer/export.ts';
import { hasNamespace } from '../transfer/remote.ts';

const OPTIONS = {
  quiet: {
    type: 'boolean',
    short: 'q',
    help: 'do not print the exported workflows; a terminal shows a bar instead of them',
  },
  ...NAMESPACE_OPTION,
  ...TARGET_OPTIONS,
} as const;

type Values = ValuesOf<typeof OPTIONS>;

const countsText = ({ workflows, revisions, directories, variables }: Counts): string =>
  [
    `${counted(workflows, 'workflow')} with ${counted(revisions, 'revision')}`,
    counted(directories, 'directory', 'directories'),
    counted(variables, 'variable'),
  ].join(', ');

/** Writes the archive; an incomplete one is removed. */
async function write(job: Omit<ExportJob, 'counts'>, notes: readonly string[]): Promise<Counts> {
  try {
    const { exportNamespace } = await import('../transfer/export.ts');
    const counts = await exportNamespace(job, { exportedAt: new Date().toISOString(), notes });
    await job.archive.end();
    return counts;
  } catch (error) {
    await job.archive.discard();
    throw error;
  }
}

async function run(values: Values, args: readonly string[], terminal: Terminal): Promise<Outcome> {
  const service = await openService(values, terminal);
  const words = args.length === 0 && service.namespace !== undefined ? [service.namespace] : args;
  needArguments('export', ['NAMESPACE', '[FILE.tar.gz]'], words);
  const [namespace = '', file = `${namespace}.tar.gz`] = words;
  const notes: string[] = [];
  const note = (text: string) => {
    notes.push(text);
    terminal.printStatus(paint(terminal, 'yellow', `note: ${text}`));
  };
  const remote = { service, namespace, note };
  if (!(await hasNamespace(remote))) {
    throw new CommandFailedError(`no namespace '${namespace}' at ${service.url}`, 404);
  }
  // Loaded late: the libraries are large, and few commands need them.
  const { openArchiveWriter } = await import('../transfer/archive-writer.ts');
  const archive = await openArchiveWriter(resolve(terminal.cwd, file));
  // A terminal shows a bar instead of the lines.
  const progress = openProgress(terminal, 'export');
  const isSilent = values.quiet === true || values.json === true || terminal.drawStatus !== undefined;
  const onExported = (path: string) => {
    progress.step();
    if (!isSilent) terminal.printStatus(`exported ${path}`);
  };
  const counts = await write({ remote, archive, onExported }, notes).finally(progress.end);
  return result(values, { namespace, file, ...counts, notes }, () => `${file}: ${countsText(counts)}`);
}

/** It uses only calls of the REST API, so that it works with every server that has this API, also with Direktiv. */
export const exportCommand = defineCommand({
  about: 'Writes a namespace of Weft or of Direktiv v0.6 to v0.8 to an archive',
  usage: ['export NAMESPACE [FILE.tar.gz]'],
  notes: [
    'The archive contains only the names of secrets and registries: no server returns their values or passwords.',
  ],
  options: OPTIONS,
  run,
});
