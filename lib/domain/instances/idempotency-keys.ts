import type { Ports } from '../../ports/ports.ts';
import type { Item } from '../../ports/table.ts';
import { toTtl } from '../../time/expiry.ts';
import { DAY_MS, HOUR_MS } from '../../time/units.ts';
import { ServiceError } from '../errors.ts';
import { putAt } from '../storage/batches.ts';
import { retryOnConflict } from '../storage/conflicts.ts';
import * as keys from '../storage/keys.ts';

/** How long an idempotency key is valid. */
const LIFETIME_MS = DAY_MS;
const MAX_LENGTH = 255;
/** How long an expired key is kept before the database may delete it. */
const GRACE_MS = HOUR_MS;

const isValid = (item: Item | undefined, now: number): item is Item =>
  item !== undefined && Number(item['until']) > now;

/** Returns the key. Throws `malformed` for one that is too long. */
export function needIdempotencyKey(key: string): string {
  if (key.length <= MAX_LENGTH) return key;
  throw new ServiceError('malformed', `the Idempotency-Key has ${key.length} characters; it has at most ${MAX_LENGTH}`);
}

/**
 * Reserves an idempotency key of a workflow for a run. Returns the id of the run that has the key: `id` itself, or the one
 * for which it was reserved in the last 24 hours.
 */
export function reserveRunId(
  { table, clock }: Pick<Ports, 'table' | 'clock'>,
  workflowId: string,
  text: string,
  id: string,
): Promise<string> {
  const key = keys.idempotencyKey(workflowId, text);
  return retryOnConflict(async () => {
    const now = clock.now();
    const [item] = await table.get([key]);
    if (isValid(item, now)) return String(item['id']);
    const until = now + LIFETIME_MS;
    const when = item === undefined ? ({ absent: true } as const) : { equals: { id: String(item['id']) } };
    await table.write([putAt(key, { id, until, ttl: toTtl(until + GRACE_MS) }, when)]);
    return id;
  });
}
