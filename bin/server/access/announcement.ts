import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The file of a data folder that says where its service runs. */
export const ANNOUNCEMENT = 'service.json';

/** The content of the file. */
export interface Announcement {
  readonly url: string;
  /** The process of the service; without one of this id, the file is of a service that was killed. */
  readonly pid: number;
  /** The file beside it with the administrator's key; null if that is in APIKEY. */
  readonly keyFile: string | null;
}

const WILDCARDS = /\/\/(0\.0\.0\.0|\[::\])(?=:)/;

/** Writes where the service of a data folder runs, for programs of the same user. Returns the function that removes it. */
export function announce(folder: string, url: string, keyFile: Announcement['keyFile']): () => void {
  const file = join(folder, ANNOUNCEMENT);
  const content: Announcement = { url: url.replace(WILDCARDS, '//127.0.0.1'), pid: process.pid, keyFile };
  writeFileSync(file, `${JSON.stringify(content)}\n`, { mode: 0o600 });
  return () => rmSync(file, { force: true });
}
