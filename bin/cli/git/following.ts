import { ownMember } from '../../../lib/language/own-members.ts';
import type { Followed } from '../../server/follow/followed.ts';
import type { FollowSettings } from '../../server/follow/settings.ts';
import { namespacePath, type Service, serviceAt } from '../client/service.ts';
import { CommandFailedError, UsageError } from '../shell/command.ts';
import type { Terminal } from '../shell/terminal.ts';
import { visibleText } from '../shell/visible-text.ts';
import type { Change } from '../transfer/plan.ts';
import { summary } from '../transfer/report.ts';
import { needTag } from '../workflows/history.ts';
import { isExpected } from '../workflows/pushing.ts';
import { headOf, needRepository, type Repository } from './checkout.ts';
import { type Ended, runChild } from './children.ts';
import { type GitCall, git, serverOf } from './program.ts';
import { SHORT } from './syncing.ts';

/** The service whose namespaces follow repositories. */
export interface FollowingService {
  readonly url: string;
  readonly key: string;
  readonly followed: readonly Followed[];
}

type Environment = Terminal['env'];

/** What Git and ssh read; none of the secrets of the service. */
const OF_GIT =
  /^(?:PATH|HOME|USER|LOGNAME|TMPDIR|LANG|GNUPGHOME|SSL_CERT_(?:FILE|DIR)|(?:SSH|GIT|XDG)_\w+|(?:HTTPS?|ALL|NO)_PROXY|(?:https?|all|no)_proxy)$/;

function environmentFor({ settings }: Followed, { url, key }: FollowingService, env: Environment): Environment {
  const own = Object.entries(env).filter(([name]) => OF_GIT.test(name));
  const target = { WEFT_URL: url, WEFT_KEY: key, WEFT_NAMESPACE: settings.namespace };
  return { ...Object.fromEntries(own), ...target, WEFT_GIT_TOKEN: ownMember(env, settings.token ?? 'WEFT_GIT_TOKEN') };
}

/** Throws UsageError without the program git: else only the list of what is followed would say so. */
async function needGit(terminal: GitCall['terminal']): Promise<void> {
  await git({ terminal, url: '' }, ['--version']).catch((error: unknown) => {
    if (!(error instanceof UsageError)) throw error;
    throw new UsageError(`WEFT_FOLLOW: ${error.message}, or use an image that has it (docs/one-machine.md)`);
  });
}

/** Throws UsageError for a token that no variable has, and for one that would go to several servers. */
function needTokens(followed: readonly Followed[], env: Environment): void {
  for (const { settings } of followed) {
    if (!settings.token || ownMember(env, settings.token)) continue;
    throw new UsageError(
      `WEFT_FOLLOW: the 'token' of '${settings.namespace}' names the variable ${settings.token}, which is not set; ` +
        "set it, or write 'token': '' for a repository that needs none",
    );
  }
  const unnamed = followed.map(({ settings }) => settings).filter(({ token }) => token === undefined);
  const byServer = new Map(unnamed.map(({ url, namespace }) => [serverOf(url), namespace] as const));
  byServer.delete(undefined);
  const [first, other] = byServer;
  if (!env['WEFT_GIT_TOKEN'] || first === undefined || other === undefined) return;
  throw new UsageError(
    `WEFT_FOLLOW: WEFT_GIT_TOKEN is for one server, but '${first[1]}' follows ${first[0]} and '${other[1]}' ` +
      `${other[0]}; let 'token' of each name the variable with its token, ` +
      'or be empty for a repository that needs none',
  );
}

function repositoryOf({ settings }: Followed): Repository {
  const { url, branch, folder = '', signed = false, tag } = settings;
  const repository = { url, branch, folder, isSigned: signed };
  needRepository(repository);
  if (tag !== undefined) needTag(tag);
  return repository;
}

async function createNamespace(service: Service, namespace: string): Promise<void> {
  const conflict = 409;
  await service.call('PUT', namespacePath(namespace)).catch((error: unknown) => {
    if (!(error instanceof CommandFailedError) || error.status !== conflict) throw error;
  });
}

/** One commit at a time: a large repository takes the memory and the disk of one. */
type Turn = <T>(work: () => Promise<T>) => Promise<T>;

function inTurns(): Turn {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const mine = last.then(work);
    last = mine.catch(() => undefined);
    return mine;
  };
}

/** The time to bring a commit into a namespace. */
const TIMEOUT_MS = 10 * 60_000;

/** `weft sync` with the settings. */
function argumentsOf({ url, branch, folder, tag, path, prune = false, signed = false }: FollowSettings): string[] {
  const options = Object.entries({ branch, folder, tag }).filter(([, value]) => value !== undefined);
  const flags = [...(prune ? ['--prune', '--yes'] : []), ...(signed ? ['--signed'] : []), '--json'];
  const values = options.map(([name, value]) => `--${name}=${value}`);
  return ['sync', ...values, ...flags, '--', url, ...(path === undefined ? [] : [path])];
}

