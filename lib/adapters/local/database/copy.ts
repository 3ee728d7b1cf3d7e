import { chmodSync, existsSync, renameSync, rmSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';

/** Copies a database, as it is at this moment, into a new file of its owner alone. Throws when that cannot be written. */
export function copyInto(connection: DatabaseSync, file: string): void {
  connection.prepare('VACUUM INTO ?').run(file);
  chmodSync(file, 0o600);
}

/**
 * Keeps a copy of a database beside its file, as it is at this moment, under a name that says why; returns where it is. A
 * copy of that name that is there already stays: it is from before what is begun again now.
 * @throws Error when there is no room for it; nothing is left of it then.
 */
export function keepCopy(connection: DatabaseSync, file: string, name: string): string {
  const copy = `${file}.${name}`;
  if (existsSync(copy)) return copy;
  const draft = `${copy}.part`;
  rmSync(draft, { force: true });
  try {
    copyInto(connection, draft);
  } catch (cause) {
    rmSync(draft, { force: true });
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`the database cannot be copied to ${copy} before it is changed, so it is left as it is: ${why}`, {
      cause,
    });
  }
  renameSync(draft, copy);
  return copy;
}
