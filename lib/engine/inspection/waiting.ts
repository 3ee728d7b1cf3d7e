import * as events from '../../domain/events/events.ts';
import { toRecord } from '../../domain/instances/instances.ts';
import { homeOf } from '../../domain/namespaces/partitions.ts';
import * as runs from '../../domain/runs/runs.ts';
import type { Filter, Listening, OpenApproval, Wait, WaitingCall } from '../../domain/runs/waits.ts';
import { explainMatch } from '../../events/matching.ts';
import { omitUndefined } from '../../language/omit-undefined.ts';
import type { Ports } from '../../ports/ports.ts';
import { toTimestamp } from '../../time/timestamps.ts';
import { HOUR_MS } from '../../time/units.ts';
import { childId } from '../run/child-ids.ts';
import { decideRetry } from '../run/retry-decisions.ts';
import { toHolder } from '../workers/leases.ts';
import { newestAttempts } from './attempts.ts';
import { queueOfCall, queueOfRun } from './queued.ts';

type Needs = Pick<Ports, 'table' | 'blobs' | 'clock' | 'settings'>;

const MAX_OPEN_CALLS = 100;
const MAX_NEAR_MISSES = 20;
/** How many of the newest events of a type are compared: there may be a million in an hour. */
const MAX_COMPARED = 200;

/** The calls that a run waits for, each with the child of its present attempt. */
async function openCalls(ports: Needs, run: runs.Run, { calls, origin }: Wait) {
  if (calls === undefined) return undefined;
  const shown = calls.waiting.slice(0, MAX_OPEN_CALLS);
  const attempts = await newestAttempts(ports, { run, origin }, shown);
  const failed = await Promise.all(
    shown.map(({ i, k, s }) => (s === undefined ? undefined : runs.find(ports, childId(run, origin, { i, k: k - 1 })))),
  );
  const queues = await Promise.all(attempts.map(({ child }) => queueOfCall(ports, child)));
  const open = attempts.map(({ key, child }, index) => {
    const { i, k } = key;
    const id = childId(run, origin, { i, k });
    const status = child?.status ?? 'not begun';
    const task = status === 'pending' && runs.isTask(child) ? child.callee : undefined;
    const worker = task === undefined ? {} : { worker: { queue: task.queue, ...toHolder(task, ports.clock.now()) } };
    const retry = retryOf(ports, run, key, { child, before: failed[index] });
    return {
      call: i,
      attempt: k,
      instance: id,
      status,
      workflow: child?.path ?? '',
      ...worker,
      ...queues[index],
      ...retry,
    };
  });
  return { total: calls.total, returned: calls.returned, open };
}

/** The attempt that follows one that failed: the machine waits for its time. */
function retryOf(
  { settings }: Needs,
  run: runs.Run,
  { k, s }: WaitingCall,
  { child, before }: Readonly<Record<'child' | 'before', runs.Run | undefined>>,
) {
  const last = child ?? before;
  const failed = last !== undefined && last.code !== '';
  const error = failed ? { error: { code: last.code, message: last.message } } : {};
  const policy = last?.parent?.retries;
  const of = policy === undefined ? {} : { of: policy.maxAttempts };
  // A machine that makes the attempt later: one that failed within its step is not stored.
  if (child === undefined && s !== undefined) {
    return { retry: { attempt: k, ...of, at: toTimestamp((before ?? run).updated + s * 1000), ...error } };
  }
  if (child === undefined || child.status === 'pending' || child.status === 'complete') return {};
  const decision = decideRetry(child, policy, k, settings.brand);
  if (decision.kind !== 'retry') return {};
  return { retry: { attempt: k + 1, ...of, at: toTimestamp(child.updated + decision.delay), ...error } };
}

/** The newest events of the last hour whose type a wait has and whose attributes do not match, among the compared ones. */
async function nearMisses(ports: Needs, run: runs.Run, filters: readonly Filter[]) {
  const from = ports.clock.now() - HOUR_MS;
  const home = await homeOf(ports, run);
  const misses: { readonly at: number; readonly record: object }[] = [];
  for (const filter of filters) {
    const query = { home, type: filter.type, from };
    for (const { event, received } of await events.newestOfType(ports, query, MAX_COMPARED)) {
      const { failed } = explainMatch(filter, event);
      if (failed === undefined) continue;
      const { attribute, expected, found: value } = failed;
      const named = { event: event.id, receivedAt: toTimestamp(received), type: event.type, attribute };
      misses.push({ at: received, record: { ...named, expected, found: value ?? null } });
    }
  }
  return misses
    .sort((a, b) => b.at - a.at)
    .slice(0, MAX_NEAR_MISSES)
    .map(({ record }) => record);
}

const openFilters = ({ filters, received }: Listening): Filter[] =>
  filters.filter((_, slot) => (received[slot] ?? null) === null);

const toApproval = ({ subject, assignees, reminded: reminders }: OpenApproval) => ({ subject, assignees, reminders });

function toEvents({ mode, filters, received }: Listening) {
  const toFilter = ({ type, context }: Filter, slot: number) => {
    return { type, context, received: (received[slot] ?? null) !== null };
  };
  return { mode, filters: filters.map(toFilter) };
}

/** The reply of GET waiting: what a run waits for. */
export async function toWaiting(ports: Needs, run: runs.Run) {
  const { wait, cancelOn } = run;
  const canBeCancelled = run.status === 'pending' && cancelOn !== undefined;
  const reply = {
    ...{ namespace: run.namespace, instance: toRecord(run) },
    ...(runs.isQueued(run) ? await queueOfRun(ports, run) : {}),
    ...(canBeCancelled ? { cancelOn: { type: cancelOn.filter.type, context: cancelOn.filter.context } } : {}),
  };
  if (run.status !== 'pending' || wait === undefined || !wait.isWaiting) return reply;
  const { state, entered, until, approval } = wait;
  // No event of the bus decides an approval.
  const listening = approval === undefined ? wait.listening : undefined;
  const calls = await openCalls(ports, run, wait);
  const isDelay = listening === undefined && calls === undefined && approval === undefined;
  const waitsFor = omitUndefined({
    delay: isDelay ? toTimestamp(until) : undefined,
    approval: approval && toApproval(approval),
    events: listening === undefined ? undefined : toEvents(listening),
    calls,
  });
  const misses = listening === undefined ? [] : await nearMisses(ports, run, openFilters(listening));
  const times = { since: toTimestamp(entered), until: toTimestamp(until) };
  return { ...reply, waiting: { state, ...times, for: waitsFor, nearMisses: misses } };
}
