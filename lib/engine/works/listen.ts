import type { EventFilter, Work } from '../../compiler/plan/plan.ts';
import { type Filter, isHeard, type Listening, type Pause } from '../../domain/runs/waits.ts';
import type { CloudEvent } from '../../events/cloud-event.ts';
import { toData } from '../../events/cloud-event.ts';
import { setMember } from '../../language/json.ts';
import { addDuration, parseDuration } from '../../time/durations.ts';
import { evaluate } from '../evaluation/evaluation.ts';
import { failure, internalFailure, plainFailure, StateFailure } from '../evaluation/failures.ts';
import type { Draft } from '../run/unit-of-work.ts';
import { Hold, type Perform, type Resume, type Signal } from '../run/work.ts';

type Listen = Extract<Work, { readonly do: 'listen' }>;
type ListenAny = Extract<Work, { readonly do: 'listen-any' }>;

const DEFAULT_TIMEOUT = 'PT15M';

/** A context value is evaluated, and what comes out once more (reference, 10.11). */
async function evaluateTwice(draft: Draft, query: unknown): Promise<unknown> {
  try {
    return await evaluate(await evaluate(query, draft.data), draft.data);
  } catch (error) {
    if (!(error instanceof StateFailure)) throw error;
    throw failure('event.jq', `failed to process event context: ${error.message}`);
  }
}

async function filterOf(draft: Draft, { type, context }: EventFilter): Promise<Filter> {
  const values: [string, unknown][] = [];
  for (const [name, query] of Object.entries(context)) values.push([name, await evaluateTwice(draft, query)]);
  return { type, context: Object.fromEntries(values) };
}

function deadlineOf(draft: Draft, timeout: string | undefined): number {
  const duration = parseDuration(timeout ?? DEFAULT_TIMEOUT);
  return duration === undefined ? draft.entered : addDuration(draft.entered, duration);
}

/** A commit is one transaction of at most 100 writes, and each event waited for is one. */
const MOST_EVENTS = 80;
const ROOM = 90;

async function begin(
  draft: Draft,
  mode: Listening['mode'],
  events: readonly EventFilter[],
  timeout: string | undefined,
): Promise<Hold> {
  if (events.length > MOST_EVENTS) throw plainFailure(`a state waits for at most ${MOST_EVENTS} events`);
  if (draft.writes > 0 && draft.writes + events.length > ROOM) {
    return new Hold({ isWaiting: false, until: draft.entered });
  }
  const filters: Filter[] = [];
  for (const event of events) filters.push(await filterOf(draft, event));
  draft.log('Registered to receive events.');
  const received = filters.map(() => null);
  const listening: Listening = { mode, filters, received, since: draft.since, token: '' };
  return new Hold({ isWaiting: true, until: deadlineOf(draft, timeout), listening });
}

const parsed = (text: string): unknown => toData(JSON.parse(text) as CloudEvent);

/** Each event under its type; a second one of a type under its type and number (reference, 10.12). */
function take(draft: Draft, { filters, received }: Listening): void {
  const data = { ...draft.data };
  const counts = new Map<string, number>();
  for (const [slot, { type }] of filters.entries()) {
    const text = received[slot] ?? null;
    if (text === null) continue;
    const count = counts.get(type) ?? 0;
    counts.set(type, count + 1);
    setMember(data, count === 0 ? type : `${type}.${count}`, parsed(text));
  }
  draft.data = data;
}

export const listen: Perform<'listen'> = (draft, { mode, events, timeout }: Listen) =>
  begin(draft, mode, events, timeout);

/** What came counts, though its time was over before the run's machine had heard of it. */
function outcomeOf({ listening }: Pause, signal: Signal): Listening {
  if (listening !== undefined && isHeard(listening)) return listening;
  if (signal.kind === 'broken') throw internalFailure(`the wait failed: ${signal.error}: ${signal.cause}`);
  throw failure('cancels.timeout.soft', 'operation timed out');
}

export const hear: Resume<'listen'> = async (draft, work, state, pause, signal) => {
  if (!pause.isWaiting) return listen(draft, work, state);
  take(draft, outcomeOf(pause, signal));
  return undefined;
};

export const listenAny: Perform<'listen-any'> = (draft, { events, timeout }: ListenAny) =>
  begin(
    draft,
    'one',
    events.map(({ event }) => event),
    timeout,
  );

/** The branch is the first with the type of the event, whatever its filter (reference, 10.13). */
export const hearAny: Resume<'listen-any'> = async (draft, work, state, pause, signal) => {
  if (!pause.isWaiting) return listenAny(draft, work, state);
  const listening = outcomeOf(pause, signal);
  take(draft, listening);
  const slot = listening.received.findIndex((text) => text !== null);
  const type = listening.filters[slot]?.type;
  return work.events.find(({ event }) => event.type === type);
};
