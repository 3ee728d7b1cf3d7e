import { existsSync, renameSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

/**
 * Keeps a copy of the embedded database beside it, as it is at this moment, under a name that says why. One that is there
 * already stays: it is from before what is begun again now. Answers where it is.
 * @throws Error when there is no room for it; nothing is left of it then.
 */
export function keepCopy(file: string, name: string): string {
  const copy = `${file}.${name}`;
  if (existsSync(copy)) return copy;
  const draft = `${copy}.part`;
  rmSync(draft, { force: true });
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    database.prepare('VACUUM INTO ?').run(draft);
  } catch (cause) {
    rmSync(draft, { force: true });
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`the database cannot be copied to ${copy} before it is changed, so it is left as it is: ${why}`, {
      cause,
    });
  } finally {
    database.close();
  }
  renameSync(draft, copy);
  return copy;
}
