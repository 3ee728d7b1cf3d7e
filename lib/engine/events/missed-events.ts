import * as events from '../../domain/events/events.ts';
import { homeOf } from '../../domain/namespaces/partitions.ts';
import type { Run } from '../../domain/runs/runs.ts';
import type { Filter, Listening } from '../../domain/runs/waits.ts';
import { explainMatch } from '../../events/matching.ts';
import { toJson } from '../../language/json.ts';
import type { Ports } from '../../ports/ports.ts';
import { HOUR_MS } from '../../time/units.ts';

/** How many of the newest events of a type are compared. */
const MAX_COMPARED = 10;
const MAX_VALUE = 100;

const shown = (value: unknown): string => {
  const text = toJson(value ?? null);
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…`.toWellFormed() : text;
};

const wantedText = ({ type, context }: Filter): string =>
  `the state waited for an event of type '${type}'${Object.keys(context).length === 0 ? '' : ` with ${toJson(context)}`}`;

/** Why an event is not the one that was waited for; undefined if it is, or has come before. */
function missText(filter: Filter, { event }: events.Recorded): string | undefined {
  const { failed } = explainMatch(filter, event);
  if (failed === undefined) return undefined;
  const { attribute, expected, found } = failed;
  const has = found === undefined ? `has no '${attribute}'` : `has the '${attribute}' ${shown(found)}`;
  return `the event '${shown(event.id).slice(1, -1)}' ${has}, not ${shown(expected)}`;
}

/**
 * Explains a wait that is over: for each event that did not come its filter, and the newest event of its type within the last hour
 * of the wait that differs, with the first attribute that does. One query for each of them.
 */
export async function missedEvents(
  ports: Pick<Ports, 'table' | 'blobs' | 'clock'>,
  run: Run,
  { filters, received }: Listening,
  since: number,
): Promise<string[]> {
  const home = await homeOf(ports, run);
  const from = Math.max(since, ports.clock.now() - HOUR_MS);
  const open = filters.filter((_, slot) => (received[slot] ?? null) === null);
  const hints = open.map(async (filter) => {
    const newest = await events.newestOfType(ports, { home, type: filter.type, from }, MAX_COMPARED);
    const miss = newest.map((one) => missText(filter, one)).find((text) => text !== undefined);
    return [wantedText(filter), ...(miss === undefined ? [] : [miss])];
  });
  return (await Promise.all(hints)).flat();
}
