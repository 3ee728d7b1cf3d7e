import type { ConcurrencyPlan, FlowControl } from '../../compiler/plan/concurrency.ts';
import type { Plan } from '../../compiler/plan/plan.ts';
import { limitOf, rulesIn } from '../../domain/concurrency/limits.ts';
import * as concurrency from '../../domain/concurrency/places.ts';
import { ignoreNotFound } from '../../domain/errors.ts';
import * as runs from '../../domain/runs/runs.ts';
import type { Hold } from '../../domain/runs/waits.ts';
import { retryOnConflict } from '../../domain/storage/conflicts.ts';
import { ownerLimits, scopeOwner } from '../../domain/storage/keys/concurrency-keys.ts';
import * as revisions from '../../domain/tree/revisions.ts';
import { cancel } from '../delivery/deliver.ts';
import { admitted, DELETED, handOver, unqueued } from '../delivery/hand-over.ts';
import { countedBy, isCallCountedInPlace, isCountedInPlace, nextOf } from '../delivery/rate-counts.ts';
import { heldExecution, nextOfCall } from '../machines/call-machines.ts';
import {
  type ExecutionHandle,
  moveToExecution,
  nextOfFirst,
  startExecution,
  startOrMove,
} from '../machines/executions.ts';
import type { DeliveryPorts } from '../ports.ts';
import { keyOf, priorityOf } from './groups.ts';
import { holdBack, onOverRate } from './holds.ts';
import { join, joiningOf } from './joining.ts';
import { makeRoom } from './making-room.ts';
import { orProblem, ownerName, refuse, reject } from './refusals.ts';
import { type Admission, commitStart, type Start } from './start-commits.ts';
import { inTurn } from './turns.ts';

export type { Admission } from './start-commits.ts';

/** When a rejected start may come again, seconds: the ends of the holders are not known. */
const RETRY_SECONDS = 5;

/** How many of the holders a message names. */
const MAX_NAMED = 10;

/** A run that asks for a place. */
interface PlaceStart extends Start {
  readonly rule: ConcurrencyPlan;
  readonly group: concurrency.Group;
  readonly priority: number;
  /** The run as it was before the rate counted it. */
  readonly uncounted: runs.Run;
  /** It keeps its place until then, when the rate lets it begin; absent: it begins at once. */
  readonly hold?: Hold | undefined;
}

type Taken = { readonly holders: readonly string[] };

/** Takes a free place in the transaction that stores the run. Returns the holders if there is none. */
async function takePlace(ports: DeliveryPorts, start: PlaceStart): Promise<Admission | Taken> {
  const { run, group, execution, uncounted, hold } = start;
  const { holders, version, queue } = await concurrency.read(ports.table, group, 1);
  if (queue.length > 0 || holders.length >= (await limitOf(ports.table, group.owner))) return { holders };
  const places = {
    holders: [...holders, run.id],
    before: version,
    version: ports.clock.uuid(),
    now: ports.clock.now(),
  };
  const taking = concurrency.holdersWrite(group, places);
  if (hold !== undefined) {
    const kept = { ...uncounted, concurrency: { key: group.key } };
    return holdBack(ports, { run: kept, writes: [...start.writes, taking], execution: undefined }, hold);
  }
  const next = { ...admitted(ports, run, group.key), ...execution };
  return commitStart(ports, start, { next, verdict: 'admitted', more: [taking] });
}

