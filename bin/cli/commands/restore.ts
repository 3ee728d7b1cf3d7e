import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import {
  CommandFailedError,
  defineCommand,
  importOrExplain,
  needArguments,
  type Outcome,
  result,
  type ValuesOf,
} from '../shell/command.ts';
import { DATA_OPTION, dataFolderOf } from '../shell/data-folder.ts';
import type { Terminal } from '../shell/terminal.ts';

const OPTIONS = { ...DATA_OPTION } as const;

type Values = ValuesOf<typeof OPTIONS>;

async function run(values: Values, args: readonly string[], terminal: Terminal): Promise<Outcome> {
  needArguments('restore', ['FILE'], args);
  const file = resolve(terminal.cwd, args[0] ?? '');
  const server = await importOrExplain(() => import('../../server/backup.ts'));
  try {
    if (!existsSync(file)) throw new CommandFailedError(`${file} cannot be restored: there is no such file`);
    const restored = server.restore(file, dataFolderOf(values, terminal));
    const parts = ['the database with all blobs', ...restored.files].join(', ');
    return result(values, restored, () => `${restored.folder}: ${parts}`);
  } catch (error) {
    throw new CommandFailedError(error instanceof Error ? error.message : String(error));
  }
}

export const restore = defineCommand({
  about: 'Makes the data folder of a local service from a backup',
  usage: ['restore FILE [--data FOLDER]'],
  notes: [
    'The folder must have no data. Start the service on it afterwards: its runs continue from the time of the backup.',
  ],
  options: OPTIONS,
  run,
});
