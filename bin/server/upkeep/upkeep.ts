import { setImmediate as turn } from 'node:timers/promises';
import { compact } from '../../../lib/adapters/local/database/compaction.ts';
import type { LocalDatabase } from '../../../lib/adapters/local/database/database.ts';
import type { Expire } from '../../../lib/adapters/local/table/expiry.ts';
import { remainsOf } from '../../../lib/domain/purging/remains.ts';
import type { Clock } from '../../../lib/ports/clock.ts';

export interface UpkeepOptions {
  readonly database: LocalDatabase;
  /** Undefined: the tables are at an endpoint, which removes expired items itself. */
  readonly expire: Expire | undefined;
  /** Removes the blobs whose keys begin with the prefix, in the transaction of the turn. */
  readonly removeBlobs: (prefix: string) => void;
  readonly clock: Pick<Clock, 'now'>;
}

/** The result of a pass: the number of removed items, and of pages by which the file became smaller. */
export interface Pass {
  readonly expired: number;
  readonly pages: number;
}

/** Between two passes, ms. */
const INTERVAL_MS = 60_000;
/** Items and pages of one turn of the event loop; both take a few milliseconds. */
const ITEMS_AT_ONCE = 50;
const PAGES_AT_ONCE = 200;
/** A pass ends after so many turns of each kind, and the next one continues. */
const TURNS = 400;

/** Repeats a piece of work, one piece a turn, until it did nothing or the pass is over. Returns the sum. */
async function repeat(work: () => number): Promise<number> {
  let sum = 0;
  for (let count = 0; count < TURNS; count += 1) {
    const done = work();
    if (done === 0) break;
    sum += done;
    await turn();
  }
  return sum;
}

/**
 * Removes expired items with their belongings, and makes the file smaller when much of it is free. Bounded: the next
 * pass continues. Rejects with StorageError while the disk accepts no writes.
 */
export async function keepUp({ database, expire, removeBlobs, clock }: UpkeepOptions): Promise<Pass> {
  const expireSome = () =>
    expire?.(clock.now(), ITEMS_AT_ONCE, (table, item) => {
      const { partitions, blobs } = remainsOf(table, item);
      return { partitions, remove: () => blobs.forEach(removeBlobs) };
    }) ?? 0;
  const expired = await repeat(expireSome);
  return { expired, pages: await repeat(() => compact(database, PAGES_AT_ONCE)) };
}

/** Runs `keepUp` once a minute. Returns a function that stops it, and resolves when the pass under way is over. */
export function startUpkeep(options: UpkeepOptions): () => Promise<void> {
  let underway: Promise<void> | undefined;
  const pass = async (): Promise<void> => {
    // An outage is printed where it begins.
    if (options.database.outage !== undefined) return;
    await keepUp(options).catch((error: unknown) => {
      console.error('expired data could not be removed; it is tried again in a minute', error);
    });
  };
  const timer = setInterval(() => {
    underway ??= pass().finally(() => {
      underway = undefined;
    });
  }, INTERVAL_MS).unref();
  return async () => {
    clearInterval(timer);
    await underway;
  };
}
