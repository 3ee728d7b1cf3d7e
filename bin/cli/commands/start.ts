import { defineCommand, needArguments, success, UsageError } from '../shell/command.ts';

export const start = defineCommand({
  about: 'Runs the whole service in this process until it is stopped',
  usage: ['start'],
  notes: ['Its settings are environment variables; README.md lists them.'],
  options: {},
  run: async (_, args) => {
    needArguments('start', [], args);
    try {
      const { main } = await import('../../server/main.ts');
      await main();
    } catch (error) {
      // The published package contains the command line, but not the service.
      if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
      throw new UsageError('this package has no service; run it in a clone of the repository, or deploy it to AWS');
    }
    return success('');
  },
});
