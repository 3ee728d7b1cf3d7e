import type { Clock } from '../../ports/clock.ts';
import type { Settings } from '../../ports/settings.ts';
import type { Table } from '../../ports/table.ts';
import type { Namespace } from '../namespaces/namespaces.ts';
import * as runs from '../runs/runs.ts';
import { timeOf } from '../storage/ids.ts';
import * as keys from '../storage/keys.ts';
import type { Entry } from './records.ts';

/** Whose log it is. */
export type LogOwner =
  | { readonly scope: 'server' }
  | { readonly scope: 'namespace'; readonly namespace: Named }
  | { readonly scope: 'workflow'; readonly namespace: Named; readonly node: Pathed };

type Named = Pick<Namespace, 'id' | 'name'>;
interface Pathed {
  readonly id: string;
  readonly path: string;
}

const SECONDS_OF_A_DAY = 86_400;
const MS_OF_A_DAY = 86_400_000;
/** Clocks of two computers may differ by less than this. */
const SKEW_MS = 60_000;
const MICROSECONDS = 1000;
/** Of those of a millisecond; the last one is left to the events, which follow what they tell of. */
const FINEST = MICROSECONDS - 1;
const FRACTION = /^.{15}([0-9a-f]{3})/i;

/**
 * Microseconds since 1970 of a millisecond and a UUID of version 7. Of one millisecond, what is sorted by its id is
 * sorted by its microseconds too, also where ids were made before or after it.
 */
export function fineTimeOf(ms: number, id: string): number {
  const part = Number.parseInt(FRACTION.exec(id)?.[1] ?? '0', 16) / 0x1000;
  const isEarlier = timeOf(id) < ms;
  const fine = timeOf(id) === ms ? Math.floor(part * FINEST) : FINEST - 1;
  return ms * MICROSECONDS + (isEarlier ? 0 : fine);
}

/** The microsecond of a millisecond in which a namespace receives its events. */
export const lateTimeOf = (ms: number): number => ms * MICROSECONDS + FINEST;

/** How long log lines are kept, days. */
export const retentionOf = ({ retentionDays = runs.RETENTION_DAYS }: Pick<Settings, 'retentionDays'>): number =>
  retentionDays;

/** What names the partitions of a log. */
export function partitionOf(owner: LogOwner): string {
  if (owner.scope === 'server') return 'server';
  return owner.scope === 'namespace' ? owner.namespace.id : owner.node.id;
}

/** What web interfaces draw from (rest-api reference, 12). */
export function tagsOf(owner: LogOwner): Record<string, string> {
  const kind = { recipientType: owner.scope };
  if (owner.scope === 'server') return kind;
  const named = { ...kind, namespace: owner.namespace.name, 'namespace-id': owner.namespace.id };
  if (owner.scope === 'namespace') return named;
  return { ...named, workflow: owner.node.path, 'workflow-id': owner.node.id };
}

const TIME_LENGTH = 18;
const timeKey = (at: number): string => String(at).padStart(TIME_LENGTH, '0');

interface Needs {
  readonly table: Table;
  readonly clock: Clock;
  readonly settings: Pick<Settings, 'retentionDays'>;
}

/** Writes a line into a log. */
export async function note({ table, clock, settings }: Needs, owner: LogOwner, text: string): Promise<void> {
  const now = clock.now();
  const id = clock.uuid();
  const at = fineTimeOf(now, id);
  const ttl = Math.ceil(now / 1000) + retentionOf(settings) * SECONDS_OF_A_DAY;
  const tags = JSON.stringify(tagsOf(owner));
  const place = { pk: keys.notes(partitionOf(owner), now), sk: `${timeKey(at)}#${id}` };
  await table.write([{ do: 'put', table: 'journal', item: { ...place, at, id, level: 'info', text, tags, ttl } }]);
}

/** Lines that one call reads. */
const PART = 1000;

/** The lines that were written on a day, from a microsecond on, the oldest first. */
export async function* notesOf(
  { table }: { readonly table: Table },
  owner: string,
  day: number,
  from: number,
): AsyncGenerator<readonly Entry[]> {
  let next: string | undefined;
  do {
    const range = { pk: keys.notes(owner, day), from: timeKey(from), limit: PART };
    const page = await table.query({ table: 'journal', ...range, ...(next === undefined ? {} : { next }) });
    yield page.items.map((item) => ({
      at: Number(item['at']),
      id: String(item['id']),
      level: item['level'] as runs.Level,
      text: String(item['text']),
      tags: JSON.parse(String(item['tags'])) as Record<string, string>,
    }));
    next = page.next;
  } while (next !== undefined);
}

const MOST_WRITES = 100;

async function removeDay(table: Table, pk: string): Promise<void> {
  for (;;) {
    const { items } = await table.query({ table: 'journal', pk, limit: MOST_WRITES, only: ['pk', 'sk'] });
    if (items.length === 0) return;
    await table.write(items.map(({ pk, sk }) => ({ do: 'delete', key: { table: 'journal', pk, sk } })));
  }
}

/** The days of [from, now], each as one of its milliseconds, with the one that other computers may have already. */
export function daysFrom(from: number, now: number): number[] {
  const days: number[] = [];
  for (let ms = from; keys.dayOf(ms) <= keys.dayOf(now + SKEW_MS); ms += MS_OF_A_DAY) days.push(ms);
  return days;
}

/** When the oldest line was written that may be there still, milliseconds since 1970. */
export const oldestOf = ({ clock, settings }: Pick<Needs, 'clock' | 'settings'>, created: number): number =>
  Math.max(created, clock.now() - retentionOf(settings) * MS_OF_A_DAY);

/** Removes what was written into the log of a namespace; its id tells since when there is one. */
export async function removeLog(needs: Needs, namespaceId: string): Promise<void> {
  const days = daysFrom(oldestOf(needs, timeOf(namespaceId)), needs.clock.now());
  await Promise.all(days.map((day) => removeDay(needs.table, keys.notes(namespaceId, day))));
}