/** Stores a run in the queue, and gives it a place if one has become free meanwhile. */
async function enqueue(ports: DeliveryPorts, start: PlaceStart): Promise<Admission> {
  const { run, rule, group, priority } = start;
  const order = { isUrgent: rule.whenFull === 'cancelOldest', priority, created: run.created };
  const { write, queuedAt } = concurrency.queueWrite(group, order, { id: run.id, now: ports.clock.now() });
  // The execution that held the run back ends: the process that gives the run a place starts another.
  const next = { ...run, queued: true as const, machine: '', concurrency: { key: group.key, queuedAt } };
  const queued = await commitStart(ports, start, { next, verdict: 'notAdmitted', more: [write] });
  if (queued.verdict === 'notAdmitted') await driveQueued(ports, queued.run, rule);
  return queued;
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

/** What becomes of a start that found no free place; undefined: it may try again. */
async function onFull(ports: DeliveryPorts, start: PlaceStart, { holders }: Taken): Promise<Admission | undefined> {
  const { run, rule, group } = start;
  if (rule.whenFull === 'queue' || rule.whenFull === 'cancelOldest') return enqueue(ports, start);
  // The process that ended a holder may have crashed before it released the place.
  const pending = await concurrency.pendingOf(ports.table, holders, ports.clock.now());
  const ended = holders.find((id) => !pending.includes(id));
  if (ended !== undefined) {
    await handOver(ports, group, concurrency.holderOf(ended).id);
    return undefined;
  }
  const ofKey = group.key === '' ? '' : ` for the key '${group.key}'`;
  const named = holders
    .slice(0, MAX_NAMED)
    .map((text) => concurrency.holderOf(text).id)
    .join(', ');
  const message = `all places of ${ownerName(run)}${ofKey} are taken, by the ${run.kind === 'call' ? 'calls' : 'runs'} ${named}`;
  return reject(ports, run, { message, holders, retryAfter: RETRY_SECONDS }, rule.whenFull === 'skip');
}

/** What says when a run begins, and whose rate and places those are. */
interface Rules extends Pick<FlowControl, 'concurrency' | 'rate'> {
  readonly owner: string;
  readonly rateKey: string;
  readonly key: string;
  readonly priority: number;
  /** The rate counts a run that has a place: see `isCountedInPlace`. */
  readonly inPlace: boolean;
}

const rulesOf = async (plan: Plan, run: runs.Run): Promise<Rules> => ({
  ...plan,
  owner: run.workflowId,
  rateKey: await keyOf('rate', plan.rate?.key, run),
  key: await keyOf('concurrency', plan.concurrency?.key, run),
  priority: await priorityOf(plan, run),
  inPlace: isCountedInPlace(plan),
});

/** Lets a run begin as soon as the rate of its workflow allows it and a place is free. */
async function ask(ports: DeliveryPorts, plan: Plan, run: runs.Run, execution?: ExecutionHandle): Promise<Admission> {
  const valued = await orProblem(run, () => rulesOf(plan, run));
  if ('problem' in valued) return refuse(ports, run, valued.problem);
  return askBy(ports, valued.value, run, execution);
}

/** As `ask`, by the rules of the workflow of a run, or of the function of a call. */
async function askBy(
  ports: DeliveryPorts,
  rules: Rules,
  run: runs.Run,
  execution?: ExecutionHandle,
): Promise<Admission> {
  const { rate, concurrency: rule, owner, rateKey, key, priority, inPlace } = rules;
  const attempt = async (): Promise<Admission | undefined> => {
    const group = { owner, key: rateKey };
    const next = rate && run.hold?.by !== 'rate' ? await nextOf(ports, run.id, rate, group) : undefined;
    const isOver = next !== undefined && !next.isFree;
    if (rate && isOver && !inPlace) return onOverRate(ports, run, rate, { key: rateKey, next });
    const hold = next && countedBy(rateKey, next);
    const counted = hold === undefined ? run : { ...run, hold };
    const start: Start = { run: counted, writes: next === undefined ? [] : [next.write], execution };
    // A run that was held back may have kept its place.
    if (rule === undefined || run.concurrency !== undefined) {
      return commitStart(ports, start, { next: { ...unqueued(ports, counted), ...execution }, verdict: 'admitted' });
    }
    const asking = { rule, group: { owner, key }, priority, uncounted: run, ...(isOver && { hold }) };
    const taken = await takePlace(ports, { ...start, ...asking });
    if (!('holders' in taken)) return taken;
    return onFull(ports, { ...start, ...(inPlace && { run, writes: [] }), ...asking }, taken);
  };
  const name = `${owner} ${rateKey}`;
  for (;;) {
    const tried = () => retryOnConflict(attempt);
    const admission = await (rate === undefined ? tried() : inTurn(ports.table, name, tried));
    if (admission !== undefined) return admission;
  }
}

/** Whether a run has not asked to begin yet. */
const isUnasked = ({ status, concurrency: place, hold }: runs.Run): boolean =>
  status === 'pending' && place === undefined && hold === undefined;

/**
 * Applies the flow control of its workflow to a run that is to begin. With `debounce` or `batch`, it joins the run that is held
 * back. With `rate`, its start is counted. With `concurrency`, it takes a place, which it keeps until it ends. Without a free
 * start or place it is queued, or fails with `flow.refused` if it has a caller or was started by an event or the clock. A run of
 * a workflow without these fields is returned as it is, without a call. Throws FullError for a request, and `malformed` for a
 * key or a priority that cannot be evaluated.
 */
export async function admit(ports: DeliveryPorts, revision: revisions.Revision, run: runs.Run): Promise<Admission> {
  const plan = revisions.planOf(revision);
  if (runs.isQueued(run)) return { run, verdict: 'known' };
  // A run whose input does not fit fails before its first state: it needs no place.
  const asks = isUnasked(run) && run.inputProblem === undefined;
  if (!asks) return { run, verdict: 'admitted' };
  const joining = joiningOf(plan, run);
  if (joining !== undefined) {
    const joined = await join(ports, joining, run);
    // It has all its events.
    return isDue(ports, joined.run) ? { run: await beginHeld(ports, joined.run), verdict: 'known' } : joined;
  }
  if (plan.concurrency === undefined && plan.rate === undefined) return { run, verdict: 'admitted' };
  const { run: known, verdict } = await ask(ports, plan, run);
  // A child that another task of its caller has changed.
  return verdict === 'known' && isUnasked(known) ? admit(ports, revision, known) : { run: known, verdict };
}

/**
 * As `admit`, for a call of a function with limits, which may be stored or not: it keeps its place until it ends, and waits for it
 * in the order of arrival. Any other call, and one that has asked before, is returned as it is.
 */
export async function admitCall(ports: DeliveryPorts, call: runs.Run, execution?: ExecutionHandle): Promise<runs.Run> {
  const limits = call.kind === 'call' ? call.site.limits : undefined;
  const isAsking = isUnasked(call) || isDue(ports, call);
  if (limits === undefined || !isAsking) return call;
  const owner = scopeOwner(call.namespaceId, limits.scope);
  const [item] = await ports.table.get([ownerLimits(owner)]);
  const { limit, rate } = rulesIn(item);
  const whenFull = (name: 'concurrency' | 'rate') => (limits.refusing?.includes(name) ? 'refuse' : 'queue');
  const rules = {
    ...limits,
    owner,
    priority: 0,
    inPlace: limit !== undefined && isCallCountedInPlace(limits),
    ...(limit === undefined ? {} : { concurrency: { limit, whenFull: whenFull('concurrency') } as const }),
    ...(rate === undefined ? {} : { rate: { ...rate, whenFull: whenFull('rate') } as const }),
  };
  return (await askBy(ports, rules, call, execution)).run;
}

/** Whether the time of a run has come that was held back, and it is not queued for a place since. */
const isDue = ({ clock }: DeliveryPorts, run: runs.Run): boolean =>
  runs.isQueued(run) &&
  run.hold !== undefined &&
  run.concurrency?.queuedAt === undefined &&
  clock.now() >= run.hold.until;

/**
 * Lets a run begin that was held back until now: in an execution of its own, or in the queue of its workflow. Returns it as it
 * stands then; as it is if its time has not come. Idempotent.
 */
export async function beginHeld(ports: DeliveryPorts, run: runs.Run): Promise<runs.Run> {
  if (!isDue(ports, run)) return run;
  if (run.kind === 'call') return beginHeldCall(ports, run);
  const revision = await revisions.need(ports, run.workflowId, run.revision).catch(ignoreNotFound);
  if (revision === undefined) return cancel(ports, run, DELETED);
  const execution = await nextOfFirst(ports, revision, run);
  const { run: begun, verdict } = await ask(ports, revisions.planOf(revision), run, execution);
  return verdict === 'admitted' ? startOrMove(ports, begun) : begun;
}

/** The execution that held a call back makes it too, unless the call has a machine of its own kind. */
async function beginHeldCall(ports: DeliveryPorts, call: runs.Call): Promise<runs.Run> {
  const isByMachine = runs.isNativeCall(call) && call.callee.byMachine === true;
  const begun = await admitCall(ports, call, isByMachine ? await nextOfCall(ports, call) : undefined);
  return isByMachine && !runs.isQueued(begun) ? startOrMove(ports, begun) : begun;
}

/**
 * Sees to it that a call which waits for the limits of its function, or has waited, gets a free place, or has an execution. A call that a
 * task of its caller makes is left to that. Idempotent.
 */
export async function driveCall(ports: DeliveryPorts, call: runs.Run): Promise<void> {
  if (call.kind !== 'call' || call.site.limits === undefined) return;
  if (call.machine === '') return runs.isQueued(call) ? driveQueued(ports, call, undefined) : undefined;
  if (await startExecution(ports, call)) return;
  await moveToExecution(ports, call, async (current) => {
    const isSame = current.status === 'pending' && runs.executionOf(current) === runs.executionOf(call);
    if (!isSame || current.kind !== 'call') return undefined;
    return runs.isQueued(current) ? heldExecution(ports, current) : nextOfCall(ports, current);
  });
}
