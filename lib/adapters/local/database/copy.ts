import { chmodSync, existsSync, renameSync, rmSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';

/** Copies the current state of a database into a new file with mode 0600. Throws when the file cannot be written. */
export function copyInto(connection: DatabaseSync, file: string): void {
  connection.prepare('VACUUM INTO ?').run(file);
  chmodSync(file, 0o600);
}

/**
 * Keeps a copy of the current state of a database beside its file, under a name that gives the reason; returns its path.
 * An existing copy of that name stays: it was made before an interrupted attempt of the same change.
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
