import { chmodSync, closeSync, openSync } from 'node:fs';

/** Creates a file if it is missing, and sets its mode to 0600: it contains the data of every namespace. */
export function makePrivate(file: string): void {
  closeSync(openSync(file, 'a', 0o600));
  chmodSync(file, 0o600);
}
