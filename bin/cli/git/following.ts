import { Readable } from 'node:stream';
import type { Followed } from '../../server/follow/followed.ts';
import { openService, type Service } from '../client/service.ts';
import { CommandFailedError } from '../shell/command.ts';
import type { Terminal } from '../shell/terminal.ts';
import { needTag } from '../workflows/history.ts';
import { needRepository, type Repository } from './checkout.ts';
import { lookAgain, type SyncJob } from './syncing.ts';

/** The service whose namespaces follow repositories. */
export interface FollowingService {
  readonly url: string;
  readonly key: string;
  readonly followed: readonly Followed[];
}

type Environment = Terminal['env'];

/** What Git and ssh read; none of the secrets of the service. */
const OF_GIT =
  /^(?:PATH|HOME|TMPDIR|LANG|GNUPGHOME|SSH_\w+|GIT_\w+|XDG_\w+|HTTPS?_PROXY|https?_proxy|NO_PROXY|no_proxy)$/;

function environmentFor({ settings }: Followed, { url, key }: FollowingService, env: Environment): Environment {
  const own = Object.entries(env).filter(([name]) => OF_GIT.test(name));
  const target = { WEFT_URL: url, WEFT_KEY: key, WEFT_NAMESPACE: settings.namespace };
  return { ...Object.fromEntries(own), ...target, WEFT_GIT_TOKEN: env[settings.token ?? 'WEFT_GIT_TOKEN'] };
}

/** The log of the process instead of a terminal. */
function logOf(namespace: string, env: Environment, signal: AbortSignal): Terminal {
  const log = (text: string) => console.log(`${namespace}: ${text.trimEnd()}`);
  return {
    env,
    // No `.weft.yaml` of the folder of the process counts.
    cwd: '/',
    input: Readable.from([]),
    isInteractive: false,
    hasColour: false,
    signal,
    print: async (chunk) => log(String(chunk)),
    printStatus: log,
    ask: async () => '',
  };
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
  await service.call('PUT', `/api/namespaces/${encodeURIComponent(namespace)}`).catch((error: unknown) => {
    if (!(error instanceof CommandFailedError) || error.status !== conflict) throw error;
  });
}

/** One look at a time: a large repository takes the memory and the disk of one. */
type Turn = <T>(work: () => Promise<T>) => Promise<T>;

function inTurns(): Turn {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const mine = last.then(work);
    last = mine.catch(() => undefined);
    return mine;
  };
}

async function look(one: Followed, job: SyncJob): Promise<void> {
  const { commit, subject, text, failure } = await lookAgain(job, {
    commit: one.status.commit ?? '',
    subject: one.status.subject ?? '',
  });
  const now = new Date().toISOString();
  const { error: before } = one.status;
  const isNew = text !== undefined && failure === undefined;
  one.status = {
    ...one.status,
    ...(isNew && { commit, subject, syncedAt: now }),
    checkedAt: now,
    error: failure ?? null,
  };
  if (isNew) await job.terminal.print(text);
  else if (failure !== undefined && failure !== before) console.error(`${one.settings.namespace}: ${failure}`);
}

async function followOne(one: Followed, job: SyncJob, turn: Turn): Promise<void> {
  const { signal } = job.terminal;
  let isThere = false;
  while (!signal.aborted) {
    try {
      await turn(async () => {
        if (!isThere) await createNamespace(job.service, one.settings.namespace);
        isThere = true;
        await look(one, job);
      });
    } catch (error) {
      if (signal.aborted) return;
      const reason = error instanceof Error ? error.message : String(error);
      one.status = { ...one.status, checkedAt: new Date().toISOString(), error: reason };
      console.error(`${one.settings.namespace}: the repository could not be followed; it is tried again:`, error);
    }
    await one.pause(signal);
  }
}

/**
 * Follows the repositories of a service as `weft sync --watch` does, until the function that it returns is called, which
 * resolves when the look under way has ended. Throws UsageError for a URL, a branch or a tag that cannot be one.
 */
export async function followAll(service: FollowingService, env: Environment): Promise<() => Promise<void>> {
  const stopping = new AbortController();
  const turn = inTurns();
  const jobs = service.followed.map(async (one) => {
    const { namespace, path, prune = false, tag } = one.settings;
    const terminal = logOf(namespace, environmentFor(one, service, env), stopping.signal);
    const repository = repositoryOf(one);
    const client = await openService({}, terminal);
    return { one, job: { service: client, terminal, repository, as: path, values: { prune, yes: prune, tag } } };
  });
  const started = await Promise.all(jobs);
  const loops = started.map(({ one, job }) => followOne(one, job, turn));
  return async () => {
    stopping.abort();
    await Promise.all(loops);
  };
}
