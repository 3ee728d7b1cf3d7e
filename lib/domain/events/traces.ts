import type { Ports } from '../../ports/ports.ts';
import type { Key, Table, Value } from '../../ports/table.ts';
import { ignoreConflict, retryOnConflict } from '../storage/conflicts.ts';
import * as keys from '../storage/keys.ts';
import * as texts from '../storage/texts.ts';
import * as events from './events.ts';
import { hashOf } from './reservations.ts';

type Needs = Pick<Ports, 'table' | 'blobs'>;

/** The maximum number of traces of an event; further listeners are served without one. */
export const MAX_TRACES = 1000;

/**
 * Appends the traces that are new. A repeated delivery finds a wait `gone` that this event has ended: that trace is left out,
 * whichever of the two deliveries stores its traces first.
 */
function merge(before: readonly events.Trace[], found: readonly events.Trace[]): readonly events.Trace[] {
  const known = new Set(before.map((trace) => JSON.stringify(trace)));
  const added = found.filter((trace) => !known.has(JSON.stringify(trace)));
  if (added.length === 0) return before;
  const all = [...before, ...added];
  const served = new Set(all.flatMap(({ listener, did }) => (did === 'gone' ? [] : [listener])));
  return all.filter(({ listener, did }) => did !== 'gone' || !served.has(listener)).slice(0, MAX_TRACES);
}

/** Updates an item; has no effect when it was purged meanwhile. */
async function updateIfPresent(table: Table, key: Key, set: Readonly<Record<string, string | boolean>>): Promise<void> {
  await ignoreConflict(table.write([{ do: 'update', key, set, when: { present: true } }]));
}

/** Stores the router's cursor after the last listener that was served: the next attempt continues there. */
export async function noteServed({ table }: Needs, { key, replay }: events.Recorded, served: string): Promise<void> {
  await updateIfPresent(table, replay?.key ?? key, { served });
}

/** The beginning of the keys of the blobs of all traces that were stored for an event, by the key of its record. */
export const blobsOf = ({ pk, sk }: Pick<Key, 'pk' | 'sk'>): string => keys.blobOf(keys.eventBlobs(pk), hashOf(sk), '');

/** Stores traces under a key of their content: of two updates with one number only one succeeds. */
const store = ({ blobs }: Needs, key: Key, notes: number, all: readonly events.Trace[]): Promise<Value> => {
  const beginning = `${blobsOf(key)}traces-${notes}`;
  return texts.storeText(blobs, { beginning }, JSON.stringify(all));
};

/** Adds traces to an event, and marks the delivery as complete if `isRouted`. Concurrent calls lose no traces. */
export async function add(
  needs: Needs,
  recorded: events.Recorded,
  found: readonly events.Trace[],
  isRouted: boolean,
): Promise<void> {
  const { key, replay } = recorded;
  if (isRouted && replay !== undefined) await updateIfPresent(needs.table, replay.key, { routed: true });
  const routed = isRouted && replay === undefined ? { routed: true } : {};
  await retryOnConflict(async (attempt) => {
    const current = attempt === 1 ? recorded : await events.read(needs, key);
    // The event was purged meanwhile.
    if (current === undefined) return;
    const notes = current.notes + 1;
    const all = merge(current.traces, found);
    const trace = all === current.traces ? {} : { trace: await store(needs, key, notes, all) };
    const set = { ...trace, notes, ...routed };
    await needs.table.write([{ do: 'update', key, set, when: { equals: { notes: current.notes } } }]);
  });
}