/** What `weft sync --json` prints. */
interface Printed {
  readonly commit: string;
  readonly subject: string;
  readonly items: readonly {
    readonly kind: string;
    readonly name: string;
    readonly change: Change;
    readonly failure?: string;
  }[];
}

/** The error that the command line printed, without its hint; else the line by which Node says why it ended. */
function reasonIn(err: string): string {
  const [, reason] = /^weft: ([\s\S]*)/m.exec(err) ?? [];
  if (reason !== undefined) return reason.replace(/ \(see 'weft help sync'\)\s*$/, '').trim();
  const [fault = 'it has no result'] = /^(?:\w*Error|FATAL ERROR)\b.*/m.exec(err) ?? [];
  return `weft sync: the process ended: ${fault}`;
}

/** Why not all of a commit is in the namespace; undefined: it is. */
function failureOf({ isSuccess, out, err, killed }: Ended): string | undefined {
  if (killed !== undefined) return `weft sync: ${killed}`;
  if (isSuccess) return undefined;
  if (out === '') return reasonIn(err);
  const failed = (JSON.parse(out) as Printed).items.filter(
    ({ failure, change }) => failure !== undefined || change === 'conflict',
  );
  const lines = failed.map(({ kind, name, change, failure = change }) => `failed ${kind} ${name}: ${failure}`);
  return [...lines, `${failed.length} failed`].join('\n');
}

/** A repository determines parts of the text. */
const lineOf = (namespace: string, text: string): string => `${namespace}: ${visibleText(text)}`;

/** A namespace, and how its repository is read. */
interface FollowJob {
  readonly one: Followed;
  readonly service: Service;
  readonly repository: Repository;
  readonly env: Environment;
  readonly signal: AbortSignal;
  readonly turn: Turn;
}

async function bringCommit({ one, env, signal, turn }: FollowJob): Promise<string | undefined> {
  const { namespace } = one.settings;
  const ended = await turn(async () =>
    signal.aborted ? undefined : runChild({ args: argumentsOf(one.settings), env, signal, timeoutMs: TIMEOUT_MS }),
  );
  // The next start brings the commit.
  if (ended === undefined || signal.aborted) return undefined;
  const failure = failureOf(ended);
  if (failure !== undefined) return failure;
  const { commit, subject, items } = JSON.parse(ended.out) as Printed;
  one.status = { ...one.status, commit, subject, syncedAt: new Date().toISOString() };
  const changes = summary(
    items.filter(({ kind }) => kind !== 'directory'),
    'done',
  );
  console.log(lineOf(namespace, `commit ${commit.slice(0, SHORT)} ${subject}\n${changes}`));
  return undefined;
}

async function look(job: FollowJob): Promise<void> {
  const { one, repository, env, signal } = job;
  const { commit, error: before } = one.status;
  const newest = await headOf({ env, cwd: '/', signal }, repository);
  const failure = newest === commit ? undefined : await bringCommit(job);
  one.status = { ...one.status, checkedAt: new Date().toISOString(), error: failure ?? null };
  if (failure !== undefined && failure !== before) console.error(lineOf(one.settings.namespace, failure));
}

/** Keeps why a look failed for the status; the log has it once. */
function note({ one }: FollowJob, error: unknown): void {
  const { error: before } = one.status;
  const reason = error instanceof Error ? error.message : String(error);
  one.status = { ...one.status, checkedAt: new Date().toISOString(), error: reason };
  const { namespace } = one.settings;
  if (!isExpected(error)) console.error(`${namespace}: the look at the repository failed; it is repeated:`, error);
  else if (reason !== before) console.error(lineOf(namespace, reason));
}

async function followOne(job: FollowJob): Promise<void> {
  const { one, service, signal } = job;
  let isThere = false;
  while (!signal.aborted) {
    try {
      if (!isThere) await createNamespace(service, one.settings.namespace);
      isThere = true;
      await look(job);
    } catch (error) {
      if (signal.aborted) return;
      note(job, error);
    }
    await one.pause(signal);
  }
}

/**
 * Follows the repositories of a service until the function that it returns is called, which resolves when the look under way
 * has ended. Each commit is brought into its namespace by `weft sync` in a process of its own, because what a repository
 * contains must not stop the service. Throws UsageError without the program git, for a URL, a branch or a tag that cannot be
 * one, and for a token that is not set or would go to several servers.
 */
export async function followAll(service: FollowingService, env: Environment): Promise<() => Promise<void>> {
  const stopping = new AbortController();
  const { signal } = stopping;
  if (service.followed.length > 0) await needGit({ env, cwd: '/', signal });
  const turn = inTurns();
  needTokens(service.followed, env);
  const client = serviceAt({ url: service.url, key: service.key }, signal);
  const jobs = service.followed.map((one) => {
    const repository = repositoryOf(one);
    return { one, service: client, repository, env: environmentFor(one, service, env), signal, turn };
  });
  const loops = jobs.map(followOne);
  return async () => {
    stopping.abort();
    await Promise.all(loops);
  };
}
