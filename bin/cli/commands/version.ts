import { packageVersion } from '../../../lib/adapters/portable/package.ts';
import { defineCommand, needArguments, result } from '../shell/command.ts';

export const version = defineCommand({
  about: 'Prints the version of this program',
  usage: ['version'],
  options: {},
  run: async (values, args) => {
    needArguments('version', [], args);
    return result(values, { version: packageVersion() }, packageVersion);
  },
});
