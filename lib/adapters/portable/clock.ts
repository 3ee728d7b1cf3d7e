import { randomBytes } from 'node:crypto';
import { v7 } from 'uuid';
import type { Clock } from '../../ports/clock.ts';

const SECRET_BYTES = 32;

/**
 * A random key of 256 bits: 43 URL-safe characters. The first is no hyphen, because a command line would parse the key
 * as an option.
 */
export function randomKey(): string {
  const key = randomBytes(SECRET_BYTES).toString('base64url');
  return key.startsWith('-') ? randomKey() : key;
}

/**
 * The clock and the randomness of the system. In one process the UUIDs are monotonic, even if the clock is set back.
 */
export function systemClock(): Clock {
  return {
    now: () => Date.now(),
    uuid: () => v7(),
    secret: randomKey,
  };
}
