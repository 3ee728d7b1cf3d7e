import type { CloudEvent } from '../../events/cloud-event.ts';
import { toText } from '../../events/cloud-event.ts';
import { type Filter, matches } from '../../events/matching.ts';
import type { Blobs } from '../../ports/blobs.ts';
import type { Ports } from '../../ports/ports.ts';
import { ConflictError, type Table } from '../../ports/table.ts';
import * as keys from '../storage/keys.ts';
import * as texts from '../storage/texts.ts';

/** What a workflow that several events start has collected so far. */
interface Collection {
  readonly seq: number;
  readonly slots: readonly (Collected | null)[];
  /** What was full lately, so that an event that is brought again does not count again. */
  readonly spent: readonly (readonly Collected[])[];
}

interface Collected {
  readonly id: string;
  readonly due: number;
  readonly text: string;
}

/** The events a workflow wants, a slot for each, and how long one counts, milliseconds. */
export interface Span {
  readonly slots: readonly Filter[];
  readonly lifespan: number;
  readonly now: number;
}

interface Offered {
  /** Tells it from all others: its id, and which repetition it is. */
  readonly mark: string;
  readonly event: CloudEvent;
  readonly due: number;
}

/** What became of an event: it made a set full, or waits for others, or there is no place for it. */
export type Added = FullSet | 'collected' | 'not wanted';

export interface FullSet {
  /** In the order of the slots. */
  readonly events: readonly CloudEvent[];
  /** When the last of them went out, milliseconds since 1970. */
  readonly last: number;
  readonly marks: readonly string[];
}

const eventOf = ({ text }: Collected): CloudEvent => JSON.parse(text) as CloudEvent;

const fits = (filter: Filter | undefined, event: CloudEvent): boolean => filter !== undefined && matches(filter, event);

type Needs = { readonly table: Table; readonly blobs: Blobs };

/** So many sets of events that started a run are remembered. */
const MOST_SPENT = 20;

/** What was collected for other slots than those of now does not count. */
async function read({ table, blobs }: Needs, workflowId: string, filters: Span['slots']): Promise<Collection> {
  const [item] = await table.get([keys.collection(workflowId)]);
  const empty = filters.map(() => null);
  if (item === undefined) return { seq: 0, slots: empty, spent: [] };
  const stored = JSON.parse(await texts.readText(blobs, item['state'])) as Pick<Collection, 'slots' | 'spent'>;
  const isFitting = (held: Collected | null, index: number) => held === null || fits(filters[index], eventOf(held));
  const slots = stored.slots.length === filters.length && stored.slots.every(isFitting) ? stored.slots : empty;
  return { seq: Number(item['seq']), slots, spent: stored.spent };
}

async function write({ table, blobs }: Needs, workflowId: string, { seq, slots, spent }: Collection): Promise<void> {
  const { pk, sk } = keys.collection(workflowId);
  const blob = keys.blobOf('workflows', workflowId, 'collection', String(seq));
  const state = await texts.storeText(blobs, blob, JSON.stringify({ slots, spent }));
  const when = seq === 1 ? ({ absent: true } as const) : { equals: { seq: seq - 1 } };
  await table.write([{ do: 'put', table: 'runs', item: { pk, sk, seq, state }, when }]);
}

const toSet = (collected: readonly Collected[]): FullSet => ({
  events: collected.map(eventOf),
  last: Math.max(...collected.map(({ due }) => due)),
  marks: collected.map(({ id }) => id),
});

const isFull = (slots: readonly (Collected | null)[]): slots is readonly Collected[] => !slots.includes(null);

/** The slots after an event took the first that wants it; what is too old is dropped. Undefined: there is none. */
function filled({ slots }: Collection, span: Span, { mark, event, due }: Offered) {
  const isOld = (collected: { readonly due: number }) => span.now - collected.due > span.lifespan;
  const fresh = slots.map((held) => (held !== null && isOld(held) ? null : held));
  const slot = fresh.findIndex((held, index) => held === null && fits(span.slots[index], event));
  if (slot < 0 || isOld({ due })) return undefined;
  return fresh.map((held, index) => (index === slot ? { id: mark, due, text: toText(event) } : held));
}

/**
 * Adds an event to what a workflow collects. When that makes it full, answers the set and begins anew; each event of a
 * set gives the same answer again if it is brought again.
 */
export async function add(
  needs: Needs & Partial<Pick<Ports, 'meter'>>,
  workflowId: string,
  span: Span,
  offered: Offered,
): Promise<Added> {
  const isIt = (held: Collected | null) => held?.id === offered.mark;
  for (;;) {
    const collection = await read(needs, workflowId, span.slots);
    const spent = collection.spent.find((set) => set.some(isIt));
    if (spent !== undefined) return toSet(spent);
    if (collection.slots.some(isIt)) return 'collected';
    const slots = filled(collection, span, offered);
    if (slots === undefined) return 'not wanted';
    const seq = collection.seq + 1;
    const next = isFull(slots)
      ? { seq, slots: slots.map(() => null), spent: [slots, ...collection.spent].slice(0, MOST_SPENT) }
      : { seq, slots, spent: collection.spent };
    try {
      await write(needs, workflowId, next);
      needs.meter?.note({ EventsDelivered: 1 });
      return isFull(slots) ? toSet(slots) : 'collected';
    } catch (error) {
      if (!(error instanceof ConflictError)) throw error;
    }
  }
}
