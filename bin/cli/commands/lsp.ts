import { defineCommand, needArguments, success } from '../shell/command.ts';

export const lsp = defineCommand({
  about: 'Serves an editor: problems, completion, descriptions, definitions, renames and formatting of workflow files',
  usage: ['lsp'],
  notes: [
    'An editor starts it and talks to it by the Language Server Protocol over the standard input and output.',
    'docs/editors.md explains how to configure an editor.',
  ],
  options: {
    stdio: { type: 'boolean', help: 'use the standard input and output, the default' },
  },
  run: async (_values, args, terminal) => {
    needArguments('lsp', [], args);
    // Loaded late: the library is large, and no other command needs it.
    const { serveLanguage } = await import('../language-server/main.ts');
    await serveLanguage(terminal.input, process.stdout, terminal.signal);
    return success('');
  },
});
