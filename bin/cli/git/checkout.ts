import { mkdtemp, realpath, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve, sep } from 'node:path';
import { CommandFailedError, UsageError } from '../shell/command.ts';
import { BOUNDS, checkOutWithin, cloneWithin } from './bounds.ts';
import { type GitCall, git } from './program.ts';

/** What is followed of a repository. */
export interface Repository {
  readonly url: string;
  /** Undefined: the branch that the server names as its default. */
  readonly branch: string | undefined;
  /** A folder of it with slashes; empty: all. */
  readonly folder: string;
  /** A commit needs a signature that Git verifies. */
  readonly isSigned: boolean;
}

/** A commit of the repository in a folder. */
export interface Checkout {
  /** The folder of the whole repository; it has no link in its path. */
  readonly root: string;
  readonly commit: string;
  /** The first line of its message. */
  readonly subject: string;
}

/** Characters that Git does not allow in the name of a branch, and `..` and `@{`, which select other commits. */
const NO_BRANCH = /^[-/]|[\s~^:?*[\\]|\p{Cc}|\.\.|@\{|\/$|\.lock$/u;

/** Throws UsageError for a URL or a branch that Git would read as something else. */
export function needRepository({ url, branch, folder }: Repository): void {
  if (url === '' || url.startsWith('-') || url.includes('::')) {
    throw new UsageError(
      `'${url}' is no URL of a repository; write it as https://HOST/PATH, git@HOST:PATH or a folder`,
    );
  }
  const { protocol, password, username } = URL.parse(url) ?? {};
  // Other users of the computer see the arguments of Git.
  if (password || (username && /^https?:$/.test(protocol ?? ''))) {
    throw new UsageError('the URL has credentials; set WEFT_GIT_TOKEN, or use a credential helper of Git');
  }
  if (branch !== undefined && (branch === '' || NO_BRANCH.test(branch))) {
    throw new UsageError(`'${branch}' is no name of a branch`);
  }
  if (folder.split('/').includes('..')) throw new UsageError(`--folder: '${folder}' is outside of the repository`);
}

const refOf = ({ branch }: Repository): string => (branch === undefined ? 'HEAD' : `refs/heads/${branch}`);

/**
 * The commit to which the branch points, by one request that transfers no files. Throws CommandFailedError for a repository
 * that cannot be read and for a branch that does not exist.
 */
export async function headOf(terminal: GitCall['terminal'], repository: Repository): Promise<string> {
  const { url, branch } = repository;
  const ref = refOf(repository);
  const rows = (await git({ terminal, url }, ['ls-remote', '--', url, ref])).split('\n').map((row) => row.split('\t'));
  const commit = rows.find(([, name]) => name === ref)?.[0];
  if (commit !== undefined) return commit;
  const what = branch === undefined ? 'a commit on its default branch' : `a branch '${branch}'`;
  throw new CommandFailedError(`${url} has not ${what}`);
}

async function verify(call: GitCall, commit: string): Promise<void> {
  await git(call, ['verify-commit', commit]).catch((error: unknown) => {
    if (!(error instanceof CommandFailedError)) throw error;
    const reason = error.message.replace(/^git verify-commit:\s*/, '') || 'it has no signature';
    throw new CommandFailedError(`the signature of the commit ${commit} is not accepted: ${reason}; nothing was sent`);
  });
}

/** The path of the folder in the checkout. Throws UsageError if there is none, or if a link leads out of the repository. */
export async function needFolder({ root }: Pick<Checkout, 'root'>, { url, folder }: Repository): Promise<string> {
  const path = await realpath(resolve(root, folder)).catch(() => undefined);
  if (path === undefined || !(await stat(path)).isDirectory()) throw new UsageError(`${url} has no folder '${folder}'`);
  if (path === root || path.startsWith(root + sep)) return path;
  throw new UsageError(`--folder: '${folder}' is a link that leads out of the repository`);
}

/**
 * Clones the newest commit of the branch into a new folder, calls `use`, and removes the folder. Nothing is kept, so that a
 * call that is killed leaves no lock behind. Throws UsageError, CommandFailedError, also for a commit that exceeds the bounds,
 * and what `use` throws.
 */
export async function withCheckout<T>(
  terminal: GitCall['terminal'],
  repository: Repository,
  use: (checkout: Checkout) => Promise<T>,
  bounds = BOUNDS,
): Promise<T> {
  const { url, branch, isSigned } = repository;
  const root = join(await realpath(await mkdtemp(join(tmpdir(), 'weft-sync-'))), 'repository');
  try {
    const options = ['--quiet', '--depth=1', '--single-branch', '--no-tags', '--no-local', '--template='];
    const ofBranch = branch === undefined ? [] : [`--branch=${branch}`];
    await cloneWithin({ terminal, url }, [...options, ...ofBranch], root, bounds.transferred);
    const call = { terminal, url, folder: root };
    const [commit = '', subject = ''] = (await git(call, ['log', '-1', '--format=%H%n%s'])).split('\n');
    if (isSigned) await verify(call, commit);
    await checkOutWithin(call, bounds);
    return await use({ root, commit, subject });
  } finally {
    await rm(join(root, '..'), { recursive: true, force: true, maxRetries: 3 });
  }
}
