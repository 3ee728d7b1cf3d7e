import { type CloudEvent, toText } from '../../events/cloud-event.ts';
import { type Filter, matches } from '../../events/matching.ts';
import { parseJson } from '../../language/json-numbers.ts';
import type { Ports } from '../../ports/ports.ts';
import { putAt } from '../storage/batches.ts';
import { retryOnConflict } from '../storage/conflicts.ts';
import * as keys from '../storage/keys.ts';
import * as texts from '../storage/texts.ts';

/** The events that a workflow with several start events has collected for its next start. */
interface Collection {
  readonly seq: number;
  readonly slots: readonly (Collected | null)[];
  /** The last complete sets: an event of them that is delivered again is not collected again. */
  readonly spent: readonly (readonly Collected[])[];
  /** The keys of the blobs that its item refers to. */
  readonly blobs: readonly string[];
}

interface Collected {
  /** The deduplication key. */
  readonly id: string;
  readonly due: number;
  readonly text: string;
}

/** The events that start a workflow, a slot for each, and how long a collected event is valid, milliseconds. */
export interface CollectionSpec {
  readonly slots: readonly Filter[];
  readonly lifespan: number;
  readonly now: number;
}

interface Offered {
  /** Identifies the delivery: the id of the event, and that of the replay. */
  readonly deduplicationKey: string;
  readonly event: CloudEvent;
  readonly due: number;
}

/** The result for an event: it completed a set, it was collected, or no slot wants it. */
export type Added = FullSet | 'collected' | 'not wanted';

export interface FullSet {
  /** In the order of the slots. */
  readonly events: readonly CloudEvent[];
  /** When the last of them was due, milliseconds since 1970. */
  readonly last: number;
  readonly deduplicationKeys: readonly string[];
}

const eventOf = ({ text }: Collected): CloudEvent => parseJson(text) as CloudEvent;

const fits = (filter: Filter | undefined, event: CloudEvent): boolean => filter !== undefined && matches(filter, event);

type Needs = Pick<Ports, 'table' | 'blobs'>;

/** The number of complete sets that are kept for deduplication. */
const MAX_SPENT = 20;

/** Reads a collection. Its slots are empty when it was made for other filters. */
async function read({ table, blobs }: Needs, workflowId: string, filters: readonly Filter[]): Promise<Collection> {
  const empty = filters.map(() => null);
  const readItem = async () => (await table.get([keys.collection(workflowId)]))[0];
  const found = await texts.readCurrent(readItem, async (item) => ({
    item,
    stored: parseJson(await texts.readText(blobs, item['state'])) as Pick<Collection, 'slots' | 'spent'>,
  }));
  if (found === undefined) return { seq: 0, slots: empty, spent: [], blobs: [] };
  const { item, stored } = found;
  const isFitting = (held: Collected | null, index: number) => held === null || fits(filters[index], eventOf(held));
  const slots = stored.slots.length === filters.length && stored.slots.every(isFitting) ? stored.slots : empty;
  return { seq: Number(item['seq']), slots, spent: stored.spent, blobs: texts.blobsIn(item) };
}

/** Throws ConflictError when another change of the collection came first. */
async function write({ table, blobs }: Needs, workflowId: string, collection: Collection): Promise<void> {
  const { seq, slots, spent, blobs: superseded } = collection;
  const beginning = keys.blobOf('workflows', workflowId, 'collection', String(seq));
  const state = await texts.storeText(blobs, { beginning }, JSON.stringify({ slots, spent }));
  const when = seq === 1 ? ({ absent: true } as const) : { equals: { seq: seq - 1 } };
  await table.write([putAt(keys.collection(workflowId), { seq, state }, when)]);
  if (superseded.length > 0) await blobs.delete(superseded);
}

const toSet = (collected: readonly Collected[]): FullSet => ({
  events: collected.map(eventOf),
  last: Math.max(...collected.map(({ due }) => due)),
  deduplicationKeys: collected.map(({ id }) => id),
});

const isFull = (slots: readonly (Collected | null)[]): slots is readonly Collected[] => !slots.includes(null);

/** The slots without expired events, with the event in the first slot that wants it; undefined when none does. */
function filled({ slots }: Collection, spec: CollectionSpec, { deduplicationKey, event, due }: Offered) {
  // Also at the end of the lifespan: with one of zero no event waits for another, however fine the clock is.
  const isExpired = (collected: { readonly due: number }) => spec.now - collected.due >= spec.lifespan;
  const valid = slots.map((held) => (held !== null && isExpired(held) ? null : held));
  const slot = valid.findIndex((held, index) => held === null && fits(spec.slots[index], event));
  if (slot < 0 || isExpired({ due })) return undefined;
  return valid.map((held, index) => (index === slot ? { id: deduplicationKey, due, text: toText(event) } : held));
}

/**
 * Adds an event to the collection of a workflow. Returns the set that it completes, after which the collection is empty.
 * Idempotent: an event that is added again returns the same result.
 */
export function add(
  needs: Needs & Partial<Pick<Ports, 'meter'>>,
  workflowId: string,
  spec: CollectionSpec,
  offered: Offered,
): Promise<Added> {
  const isOffered = (held: Collected | null) => held?.id === offered.deduplicationKey;
  return retryOnConflict(async () => {
    const collection = await read(needs, workflowId, spec.slots);
    const spent = collection.spent.find((set) => set.some(isOffered));
    if (spent !== undefined) return toSet(spent);
    if (collection.slots.some(isOffered)) return 'collected';
    const slots = filled(collection, spec, offered);
    if (slots === undefined) return 'not wanted';
    const seq = collection.seq + 1;
    const next = isFull(slots)
      ? { slots: slots.map(() => null), spent: [slots, ...collection.spent].slice(0, MAX_SPENT) }
      : { slots, spent: collection.spent };
    await write(needs, workflowId, { ...next, seq, blobs: collection.blobs });
    needs.meter?.note({ EventsDelivered: 1 });
    return isFull(slots) ? toSet(slots) : 'collected';
  });
}
