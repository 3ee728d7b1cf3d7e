import { parseJson } from '../../language/json-numbers.ts';
import { omitUndefined } from '../../language/omit-undefined.ts';
import type { Ports } from '../../ports/ports.ts';
import type { Item, Write } from '../../ports/table.ts';
import { toTtl } from '../../time/expiry.ts';
import { toTimestamp } from '../../time/timestamps.ts';
import { DAY_MS } from '../../time/units.ts';
import { notFound, ServiceError } from '../errors.ts';
import { existenceCheck, type Namespace } from '../namespaces/namespaces.ts';
import { putAt } from '../storage/batches.ts';
import { onConflict, throwOnConflict } from '../storage/conflicts.ts';
import * as keys from '../storage/keys/job-keys.ts';
import type { ListRequest } from '../storage/list-requests.ts';
import { readAll } from '../storage/queries.ts';

/** What a job does with each of its runs. */
export type JobAction = 'cancel' | 'rerun';
/** `over`: all runs were tried; `stopped`: by a request; `failed`: `error` says why. */
export type JobState = 'running' | 'over' | 'stopped' | 'failed';

/** How far a job is. */
export interface Progress {
  readonly state: JobState;
  /** Runs that were cancelled or repeated, and those that were left as they are. */
  readonly done: number;
  readonly skipped: number;
  /** The id of the run after which it goes on; empty: from the oldest one. */
  readonly after: string;
  /** No run is left after that one; those that are held may be. */
  readonly isSearched: boolean;
  /** The ids of runs that are repeated later, because their workflows have no place for them. */
  readonly held: readonly string[];
  /** It goes on then at the earliest, milliseconds since 1970; 0: at once. */
  readonly waitsUntil: number;
  /** Until then one process works on it, milliseconds since 1970; 0: none does. */
  readonly claimedUntil: number;
  /** How often in turn it failed by a fault of the service. */
  readonly faults: number;
  readonly error?: string | undefined;
}

/** An action on many runs, which the service performs by itself. */
export interface Job extends Progress {
  readonly id: string;
  readonly namespaceId: string;
  /** The name of the namespace. */
  readonly namespace: string;
  readonly action: JobAction;
  readonly filter: ListRequest['filter'];
  /** How runs are repeated. */
  readonly how: { readonly from: string; readonly revision: 'pinned' | 'latest'; readonly repeat: 'failed' | 'all' };
  /** Only runs that were started until then, milliseconds since 1970: when it was created. */
  readonly at: number;
  /** The name of the key that created it, as in the audit log; `admin` for the administrative one. */
  readonly createdBy: string;
  /** How many runs the filters select; absent: more than were counted. */
  readonly total?: number | undefined;
  /** Each change has a number of its own. */
  readonly version: number;
}

/** How long an ended job is listed. */
const KEPT_MS = 30 * DAY_MS;
/** A job that does not end within this time is forgotten. */
const MAX_MS = 365 * DAY_MS;
/** The most jobs of a namespace that run at the same time, and that are listed. */
const MAX_RUNNING = 10;
const MAX_LISTED = 100;

const BEGINNING: Progress = {
  state: 'running',
  done: 0,
  skipped: 0,
  after: '',
  isSearched: false,
  held: [],
  waitsUntil: 0,
  claimedUntil: 0,
  faults: 0,
};

type Needs = Pick<Ports, 'table' | 'clock'>;

function toItem({ filter, how, held, ...job }: Job, now: number) {
  const ttl = toTtl(now + (job.state === 'running' ? MAX_MS : KEPT_MS));
  const { id, namespaceId, ...facts } = job;
  return omitUndefined({
    ...facts,
    job: id,
    namespaceId,
    filter: JSON.stringify(filter),
    how: JSON.stringify(how),
    held: held.length === 0 ? undefined : held.join(' '),
    ttl,
  });
}

