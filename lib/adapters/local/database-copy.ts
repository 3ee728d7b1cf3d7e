import { existsSync, renameSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

/**
 * Keeps a copy of the embedded database beside it, as it is at this moment, under a name that says why. One that is there
 * already stays: it is from before what is begun again now.
 * @throws Error when there is no room for it.
 */
export function keepCopy(file: string, name: string): void {
  const copy = `${file}.${name}`;
  if (existsSync(copy)) return;
  const draft = `${copy}.part`;
  rmSync(draft, { force: true });
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    database.prepare('VACUUM INTO ?').run(draft);
  } finally {
    database.close();
  }
  renameSync(draft, copy);
}
