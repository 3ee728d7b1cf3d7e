/** Result codes of SQLite (https://www.sqlite.org/rescode.html). */
const [READONLY, FULL] = [8, 13];

/** The disk of the data folder accepts no writes at the moment. The message gives the reason for the user. */
export class StorageError extends Error {
  override readonly name = 'StorageError';
}

const REASONS: Readonly<Record<number, string>> = {
  [FULL]: 'the disk is full',
  [READONLY]: 'the file system is read-only',
};

/** Converts an error of SQLite into a StorageError; returns a StorageError unchanged. */
export function storageErrorOf(cause: unknown, file: string): StorageError {
  if (cause instanceof StorageError) return cause;
  const { errcode = 0, message = String(cause) } = cause as { readonly errcode?: number; readonly message?: string };
  // The low byte of an extended result code is the primary one.
  const reason = REASONS[errcode & 0xff] ?? message;
  return new StorageError(`nothing can be stored in ${file}: ${reason}`, { cause });
}
