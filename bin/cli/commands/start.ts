import { defineCommand, good, UsageError } from '../shell/command.ts';

/** The whole service in this process, until it is stopped. */
export const start = defineCommand({
  about: 'Runs the whole service in this process',
  usage: ['start'],
  notes: ['Its settings are environment variables; README.md tells them.'],
  options: {},
  run: async (_, rest) => {
    if (rest.length > 0) throw new UsageError(`'start' takes no '${rest[0]}'; its settings are environment variables`);
    try {
      const { main } = await import('../../server/main.ts');
      await main();
    } catch (error) {
      // The package has the command line alone, in one file.
      if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
      throw new UsageError('this is the command line alone; the service starts in a clone of the repository');
    }
    return good('');
  },
});
