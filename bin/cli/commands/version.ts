import { packageVersion } from '../../../lib/adapters/portable/package.ts';
import { defineCommand, good, toJson, UsageError } from '../shell/command.ts';

/** The version of this program, which is that of the service it came with. */
export const version = defineCommand({
  about: 'Prints the version of this program',
  usage: ['version'],
  notes: [],
  options: {},
  run: async ({ json }, rest) => {
    if (rest.length > 0) throw new UsageError(`'version' takes no '${rest[0]}'`);
    return good(json ? toJson({ version: packageVersion() }) : packageVersion());
  },
});
