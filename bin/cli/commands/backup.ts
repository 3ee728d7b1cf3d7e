import { existsSync } from 'node:fs';
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

const OPTIONS = {
  ...DATA_OPTION,
  verify: { type: 'boolean', help: 'check that FILE is a whole backup, and write nothing' },
} as const;

type Values = ValuesOf<typeof OPTIONS>;

const partsText = (files: readonly string[]): string => ['the database with all blobs', ...files].join(', ');

type Server = typeof import('../../server/backup.ts');

function verifyFile({ verify }: Server, values: Values, file: string): Outcome {
  if (!existsSync(file)) throw new Error(`${file} cannot be verified: there is no such file`);
  const files = verify(file);
  return result(values, { file, files }, () => `${file}: whole, with ${partsText(files)}`);
}

function copyFolder({ backUp }: Server, values: Values, folder: string, target: string): Outcome {
  const contents = backUp(folder, target);
  const { file, bytes, files } = contents;
  return result(values, { folder, ...contents }, () => `${file}: ${sizeText(bytes)} with ${partsText(files)}`);
}

async function run(values: Values, args: readonly string[], terminal: Terminal): Promise<Outcome> {
  needArguments('backup', ['FILE'], args);
  const server = await importOrExplain(() => import('../../server/backup.ts'));
  const file = resolve(terminal.cwd, args[0] ?? '');
  const folder = values.verify ? undefined : dataFolderOf(values, terminal);
  try {
    terminal.drawStatus?.(folder === undefined ? 'backup  reading …' : 'backup  copying …');
    return folder === undefined ? verifyFile(server, values, file) : copyFolder(server, values, folder, file);
  } catch (error) {
    throw new CommandFailedError(error instanceof Error ? error.message : String(error));
  } finally {
    terminal.drawStatus?.('');
  }
}

export const backup = defineCommand({
  about: 'Copies the data of a local service into one file, also while the service runs',
  usage: ['backup FILE [--data FOLDER]', 'backup --verify FILE'],
  notes: [
    'Run it on the machine of the service, as its user. It reads the data folder and needs no key.',
    'The file contains the keys that encrypt secrets: store it where only administrators can read it.',
    'A key in APIKEY, other settings, and tables at DYNAMODB_ENDPOINT are not in the file.',
  ],
  options: OPTIONS,
  run,
});
