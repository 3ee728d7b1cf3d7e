import { defineCommand, type Options, UsageError } from '../shell/command.ts';

const OPTIONS = {
  workflow: {
    type: 'string',
    short: 'w',
    value: 'FILE',
    help: 'the workflow (default: the file with its path below the current folder, else the revision that ran)',
  },
  'write-test': { type: 'string', value: 'FILE', help: 'write a test of the run, for weft test: NAME.test.yaml' },
  timeout: { type: 'string', value: 'SECONDS', help: 'real time that the replay may take (default: 10)' },
} as const satisfies Options;

export const replay = defineCommand({
  about: "Runs a workflow again with all that a run saw, in this process, from a file of 'weft instances bundle'",
  usage: ['replay BUNDLE [--workflow FILE]', 'replay BUNDLE --write-test NAME.test.yaml'],
  notes: [
    'Functions are not called: the recorded results answer. Fails if the workflow goes another way than the run did.',
  ],
  options: OPTIONS,
  run: async (values, [file], terminal) => {
    if (file === undefined) throw new UsageError("no bundle given; 'weft instances bundle INSTANCE' writes one");
    // Loaded here: no other command needs it.
    const { replayBundle } = await import('../testing/replay/command.ts');
    return replayBundle(values, file, terminal);
  },
});
