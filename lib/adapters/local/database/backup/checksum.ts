import { createHash } from 'node:crypto';
import { appendFileSync, closeSync, openSync, readSync, statSync } from 'node:fs';

/** The last bytes of a backup: this word and the SHA-256 of all bytes before it. SQLite does not read them. */
const WORD = 'weft-backup-sha256:';
const LENGTH = WORD.length + 64;
const PART_BYTES = 1024 * 1024;

/** The checksum of the first bytes of a file, as a backup ends with it. */
function checksumOf(file: string, length: number): string {
  const sum = createHash('sha256');
  const part = Buffer.alloc(PART_BYTES);
  const opened = openSync(file, 'r');
  try {
    for (let at = 0; at < length; ) {
      const read = readSync(opened, part, 0, Math.min(PART_BYTES, length - at), at);
      if (read === 0) throw new Error('the file became shorter while it was read');
      sum.update(part.subarray(0, read));
      at += read;
    }
  } finally {
    closeSync(opened);
  }
  return `${WORD}${sum.digest('hex')}`;
}

/** Adds the checksum to a file. */
export const addChecksum = (file: string): void => appendFileSync(file, checksumOf(file, statSync(file).size));

/** Returns the length of the database in a backup. Throws Error when its bytes are not those that `addChecksum` saw. */
export function checkedLength(file: string): number {
  const length = Math.max(statSync(file).size - LENGTH, 0);
  const end = Buffer.alloc(LENGTH);
  const opened = openSync(file, 'r');
  readSync(opened, end, 0, LENGTH, length);
  closeSync(opened);
  if (end.toString('latin1') !== checksumOf(file, length)) {
    throw new Error('it is damaged or cut: its checksum differs from its bytes');
  }
  return length;
}
