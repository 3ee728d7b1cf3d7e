import { resolve } from 'node:path';
import {
  CommandFailedError,
  defineCommand,
  importOrExplain,
  needArguments,
  type Outcome,
  result,
  sizeText,
  type ValuesOf,
} from '../shell/command.ts';
import { DATA_OPTION, dataFolderOf } from '../shell/data-folder.ts';
import type { Terminal } from '../shell/terminal.ts';

const OPTIONS = { ...DATA_OPTION } as const;

type Values = ValuesOf<typeof OPTIONS>;

async function run(values: Values, args: readonly string[], terminal: Terminal): Promise<Outcome> {
  needArguments('backup', ['FILE'], args);
  const { backUp } = await importOrExplain(() => import('../../server/backup.ts'));
  const folder = dataFolderOf(values, terminal);
  try {
    terminal.drawStatus?.('backup  copying …');
    const contents = backUp(folder, resolve(terminal.cwd, args[0] ?? ''));
    const { file, bytes, files } = contents;
    const parts = ['the database with all blobs', ...files].join(', ');
    return result(values, { folder, ...contents }, () => `${file}: ${sizeText(bytes)} with ${parts}`);
  } catch (error) {
    throw new CommandFailedError(error instanceof Error ? error.message : String(error));
  } finally {
    terminal.drawStatus?.('');
  }
}

export const backup = defineCommand({
  about: 'Copies the data of a local service into one file, also while the service runs',
  usage: ['backup FILE [--data FOLDER]'],
  notes: [
    'Run it on the machine of the service, as its user. It reads the data folder and needs no key.',
    'The file contains the keys that encrypt secrets: store it where only administrators can read it.',
    'A key in APIKEY, other settings, and tables at DYNAMODB_ENDPOINT are not in the file.',
  ],
  options: OPTIONS,
  run,
});
