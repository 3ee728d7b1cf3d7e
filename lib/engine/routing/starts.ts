import type { Plan } from '../../compiler/plan/plan.ts';
import { ServiceError } from '../../domain/errors.ts';
import * as collections from '../../domain/events/collections.ts';
import type { Recorded } from '../../domain/events/events.ts';
import { nameOf } from '../../domain/events/identity.ts';
import * as listeners from '../../domain/events/listeners.ts';
import { note } from '../../domain/logs/change-lines.ts';
import type { Committed, Run } from '../../domain/runs/runs.ts';
import { derivedId, spreadId } from '../../domain/storage/ids.ts';
import { openById } from '../../domain/tree/arming.ts';
import { planOf, type Revision } from '../../domain/tree/revisions.ts';
import * as schedules from '../../domain/tree/schedules.ts';
import * as workflows from '../../domain/tree/workflows.ts';
import type { CloudEvent } from '../../events/cloud-event.ts';
import { toData } from '../../events/cloud-event.ts';
import { matches } from '../../events/matching.ts';
import type { Schedule } from '../../ports/schedules.ts';
import { leased } from '../../ports/table.ts';
import { addDuration, parseDuration } from '../../time/durations.ts';
import { toTimestamp } from '../../time/timestamps.ts';
import { FullError } from '../admission/refusals.ts';
import { awaitTurn, OverRateError } from '../limits/starts.ts';
import type { RunnerPorts } from '../ports.ts';
import { invocationProblem } from '../run/invocability.ts';
import { BY_ALERT, newRun, type Startable } from '../run/new-run.ts';
import { missedReason, runOfTick } from '../run/planned-times.ts';
import { fitInput, InputError } from '../run/schemas.ts';
import { begin } from '../step/beginning.ts';

/** The outcome of an event for a workflow that events start. */
export interface EventStart {
  /** In words that `explain` shows. */
  readonly did: string;
  /** The id of the run that it started. */
  readonly started?: string;
}

/**
 * Starts the workflow of a start listener with an event, once for each event. The workflow's present plan decides whether
 * the event starts it. An event that can never start it (`malformed`), or that got no place (FullError), is not tried again.
 */
export async function startByEvent(
  ports: RunnerPorts,
  namespace: string,
  listener: listeners.Listener,
  recorded: Recorded,
): Promise<EventStart> {
  const readAt = ports.clock.now();
  const opened = await openById(
    { table: leased(ports.table), blobs: ports.blobs },
    { id: listener.owner, namespace, path: listener.path },
  );
  const plan = opened?.revision.plan;
  if (opened === undefined || plan === undefined) return { did: 'nothing: the workflow is gone' };
  if (!opened.node.live) return { did: 'nothing: the workflow is disabled' };
  const { path } = opened.node;
  if (path !== listener.path) await listeners.move(ports, listener, path);
  const start = plan.start.type === 'eventsAnd' ? startBySet : startByOne;
  return start(ports, { opened: { ...opened, readAt }, plan, recorded }).catch((error: unknown) => {
    const isFinal = error instanceof FullError || (error instanceof ServiceError && error.code === 'malformed');
    if (isFinal) return { did: `nothing: ${error.message}` };
    throw error;
  });
}

/**
 * Starts a workflow with an alert as its input, once for each event that owes one. Throws ServiceError for a workflow that
 * cannot be started.
 */
export async function startByAlert(
  ports: RunnerPorts,
  { namespace, path }: { readonly namespace: string; readonly path: string },
  { due, event, replay }: Recorded,
  alert: object,
): Promise<EventStart> {
  const readAt = ports.clock.now();
  const opened = await workflows.open(ports, namespace, path);
  const problem = invocationProblem(opened);
  if (problem !== undefined) throw new ServiceError('refused', `'${path}': ${problem.message}`);
  const id = spreadId(derivedId(due, opened.node.id, 'alert', event.id, replay?.id ?? ''));
  const input = Buffer.from(JSON.stringify(alert));
  try {
    return startOf((await startRun(ports, { ...opened, readAt }, { id, input, invoker: BY_ALERT })).run, id);
  } catch (error) {
    if (error instanceof FullError) return { did: `nothing: ${error.message}` };
    throw error;
  }
}

/** A tick that is delayed for longer starts its run although its namespace starts too many, milliseconds. */
const MAX_TICK_DELAY_MS = 150_000;

/** How a planned time is delivered. */
export interface TickDelivery {
  /** It starts its run however late it is. */
  readonly isForced?: boolean;
  /** A delivery that is delayed is no attempt, so it may be delayed for as long as the namespace starts too many runs. */
  readonly isPatient?: boolean;
  /** The planned times after this one and up to that time (milliseconds since 1970) are not delivered: there are too many. */
  readonly omittedUntil?: number | undefined;
  /** The planned times from that time on and before this one are not delivered: they passed while no process ran. */
  readonly missedSince?: number | undefined;
}

/**
 * Starts a scheduled workflow for a planned time (milliseconds since 1970), once for each time, unless its plan skips times
 * that are so late. Throws OverRateError for the first minutes in which the namespace starts too many runs a second.
 */
