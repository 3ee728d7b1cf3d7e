import { SECOND_MS } from './units.ts';

/**
 * The time-to-live attribute of an item that expires at `ms` (milliseconds since 1970): whole seconds since 1970, rounded
 * up. The database deletes the item some time after that.
 */
export const toTtl = (ms: number): number => Math.ceil(ms / SECOND_MS);
