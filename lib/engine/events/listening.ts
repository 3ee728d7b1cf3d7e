import { createHash } from 'node:crypto';
import * as events from '../../domain/events/events.ts';
import * as traces from '../../domain/events/traces.ts';
import * as runs from '../../domain/runs/runs.ts';
import { isHeard, type Listening, type Pause } from '../../domain/runs/waits.ts';
import { type CloudEvent, toText } from '../../events/cloud-event.ts';
import { matches } from '../../events/matching.ts';
import { ConflictError } from '../../ports/table.ts';
import type { EnginePorts } from '../ports.ts';

/** A machine's task that waits for the events of a paused run. */
export interface ListenInput {
  readonly run: string;
  /** The number of the pause. */
  readonly listen: number;
  /** Ends the task. */
  readonly token: string;
}

/** A pause of a run, by its number. */
export interface Wait {
  readonly run: string;
  readonly pause: number;
}

type Waiting = runs.Run & { readonly pause: Pause & { readonly listening: Listening } };

/** A wait as `explain` names it. */
export const nameOfWait = (run: string): string => `wait ${run}`;

async function findWaiting(ports: EnginePorts, { run: id, pause }: Wait): Promise<Waiting | undefined> {
  const run = await runs.find(ports, id);
  const isThere = run?.status === 'pending' && run.pause?.number === pause && run.pause.listening !== undefined;
  return isThere ? (run as Waiting) : undefined;
}

interface Change {
  readonly listening: Partial<Listening>;
  readonly heard?: readonly string[];
}

/** Changes what a wait knows, whoever else changes it; undefined from `change` leaves it as it is. */
async function update(
  ports: EnginePorts,
  wait: Wait,
  change: (run: Waiting) => Change | undefined,
): Promise<Waiting | undefined> {
  for (;;) {
    const run = await findWaiting(ports, wait);
    if (run === undefined) return undefined;
    const changes = change(run);
    if (changes === undefined) return run;
    const { heard = run.heard } = changes;
    const listening = { ...run.pause.listening, ...changes.listening };
    try {
      const next = { ...run, seq: run.seq + 1, heard, pause: { ...run.pause, listening } };
      return (await runs.commit(ports, next)) as Waiting;
    } catch (error) {
      if (!(error instanceof ConflictError)) throw error;
    }
  }
}

/** So many events are remembered of a run: those that a later wait could be offered again. */
const MOST_HEARD = 200;
const MARK_LENGTH = 22;

/** Ids may be as long as an event. A repetition that was asked for is an event of its own. */
const markOf = ({ id }: CloudEvent, replay = ''): string =>
  createHash('sha256')
    .update(JSON.stringify([id, replay]))
    .digest('base64url')
    .slice(0, MARK_LENGTH);

/** The first filter that still wants the event. */
function slotFor({ filters, received }: Listening, event: CloudEvent): number | undefined {
  const slot = filters.findIndex((filter, index) => received[index] === null && matches(filter, event));
  return slot < 0 ? undefined : slot;
}

/** What became of an event that was offered to a run. */
export type Taken = 'taken' | 'had' | 'not wanted' | 'too early' | 'gone';

/** What the event means to the wait, and how the run changes where it takes it. */
function judge(run: Waiting, { event, due, replay }: events.Recorded): Taken | Change {
  const { listening } = run.pause;
  const mark = markOf(event, replay?.id);
  if (run.heard.includes(mark)) return 'had';
  if (isHeard(listening)) return 'gone';
  if (due < listening.since) return 'too early';
  const slot = slotFor(listening, event);
  if (slot === undefined) return 'not wanted';
  const received = listening.received.map((text, index) => (index === slot ? toText(event) : text));
  return { listening: { received }, heard: [...run.heard, mark].slice(-MOST_HEARD) };
}

/** Wakes the run's machine if its wait is over. Safe to repeat. */
async function wake(ports: EnginePorts, { pause: { listening } }: Waiting): Promise<void> {
  if (!isHeard(listening) || listening.token === '') return;
  await ports.executions.answer(listening.token, { output: { heard: true } });
}

/**
 * Offers an event to a run that waits. A run takes an event once, however often and by whichever of its waits it is
 * offered; a repetition counts as another event, and as one of the moment when it was asked for.
 */
export async function offer(ports: EnginePorts, wait: Wait, recorded: events.Recorded): Promise<Taken> {
  let verdict: Taken | Change = 'gone';
  const run = await update(ports, wait, (waiting) => {
    verdict = judge(waiting, recorded);
    return typeof verdict === 'string' ? undefined : verdict;
  });
  if (run === undefined) return 'gone';
  const did = typeof verdict === 'string' ? verdict : 'taken';
  if (did === 'taken') ports.meter?.note({ EventsDelivered: 1 });
  await wake(ports, run);
  return did;
}

/** Events that went out since the state was entered count, though nobody listened yet (architecture, section 5). */
async function lookBack(ports: EnginePorts, wait: Wait, run: Waiting): Promise<void> {
  const { filters, since: from } = run.pause.listening;
  const { namespaceId } = run;
  const types = [...new Set(filters.map(({ type }) => type))];
  const isWanted = (event: CloudEvent) => filters.some((filter) => matches(filter, event));
  const found = await Promise.all(types.map((type) => events.dueSince(ports, { namespaceId, type, from }, isWanted)));
  for (const recorded of found.flat().sort((a, b) => a.due - b.due)) {
    const did = await offer(ports, wait, recorded);
    if (did === 'gone') return;
    const trace = { listener: nameOfWait(run.id), workflow: run.path, matches: true, did };
    if (did === 'taken') await traces.add(ports, recorded, [trace], false);
  }
}

/** Begins the wait of a machine's task: from now on an event that completes it ends the task. Safe to repeat. */
export async function beginListening(ports: EnginePorts, { run: id, listen, token }: ListenInput): Promise<void> {
  const wait = { run: id, pause: listen };
  const run = await update(ports, wait, () => ({ listening: { token } }));
  if (run === undefined) {
    await ports.executions.answer(token, { error: 'Weft.Left', cause: '' });
    return;
  }
  await lookBack(ports, wait, run);
  const now = await findWaiting(ports, wait);
  if (now !== undefined) await wake(ports, now);
}
