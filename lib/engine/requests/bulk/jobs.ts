import { ServiceError } from '../../../domain/errors.ts';
import * as jobs from '../../../domain/instances/jobs.ts';
import * as namespaces from '../../../domain/namespaces/namespaces.ts';
import * as runs from '../../../domain/runs/runs.ts';
import { type ListRequest, toListRequest } from '../../../domain/storage/list-requests.ts';
import { BusyError } from '../../../ports/executions.ts';
import { MINUTE_MS, SECOND_MS } from '../../../time/units.ts';
import { FullError } from '../../admission/refusals.ts';
import { BY_JOB } from '../../delivery/cancellation.ts';
import { cancel } from '../../delivery/deliver.ts';
import type { CleanupPorts } from '../../ports.ts';
import { forEachOf } from '../../recovery/visits.ts';
import { isFull, needStatus, repeat, rerunMany } from './rerunning.ts';
import { selected } from './selection.ts';

/** The runs of one part of a job, after which its progress is stored. */
const PART = 10;
/** A job with more runs shows no total, nor one whose runs are not found within this time. */
const MAX_COUNTED = 10_000;
const COUNTING_MS = SECOND_MS;
/** How long one job works before the next one has its turn. */
const TURN_MS = 5 * SECOND_MS;
/** How long a job works in the request that creates it: a small one ends there. */
const REQUEST_MS = 2 * SECOND_MS;
const CONCURRENCY = 4;
/** Another process goes on with a job when the one before was killed so long ago. */
const CLAIM_MS = 15 * SECOND_MS;
/** A job fails after so many faults in turn. */
const MAX_FAULTS = 10;

/** The most runs of a job that wait for places of their workflows, while it goes on with others. */
const MAX_HELD = 100;

/** What a part of a job did, and where the next one goes on. */
interface Part {
  readonly done: number;
  readonly skipped: number;
  /** Absent: no run is left, except those that are held. */
  readonly after?: string;
  readonly held?: readonly string[];
  readonly waitsUntil?: number;
  readonly error?: string;
}

const requestOf = (filter: ListRequest['filter']): ListRequest => ({ ...toListRequest({}), filter });
const hasStatus = (filter: ListRequest['filter']): boolean => filter.some(({ field }) => field === 'STATUS');
const PENDING = { field: 'STATUS', type: 'MATCH', val: 'pending' } as const;

/** Cancels one run. False: it has ended, or is in a handler, which a second cancellation would end. */
async function cancelOne(ports: CleanupPorts, id: string): Promise<boolean> {
  const run = await runs.find(ports, id);
  if (run === undefined || run.status !== 'pending' || run.handling !== undefined) return false;
  await cancel(ports, run, BY_JOB);
  return true;
}

async function cancelPart(ports: CleanupPorts, job: jobs.Job): Promise<Part> {
  const { namespace, at, filter, after: from } = job;
  const part = { done: 0, skipped: 0 };
  let after = from;
  for await (const { id } of selected(ports, namespace, { request: requestOf(filter), at, after: from })) {
    if (part.done + part.skipped >= PART) return { ...part, after };
    part[(await cancelOne(ports, id)) ? 'done' : 'skipped'] += 1;
    after = id;
  }
  return part;
}

/** A part that is tried again after a fault counts what it repeated before. */
const attemptOf = ({ how, at }: jobs.Job) => ({ ...how, patch: [], dryRun: false, since: at });

/** Repeats the next runs, and holds those whose workflows have no place, of which there is room for more. */
async function rerunNext(ports: CleanupPorts, job: jobs.Job): Promise<Part> {
  const { namespace, at, filter, after } = job;
  const held = [...job.held];
  const hold = (id: string) => held.push(id) > 0;
  const wanted = { request: requestOf(filter), at, after, ...attemptOf(job), limit: PART, hold };
  const { instances, next, retryAfter } = await rerunMany(ports, namespace, wanted);
  const done = instances.filter(({ rerun }) => rerun !== undefined).length;
  const waiting = retryAfter === undefined ? {} : { waitsUntil: ports.clock.now() + retryAfter * SECOND_MS };
  return { done, skipped: instances.length - done, held, ...(next === undefined ? {} : { after: next }), ...waiting };
}

/** Tries some of the held runs again. Waits if none of them got a place, or at a limit of the namespace. */
async function rerunHeld(ports: CleanupPorts, job: jobs.Job): Promise<Part> {
  const { held, isSearched, after } = job;
  const part = { done: 0, skipped: 0 };
  const still: string[] = [];
  const tried = held.slice(0, PART);
  let full: ServiceError | undefined;
  for (const [index, id] of tried.entries()) {
    try {
      const { rerun } = await repeat(ports, id, attemptOf(job));
      part[rerun === undefined ? 'skipped' : 'done'] += 1;
    } catch (error) {
      if (!(error instanceof ServiceError) || !isFull(error)) throw error;
      full = error;
      still.push(id);
      if (error instanceof FullError) continue;
      still.push(...tried.slice(index + 1));
      break;
    }
  }
  const next = { ...part, held: [...held.slice(PART), ...still], ...(isSearched ? {} : { after }) };
  const isWaiting = full !== undefined && (still.length === tried.length || !(full instanceof FullError));
  if (full === undefined || !isWaiting) return next;
  return { ...next, error: full.message, waitsUntil: ports.clock.now() + (full.retryAfter ?? 1) * SECOND_MS };
}

const rerunPart = (ports: CleanupPorts, job: jobs.Job): Promise<Part> =>
  job.isSearched || job.held.length + PART > MAX_HELD ? rerunHeld(ports, job) : rerunNext(ports, job);

const PARTS = { cancel: cancelPart, rerun: rerunPart } as const satisfies Record<jobs.JobAction, unknown>;

