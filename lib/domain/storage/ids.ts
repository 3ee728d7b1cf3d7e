import { hash } from 'node:crypto';

/** SHA-256, hexadecimal. */
export const sha256 = (data: string | Uint8Array): string => hash('sha256', data);

/**
 * Returns a UUID that is derived from its parts: the same parts give the same id, which makes a start idempotent. It has
 * the form of version 7, so it sorts by the given time (milliseconds since 1970).
 */
export function derivedId(ms: number, ...parts: readonly (string | number)[]): string {
  const time = ms.toString(16).padStart(12, '0').slice(-12);
  const digits = sha256(JSON.stringify(parts));
  const variant = ((Number.parseInt(digits.charAt(3), 16) & 0x3) | 0x8).toString(16);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${digits.slice(0, 3)}-${variant}${digits.slice(4, 7)}-${digits.slice(7, 19)}`;
}

const GROUP = 8;
/** The place of the digit of the version in a UUID. */
const VERSION_AT = 14;
const SPREAD = '8';

const isSpread = (id: string): boolean => id.charAt(VERSION_AT) === SPREAD;
const swapEnds = (id: string): string => id.slice(-GROUP) + id.slice(GROUP, -GROUP) + id.slice(0, GROUP);

/**
 * Returns the form of a UUID of version 7 in which its first and last eight digits have changed places, with the version
 * 8: ids that are made one after the other differ in the digits that clients show. The parts stay unique.
 */
export const spreadId = (id: string): string =>
  swapEnds(`${id.slice(0, VERSION_AT)}${SPREAD}${id.slice(VERSION_AT + 1)}`);

/** Returns a derived id in the form of another one: runs of earlier versions have children with ids of version 7. */
export const spreadAs = (model: string, id: string): string => (isSpread(model) ? spreadId(id) : id);

/** Returns the form of an id that sorts by its time, for keys; of that form, the id. An id of version 7 is returned. */
export const orderedId = (id: string): string => (isSpread(id) ? swapEnds(id) : id);

/** Returns when an id was made, milliseconds since 1970. */
export const timeOf = (id: string): number => Number.parseInt(orderedId(id).replace('-', '').slice(0, 12), 16);

const BITS = 48;

/** Returns a number in [0, 1) that is derived from the seed. */
export function fractionOf(seed: string): number {
  return hash('sha256', seed, 'buffer').readUIntBE(0, BITS / 8) / 2 ** BITS;
}
