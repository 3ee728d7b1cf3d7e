import { randomBytes, randomFillSync } from 'node:crypto';
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

const UUID_BYTES = 16;
/** The greatest number by which UUIDs of one millisecond are ordered, 32 bits. */
const MAX_SEQUENCE = 0xffff_ffff;

/** Random bytes for UUIDs, 256 at a time, so that calls of the system are rare. */
class RandomPool {
  readonly #bytes = Buffer.alloc(256 * UUID_BYTES);
  #at = this.#bytes.length;

  /** Valid until the next call. */
  next(): Buffer {
    if (this.#at === this.#bytes.length) {
      randomFillSync(this.#bytes);
      this.#at = 0;
    }
    this.#at += UUID_BYTES;
    return this.#bytes.subarray(this.#at - UUID_BYTES, this.#at);
  }
}

/** Returns UUIDs of version 7 by that clock, each greater than the one before. */
function monotonicUuids(clock: () => number): () => string {
  const pool = new RandomPool();
  let msecs = 0;
  let seq = 0;
  return () => {
    const random = pool.next();
    const now = Math.floor(clock());
    if (now > msecs) {
      msecs = now;
      // The first bit is 0, which leaves room for the UUIDs of the same millisecond.
      seq = random.readUInt32BE(6) >>> 1;
    } else if (seq < MAX_SEQUENCE) {
      seq += 1;
    } else {
      msecs += 1;
      seq = 0;
    }
    return v7({ random, msecs, seq });
  };
}

/**
 * The clock and the randomness of the system. In one process the UUIDs are monotonic, even if the clock is set back.
 * `now` replaces the clock, milliseconds since 1970.
 */
export function systemClock(now: () => number = Date.now): Clock {
  return {
    now,
    uuid: monotonicUuids(now),
    secret: randomKey,
  };
}
