import { resolve } from 'node:path';
import { openService } from '../client/service.ts';
import { NAMESPACE_NOTE, NAMESPACE_OPTION, PLACE_NOTES, PLACE_OPTIONS } from '../client/target.ts';
import { CommandFailedError, defineCommand, needWords, type Outcome, shown, type ValuesOf } from '../shell/command.ts';
import { paint, type Terminal } from '../shell/terminal.ts';
import { type Counts, exportNamespace } from '../transfer/exporting.ts';
import { type Archive, createArchive } from '../transfer/packing.ts';
import { hasNamespace, type Remote } from '../transfer/remote.ts';

const OPTIONS = { ...PLACE_OPTIONS, ...NAMESPACE_OPTION, quiet: { type: 'boolean', short: 'q' } } as const;

type Values = ValuesOf<typeof OPTIONS>;

const countsText = ({ workflows, revisions, directories, variables }: Counts): string =>
  `${workflows} workflows with ${revisions} revisions, ${directories} directories, ${variables} variables`;

async function write(
  remote: Remote,
  archive: Archive,
  notes: readonly string[],
  tell: (path: string) => void,
): Promise<Counts> {
  try {
    const counts = await exportNamespace({ remote, archive, tell }, { exportedAt: new Date().toISOString(), notes });
    await archive.end();
    return counts;
  } catch (error) {
    await archive.drop();
    throw error;
  }
}

async function run(values: Values, rest: readonly string[], terminal: Terminal): Promise<Outcome> {
  const service = await openService(values, terminal);
  const words = rest.length === 0 && service.namespace !== undefined ? [service.namespace] : rest;
  needWords('export', ['NAMESPACE', '[FILE.tar.gz]'], words);
  const [namespace = '', file = `${namespace}.tar.gz`] = words;
  const notes: string[] = [];
  const note = (text: string) => {
    notes.push(text);
    terminal.tell(paint(terminal, 'yellow', `note: ${text}`));
  };
  const remote = { service, namespace, note };
  if (!(await hasNamespace(remote)))
    throw new CommandFailedError(`404: there is no namespace '${namespace}' at ${service.url}`, 404);
  const archive = await createArchive(resolve(terminal.cwd, file));
  const tell = (path: string) => (values.quiet || values.json ? undefined : terminal.tell(`exported ${path}`));
  const counts = await write(remote, archive, notes, tell);
  return shown(values, { namespace, file, ...counts, notes }, () => `${file}: ${countsText(counts)}`);
}

/** Made of calls of the interface alone, so that it works with every server that serves it, of Direktiv too. */
export const exportCommand = defineCommand({
  about: 'Writes a namespace to an archive, of Weft or of Direktiv v0.6 to v0.8',
  usage: ['export NAMESPACE [FILE.tar.gz]'],
  notes: [
    '-q, --quiet       does not tell each workflow',
    'Values of secrets and passwords of registries are told by no server: the archive holds their names.',
    NAMESPACE_NOTE,
    ...PLACE_NOTES,
  ],
  options: OPTIONS,
  run,
});
