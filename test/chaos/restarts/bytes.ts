import { readFileSync, writeFileSync } from 'node:fs';
import type { Random } from '../../durability/random.ts';

const PAGE = 4096;
/** The first bytes of a page with rows or keys. */
const KINDS = [2, 5, 10, 13];

/** Flips a bit of a file, somewhere in its first `length` bytes; by default in any. */
export function flipBit(file: string, random: Random, length?: number): void {
  const bytes = readFileSync(file);
  const at = random.between(0, Math.min(length ?? bytes.length, bytes.length) - 1);
  bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << random.between(0, 7)), at);
  writeFileSync(file, bytes);
}

/** Destroys a third of the pages of a database that have rows or keys. */
export function destroyPages(file: string, random: Random): void {
  const bytes = readFileSync(file);
  for (let at = PAGE; at < bytes.length; at += PAGE) {
    if (KINDS.includes(bytes.readUInt8(at)) && random.fraction() < 1 / 3) bytes.fill(0xa5, at, at + 512);
  }
  writeFileSync(file, bytes);
}

/** The bytes of a log of SQLite that belong to its newest frames, by their salt. */
export function usedBytes(log: string): number {
  const bytes = readFileSync(log);
  let at = 32;
  while (at + 24 + PAGE <= bytes.length && bytes.subarray(at + 8, at + 16).equals(bytes.subarray(16, 24)))
    at += 24 + PAGE;
  return at;
}
