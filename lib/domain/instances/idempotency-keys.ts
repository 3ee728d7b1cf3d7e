import type { Clock } from '../../ports/clock.ts';
import { ConflictError, type Item, type Table } from '../../ports/table.ts';
import { ServiceError } from '../errors.ts';
import * as keys from '../storage/keys.ts';

/** A request with a key is done once in this time. */
const LASTS_MS = 24 * 3_600_000;
const LONGEST_KEY = 255;
/** A claim is given up by the database some time after it has lapsed. */
const GRACE_MS = 3_600_000;

const isValid = (item: Item | undefined, now: number): item is Item =>
  item !== undefined && Number(item['until']) > now;

/** Throws `malformed` for a key that is too long. */
export function needKey(key: string): string {
  if (key.length <= LONGEST_KEY) return key;
  throw new ServiceError('malformed', `an Idempotency-Key has at most ${LONGEST_KEY} characters`);
}

/**
 * The id of the run that a key of a workflow stands for: the one given if nobody had the key in the last 24 hours,
 * else the one that was given first.
 */
export async function claim(
  { table, clock }: { readonly table: Table; readonly clock: Clock },
  workflowId: string,
  key: string,
  id: string,
): Promise<string> {
  const { table: name, pk, sk } = keys.claim(workflowId, key);
  for (;;) {
    const now = clock.now();
    const [item] = await table.get([{ table: name, pk, sk }]);
    if (isValid(item, now)) return String(item['id']);
    const until = now + LASTS_MS;
    const when = item === undefined ? ({ absent: true } as const) : { equals: { id: String(item['id']) } };
    const claimed = { pk, sk, id, until, ttl: Math.ceil((until + GRACE_MS) / 1000) };
    try {
      await table.write([{ do: 'put', table: name, item: claimed, when }]);
      return id;
    } catch (error) {
      if (!(error instanceof ConflictError)) throw error;
    }
  }
}
