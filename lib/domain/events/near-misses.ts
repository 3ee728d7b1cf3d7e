import { explainMatch, type MatchResult } from '../../events/matching.ts';
import { toJson } from '../../language/json.ts';
import type { Ports } from '../../ports/ports.ts';
import { someOfType } from './candidates.ts';
import type * as events from './events.ts';
import { displayName } from './listeners.ts';
import { toRecord } from './rows.ts';

/** The most listeners of the type that are compared with the event. */
const MAX_COMPARED = 2000;
/** The most near misses of an explanation. */
const MAX_SHOWN = 100;
/** The maximum length of a value in a near miss, characters. */
const MAX_SHOWN_LENGTH = 200;

function shown<T>(value: T): T | string {
  const text = typeof value === 'string' ? value : toJson(value ?? null);
  return text.length > MAX_SHOWN_LENGTH ? `${text.slice(0, MAX_SHOWN_LENGTH)}…`.toWellFormed() : value;
}

function toShown({ failed }: MatchResult): Pick<events.Trace, 'failed'> {
  if (failed === undefined) return {};
  const { attribute, expected, found } = failed;
  return { failed: { attribute: shown(attribute), expected: shown(expected), found: shown(found) } };
}

/**
 * Returns the listeners of the event's type that existed when the event was due, still exist and do not match it, with the
 * first attribute that differs. They are compared when an event is explained, so that its delivery reads only the listeners
 * that match.
 */
async function nearMissesOf(
  ports: Pick<Ports, 'table'>,
  namespaceId: string,
  { event, due, traces }: Pick<events.Recorded, 'event' | 'due' | 'traces'>,
): Promise<events.Trace[]> {
  const traced = new Set(traces.map(({ listener }) => listener));
  const misses: events.Trace[] = [];
  for (const listener of await someOfType(ports, namespaceId, event.type, MAX_COMPARED)) {
    const name = displayName(listener);
    const result = explainMatch(listener.filter, event);
    if (result.matches || listener.created > due || traced.has(name)) continue;
    misses.push({ listener: name, workflow: listener.path, matches: false, ...toShown(result), did: 'nothing' });
    if (misses.length >= MAX_SHOWN) break;
  }
  return misses;
}

/** Explains an event: its deliveries to listeners with their results, and the attributes in which other listeners differ. */
export async function explain(ports: Pick<Ports, 'table'>, namespaceId: string, recorded: events.Recorded) {
  const misses = await nearMissesOf(ports, namespaceId, recorded);
  return {
    event: toRecord(recorded),
    routed: recorded.isRouted,
    listeners: [...recorded.traces, ...misses],
  };
}
