import { resolve } from 'node:path';
import { openService } from '../client/service.ts';
import { NAMESPACE_OPTION, TARGET_OPTIONS } from '../client/target.ts';
import {
  CommandFailedError,
  defineCommand,
  needArguments,
  type Outcome,
  result,
  type ValuesOf,
} from '../shell/command.ts';
import { paint, type Terminal } from '../shell/terminal.ts';
import type { Counts, ExportJob } from '../transfer/export.ts';
import { hasNamespace } from '../transfer/remote.ts';

const OPTIONS = {
  quiet: { type: 'boolean', short: 'q', help: 'do not print the exported workflows' },
  ...NAMESPACE_OPTION,
  ...TARGET_OPTIONS,
} as const;

type Values = ValuesOf<typeof OPTIONS>;

const countsText = ({ workflows, revisions, directories, variables }: Counts): string =>
  `${workflows} workflows with ${revisions} revisions, ${directories} directories, ${variables} variables`;

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
    throw new CommandFailedError(`404: there is no namespace '${namespace}' at ${service.url}`, 404);
  }
  // Loaded late: the libraries are large, and few commands need them.
  const { openArchiveWriter } = await import('../transfer/archive-writer.ts');
  const archive = await openArchiveWriter(resolve(terminal.cwd, file));
  const onExported = (path: string) =>
    values.quiet || values.json ? undefined : terminal.printStatus(`exported ${path}`);
  const counts = await write({ remote, archive, onExported }, notes);
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
