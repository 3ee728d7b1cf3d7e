import { defineCommand, type Options } from '../shell/command.ts';

const OPTIONS = {
  filter: { type: 'string', short: 'f', value: 'REGEX', help: 'run only the cases whose names match' },
  watch: { type: 'boolean', help: 'run again after each change of a file, until Ctrl-C' },
  coverage: { type: 'boolean', help: 'print which states, transitions and catches no case reaches' },
  crash: { type: 'string', value: 'every-step', help: 'run each case again with a crash after each of its commits' },
  events: { type: 'string', value: 'dup,reorder', help: 'deliver events twice, and in another order' },
  seed: { type: 'string', value: 'N', help: 'decides the other order of events (default: 1)' },
  format: { type: 'string', value: 'FORMAT', help: 'text, json, junit; default text' },
  timeout: { type: 'string', value: 'SECONDS', help: 'real time that one run of a case may take (default: 10)' },
} as const satisfies Options;

export const test = defineCommand({
  about: 'Runs the tests of workflows, in this process without a service',
  usage: ['test [FILE|FOLDER...]', 'test --crash every-step --events dup,reorder'],
  notes: [
    'Tests are files *.test.yaml beside workflows; docs/testing.md describes them. The default is the current folder.',
    'The time is virtual: a wait of 30 days takes milliseconds. Functions that are no subflows need a mock.',
  ],
  options: OPTIONS,
  run: async (values, args, terminal) => {
    // Loaded here: no other command needs it.
    const { runTests } = await import('../testing/command.ts');
    return runTests(values, args, terminal);
  },
});
