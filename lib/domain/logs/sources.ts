import type { Blobs } from '../../ports/blobs.ts';
import type { Ports } from '../../ports/ports.ts';
import { BATCH_LIMIT, type Item, type Where } from '../../ports/table.ts';
import { MILLISECOND_US } from '../../time/units.ts';
import * as events from '../events/events.ts';
import { batchesOf } from '../storage/batches.ts';
import * as keys from '../storage/keys.ts';
import { countAll, pagesAfter } from '../storage/queries.ts';
import { fineTimeOf, type LogOwner, lateTimeOf, partitionOf, tagsOf, writtenLinesOf } from './lines.ts';
import { bare, type Entry } from './records.ts';

/** A source of log lines. */
export interface Source {
  /**
   * Yields the lines of a day (one of its milliseconds) from about a microsecond on, the oldest first, page by page,
   * without the first `skipped` ones; none are skipped by default.
   */
  read(day: number, from: number, skipped?: number): AsyncGenerator<readonly Entry[]>;
  /** Counts the lines of a day; undefined where they can be counted only by reading. */
  readonly count: ((day: number) => Promise<number>) | undefined;
}

export type Needs = Pick<Ports, 'table' | 'blobs' | 'clock'>;

/** The number of items that one call reads. */
const PAGE_SIZE = 1000;

/** The first sort key of this microsecond or later, in indexes that contain milliseconds. */
const timeKey = (at: number): string => keys.timeText(Math.floor(at / MILLISECOND_US));

/** The lines that were written into the log. */
export function writtenSource({ table }: Needs, owner: LogOwner): Source {
  const partition = partitionOf(owner);
  return {
    read: (day, from, skipped) => writtenLinesOf({ table }, partition, { day, from, skipped }),
    count: (day) => countAll(table, keys.notes(partition, day)),
  };
}

/** Those that the index of runs has as columns in local tables: the place of a run in it begins with its start. */
const RUN_ATTRIBUTES = ['pk', 'wf', 'as', 'invoker', 'order'];

type RunOwner = Exclude<LogOwner, { readonly scope: 'server' }>;

/** The line about the start of a run, in the log of its namespace and in that of its workflow (rest-api reference, 12). */
const START_LINES: {
  readonly [Scope in RunOwner['scope']]: (head: { id: string; as: string; invoker: string }) => string;
} = {
  namespace: ({ as, invoker }) => `Workflow '${bare(as)}' has been triggered by ${invoker}.`,
  workflow: ({ id, invoker }) => `Instance '${id}' created by ${invoker}.`,
};

function startLineOf(owner: RunOwner, item: Item): Entry {
  const head = { id: keys.runIdIn(item.pk), as: String(item['as']), invoker: String(item['invoker']) };
  const { id, as, invoker } = head;
  const named = { workflow: as, 'workflow-id': String(item['wf']), 'instance-id': id, invoker };
  const at = fineTimeOf(Number.parseInt(String(item['order']), 10), id);
  return { at, id, level: 'info', text: START_LINES[owner.scope](head), tags: { ...tagsOf(owner), ...named } };
}

const isOfWorkflow = (id: string): Where => [[{ attribute: 'wf', is: 'equal to', text: id }]];

/** The lines about the starts of runs. They are made from the index of runs, so that a start costs no write. */
export function runSource({ table }: Needs, owner: RunOwner): Source {
  const where = owner.scope === 'namespace' ? undefined : isOfWorkflow(owner.node.id);
  const rangeOf = (day: number) => ({ ...keys.runsBegun(owner.namespace, day), where });
  return {
    count: (day) => countAll(table, rangeOf(day)),
    async *read(day, from, skipped = 0) {
      const range = { ...rangeOf(day), from: timeKey(from), only: RUN_ATTRIBUTES, limit: PAGE_SIZE };
      for await (const items of pagesAfter(table, range, skipped)) {
        yield items.map((item) => startLineOf(owner, item));
      }
    },
  };
}

/** The lines about received events. The index contains only their keys; the texts are made by `withEventTexts`. */
export function eventSource({ table }: Needs, owner: RunOwner): Source {
  const rangeOf = (day: number) => keys.eventsReceived(owner.namespace, day);
  return {
    count: (day) => countAll(table, rangeOf(day)),
    async *read(day, from, skipped = 0) {
      const range = { ...rangeOf(day), from: timeKey(from), limit: PAGE_SIZE };
      for await (const items of pagesAfter(table, range, skipped)) {
        yield items.map((item) => eventLineOf(item, tagsOf(owner)));
      }
    },
  };
}

function eventLineOf({ pk, sk, ...item }: Item, tags: Entry['tags']): Entry {
  const time = String(item['time']);
  return { at: lateTimeOf(Number.parseInt(time, 10)), id: time, level: 'info', text: '', tags, event: { pk, sk } };
}

/** Returns the lines, those about events with their texts. The text about an event that was removed has its id only. */
export async function withEventTexts({ table, blobs }: Needs, entries: readonly Entry[]): Promise<Entry[]> {
  const complete = new Map<Entry, Entry>();
  const incomplete = entries.flatMap((entry) => (entry.event === undefined ? [] : [{ entry, key: entry.event }]));
  for (const batch of batchesOf(incomplete, BATCH_LIMIT)) {
    const items = await table.get(batch.map(({ key: { pk, sk } }) => ({ table: 'journal', pk, sk })));
    const texts = batch.map(async ({ entry }, index) =>
      complete.set(entry, await withText(blobs, entry, items[index])),
    );
    await Promise.all(texts);
  }
  return entries.map((entry) => complete.get(entry) ?? entry);
}

async function withText(blobs: Blobs, entry: Entry, item: Item | undefined): Promise<Entry> {
  if (item === undefined) return { ...entry, text: `Event received: ${entry.id.slice(entry.id.indexOf('#') + 1)}` };
  const { event } = await events.eventOf(blobs, item);
  const { id, type, source } = event;
  return { ...entry, text: `Event received: ${id} (${type} / ${source})`, tags: { ...entry.tags, type, source } };
}