/** Jobs of earlier versions have no creator, and hold no runs. */
function fromItem(item: Item): Job {
  const { pk: _, sk: __, job, ttl: ___, filter, how, held = '', ...facts } = item;
  const lists = { held: String(held).split(' ').filter(Boolean) };
  const texts = { filter: parseJson(String(filter)), how: parseJson(String(how)), ...lists };
  return { createdBy: '', isSearched: false, ...facts, id: String(job), ...texts } as unknown as Job;
}

/** The jobs of a namespace, the newest first, at most 100. */
export async function list({ table }: Pick<Ports, 'table'>, namespaceId: string): Promise<Job[]> {
  const { items } = await table.query({ ...keys.jobs(namespaceId), descending: true, limit: MAX_LISTED });
  return items.map(fromItem);
}

/** Returns the job. Throws `not-found`. */
export async function need({ table }: Pick<Ports, 'table'>, namespaceId: string, id: string): Promise<Job> {
  const [item] = /^[0-9a-f-]{36}$/.test(id) ? await table.get([keys.job(namespaceId, id)]) : [];
  if (item === undefined) throw notFound('job');
  return fromItem(item);
}

/** Stores a new job, which runs. Throws `too-many` if ten of the namespace do, `not-found` if it was deleted. */
export async function create(
  { table, clock }: Needs,
  namespace: Namespace,
  wanted: Pick<Job, 'action' | 'filter' | 'how' | 'total' | 'at' | 'createdBy'>,
): Promise<Job> {
  const running = (await list({ table }, namespace.id)).filter(({ state }) => state === 'running').length;
  if (running >= MAX_RUNNING) {
    throw new ServiceError('too-many', `${MAX_RUNNING} jobs of the namespace run; wait for one, or stop it`, {}, 60);
  }
  const id = clock.uuid();
  const job: Job = { id, namespaceId: namespace.id, namespace: namespace.name, ...wanted, ...BEGINNING, version: 1 };
  const written = table.write([
    existenceCheck(namespace),
    putAt(keys.job(namespace.id, id), toItem(job, clock.now())),
    putAt(keys.openJob(namespace.id, id), { namespaceId: namespace.id, job: id }),
  ]);
  await throwOnConflict(written, () => notFound('namespace'));
  return job;
}

/** Stores the progress of a job. Returns it; undefined if it was changed meanwhile: by another process, or stopped. */
export async function change({ table, clock }: Needs, job: Job, progress: Partial<Progress>): Promise<Job | undefined> {
  const { namespaceId, id, version } = job;
  const next: Job = { ...job, ...progress, version: version + 1 };
  const put = putAt(keys.job(namespaceId, id), toItem(next, clock.now()), { equals: { version } });
  const closing: Write[] = next.state === 'running' ? [] : [{ do: 'delete', key: keys.openJob(namespaceId, id) }];
  return onConflict(
    table.write([put, ...closing]).then(() => next),
    () => undefined,
  );
}

/** The jobs that have not ended. Markers of jobs that are gone with their namespace are removed. */
export async function open({ table }: Pick<Ports, 'table'>): Promise<Job[]> {
  const found: Job[] = [];
  for (const { sk, namespaceId, job } of await readAll(table, keys.OPEN_JOBS)) {
    const [item] = await table.get([keys.job(String(namespaceId), String(job))]);
    if (item !== undefined) found.push(fromItem(item));
    else await table.write([{ do: 'delete', key: { ...keys.openJob('', ''), sk } }]);
  }
  return found;
}

/** The wire form. */
export const toRecord = ({ id, action, state, total, done, skipped, at, filter, error, waitsUntil, ...job }: Job) =>
  omitUndefined({
    id,
    createdBy: job.createdBy === '' ? undefined : job.createdBy,
    held: job.held.length === 0 ? undefined : job.held.length,
    action,
    state,
    total,
    done,
    skipped,
    createdAt: toTimestamp(at),
    filter: filter.map((one) => ({ ...one })),
    error,
    waitsUntil: state === 'running' && waitsUntil > 0 ? toTimestamp(waitsUntil) : undefined,
  });
