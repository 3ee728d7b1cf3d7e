import * as traces from '../domain/event-traces.ts';
import * as events from '../domain/events.ts';
import * as listeners from '../domain/listeners.ts';
import { explainMatch, type Verdict } from '../events/matching.ts';
import { toJson } from '../language/json.ts';
import type { Message } from '../ports.ts';
import type { EnginePorts } from './engine-ports.ts';
import { startByEvent } from './event-start.ts';
import { nameOfWait, offer } from './listening.ts';

/** So many listeners are served side by side. */
const ABREAST = 16;
/** A value is shown up to here, in characters. */
const LONGEST_SHOWN = 200;

function shown(value: unknown): unknown {
  const text = typeof value === 'string' ? value : toJson(value ?? null);
  return text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…`.toWellFormed() : value;
}

function toShown({ matches, failed }: Verdict): Pick<events.Trace, 'matches' | 'failed'> {
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
  if (kind === 'wait') return { ...trace, did: await offer(ports, { run: owner, pause }, recorded, message.replay) };
  return { ...trace, ...(await startByEvent(ports, message, listener, recorded)) };
}

/** What an earlier try, which could not serve everybody, has started or collected is not looked at again. */
function isServed({ traces: known }: events.Recorded, { replay }: Message, listener: listeners.Listener): boolean {
  if (replay !== undefined || listener.kind === 'wait') return false;
  const name = nameOf(listener);
  return known.some((trace) => trace.listener === name && (trace.did === 'started' || trace.did === 'collected'));
}

/**
 * Takes a recorded event to everybody who listens to its type. Safe to repeat, and to run twice at once: each wait and
 * each start takes an event once. Serves all it can, then throws when somebody could not be served; the bus then brings
 * the event again.
 */
export async function route(ports: EnginePorts, message: Message): Promise<void> {
  const recorded = await events.read(ports, message.record);
  if (recorded === undefined || (recorded.isRouted && message.replay === undefined)) return;
  const found: events.Trace[] = [];
  const faults: unknown[] = [];
  for await (const page of listeners.of(ports, message.namespaceId, recorded.event.type)) {
    const open = page.filter((listener) => !isServed(recorded, message, listener));
    for (let from = 0; from < open.length; from += ABREAST) {
      const some = open.slice(from, from + ABREAST).map((listener) => serve(ports, message, recorded, listener));
      for (const result of await Promise.allSettled(some)) {
        if (result.status === 'rejected') faults.push(result.reason);
        else if (found.length < traces.MOST_TRACES && result.value.did !== 'had') found.push(result.value);
      }
    }
  }
  await traces.add(ports, recorded, found, faults.length === 0);
  if (faults.length > 0) throw faults[0];
}