/** The progress after a part that failed: a limit is waited for, a mistake ends the job, a fault is tried again. */
function afterFailure(ports: CleanupPorts, job: jobs.Job, error: unknown): Partial<jobs.Progress> {
  const now = ports.clock.now();
  if (error instanceof ServiceError) {
    if (!isFull(error)) return { state: 'failed', error: error.message };
    return { error: error.message, waitsUntil: now + (error.retryAfter ?? 60) * SECOND_MS };
  }
  if (error instanceof BusyError) return { error: error.message, waitsUntil: now + MINUTE_MS };
  console.error(`a part of the job ${job.id} could not be done`, error);
  const faults = job.faults + 1;
  if (faults >= MAX_FAULTS) return { state: 'failed', error: 'a fault of the service; its log has the reason' };
  return { faults, waitsUntil: now + Math.min(2 ** faults * SECOND_MS, 10 * MINUTE_MS) };
}

async function nextProgress(ports: CleanupPorts, job: jobs.Job): Promise<Partial<jobs.Progress>> {
  try {
    const { done, skipped, after, held = [], waitsUntil = 0, error } = await PARTS[job.action](ports, job);
    const sums = { done: job.done + done, skipped: job.skipped + skipped, held, faults: 0, error };
    if (after !== undefined) return { ...sums, after, waitsUntil };
    return { ...sums, isSearched: true, ...(held.length === 0 ? { state: 'over', waitsUntil: 0 } : { waitsUntil }) };
  } catch (error) {
    return afterFailure(ports, job, error);
  }
}

const isDue = ({ state, waitsUntil }: jobs.Job, now: number): boolean => state === 'running' && waitsUntil <= now;

/**
 * Goes on with a job, part by part, until a time (milliseconds since 1970), its end, or a limit that it waits for. Each part
 * begins in a turn of its namespace. A part that is repeated after a kill changes no run twice. Returns the job as it is then.
 */
export async function advance(
  ports: CleanupPorts,
  job: jobs.Job,
  until: number,
  isStopped = () => false,
): Promise<jobs.Job> {
  const { clock } = ports;
  const claim = () => ({ claimedUntil: clock.now() + CLAIM_MS });
  if (!isDue(job, clock.now()) || job.claimedUntil > clock.now()) return job;
  let present = await jobs.change(ports, job, claim());
  while (present !== undefined && isDue(present, clock.now()) && clock.now() < until && !isStopped()) {
    await ports.processor?.takeTurn(present.namespace);
    present = await jobs.change(ports, present, { ...(await nextProgress(ports, present)), ...claim() });
  }
  if (present?.state === 'running') present = await jobs.change(ports, present, { claimedUntil: 0 });
  // It was stopped, or another process goes on with it.
  return present ?? jobs.need(ports, job.namespaceId, job.id);
}

/**
 * Goes on with all jobs that have not ended, each for some seconds at a time, some side by side, until a time, until none
 * is left that could go on, or until `isStopped`. Returns whether a job is left that has not ended.
 */
export async function advanceAll(ports: CleanupPorts, until: number, isStopped = () => false): Promise<boolean> {
  const now = () => ports.clock.now();
  for (;;) {
    const open = await jobs.open(ports);
    let isWorking = false;
    await forEachOf(open, CONCURRENCY, async (job) => {
      if (isStopped() || now() >= until) return;
      const { version } = await advance(ports, job, Math.min(until, now() + TURN_MS), isStopped);
      isWorking ||= version !== job.version;
    });
    if (!isWorking) return open.length > 0;
  }
}

let created = 0;
/** How many jobs this process has created: it changes when there is a new one to go on with. */
export const createdJobs = (): number => created;

async function countOf(ports: CleanupPorts, namespace: string, wanted: Pick<jobs.Job, 'filter' | 'at'>) {
  let count = 0;
  let isOver = false;
  const selection = { request: requestOf(wanted.filter), at: wanted.at, after: '' };
  const mayGoOn = () => {
    isOver = ports.clock.now() - wanted.at > COUNTING_MS;
    return !isOver;
  };
  for await (const _ of selected(ports, namespace, selection, mayGoOn)) {
    count += 1;
    if (count > MAX_COUNTED) return undefined;
  }
  return isOver ? undefined : count;
}

/**
 * Creates a job on the runs that the filters of a list select, and works on it for up to two seconds. Throws `not-found`,
 * `refused`, `malformed` for filters that are unknown or lack the status that a repetition needs, `too-many`.
 */
export async function createJob(
  ports: CleanupPorts,
  name: string,
  {
    action,
    how,
    request,
    createdBy,
  }: Pick<jobs.Job, 'action' | 'how' | 'createdBy'> & { readonly request: ListRequest },
): Promise<jobs.Job> {
  if (action === 'rerun') needStatus(request);
  const namespace = await namespaces.need(ports, name);
  const filter = action === 'cancel' && !hasStatus(request.filter) ? [...request.filter, PENDING] : request.filter;
  const at = ports.clock.now();
  const total = await countOf(ports, name, { filter, at });
  const job = await jobs.create(ports, namespace, { action, filter, how, at, total, createdBy });
  created += 1;
  return advance(ports, job, at + REQUEST_MS);
}

/** Stops a job after the part under way; one that has ended stays as it is. Throws `not-found`. */
export async function stopJob(ports: CleanupPorts, name: string, id: string): Promise<jobs.Job> {
  const namespace = await namespaces.need(ports, name);
  for (;;) {
    const job = await jobs.need(ports, namespace.id, id);
    if (job.state !== 'running') return job;
    const stopped = await jobs.change(ports, job, { state: 'stopped' });
    if (stopped !== undefined) return stopped;
  }
}
