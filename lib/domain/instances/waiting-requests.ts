import type { Ports } from '../../ports/ports.ts';
import type { Item } from '../../ports/table.ts';
import { toTtl } from '../../time/expiry.ts';
import { MINUTE_MS } from '../../time/units.ts';
import { tooMany } from '../errors.ts';
import { putAt } from '../storage/batches.ts';
import * as keys from '../storage/keys.ts';
import { readAll } from '../storage/queries.ts';

type Needs = Pick<Ports, 'table' | 'clock' | 'settings'>;

/** One of the places for requests that wait. */
export interface Slot {
  /** Frees the place. Idempotent. */
  readonly release: () => Promise<void>;
}

/** The concurrent calls that an account is assumed to allow until its quota is known: those of a new account. */
const FEWEST_CALLS = 10;
/** A process reads the quota again after this time, milliseconds. */
const FRESH_MS = MINUTE_MS;
/** The most requests that one partition counts: each begins by reading the others there. */
const SLOTS_OF_SHARD = 50;
/** Seconds after which a further request may find a place. */
const RETRY_AFTER_S = 10;

/** The quota of an installation as it was read, and until when it is used. */
interface Known {
  readonly calls: number;
  readonly until: number;
}

/** By the table, of which a process has one. */
const quotas = new WeakMap<Needs['table'], Known>();

async function concurrentCalls({ table, clock }: Needs): Promise<number> {
  const known = quotas.get(table);
  if (known !== undefined && clock.now() < known.until) return known.calls;
  const [item] = await table.get([keys.CONCURRENT_CALLS]);
  const calls = Number(item?.['calls'] ?? FEWEST_CALLS);
  quotas.set(table, { calls, until: clock.now() + FRESH_MS });
  return calls;
}

/** Stores how many calls of functions the account allows at the same time. */
export async function storeConcurrentCalls({ table }: Pick<Needs, 'table'>, calls: number): Promise<void> {
  const [item] = await table.get([keys.CONCURRENT_CALLS]);
  if (item?.['calls'] !== calls) await table.write([putAt(keys.CONCURRENT_CALLS, { calls })]);
}

/** How many requests may wait at the same time; undefined: any number. */
async function mostWaiting(needs: Needs): Promise<number | undefined> {
  const most = needs.settings.limits?.waitingRequests;
  return most === 'half of the account' ? Math.max(Math.floor((await concurrentCalls(needs)) / 2), 1) : most;
}

const NO_SLOT_NEEDED: Slot = { release: async () => {} };

/** Takes a place of a shard, or returns undefined if there are `most` requests in it that came before. */
async function takeIn({ table, clock }: Needs, shard: number, most: number, until: number): Promise<Slot | undefined> {
  const now = clock.now();
  const key = keys.waitingRequest(shard, now, clock.uuid());
  // A place that cannot be freed now is free when the time of its request is over.
  const release = () => table.write([{ do: 'delete', key }]).catch(() => undefined);
  await table.write([putAt(key, { until, ttl: toTtl(until) })]);
  // The place of a process that crashed is free when its time is over.
  const isTaken = (item: Item): boolean => item.sk < key.sk && Number(item['until']) > now;
  const others = await readAll(table, { ...keys.waitingRequests(shard), only: ['until'] });
  if (others.filter(isTaken).length < most) return { release };
  await release();
  return undefined;
}

/**
 * Takes a place for a request that waits until `until` at the latest, milliseconds since 1970. A request that waits occupies
 * a call of a function of AWS, of which an account has a quota: without a limit, requests that wait leave none for the steps
 * of the runs that they wait for. Returns undefined if no place is free; of requests that come at the same moment, the first
 * get the places.
 */
export async function findSlot(needs: Needs, until: number): Promise<Slot | undefined> {
  const most = Number.isFinite(until) ? await mostWaiting(needs) : undefined;
  if (most === undefined) return NO_SLOT_NEEDED;
  const shards = Math.ceil(most / SLOTS_OF_SHARD);
  const first = Number.parseInt(needs.clock.uuid().slice(-4), 16) % shards;
  for (const shard of new Set([first, (first + 1) % shards])) {
    const size = Math.floor(most / shards) + (shard < most % shards ? 1 : 0);
    const slot = await takeIn(needs, shard, size, until);
    if (slot !== undefined) return slot;
  }
  return undefined;
}

/** As `findSlot`. Throws `too-many` if no place is free. */
export async function takeSlot(needs: Needs, until: number): Promise<Slot> {
  const slot = await findSlot(needs, until);
  if (slot !== undefined) return slot;
  throw tooMany('the limit of waiting requests and event streams of this service is reached', RETRY_AFTER_S);
}
