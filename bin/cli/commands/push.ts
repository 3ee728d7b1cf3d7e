import { resolve } from 'node:path';
import { needNamespace, openService } from '../client/service.ts';
import { defineCommand, needArguments, type Outcome } from '../shell/command.ts';
import { paint } from '../shell/terminal.ts';
import { watchChanges } from '../shell/watching.ts';
import { needTag } from '../workflows/history.ts';
import {
  confirmation,
  dryRun,
  isExpected,
  outcomeOf,
  PUSH_OPTIONS,
  type PushJob,
  type PushValues,
  push,
} from '../workflows/pushing.ts';

const OPTIONS = {
  tag: {
    type: 'string',
    value: 'TAG',
    help: 'let this tag name the pushed revision of each workflow, also of one that is unchanged',
  },
  watch: { type: 'boolean', help: 'push again after each change of a file, until Ctrl-C' },
  ...PUSH_OPTIONS,
} as const;

/** Pushes after each change of the file or folder, until Ctrl-C. */
async function pushOnChange(job: PushJob, values: PushValues): Promise<Outcome> {
  const { terminal, source } = job;
  const changes = await watchChanges(resolve(terminal.cwd, source.name), terminal.signal);
  do {
    try {
      await terminal.print(`${outcomeOf(values, terminal, (await push(job)).results).text}\n`);
    } catch (error) {
      if (terminal.signal.aborted || !isExpected(error)) throw error;
      terminal.printStatus(paint(terminal, 'red', `weft: ${error.message}`));
    }
    terminal.printStatus(`watching ${source.name} …`);
  } while (!(await changes.next()).done);
  return { text: '', isSuccess: true };
}

export const pushCommand = defineCommand({
  about: 'Validates workflow files, then creates and updates their workflows',
  usage: [
    'push FILE.yaml [PATH]',
    'push DIRECTORY [PATH]',
    'push FILE.yaml|DIRECTORY [PATH] --watch',
    'push DIRECTORY [PATH] [--prune] [--dry-run] [--tag TAG]',
  ],
  notes: [
    'The file wf.yaml.NAME is the variable NAME of the workflow of wf.yaml.',
    'Files that .weftignore or .direktivignore match are skipped.',
    'Paths are relative to the folder of .weft.yaml (or .direktiv.yaml) if there is one, else to the argument.',
  ],
  options: OPTIONS,
  run: async (values, args, terminal) => {
    needArguments('push', ['FILE.yaml|DIRECTORY', '[PATH]'], args);
    const [name = '', as] = args;
    if (values.tag !== undefined) needTag(values.tag);
    const service = await openService(values, terminal);
    needNamespace(service);
    const source = { name, as, keepsExtension: values['keep-extension'] === true };
    const job = {
      service,
      terminal,
      source,
      skipsValidation: values['no-validate'] === true,
      tag: values.tag,
      prunes: values.prune === true,
      confirm: confirmation(values, terminal),
    };
    if (values['dry-run']) return dryRun(job, values);
    if (values.watch) return pushOnChange(job, values);
    return outcomeOf(values, terminal, (await push(job)).results);
  },
});
