import type { ConcurrencyPlan } from '../../compiler/plan/concurrency.ts';
import type { Plan } from '../../compiler/plan/plan.ts';
import { limitOf } from '../../domain/concurrency/limits.ts';
import * as concurrency from '../../domain/concurrency/places.ts';
import { ServiceError } from '../../domain/errors.ts';
import * as runs from '../../domain/runs/runs.ts';
import { onConflict, retryOnConflict } from '../../domain/storage/conflicts.ts';
import * as revisions from '../../domain/tree/revisions.ts';
import type { Write } from '../../ports/table.ts';
import { deliver } from '../delivery/deliver.ts';
import { admitted, handOver } from '../delivery/hand-over.ts';
import type { DeliveryPorts } from '../ports.ts';
import { UnitOfWork } from '../run/commit/unit-of-work.ts';
import { keyOf, priorityOf } from './groups.ts';
import { makeRoom } from './making-room.ts';

/** A run that is to begin, and what becomes of it now. */
export interface Admission {
  readonly run: runs.Run;
  /**
   * `goes`: it begins. `stays`: this call has stored it in the queue, or as failed because it was refused a place. `known`: it
   * was stored before by the same cause.
   */
  readonly fate: 'goes' | 'stays' | 'known';
}

/** When a rejected start may come again, seconds: the ends of the holders are not known. */
const RETRY_SECONDS = 5;

/** All places of a workflow are taken, and it does not queue the request. */
export class FullError extends ServiceError {
  /** The ids of the runs that have the places, the oldest first. */
  readonly holders: readonly string[];
  /** The workflow skips the start: it is no mistake of the caller. */
  readonly isSkipped: boolean;

  constructor(message: string, holders: readonly string[], isSkipped: boolean) {
    super('too-many', message, { holders }, RETRY_SECONDS);
    this.holders = holders;
    this.isSkipped = isSkipped;
  }
}

/** The code of a run that was refused a place. */
const REFUSED = 'flow.refused';

/** What starts runs without waiting for a reply: a refusal is stored as a run that failed. */
const UNREQUESTED: ReadonlySet<string> = new Set(['cloudevent', 'cron']);

/** How many of the holders a message names. */
const MAX_NAMED = 10;

const isRequested = ({ parent, invoker }: runs.Run): boolean => parent === undefined && !UNREQUESTED.has(invoker);

interface Start {
  readonly run: runs.Run;
  readonly rule: ConcurrencyPlan;
  readonly group: concurrency.Group;
  readonly priority: number;
}

/** Commits the run of a start with further writes; `byOther` has the run if another process has stored or changed it. */
function commitStart(
  ports: DeliveryPorts,
  start: Pick<Start, 'run'>,
  next: runs.Run,
  writes: readonly Write[],
): Promise<runs.Run | { readonly byOther: runs.Run }> {
  return onConflict(runs.commit(ports, { ...next, seq: start.run.seq + 1 }, writes), async (conflict) => {
    const stored = await runs.find(ports, start.run.id);
    if (stored === undefined || stored.seq === start.run.seq) throw conflict;
    return { byOther: stored };
  });
}

type Full = { readonly holders: readonly string[] };

/** Takes a free place in the transaction that stores the run. Returns the holders if there is none. */
function takePlace(ports: DeliveryPorts, start: Start): Promise<Admission | Full> {
  const { run, group } = start;
  return retryOnConflict(async () => {
    const { holders, version, queue } = await concurrency.read(ports.table, group, 1);
    if (queue.length > 0 || holders.length >= (await limitOf(ports.table, group.workflowId))) {
      return { holders };
    }
    const next = {
      holders: [...holders, run.id],
      before: version,
      version: ports.clock.uuid(),
      now: ports.clock.now(),
    };
    const write = concurrency.holdersWrite(group, next);
    const stored = await commitStart(ports, start, admitted(ports, run, group.key), [write]);
    return 'byOther' in stored ? { run: stored.byOther, fate: 'known' } : { run: stored, fate: 'goes' };
  });
}

/** Stores a run in the queue, and gives it a place if one has become free meanwhile. */
async function enqueue(ports: DeliveryPorts, start: Start): Promise<Admission> {
  const { run, rule, group, priority } = start;
  const order = { isUrgent: rule.whenFull === 'cancelOldest', priority, created: run.created };
  const { write, queuedAt } = concurrency.queueWrite(group, order, { id: run.id, now: ports.clock.now() });
  const queued: runs.Run = { ...run, queued: true, concurrency: { key: group.key, queuedAt } };
  const stored = await commitStart(ports, start, queued, [write]);
  if ('byOther' in stored) return { run: stored.byOther, fate: 'known' };
  await driveQueued(ports, stored, rule);
  return { run: stored, fate: 'stays' };
}

