import type { Plan } from '../../compiler/plan/plan.ts';
import { ServiceError } from '../../domain/errors.ts';
import * as collections from '../../domain/events/collections.ts';
import type { Recorded } from '../../domain/events/events.ts';
import * as listeners from '../../domain/events/listeners.ts';
import * as runs from '../../domain/runs/runs.ts';
import { derivedId } from '../../domain/storage/ids.ts';
import * as schedules from '../../domain/tree/schedules.ts';
import { findById } from '../../domain/tree/tree.ts';
import * as workflows from '../../domain/tree/workflows.ts';
import type { CloudEvent } from '../../events/cloud-event.ts';
import { toData } from '../../events/cloud-event.ts';
import { matches } from '../../events/matching.ts';
import type { Schedule } from '../../ports/schedules.ts';
import { ConflictError } from '../../ports/table.ts';
import { addDuration, parseDuration } from '../../time/durations.ts';
import { carrierOf } from '../executions/machines.ts';
import type { EnginePorts } from '../ports.ts';
import { newRun } from '../run/new-run.ts';

/** What an event did to a workflow that events start. */
export interface Started {
  readonly did: string;
  readonly started?: string;
}

/** The workflow of a listener, wherever it stands by now; undefined when it is gone. */
async function openOwner(ports: EnginePorts, namespace: string, id: string, path: string) {
  const gone = (error: unknown): undefined => {
    if (!(error instanceof ServiceError)) throw error;
  };
  const there = await workflows.open(ports, namespace, path).catch(gone);
  if (there?.node.id === id) return there;
  const moved = await findById(ports, namespace, id).catch(gone);
  return moved === undefined ? undefined : workflows.open(ports, namespace, moved).catch(gone);
}

/** The input of a run that events start: each event under its type (workflow language, section 3). */
function inputOf(events: readonly CloudEvent[]): Uint8Array {
  return Buffer.from(JSON.stringify(Object.fromEntries(events.map((event) => [event.type, toData(event)]))));
}

/** The revision whose turn it is: by the weights of the routes, the same for the same run. */
async function openShare(ports: EnginePorts, opened: workflows.Opened, id: string): Promise<workflows.Opened> {
  return opened.node.routes.length > 1 ? workflows.openNode(ports, opened, { seed: id }) : opened;
}

/**
 * Starts a run under an id that follows from what starts it: a second time it is the same run, and it is seen to that
 * it has been started. Answers whether this is the first time.
 */
async function startOnce(
  ports: EnginePorts,
  workflow: workflows.Opened,
  id: string,
  input: Uint8Array,
  invoker: string,
): Promise<boolean> {
  const opened = await openShare(ports, workflow, id);
  const begun = { ...newRun(ports, opened, input, invoker), id };
  const run = { ...begun, ...(await carrierOf(ports, opened.revision, begun)), seq: 1 };
  let isFirst = true;
  const stored = await runs.commit(ports, run).catch(async (error: unknown) => {
    const first = error instanceof ConflictError ? await runs.find(ports, id) : undefined;
    if (first === undefined) throw error;
    isFirst = false;
    return first;
  });
  if (stored.status === 'pending' && stored.step === 0) {
    await ports.executions.start(stored.machine, runs.executionOf(stored), { run: id });
  }
  return isFirst;
}

const lifespanOf = (plan: Plan): number => {
  const text = 'lifespan' in plan.start ? plan.start.lifespan : undefined;
  const duration = text === undefined ? undefined : parseDuration(text);
  return duration === undefined ? Number.POSITIVE_INFINITY : addDuration(0, duration);
};

interface Offer {
  readonly opened: workflows.Opened;
  readonly plan: Plan;
  readonly recorded: Recorded;
}

async function collect(ports: EnginePorts, { opened, plan, recorded }: Offer): Promise<Started> {
  const { event, due, replay } = recorded;
  const span = { slots: listeners.startFilters(plan), lifespan: lifespanOf(plan), now: ports.clock.now() };
  const mark = replay === undefined ? event.id : `${event.id} ${replay.id}`;
  const added = await collections.add(ports, opened.node.id, span, { event, due, deduplicationKey: mark });
  if (typeof added === 'string') return { did: added };
  const id = derivedId(added.last, opened.node.id, 'events', ...added.deduplicationKeys);
  await startOnce(ports, opened, id, inputOf(added.events), 'cloudevent');
  return { did: 'started', started: id };
}

async function startByOne(ports: EnginePorts, { opened, plan, recorded }: Offer): Promise<Started> {
  const { event, due, replay } = recorded;
  if (!listeners.startFilters(plan).some((filter) => matches(filter, event))) return { did: 'not wanted' };
  const id = derivedId(due, opened.node.id, 'event', event.id, replay?.id ?? '');
  const isFirst = await startOnce(ports, opened, id, inputOf([event]), 'cloudevent');
  if (isFirst) ports.meter?.note({ EventsDelivered: 1 });
  return { did: 'started', started: id };
}

/**
 * Starts the workflow of a start listener that an event matches; each workflow once for each event. What the workflow
 * wants by now counts. An event that can start no run, because it is nested too deep, is not tried again.
 */
export async function startByEvent(
  ports: EnginePorts,
  namespace: string,
  listener: listeners.Listener,
  recorded: Recorded,
): Promise<Started> {
  const opened = await openOwner(ports, namespace, listener.owner, listener.path);
  const plan = opened?.revision.plan;
  if (opened === undefined || plan === undefined) return { did: 'nothing: the workflow is gone' };
  if (!opened.node.live) return { did: 'nothing: the workflow is disabled' };
  const { path } = opened.node;
  if (path !== listener.path) await listeners.move(ports, opened.namespace.id, listener, path);
  const start = plan.start.type === 'eventsAnd' ? collect : startByOne;
  return start(ports, { opened, plan, recorded }).catch((error: unknown) => {
    if (error instanceof ServiceError && error.code === 'malformed') return { did: `nothing: ${error.message}` };
    throw error;
  });
}

/** The id of the run that a planned time (milliseconds since 1970) starts. */
export const runOfTick = ({ id }: Pick<Schedule['target'], 'id'>, planned: number): string =>
  derivedId(planned, id, 'cron', planned);

/** Starts a scheduled workflow for a planned time (milliseconds since 1970), once for each. */
export async function startByClock(ports: EnginePorts, target: Schedule['target'], planned: number): Promise<void> {
  const opened = await openOwner(ports, target.namespace, target.id, target.workflow);
  const plan = opened?.revision.plan;
  if (opened === undefined || plan?.start.type !== 'scheduled' || !opened.node.live) return;
  await startOnce(ports, opened, runOfTick(target, planned), new Uint8Array(), 'cron');
  if (opened.node.path !== target.workflow) await schedules.arm(ports, opened, plan);
}
