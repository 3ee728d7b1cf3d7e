import type { Table, Write } from '../../ports/table.ts';
import { SECOND_MS } from '../../time/units.ts';
import { putAt } from '../storage/batches.ts';
import * as keys from '../storage/keys/concurrency-keys.ts';

/** At most so many starts within a period. */
export interface RateRule {
  readonly limit: number;
  /** The period, milliseconds. */
  readonly per: number;
}

/** The run that asks, when, in milliseconds since 1970, and the version that its start gives the item. */
export interface Asking {
  readonly id: string;
  readonly now: number;
  readonly version: string;
}

/** The next start that a rate allows. */
export interface NextStart {
  /** Milliseconds since 1970: now, or a whole second, since the wait of a state machine has no smaller unit. */
  readonly at: number;
  /** It begins now. */
  readonly isFree: boolean;
  /** The run that was started last; absent: none within the period. */
  readonly last?: string;
  /** Counts the start, on the condition that no other one was counted since. */
  readonly write: Write;
}

/** The clocks of two processes differ by less than this, milliseconds. */
const SKEW_MS = SECOND_MS;

/**
 * The next start of a group. Any period has at most `limit` starts: the item has the times of the last ones, also of those that
 * are to come, and a start follows the one `limit` before it by the period at least. The starts of a group have an order.
 */
export async function nextStart(
  table: Table,
  group: keys.Group,
  { limit, per }: RateRule,
  { id, now, version }: Asking,
): Promise<NextStart> {
  const key = keys.rate(group);
  const [item] = await table.get([key]);
  const times = ((item?.['times'] ?? []) as number[]).filter((time) => time + per > now);
  const newest = times.at(-1) ?? 0;
  const free = (times.at(-limit) ?? Number.NEGATIVE_INFINITY) + per;
  const held = Number(item?.['held'] ?? 0);
  const isFree = free <= now && held <= now && newest < now + SKEW_MS;
  const at = isFree ? Math.max(now, newest) : Math.ceil(Math.max(free, newest) / SECOND_MS) * SECOND_MS;
  const when = item === undefined ? ({ absent: true } as const) : { equals: { version: String(item['version']) } };
  const ttl = Math.ceil((at + per) / SECOND_MS) + 1;
  // A time to come is that of a clock ahead of this one, unless a start is held back until then.
  const counted = { times: [...times, at].slice(-limit), held: isFree ? held : at };
  const write = putAt(key, { ...counted, last: id, version, ttl }, when);
  return { at, isFree, ...(times.length === 0 ? {} : { last: String(item?.['last']) }), write };
}
