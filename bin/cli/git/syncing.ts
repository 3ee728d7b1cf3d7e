import { relative, sep } from 'node:path';
import type { Service } from '../client/service.ts';
import { findFolderConfig } from '../client/target.ts';
import { type Outcome, toJson } from '../shell/command.ts';
import type { Terminal } from '../shell/terminal.ts';
import {
  confirmation,
  dryRun,
  isExpected,
  outcomeOf,
  type PushJob,
  type PushValues,
  push,
} from '../workflows/pushing.ts';
import { type Checkout, headOf, needFolder, type Repository, withCheckout } from './checkout.ts';

/** The options that decide what a commit changes, and what is printed. */
export interface SyncValues extends PushValues {
  readonly 'dry-run'?: boolean | undefined;
  readonly prune?: boolean | undefined;
  readonly 'no-validate'?: boolean | undefined;
  readonly 'keep-extension'?: boolean | undefined;
}

/** A namespace that follows a repository. */
export interface SyncJob {
  readonly service: Service;
  readonly terminal: Terminal;
  readonly repository: Repository;
  /** The directory of the tree; undefined: as the repository says. */
  readonly as: string | undefined;
  readonly values: SyncValues;
}

/** Characters of a commit that are shown. */
export const SHORT = 12;

/** The tag of the revisions of a commit. */
const tagOf = ({ tag }: SyncValues, commit: string): string | undefined =>
  tag?.replaceAll('{commit}', commit.slice(0, SHORT));

/** As `weft push` of the folder: a `.weft.yaml` of the repository says to which folder paths are relative. */
async function toPush({ service, terminal, repository, as, values }: SyncJob, checkout: Checkout): Promise<PushJob> {
  const folder = await needFolder(checkout, repository);
  const { folder: home = folder } = (await findFolderConfig(folder, checkout.root)) ?? {};
  return {
    service,
    terminal: { ...terminal, cwd: folder },
    source: {
      name: '.',
      as: as ?? relative(home, folder).replaceAll(sep, '/'),
      keepsExtension: values['keep-extension'] === true,
    },
    skipsValidation: values['no-validate'] === true,
    tag: tagOf(values, checkout.commit),
    prunes: values.prune === true,
    confirm: confirmation(values, terminal),
  };
}

/** Brings the newest commit into the namespace. Throws UsageError, CommandFailedError, ServiceUnreachableError. */
export async function syncOnce(job: SyncJob): Promise<Outcome & { readonly commit: string; readonly subject: string }> {
  const { terminal, repository, values } = job;
  return withCheckout(terminal, repository, async (checkout) => {
    const { commit, subject } = checkout;
    const pushing = await toPush(job, checkout);
    const { text, isSuccess } = values['dry-run']
      ? await dryRun(pushing, values)
      : outcomeOf({ ...values, tag: pushing.tag }, terminal, (await push(pushing)).results);
    if (values.json) return { commit, subject, isSuccess, text: toJson({ commit, subject, items: JSON.parse(text) }) };
    const head = values.quiet && isSuccess ? [] : [`commit ${commit.slice(0, SHORT)} ${subject}`];
    return { commit, subject, isSuccess, text: [...head, text].join('\n') };
  });
}

/** What a look at the repository found. */
export interface Look {
  /** The commit that the namespace has now; empty: none yet. */
  readonly commit: string;
  readonly subject: string;
  /** What was done; undefined if there was no new commit. */
  readonly text?: string;
  /** Why the newest commit could not be brought into the namespace. */
  readonly failure?: string;
}

/**
 * Looks for a new commit, and brings it into the namespace. A failure that may be gone at the next look is part of the
 * result. Throws what is none, and when the signal of the terminal is aborted.
 */
export async function lookAgain(job: SyncJob, { commit, subject }: Pick<Look, 'commit' | 'subject'>): Promise<Look> {
  const { terminal, repository } = job;
  try {
    if ((await headOf(terminal, repository)) === commit) return { commit, subject };
    const { isSuccess, text, ...found } = await syncOnce(job);
    return isSuccess ? { ...found, text } : { commit, subject, text, failure: text };
  } catch (error) {
    if (terminal.signal.aborted || !isExpected(error)) throw error;
    return { commit, subject, failure: error.message };
  }
}
