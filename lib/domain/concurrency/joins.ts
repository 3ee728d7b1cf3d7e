import type { Table, Write } from '../../ports/table.ts';
import { putAt } from '../storage/batches.ts';
import * as keys from '../storage/keys/concurrency-keys.ts';
import { expiry } from './places.ts';

/** What the starts of a group know of each other. */
export interface Joins {
  /** The id of the run that was held back last, and the version of the item that names it; absent: there is none. */
  readonly latest?: { readonly id: string; readonly version: string };
  /** The id of the run that this start has made or joined before. */
  readonly done?: string;
}

/** Reads what a start needs, by the id that a run of its own would have. */
export async function read(table: Table, group: keys.Group, start: string): Promise<Joins> {
  const [latest, done] = await table.get([keys.joinable(group), keys.joined(start)]);
  return {
    ...(latest === undefined ? {} : { latest: { id: String(latest['run']), version: String(latest['version']) } }),
    ...(done === undefined ? {} : { done: String(done['run']) }),
  };
}

/** The write by which a start is known to have made or joined a run: it does so once. `now`: milliseconds since 1970. */
export const joinWrite = (start: string, run: string, now: number): Write =>
  putAt(keys.joined(start), { run, ttl: expiry(now) }, { absent: true });

/** The write that names a new run as the one to join, on the condition that none was named since `before` was read. */
export function latestWrite(
  group: keys.Group,
  { latest: before }: Joins,
  { id, version, now }: { readonly id: string; readonly version: string; readonly now: number },
): Write {
  const when = before === undefined ? ({ absent: true } as const) : { equals: { version: before.version } };
  return putAt(keys.joinable(group), { run: id, version, ttl: expiry(now) }, when);
}
