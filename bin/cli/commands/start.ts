import { defineCommand, importOrExplain, needArguments, success } from '../shell/command.ts';

export const start = defineCommand({
  about: 'Runs the whole service in this process until it is stopped',
  usage: ['start'],
  notes: [
    'Its settings are environment variables, for example PORT (8080), HOST (127.0.0.1), WEFT_DATA (the data folder, .weft)',
    'and APIKEY (generated at the first start). docs/local.md lists all.',
  ],
  options: {},
  run: async (_, args, terminal) => {
    needArguments('start', [], args);
    const { main } = await importOrExplain(() => import('../../server/main.ts'));
    await main(async (service) => (await import('../git/following.ts')).followAll(service, terminal.env));
    return success('');
  },
});
