import { resolve } from 'node:path';
import { type Options, UsageError } from './command.ts';
import type { Terminal } from './terminal.ts';

/** The option that names the data folder of a local service. */
export const DATA_OPTION = {
  data: { type: 'string', value: 'FOLDER', help: 'the data folder (default: WEFT_DATA, or .weft)' },
} as const satisfies Options;

/** The path of the data folder. Throws UsageError when the tables of the service are elsewhere. */
export function dataFolderOf({ data }: { readonly data?: string | undefined }, { env, cwd }: Terminal): string {
  if (env['DYNAMODB_ENDPOINT']) {
    throw new UsageError('DYNAMODB_ENDPOINT is set: the tables are in that database, and are backed up there');
  }
  return resolve(cwd, data || env['WEFT_DATA'] || '.weft');
}
