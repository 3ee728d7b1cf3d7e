import { parseJson } from '../../language/json-numbers.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Ports } from '../../ports/ports.ts';
import type { Settings } from '../../ports/settings.ts';
import type { Table } from '../../ports/table.ts';
import { toTtl } from '../../time/expiry.ts';
import { DAY_MS, MILLISECOND_US, MINUTE_MS } from '../../time/units.ts';
import type { Namespace } from '../namespaces/namespaces.ts';
import * as runs from '../runs/runs.ts';
import { deleteAll, putAt } from '../storage/batches.ts';
import { timeOf } from '../storage/ids.ts';
import * as keys from '../storage/keys.ts';
import { pagesAfter } from '../storage/queries.ts';
import type { Entry } from './records.ts';

/** The owner of a log. */
export type LogOwner =
  | { readonly scope: 'server' }
  | { readonly scope: 'namespace'; readonly namespace: Named }
  | { readonly scope: 'workflow'; readonly namespace: Named; readonly node: Pathed };

type Named = Pick<Namespace, 'id' | 'name' | 'spread'>;
interface Pathed {
  readonly id: string;
  readonly path: string;
}

/** The maximum difference between the clocks of two computers. */
const MAX_CLOCK_SKEW_MS = MINUTE_MS;

/** The last microsecond of a millisecond, which is that of received events: they follow the lines about their causes. */
const LAST_US = MILLISECOND_US - 1;
const RANDOM_BITS = /^.{15}([0-9a-f]{3})/i;

/**
 * Returns microseconds since 1970 for a millisecond and a UUID of version 7, such that lines of the same millisecond have
 * the order of their ids, also those whose ids were made in another millisecond.
 */
export function fineTimeOf(ms: number, id: string): number {
  const fraction = Number.parseInt(RANDOM_BITS.exec(id)?.[1] ?? '0', 16) / 0x1000;
  const isEarlier = timeOf(id) < ms;
  const fine = timeOf(id) === ms ? Math.floor(fraction * LAST_US) : LAST_US - 1;
  return ms * MILLISECOND_US + (isEarlier ? 0 : fine);
}

/** The time of an event that was received in a millisecond; microseconds since 1970. */
export const lateTimeOf = (ms: number): number => ms * MILLISECOND_US + LAST_US;

/** How long log lines are kept, days. */
const retentionDaysOf = ({ retentionDays = runs.RETENTION_DAYS }: Pick<Settings, 'retentionDays'>): number =>
  retentionDays;

/** The owner of a log in the keys of its lines. */
export function partitionOf(owner: LogOwner): string {
  if (owner.scope === 'server') return 'server';
  return owner.scope === 'namespace' ? owner.namespace.id : owner.node.id;
}

/** The tags of all lines of a log, which web interfaces use (rest-api reference, 12). */
export function tagsOf(owner: LogOwner): Record<string, string> {
  const kind = { recipientType: owner.scope };
  if (owner.scope === 'server') return kind;
  const named = { ...kind, namespace: owner.namespace.name, 'namespace-id': owner.namespace.id };
  if (owner.scope === 'namespace') return named;
  return { ...named, workflow: owner.node.path, 'workflow-id': owner.node.id };
}

const TIME_DIGITS = 18;
const timeKey = (at: number): string => String(at).padStart(TIME_DIGITS, '0');

interface Needs {
  readonly table: Table;
  readonly clock: Clock;
  readonly settings: Pick<Settings, 'retentionDays'>;
}

/** Writes a line into a log. */
export async function writeLine({ table, clock, settings }: Needs, owner: LogOwner, text: string): Promise<void> {
  const now = clock.now();
  const id = clock.uuid();
  const at = fineTimeOf(now, id);
  const ttl = toTtl(now + retentionDaysOf(settings) * DAY_MS);
  const { table: name, pk } = keys.notes(partitionOf(owner), now);
  const key = { table: name, pk, sk: `${timeKey(at)}#${id}` };
  await table.write([putAt(key, { at, id, level: 'info', text, tags: JSON.stringify(tagsOf(owner)), ttl })]);
}

/** The number of lines that one call reads. */
const PAGE_SIZE = 1000;

/** The lines of a day (one of its milliseconds) from a microsecond on, without the first ones. */
interface Reading {
  readonly day: number;
  readonly from: number;
  readonly skipped?: number | undefined;
}

/** Yields lines that were written into a log, the oldest first, page by page. */
export async function* writtenLinesOf(
  { table }: Pick<Ports, 'table'>,
  owner: string,
  { day, from, skipped = 0 }: Reading,
): AsyncGenerator<readonly Entry[]> {
  const range = { ...keys.notes(owner, day), from: timeKey(from), limit: PAGE_SIZE };
  for await (const items of pagesAfter(table, range, skipped)) {
    yield items.map((item) => ({
      at: Number(item['at']),
      id: String(item['id']),
      level: item['level'] as runs.Level,
      text: String(item['text']),
      tags: parseJson(String(item['tags'])) as Record<string, string>,
    }));
  }
}

/** A time of each day of [from, now], and of the day that it is already by the clocks of other computers. */
export const daysFrom = (from: number, now: number): number[] => keys.daysBetween(from, now + MAX_CLOCK_SKEW_MS);

/** The time of the oldest line that can exist, milliseconds since 1970; `created` is when the owner was created. */
export const oldestOf = ({ clock, settings }: Pick<Needs, 'clock' | 'settings'>, created: number): number =>
  Math.max(created, clock.now() - retentionDaysOf(settings) * DAY_MS);

/** Deletes the lines that were written into the log of a namespace. */
export async function deleteLog(needs: Needs, namespaceId: string): Promise<void> {
  // The id of a namespace contains the time of its creation.
  const days = daysFrom(oldestOf(needs, timeOf(namespaceId)), needs.clock.now());
  await Promise.all(days.map((day) => deleteAll(needs.table, keys.notes(namespaceId, day))));
}
