import { omitUndefined } from '../../language/omit-undefined.ts';
import type { Ports } from '../../ports/ports.ts';
import type { Item, Table } from '../../ports/table.ts';
import { DAY_MS, MINUTE_MS } from '../../time/units.ts';
import { ServiceError } from '../errors.ts';
import * as keys from '../storage/keys.ts';
import { pagesOf, type Range } from '../storage/queries.ts';
import { type AuditEntry, fromItem, retentionOf } from './entries.ts';

/** The entries of the audit log that a request wants. */
export interface AuditRequest {
  /** The name of a namespace. */
  readonly namespace?: string | undefined;
  /** The name or the id of a key. */
  readonly actor?: string | undefined;
  /** Entries of [from, to]; milliseconds since 1970. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  /** The maximum number of entries, from 1. */
  readonly limit: number;
  /** The `next` of the page before. */
  readonly cursor?: string | undefined;
}

/** A page of the audit log, the newest entries first. */
export interface AuditPage {
  readonly entries: readonly AuditEntry[];
  /** The cursor of the following page, which can be empty; absent at the end. */
  readonly next?: string;
}

type Needs = Pick<Ports, 'table' | 'clock' | 'settings'>;

/** The most entries and days that one page visits, also those that do not match. */
const MAX_VISITED = 10_000;
const MAX_DAYS = 31;

/** The number of entries that one call of the table reads. */
const PAGE_SIZE = 200;

/** The maximum difference between the clocks of two computers. */
const MAX_CLOCK_SKEW_MS = MINUTE_MS;

const CURSOR = /^\d{15}(#[0-9a-f-]{36})?$/;

/** The sort key before which a page begins. Throws `malformed` for a text that is not a cursor. */
function positionIn(cursor: string): string {
  const text = Buffer.from(cursor, 'base64url').toString();
  if (CURSOR.test(text)) return text;
  throw new ServiceError('malformed', `cursor is '${cursor.slice(0, 60)}'; send the 'next' of the page before`);
}

const toCursor = (position: string): string => Buffer.from(position).toString('base64url');

async function* itemsOf(table: Table, range: Range): AsyncGenerator<Item, undefined> {
  for await (const items of pagesOf(table, range)) yield* items;
  return undefined;
}

/** Merges the items of descending ranges into one descending sequence. */
async function* merge(table: Table, ranges: readonly Range[]): AsyncGenerator<Item> {
  const sources = ranges.map((range) => itemsOf(table, range));
  const heads = await Promise.all(sources.map(async (source) => ({ source, item: (await source.next()).value })));
  for (;;) {
    let newest: (typeof heads)[number] | undefined;
    for (const head of heads) if ((head.item?.sk ?? '') > (newest?.item?.sk ?? '')) newest = head;
    if (newest?.item === undefined) return;
    yield newest.item;
    newest.item = (await newest.source.next()).value;
  }
}

/** The entries of a day in [from, before), the newest first. */
function entriesOfDay(table: Table, day: number, from: string, before: string): AsyncGenerator<Item> {
  const shards = Array.from({ length: keys.AUDIT_SHARDS }, (_, shard) => keys.auditLog(day, shard));
  return merge(
    table,
    shards.map((shard) => ({ ...shard, from, to: before, descending: true, limit: PAGE_SIZE })),
  );
}

const matches = ({ namespace, actor }: AuditRequest, entry: AuditEntry): boolean =>
  (namespace === undefined || entry.namespace === namespace) &&
  (actor === undefined || entry.actor === actor || entry.key === actor);

/** Reads a page of the audit log, the newest entries first. Throws `malformed` for a malformed cursor. */
export async function list({ table, clock, settings }: Needs, request: AuditRequest): Promise<AuditPage> {
  const latest = clock.now() + MAX_CLOCK_SKEW_MS;
  const oldest = Math.max(request.from ?? 0, clock.now() - retentionOf(settings));
  const end = keys.timeText(Math.min(request.to ?? latest, latest) + 1);
  const before = request.cursor === undefined ? end : positionIn(request.cursor);
  const days = keys.daysBetween(oldest, Number(before.slice(0, end.length))).reverse();
  const entries: AuditEntry[] = [];
  let visited = 0;
  for (const day of days.slice(0, MAX_DAYS)) {
    for await (const item of entriesOfDay(table, day, keys.timeText(oldest), before)) {
      if (item.sk >= before) continue;
      visited += 1;
      const entry = fromItem(item);
      if (matches(request, entry)) entries.push(entry);
      if (entries.length >= request.limit || visited >= MAX_VISITED) return { entries, next: toCursor(item.sk) };
    }
  }
  const [last] = days.slice(MAX_DAYS - 1);
  const isComplete = days.length <= MAX_DAYS || last === undefined;
  return omitUndefined({ entries, next: isComplete ? undefined : toCursor(keys.timeText(startOf(last))) });
}

/** The beginning of the day of a time, in UTC. */
const startOf = (ms: number): number => Math.floor(ms / DAY_MS) * DAY_MS;
