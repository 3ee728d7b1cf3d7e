import type { Blobs } from '../../ports/blobs.ts';
import { ConflictError, type Table } from '../../ports/table.ts';
import * as keys from '../storage/keys.ts';
import * as texts from '../storage/texts.ts';
import * as events from './events.ts';

type Needs = { readonly table: Table; readonly blobs: Blobs };

/** So many listeners are told of; the others are served all the same. */
export const MOST_TRACES = 1000;

const sameAs = (trace: events.Trace): string => JSON.stringify(trace);

/** What was found out before stays; what is found out again is told once. */
function merge(before: readonly events.Trace[], found: readonly events.Trace[]): events.Trace[] {
  const known = new Set(before.map(sameAs));
  return [...before, ...found.filter((trace) => !known.has(sameAs(trace)))].slice(0, MOST_TRACES);
}

/** Where it is noted how far the router has come with an event, or with a repetition of it. */
const placeOf = ({ key, replay }: events.Recorded) => replay?.key ?? key;

/** What was purged meanwhile needs no note. */
const unlessGone = (error: unknown): void => {
  if (!(error instanceof ConflictError)) throw error;
};

/** Notes the last listener up to whom everybody has been served, so that whoever comes next goes on there. */
export async function noteServed(needs: Needs, recorded: events.Recorded, served: string): Promise<void> {
  const write = { do: 'update', key: placeOf(recorded), set: { served }, when: { present: true } } as const;
  await needs.table.write([write]).catch(unlessGone);
}

/** Notes what an event did to listeners, and whether everybody who listened has been served; whoever else notes too. */
export async function add(
  needs: Needs,
  recorded: events.Recorded,
  found: readonly events.Trace[],
  isRouted: boolean,
): Promise<void> {
  const { key, replay } = recorded;
  const routed = isRouted && replay === undefined ? { routed: true } : {};
  if (isRouted && replay !== undefined) {
    const write = { do: 'update', key: replay.key, set: { routed: true }, when: { present: true } } as const;
    await needs.table.write([write]).catch(unlessGone);
  }
  for (let now: events.Recorded | undefined = recorded; now !== undefined; now = await events.read(needs, key)) {
    const text = JSON.stringify(merge(now.traces, found));
    const notes = now.notes + 1;
    const blob = keys.blobOf('events', 'traces', events.hashOf(key.pk + key.sk), String(notes));
    const set = { trace: await texts.storeText(needs.blobs, blob, text), notes, ...routed };
    try {
      await needs.table.write([{ do: 'update', key, set, when: { equals: { notes: now.notes } } }]);
      return;
    } catch (error) {
      // Somebody else noted something, or the namespace was purged.
      if (!(error instanceof ConflictError)) throw error;
    }
  }
}

/** What an event did, for people. */
export function toExplanation(recorded: events.Recorded) {
  return { event: events.toRecord(recorded), routed: recorded.isRouted, listeners: recorded.traces };
}
