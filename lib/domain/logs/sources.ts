import type { Blobs } from '../../ports/blobs.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Item, Table } from '../../ports/table.ts';
import * as events from '../events/events.ts';
import * as keys from '../storage/keys.ts';
import { fineTimeOf, type LogOwner, lateTimeOf, notesOf, partitionOf, tagsOf } from './lines.ts';
import { bare, type Entry } from './records.ts';

/** Where lines of a log come from. */
export interface Source {
  /** Those of a day (one of its milliseconds) from about a microsecond on, the oldest first, part by part. */
  read(day: number, from: number): AsyncGenerator<readonly Entry[]>;
  /** How many a day has; undefined where only reading tells. */
  readonly count: ((day: number) => Promise<number>) | undefined;
}

export interface Needs {
  readonly table: Table;
  readonly blobs: Blobs;
  readonly clock: Clock;
}

const MICROSECONDS = 1000;
/** Items that one call reads. */
const PART = 1000;

/** The key of all that is of this microsecond or later, where milliseconds are kept. */
const timeKey = (at: number): string => keys.eventTime(Math.floor(at / MICROSECONDS));

type Range = Omit<Parameters<Table['query']>[0], 'next'>;

async function* pagesOf(table: Table, range: Range): AsyncGenerator<readonly Item[]> {
  let next: string | undefined;
  do {
    const page = await table.query({ ...range, ...(next === undefined ? {} : { next }) });
    yield page.items;
    next = page.next;
  } while (next !== undefined);
}

async function count(table: Table, range: Range): Promise<number> {
  let sum = 0;
  let next: string | undefined;
  do {
    const page = await table.query({ ...range, count: true, ...(next === undefined ? {} : { next }) });
    sum += page.count;
    next = page.next;
  } while (next !== undefined);
  return sum;
}

/** What was written into the log. */
export function noteSource({ table }: Needs, owner: LogOwner): Source {
  const partition = partitionOf(owner);
  return {
    read: (day, from) => notesOf({ table }, partition, day, from),
    count: (day) => count(table, { table: 'journal', pk: keys.notes(partition, day) }),
  };
}

const HEAD = ['id', 'wf', 'as', 'invoker', 'created'];

/** How the beginning of a run reads in a log. */
type Telling = (head: { readonly id: string; readonly as: string; readonly invoker: string }) => string;

/** The lines that tell of a run in its namespace's log and in its workflow's (rest-api reference, 12). */
const TOLD: { readonly [Scope in RunOwner['scope']]: Telling } = {
  namespace: ({ as, invoker }) => `Workflow '${bare(as)}' has been triggered by ${invoker}.`,
  workflow: ({ id, invoker }) => `Instance '${id}' created by ${invoker}.`,
};

type RunOwner = Exclude<LogOwner, { readonly scope: 'server' }>;

function beginningOf(owner: RunOwner, item: Item): Entry {
  const head = { id: String(item['id']), as: String(item['as']), invoker: String(item['invoker']) };
  const { id, as, invoker } = head;
  const named = { workflow: as, 'workflow-id': String(item['wf']), 'instance-id': id, invoker };
  const at = fineTimeOf(Number(item['created']), id);
  return { at, id, level: 'info', text: TOLD[owner.scope](head), tags: { ...tagsOf(owner), ...named } };
}

/**
 * The beginnings of runs: they are written nowhere, so that no run pays for them. There is no index by workflow, so the
 * runs of one are counted by reading.
 */
export function runSource({ table }: Needs, owner: RunOwner): Source {
  const rangeOf = (day: number): Range => ({
    table: 'runs',
    index: 'by-namespace',
    pk: keys.instancesOf(owner.namespace.id, day),
  });
  const isWanted = (item: Item) => owner.scope === 'namespace' || item['wf'] === owner.node.id;
  return {
    count: owner.scope === 'namespace' ? (day) => count(table, rangeOf(day)) : undefined,
    async *read(day, from) {
      const range = { ...rangeOf(day), from: timeKey(from), only: HEAD, limit: PART };
      for await (const items of pagesOf(table, range)) {
        yield items.filter(isWanted).map((item) => beginningOf(owner, item));
      }
    },
  };
}

/**
 * The events that a namespace received, from its history. The index holds no more than where they are; what they say is
 * read when they are shown.
 */
export function eventSource({ table }: Needs, owner: LogOwner): Source {
  const rangeOf = (day: number): Range => ({
    table: 'journal',
    index: 'by-time',
    pk: keys.eventsOf(partitionOf(owner), day),
  });
  return {
    count: (day) => count(table, rangeOf(day)),
    async *read(day, from) {
      const range = { ...rangeOf(day), from: timeKey(from), limit: PART };
      for await (const items of pagesOf(table, range)) yield items.map((item) => placeOf(item, tagsOf(owner)));
    },
  };
}

function placeOf({ pk, sk, ...item }: Item, tags: Entry['tags']): Entry {
  const time = String(item['time']);
  return { at: lateTimeOf(Number.parseInt(time, 10)), id: time, level: 'info', text: '', tags, event: { pk, sk } };
}

const MOST_KEYS = 100;
const NOWHERE = { pk: '', sk: '' };

/** The lines with what their events say; an event that was removed meanwhile leaves its id. */
export async function readOut({ table, blobs }: Needs, entries: readonly Entry[]): Promise<Entry[]> {
  const said = new Map<Entry, Entry>();
  const unread = entries.filter(({ event }) => event !== undefined);
  for (let from = 0; from < unread.length; from += MOST_KEYS) {
    const part = unread.slice(from, from + MOST_KEYS);
    const items = await table.get(part.map(({ event: { pk, sk } = NOWHERE }) => ({ table: 'journal', pk, sk })));
    await Promise.all(part.map(async (entry, index) => said.set(entry, await receiptOf(blobs, entry, items[index]))));
  }
  return entries.map((entry) => said.get(entry) ?? entry);
}

async function receiptOf(blobs: Blobs, entry: Entry, item: Item | undefined): Promise<Entry> {
  if (item === undefined) return { ...entry, text: `Event received: ${entry.id.slice(entry.id.indexOf('#') + 1)}` };
  const { event } = await events.eventOf(blobs, item);
  const { id, type, source } = event;
  return { ...entry, text: `Event received: ${id} (${type} / ${source})`, tags: { ...entry.tags, type, source } };
}