export async function startByClock(
  ports: RunnerPorts,
  target: Schedule['target'],
  planned: number,
  { isForced = false, isPatient = false, ...undelivered }: TickDelivery = {},
): Promise<void> {
  const readAt = ports.clock.now();
  const opened = await openById(ports, { ...target, path: target.workflow });
  const plan = opened?.revision.plan;
  if (opened === undefined || plan?.start.type !== 'scheduled' || !opened.node.live) return;
  const skipped = isForced ? undefined : missedReason(plan.start, planned, readAt);
  if (skipped !== undefined) {
    await note(ports, 'schedule.skip', opened, toTimestamp(planned), skipped);
    return noteUndelivered(ports, opened, planned, undelivered);
  }
  const start = { id: runOfTick(target, planned), input: new Uint8Array(), invoker: 'cron' };
  const isUrgent = readAt - planned > MAX_TICK_DELAY_MS && !(isPatient && plan.start.missed === 'all');
  // A workflow that skips starts has runs at work.
  await startRun(ports, { ...opened, readAt }, { ...start, isUrgent }).catch((error: unknown) => {
    if (!(error instanceof FullError)) throw error;
  });
  await noteUndelivered(ports, opened, planned, undelivered);
  if (opened.node.path !== target.workflow) await schedules.arm(ports, opened, plan);
}

async function noteUndelivered(
  ports: RunnerPorts,
  opened: Pick<Startable, 'namespace' | 'node'>,
  planned: number,
  { omittedUntil, missedSince }: TickDelivery,
): Promise<void> {
  const at = toTimestamp(planned);
  if (omittedUntil !== undefined) await note(ports, 'schedule.omit', opened, at, toTimestamp(omittedUntil));
  if (missedSince !== undefined) await note(ports, 'schedule.miss', opened, toTimestamp(missedSince), at);
}

interface Candidate {
  readonly opened: Startable;
  readonly plan: Plan;
  readonly recorded: Recorded;
}

/** Each event starts a run. */
async function startByOne(ports: RunnerPorts, { opened, plan, recorded }: Candidate): Promise<EventStart> {
  const { event, due, replay } = recorded;
  if (!listeners.startFilters(plan).some((filter) => matches(filter, event))) return { did: 'not wanted' };
  const id = spreadId(derivedId(due, opened.node.id, 'event', nameOf(recorded), replay?.id ?? ''));
  const isBatch = 'batch' in plan.start && plan.start.batch !== undefined;
  const { run, isCommitted } = await startRun(ports, opened, {
    id,
    input: isBatch ? batchOf(event) : inputOf([event]),
    invoker: 'cloudevent',
  });
  if (isCommitted) ports.meter?.note({ EventsDelivered: 1 });
  return startOf(run, id);
}

const startOf = (run: Run, id: string): EventStart => ({
  did: run.id === id ? 'started' : 'joined a run that is held back',
  started: run.id,
});

/** Events are collected; the one that completes the set starts a run. */
async function startBySet(ports: RunnerPorts, { opened, plan, recorded }: Candidate): Promise<EventStart> {
  const { event, due, replay } = recorded;
  const span = { slots: listeners.startFilters(plan), lifespan: lifespanOf(plan), now: ports.clock.now() };
  const name = nameOf(recorded);
  const deduplicationKey = replay === undefined ? name : `${name} ${replay.id}`;
  const added = await collections.add(ports, opened.node.id, span, { event, due, deduplicationKey });
  if (typeof added === 'string') return { did: added };
  const id = spreadId(derivedId(added.last, opened.node.id, 'events', ...added.deduplicationKeys));
  const { run } = await startRun(ports, opened, { id, input: inputOf(added.events), invoker: 'cloudevent' });
  return startOf(run, id);
}

/** How long a collected event counts, milliseconds. */
const lifespanOf = ({ start }: Plan): number => {
  const text = 'lifespan' in start ? start.lifespan : undefined;
  const duration = text === undefined ? undefined : parseDuration(text);
  return duration === undefined ? Number.POSITIVE_INFINITY : addDuration(0, duration);
};

/** The input of a run that events start: each event under its type (workflow language, section 3). */
const inputOf = (events: readonly CloudEvent[]): Uint8Array =>
  Buffer.from(JSON.stringify(Object.fromEntries(events.map((event) => [event.type, toData(event)]))));

/** The input of a run that further events may join. */
const batchOf = (event: CloudEvent): Uint8Array => Buffer.from(JSON.stringify({ events: [toData(event)] }));

interface NewStart {
  /** Derived from the cause, so that the same cause starts the same run. */
  readonly id: string;
  readonly input: Uint8Array;
  readonly invoker: string;
  /** Its namespace may start too many runs a second; by default it waits for its turn. */
  readonly isUrgent?: boolean;
}

/** Stores and starts a run, unless it is stored already or joins another one. */
async function startRun(
  ports: RunnerPorts,
  workflow: Startable,
  { id, input, invoker, isUrgent = false }: NewStart,
): Promise<Committed> {
  const opened = await openShare(ports, workflow, id);
  await awaitTurn(ports, opened.namespace).catch((error: unknown) => {
    if (!isUrgent || !(error instanceof OverRateError)) throw error;
  });
  const run = { ...newRun(ports, opened, input, invoker), id };
  return begin(ports, opened.revision, await fitted(ports, opened.revision, run));
}

/** No one receives the error of this start: the run fails with it, so that it is seen and handled. */
async function fitted(ports: RunnerPorts, revision: Revision, run: Run): Promise<Run> {
  try {
    return await fitInput(ports, planOf(revision), run);
  } catch (error) {
    if (error instanceof InputError) return { ...run, inputProblem: error.message };
    throw error;
  }
}

/** The revision that the workflow's routes choose for a run; always the same for the same run. */
async function openShare(ports: RunnerPorts, opened: Startable, id: string): Promise<Startable> {
  if (opened.node.routes.length <= 1) return opened;
  return { ...(await workflows.openNode(ports, opened, { seed: id })), readAt: opened.readAt };
}
