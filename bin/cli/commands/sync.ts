import { setTimeout } from 'node:timers/promises';
import { parseGoDuration } from '../../../lib/time/go-durations.ts';
import { needNamespace, openService, type Service } from '../client/service.ts';
import { findFolderConfig, NAMESPACE_OPTION, TARGET_OPTIONS } from '../client/target.ts';
import { type Checkout, headOf, needFolder, needRepository, type Repository, withCheckout } from '../git/checkout.ts';
import { defineCommand, needArguments, type Outcome, toJson, UsageError, type ValuesOf } from '../shell/command.ts';
import { paint, type Terminal } from '../shell/terminal.ts';
import { needTag } from '../workflows/history.ts';
import { confirmation, dryRun, isExpected, outcomeOf, type PushJob, push } from './push.ts';

const OPTIONS = {
  branch: { type: 'string', value: 'BRANCH', help: 'branch of the repository (default: that of the server)' },
  folder: { type: 'string', value: 'FOLDER', help: 'folder of the repository with the workflows (default: all of it)' },
  'dry-run': { type: 'boolean', help: 'print what would change, with differences and prices; send nothing' },
  prune: { type: 'boolean', help: 'delete workflows of the directory that the folder does not contain' },
  yes: { type: 'boolean', short: 'y', help: 'do not ask before --prune deletes' },
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
  'no-validate': { type: 'boolean', help: 'do not validate workflows before they are sent' },
  'keep-extension': { type: 'boolean', help: 'the file wf.yaml is the workflow wf.yaml instead of wf' },
  quiet: { type: 'boolean', short: 'q', help: 'print only failures' },
  ...NAMESPACE_OPTION,
  ...TARGET_OPTIONS,
} as const;

type Values = ValuesOf<typeof OPTIONS>;

/** A namespace that follows a repository. */
interface SyncJob {
  readonly service: Service;
  readonly terminal: Terminal;
  readonly repository: Repository;
  /** The directory of the tree; undefined: as the repository says. */
  readonly as: string | undefined;
  readonly values: Values;
}

const MIN_INTERVAL_MS = 1_000;

function intervalOf(text: string): number {
  const ms = parseGoDuration(text);
  if (ms !== undefined && ms >= MIN_INTERVAL_MS) return ms;
  throw new UsageError(`--watch: '${text}' is no duration of at least 1s; write it as 30s, 1m or 1h`);
}

const SHORT = 12;

/** The tag of the revisions of a commit. */
const tagOf = ({ tag }: Values, commit: string): string | undefined =>
  tag?.replaceAll('{commit}', commit.slice(0, SHORT));

/** As `weft push` of the folder: a `.weft.yaml` of the repository says to which folder paths are relative. */
async function toPush({ service, terminal, repository, as, values }: SyncJob, checkout: Checkout): Promise<PushJob> {
  const folder = await needFolder(checkout, repository);
  const home = (await findFolderConfig(folder))?.folder;
  const isHome = home !== undefined && `${home}/`.startsWith(`${checkout.root}/`);
  return {
    service,
    terminal: { ...terminal, cwd: folder },
    source: { name: '.', as: as ?? (isHome ? undefined : ''), keepsExtension: values['keep-extension'] === true },
    skipsValidation: values['no-validate'] === true,
    tag: tagOf(values, checkout.commit),
    prunes: values.prune === true,
    confirm: confirmation(values, terminal),
  };
}

/** Brings the newest commit into the namespace. Throws UsageError, CommandFailedError, ServiceUnreachableError. */
async function syncOnce(job: SyncJob): Promise<Outcome & { readonly commit: string }> {
  const { terminal, repository, values } = job;
  return withCheckout(terminal, repository, async (checkout) => {
    const { commit, subject } = checkout;
    const pushing = await toPush(job, checkout);
    const { text, isSuccess } = values['dry-run']
      ? await dryRun(pushing, values)
      : outcomeOf({ ...values, tag: pushing.tag }, terminal, (await push(pushing)).results);
    if (values.json) return { commit, isSuccess, text: toJson({ commit, subject, items: JSON.parse(text) }) };
    const head = values.quiet && isSuccess ? [] : [`commit ${commit.slice(0, SHORT)} ${subject}`];
    return { commit, isSuccess, text: [...head, text].join('\n') };
  });
}

/** Brings each new commit into the namespace, until Ctrl-C. What failed is tried again, and reported once. */
async function follow(job: SyncJob, intervalMs: number): Promise<Outcome> {
  const { terminal, repository } = job;
  let done = '';
  let said = '';
  const say = async (text: string, print: () => Promise<void> | void): Promise<void> => {
    if (text !== said) await print();
    said = text;
  };
  while (!terminal.signal.aborted) {
    try {
      if ((await headOf(terminal, repository)) !== done) {
        const { commit, text, isSuccess } = await syncOnce(job);
        if (isSuccess) done = commit;
        await say(text, () => terminal.print(`${text}\n`));
      }
    } catch (error) {
      if (terminal.signal.aborted || !isExpected(error)) throw error;
      await say(error.message, () => terminal.printStatus(paint(terminal, 'red', `weft: ${error.message}`)));
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