/** Sees to it that a queued run gets a place if one is free, or may be made free. Idempotent. */
export async function driveQueued(
  ports: DeliveryPorts,
  run: runs.Run,
  rule: ConcurrencyPlan | undefined,
): Promise<void> {
  await handOver(ports, concurrency.groupOf(run));
  if (rule?.whenFull === 'cancelOldest') await makeRoom(ports, run);
}

/** Stores a run that got no place as failed, and reports that. */
async function refuse(ports: DeliveryPorts, start: Pick<Start, 'run'>, message: string): Promise<Admission> {
  const unit = new UnitOfWork(ports, start.run);
  const code = unit.branded(REFUSED);
  unit.log(`Workflow failed with error '${code}': ${message}`, 'error', '');
  const { run: next, writes } = await unit.prepareCommit({ status: 'failed', code, message });
  const stored = await commitStart(ports, start, next, writes);
  if ('byOther' in stored) return { run: stored.byOther, fate: 'known' };
  await deliver(ports, stored);
  return { run: stored, fate: 'stays' };
}

/** Rejects a start that the workflow does not queue. */
function reject(ports: DeliveryPorts, start: Start, { holders }: Full): Promise<Admission> {
  const { run, rule, group } = start;
  const ofKey = group.key === '' ? '' : ` for the key '${group.key}'`;
  const named = holders.slice(0, MAX_NAMED).join(', ');
  const message = `all places of the workflow '${run.path}'${ofKey} are taken, by the runs ${named}`;
  const isSkipped = rule.whenFull === 'skip';
  const isStored = run.parent !== undefined || (!isRequested(run) && !isSkipped);
  if (isStored) return refuse(ports, start, message);
  throw new FullError(message, holders, isSkipped);
}

/** What becomes of a start that found no free place; undefined: `admit` tries again. */
async function onFull(ports: DeliveryPorts, start: Start, { holders }: Full): Promise<Admission | undefined> {
  const { whenFull } = start.rule;
  if (whenFull === 'queue' || whenFull === 'cancelOldest') return enqueue(ports, start);
  // The process that ended a holder may have crashed before it released the place.
  const pending = await concurrency.pendingOf(ports.table, holders);
  const ended = holders.find((id) => !pending.includes(id));
  if (ended === undefined) return reject(ports, start, { holders });
  await handOver(ports, start.group, ended);
  return undefined;
}

/** The key and the priority of a run, or the problem with them. Throws it where a request starts the run. */
async function valuesOf(plan: Plan, run: runs.Run) {
  try {
    return { key: await keyOf(plan, run), priority: await priorityOf(plan, run) };
  } catch (error) {
    if (!(error instanceof ServiceError) || isRequested(run)) throw error;
    return { problem: error.message };
  }
}

/**
 * Lets a run that is to begin take a place in the concurrency of its workflow, which it keeps until it ends. Without a free place
 * it is queued, or fails with `flow.refused` if it has a caller or was started by an event or the clock. A run of a workflow
 * without the field is returned as it is, without a call. Throws FullError for a request, and `malformed` for a key or a
 * priority that cannot be evaluated.
 */
export async function admit(ports: DeliveryPorts, revision: revisions.Revision, run: runs.Run): Promise<Admission> {
  const plan = revisions.planOf(revision);
  const rule = plan.concurrency;
  if (runs.isQueued(run)) return { run, fate: 'known' };
  // A run whose input does not fit fails before its first state: it needs no place.
  const asks = run.concurrency === undefined && run.inputProblem === undefined;
  if (rule === undefined || !asks) return { run, fate: 'goes' };
  const values = await valuesOf(plan, run);
  if ('problem' in values) return refuse(ports, { run }, values.problem);
  const start = { run, rule, group: { workflowId: run.workflowId, key: values.key }, priority: values.priority };
  for (;;) {
    const taken = await takePlace(ports, start);
    const admission = 'holders' in taken ? await onFull(ports, start, taken) : taken;
    if (admission === undefined) continue;
    const { run: known, fate } = admission;
    // A child that another task of its caller has changed.
    const isUnasked = fate === 'known' && known.status === 'pending' && known.concurrency === undefined;
    return isUnasked ? admit(ports, revision, known) : admission;
  }
}
