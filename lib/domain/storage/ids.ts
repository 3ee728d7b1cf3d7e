import { createHash } from 'node:crypto';

/** SHA-256, hexadecimal. */
export const sha256 = (data: string | Uint8Array): string => createHash('sha256').update(data).digest('hex');

/**
 * Returns a UUID that is derived from its parts: the same parts give the same id, which makes a start idempotent. It has
 * the form of version 7, so it sorts by the given time (milliseconds since 1970).
 */
export function derivedId(ms: number, ...parts: readonly (string | number)[]): string {
  const time = ms.toString(16).padStart(12, '0').slice(-12);
  const hash = sha256(JSON.stringify(parts));
  const variant = ((Number.parseInt(hash.charAt(3), 16) & 0x3) | 0x8).toString(16);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${hash.slice(0, 3)}-${variant}${hash.slice(4, 7)}-${hash.slice(7, 19)}`;
}

/** Returns when a UUID of version 7 was made, milliseconds since 1970. */
export const timeOf = (id: string): number => Number.parseInt(id.replace('-', '').slice(0, 12), 16);

const BITS = 48;

/** Returns a number in [0, 1) that is derived from the seed. */
export function fractionOf(seed: string): number {
  const hash = createHash('sha256').update(seed).digest();
  return hash.readUIntBE(0, BITS / 8) / 2 ** BITS;
}
