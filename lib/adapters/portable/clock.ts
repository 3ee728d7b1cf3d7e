import { randomBytes } from 'node:crypto';
import { v7 } from 'uuid';
import type { Clock } from '../../ports/clock.ts';

const SECRET_BYTES = 32;

/** 43 URL-safe characters by chance (256 bits). The first is no hyphen: a command line would take the key for an option. */
export function randomKey(): string {
  const key = randomBytes(SECRET_BYTES).toString('base64url');
  return key.startsWith('-') ? randomKey() : key;
}

/** The system's time and chance. Within a process each UUID sorts after the one before, whatever the clock does. */
export function systemClock(): Clock {
  return {
    now: () => Date.now(),
    uuid: () => v7(),
    secret: randomKey,
  };
}
