import type { EventFilter } from '../../../compiler/plan/plan.ts';
import { areTooLarge, MAX_FILTER_BYTES } from '../../../domain/events/listeners.ts';
import { type Filter, isFulfilled, type Listening } from '../../../domain/runs/waits.ts';
import type { CloudEvent } from '../../../events/cloud-event.ts';
import { toData } from '../../../events/cloud-event.ts';
import { setMember } from '../../../language/json.ts';
import { parseJson } from '../../../language/json-numbers.ts';
import { evaluate } from '../../evaluation/evaluation.ts';
import { failure, internalFailure, plainFailure, StateError } from '../../evaluation/failures.ts';
import { missedEvents } from '../../events/missed-events.ts';
import type { StepUnit } from '../../run/commit/step-unit.ts';
import { checkpoint, Suspend } from '../../run/suspension.ts';
import { endOfWait } from '../../run/timeouts.ts';
import type { EndedWait, Perform, Resume, WorkOf } from './work.ts';

/** A commit is one transaction of at most 100 writes, and each event to wait for is one of them. */
const MAX_EVENTS = 80;
const MAX_COMMIT_SIZE = 90;

/** A context value is evaluated, and its result is evaluated again (reference, 10.11). */
async function evaluateTwice(unit: StepUnit, query: unknown): Promise<unknown> {
  try {
    return await evaluate(await evaluate(query, unit.data), unit.data);
  } catch (error) {
    if (!(error instanceof StateError)) throw error;
    throw failure('event.jq', `failed to process event context: ${error.message}`, error.evaluated);
  }
}

async function filterOf(unit: StepUnit, { type, context }: EventFilter): Promise<Filter> {
  const values: [string, unknown][] = [];
  for (const [name, query] of Object.entries(context)) values.push([name, await evaluateTwice(unit, query)]);
  return { type, context: Object.fromEntries(values) };
}

/** Begins the wait; other writes of the batch are committed before it if both do not fit into one commit. */
async function begin(unit: StepUnit, { mode, events, timeout }: Omit<WorkOf<'listen'>, 'do'>): Promise<Suspend> {
  if (events.length > MAX_EVENTS) throw plainFailure(`a state waits for at most ${MAX_EVENTS} events`);
  if (unit.commitSize > 0 && unit.commitSize + events.length > MAX_COMMIT_SIZE) return checkpoint(unit);
  const filters: Filter[] = [];
  for (const event of events) filters.push(await filterOf(unit, event));
  if (areTooLarge(filters)) {
    const most = `${MAX_FILTER_BYTES / 1024} KiB`;
    throw plainFailure(`the events that a state waits for have at most ${most} together, with their contexts`);
  }
  unit.log('Registered to receive events.');
  const received = filters.map(() => null);
  const listening: Listening = { mode, filters, received, since: unit.since, token: '' };
  return new Suspend({ isWaiting: true, until: endOfWait(unit.entered, timeout), listening });
}

/** Events that were received count, even if the time of the wait was over before the machine was answered. */
async function receivedOf(unit: StepUnit, { wait: { listening, entered }, signal }: EndedWait): Promise<Listening> {
  if (listening !== undefined && isFulfilled(listening)) return listening;
  if (signal.kind === 'machineFailed') throw internalFailure(`the wait failed: ${signal.error}: ${signal.cause}`);
  const hints = listening === undefined ? [] : await missedEvents(unit.ports, unit.run, listening, entered);
  throw failure('cancels.timeout.soft', 'operation timed out', { hints });
}

const parsed = (text: string): unknown => toData(parseJson(text) as CloudEvent);

const idOf = (text: string): string => (parseJson(text) as CloudEvent).id;

/** Puts each event under its type; a further one of a type under its type and its place in the list (reference, 10.12). */
function keepReceived(unit: StepUnit, { filters, received, names }: Listening): void {
  const taken = received.flatMap((text, slot) => (text === null ? [] : [names?.[slot] ?? idOf(text)]));
  unit.recorder.note({ events: taken });
  const data = { ...unit.data };
  const types = new Set<string>();
  for (const [slot, { type }] of filters.entries()) {
    const text = received[slot] ?? null;
    if (text === null) continue;
    setMember(data, types.has(type) ? `${type}.${slot}` : type, parsed(text));
    types.add(type);
  }
  unit.data = data;
}

/** Waits for one of the events, or for all of them. */
export const listen: Perform<'listen'> = begin;

/** Puts the received events into the data. Throws the catchable timeout when they did not come in time. */
export const resumeListen: Resume<'listen'> = async (unit, work, ended) => {
  if (!ended.wait.isWaiting) return begin(unit, work);
  keepReceived(unit, await receivedOf(unit, ended));
  return undefined;
};

const anyOf = ({ events, timeout }: WorkOf<'listen-any'>) => ({
  mode: 'one' as const,
  events: events.map(({ event }) => event),
  ...(timeout === undefined ? {} : { timeout }),
});

/** Waits for one of the events, each with an exit of its own. */
export const listenAny: Perform<'listen-any'> = (unit, work) => begin(unit, anyOf(work));

/** As `resumeListen`. The exit is the first one for the type of the event, whatever its filter (reference, 10.13). */
export const resumeListenAny: Resume<'listen-any'> = async (unit, work, ended) => {
  if (!ended.wait.isWaiting) return begin(unit, anyOf(work));
  const listening = await receivedOf(unit, ended);
  keepReceived(unit, listening);
  const slot = listening.received.findIndex((text) => text !== null);
  const type = listening.filters[slot]?.type;
  if (type !== undefined) unit.recorder.note({ because: `event ${type}` });
  return work.events.find(({ event }) => event.type === type);
};
