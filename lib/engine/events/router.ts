import * as events from '../../domain/events/events.ts';
import * as listeners from '../../domain/events/listeners.ts';
import * as traces from '../../domain/events/traces.ts';
import { explainMatch, type MatchResult } from '../../events/matching.ts';
import { toJson } from '../../language/json.ts';
import type { Message } from '../../ports/bus.ts';
import type { EnginePorts } from '../ports.ts';
import { startByEvent } from './event-start.ts';
import { nameOfWait, offer } from './listening.ts';

/** So many listeners are served side by side. */
const ABREAST = 16;
/** So many listeners a call of the router serves at most, unless one of them fails: it has five minutes on AWS. */
const MOST_OF_A_ROUND = 5000;
/** A value is shown up to here, in characters. */
const LONGEST_SHOWN = 200;

function shown(value: unknown): unknown {
  const text = typeof value === 'string' ? value : toJson(value ?? null);
  return text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…`.toWellFormed() : value;
}

function toShown({ matches, failed }: MatchResult): Pick<events.Trace, 'matches' | 'failed'> {
  if (failed === undefined) return { matches };
  const { attribute, expected, found } = failed;
  return { matches, failed: { attribute: String(shown(attribute)), expected: shown(expected), found: shown(found) } };
}

const nameOf = ({ kind, owner }: listeners.Listener): string =>
  kind === 'wait' ? nameOfWait(owner) : `start ${owner}`;

async function serve(
  ports: EnginePorts,
  message: Message,
  recorded: events.Recorded,
  listener: listeners.Listener,
): Promise<events.Trace> {
  const { kind, owner, path, pause } = listener;
  const verdict = explainMatch(listener.filter, recorded.event);
  const trace = { listener: nameOf(listener), workflow: path, ...toShown(verdict) };
  if (!verdict.matches) return { ...trace, did: 'nothing' };
  if (kind === 'wait') return { ...trace, did: await offer(ports, { run: owner, pause }, recorded) };
  return { ...trace, ...(await startByEvent(ports, message.namespace, listener, recorded)) };
}

/** What an earlier try, which could not serve everybody, has started or collected is not looked at again. */
function isServed({ traces: known, replay }: events.Recorded, listener: listeners.Listener): boolean {
  if (replay !== undefined || listener.kind === 'wait') return false;
  const name = nameOf(listener);
  return known.some((trace) => trace.listener === name && (trace.did === 'started' || trace.did === 'collected'));
}

/** Whom an event could not be taken to, by the fault. */
const unserved = new WeakMap<object, listeners.Listener>();

/** What a log says of a fault of `route`: for whom the event was. */
export function aboutFault(error: unknown): Readonly<Record<string, string>> {
  const listener = typeof error === 'object' && error !== null ? unserved.get(error) : undefined;
  if (listener === undefined) return {};
  const { kind, owner, path } = listener;
  return { workflow: path, ...(kind === 'wait' ? { instance: owner } : {}) };
}

async function serveOrTell(...given: Parameters<typeof serve>): Promise<events.Trace> {
  const [, , , listener] = given;
  return serve(...given).catch((error: unknown) => {
    if (typeof error === 'object' && error !== null) unserved.set(error, listener);
    throw error;
  });
}

/** What came of listeners in one call of the router. */
interface Round {
  readonly found: events.Trace[];
  readonly faults: unknown[];
  /** How many it was offered to. */
  offered: number;
  /** The last listener up to whom everybody has been served. */
  served: string;
}

async function servePage(
  ports: EnginePorts,
  message: Message,
  recorded: events.Recorded,
  page: readonly listeners.Listener[],
  round: Round,
): Promise<void> {
  const { found, faults } = round;
  const open = page.filter((listener) => !isServed(recorded, listener));
  round.offered += open.length;
  for (let from = 0; from < open.length; from += ABREAST) {
    const some = open.slice(from, from + ABREAST).map((listener) => serveOrTell(ports, message, recorded, listener));
    for (const result of await Promise.allSettled(some)) {
      if (result.status === 'rejected') faults.push(result.reason);
      else if (found.length < traces.MAX_TRACES && result.value.did !== 'had') found.push(result.value);
    }
  }
  // Where somebody could not be served, whoever comes next begins there.
  if (faults.length === 0) round.served = page.at(-1)?.at ?? round.served;
}

/**
 * Takes a recorded event to everybody who listens to its type. Safe to repeat, and to run twice at once: each wait and
 * each start takes an event once. It notes how far it has come, so whoever comes after one that died goes on there;
 * after `MOST_OF_A_ROUND` listeners it lets the bus call it again for the others. Serves all it can, then throws when
 * somebody could not be served; the bus then brings the event again.
 */
export async function route(ports: EnginePorts, message: Message): Promise<void> {
  const recorded = await events.read(ports, message.record);
  if (recorded === undefined || recorded.isRouted) return;
  const round: Round = { found: [], faults: [], offered: 0, served: recorded.served };
  const { namespaceId, round: number = 0 } = message;
  for await (const page of listeners.of(ports, namespaceId, recorded.event.type, recorded.served)) {
    if (round.served !== recorded.served) await traces.noteServed(ports, recorded, round.served);
    if (round.offered >= MOST_OF_A_ROUND && round.faults.length === 0) {
      await traces.add(ports, recorded, round.found, false);
      await ports.bus.publish([{ ...message, round: number + 1 }]);
      return;
    }
    await servePage(ports, message, recorded, page, round);
  }
  await traces.add(ports, recorded, round.found, round.faults.length === 0);
  if (round.faults.length > 0) throw round.faults[0];
}
