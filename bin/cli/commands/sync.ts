import { setTimeout } from 'node:timers/promises';
import { parseGoDuration } from '../../../lib/time/go-durations.ts';
import { needNamespace, openService } from '../client/service.ts';
import { needRepository } from '../git/checkout.ts';
import { lookAgain, type SyncJob, syncOnce } from '../git/syncing.ts';
import { defineCommand, needArguments, type Outcome, UsageError } from '../shell/command.ts';
import { paint } from '../shell/terminal.ts';
import { needTag } from '../workflows/history.ts';
import { PUSH_OPTIONS } from '../workflows/pushing.ts';

const OPTIONS = {
  branch: { type: 'string', value: 'BRANCH', help: 'branch of the repository (default: that of the server)' },
  folder: { type: 'string', value: 'FOLDER', help: 'folder of the repository with the workflows (default: all of it)' },
  tag: {
    type: 'string',
    value: 'TAG',
    help: 'let this tag name the revision of each workflow; {commit} in it is the beginning of the commit',
  },
  signed: { type: 'boolean', help: 'refuse a commit whose signature git verify-commit does not accept' },
  watch: {
    type: 'string',
    value: 'DURATION',
    help: 'look for a new commit in this interval, such as 1m, until Ctrl-C; at least 1s',
  },
  ...PUSH_OPTIONS,
} as const;

const MIN_INTERVAL_MS = 1_000;
/** A timer of Node with more than 2^31 - 1 ms ends at once. */
const MAX_INTERVAL_MS = 576 * 3_600_000;

function intervalOf(text: string): number {
  const ms = parseGoDuration(text);
  if (ms !== undefined && ms >= MIN_INTERVAL_MS && ms <= MAX_INTERVAL_MS) return ms;
  throw new UsageError(`--watch: '${text}' is no duration of at least 1s and at most 576h; write it as 30s, 1m or 1h`);
}

/** Brings each new commit into the namespace, until Ctrl-C. What failed is tried again, and reported once. */
async function follow(job: SyncJob, intervalMs: number): Promise<Outcome> {
  const { terminal } = job;
  let last = { commit: '', subject: '' };
  let said = '';
  while (!terminal.signal.aborted) {
    const { text, failure, ...found } = await lookAgain(job, last);
    last = found;
    const news = text ?? failure ?? '';
    if (news !== '' && news !== said) {
      if (text === undefined) terminal.printStatus(paint(terminal, 'red', `weft: ${failure}`));
      else await terminal.print(`${text}\n`);
      said = news;
    }
    await setTimeout(intervalMs, undefined, { signal: terminal.signal });
  }
  return { text: '', isSuccess: true };
}

export const sync = defineCommand({
  about: 'Brings the workflows of a branch of a Git repository into a namespace, once or after each commit',
  usage: [
    'sync URL [PATH] [--branch BRANCH] [--folder FOLDER] [--prune] [--dry-run] [--tag TAG] [--signed]',
    'sync URL [PATH] --watch DURATION [--prune --yes]',
  ],
  notes: [
    "URL is that of a repository as for 'git clone': https, http, ssh or a folder. PATH is a directory of the namespace.",
    'The program git must be installed; it asks nothing. WEFT_GIT_TOKEN is sent to the server of an http or https URL.',
    "Files become workflows and variables as in 'weft push' of the folder. Submodules, links and Git LFS are not followed.",
  ],
  options: OPTIONS,
  run: async (values, args, terminal) => {
    needArguments('sync', ['URL', '[PATH]'], args);
    const [url = '', as] = args;
    const { branch, folder = '', watch } = values;
    const repository = { url, branch, folder, isSigned: values.signed === true };
    needRepository(repository);
    const interval = watch === undefined ? undefined : intervalOf(watch);
    if (interval !== undefined && values['dry-run']) throw new UsageError('--watch is not for --dry-run');
    if (interval !== undefined && values.prune && !values.yes) throw new UsageError('--watch with --prune needs --yes');
    if (values.tag !== undefined) needTag(values.tag);
    const service = await openService(values, terminal);
    needNamespace(service);
    const job = { service, terminal, repository, as, values };
    return interval === undefined ? syncOnce(job) : follow(job, interval);
  },
});
