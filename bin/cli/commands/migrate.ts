import { NAMESPACE_OPTION, TARGET_OPTIONS } from '../client/target.ts';
import { defineCommand } from '../shell/command.ts';
import { limitOption } from '../shell/limit.ts';

const OPTIONS = {
  write: { type: 'boolean', short: 'w', help: 'write the changes into the files, without a question' },
  out: { type: 'string', value: 'FILE.tar.gz', help: 'write the migrated archive to this file' },
  quiet: { type: 'boolean', short: 'q', help: 'print no differences of texts' },
  'keep-extension': { type: 'boolean', help: 'the file wf.yaml is the workflow wf.yaml instead of wf' },
  compare: { type: 'string', value: 'URL', help: 'run what this server of Direktiv has run, and compare the outcomes' },
  'compare-key': { type: 'string', value: 'KEY', help: 'API key of that server' },
  limit: limitOption('runs of the other server'),
  yes: { type: 'boolean', short: 'y', help: 'do not ask for confirmation' },
  ...NAMESPACE_OPTION,
  ...TARGET_OPTIONS,
} as const;

export const migrateCommand = defineCommand({
  about: 'Rewrites workflows of Direktiv v0.5 to v0.8 for this service, and reports what differs',
  usage: [
    'migrate FILE|FOLDER [--write]',
    'migrate ARCHIVE.tar.gz [--out FILE.tar.gz]',
    'migrate --compare URL [WORKFLOW...] [--yes]',
  ],
  notes: [
    'It prints each change and the difference, and writes only with --write or --out, or after a confirmation.',
    'The tables count the constructs that work the same, differ or are unsupported, and the images with what replaces them.',
    '--compare reads the latest runs of the other server, runs their inputs here, and compares status, error code and output. It changes nothing there; here the workflows have all their effects.',
    'docs/from-direktiv.md has the five steps.',
  ],
  options: OPTIONS,
  run: async (values, args, terminal) => {
    // Loaded late: the libraries are large, and few commands need them.
    const { runMigration } = await import('../migration/main.ts');
    return runMigration(values, args, terminal);
  },
});
