import { defineCommand, needArguments, needService, success } from '../shell/command.ts';

export const start = defineCommand({
  about: 'Runs the whole service in this process until it is stopped',
  usage: ['start'],
  notes: ['Its settings are environment variables; README.md lists them.'],
  options: {},
  run: async (_, args) => {
    needArguments('start', [], args);
    const { main } = await needService(() => import('../../server/main.ts'));
    await main();
    return success('');
  },
});
