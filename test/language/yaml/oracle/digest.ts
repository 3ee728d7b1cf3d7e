import { createHash } from 'node:crypto';

/** A short name of a meaning: eight hexadecimal digits, or `error`. */
export function digestOf(meaning: string): string {
  return meaning === 'error' ? meaning : createHash('sha256').update(meaning).digest('hex').slice(0, 8);
}
