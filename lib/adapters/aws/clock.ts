import { randomBytes } from 'node:crypto';
import { v7 } from 'uuid';
import type { Clock } from '../../ports.ts';

const SECRET_BYTES = 32;

/** The system's time and chance. Within a process each UUID sorts after the one before, whatever the clock does. */
export function systemClock(): Clock {
  return {
    now: () => Date.now(),
    uuid: () => v7(),
    secret: () => randomBytes(SECRET_BYTES).toString('base64url'),
  };
}
