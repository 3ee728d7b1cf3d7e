/** Result codes of SQLite (https://www.sqlite.org/rescode.html). */
const [READONLY, CORRUPT, FULL, NOT_A_DATABASE] = [8, 11, 13, 26];

/** The index of the log cannot grow: on a full disk. */
const IOERR_SHMSIZE = 4874;

const extendedCodeOf = (error: unknown): number =>
  Number((error as { readonly errcode?: number } | null)?.errcode ?? 0);

/** The result code of an error of SQLite; 0 for another error. The low byte of an extended code is the primary one. */
const codeOf = (error: unknown): number =>
  extendedCodeOf(error) === IOERR_SHMSIZE ? FULL : extendedCodeOf(error) & 0xff;

/** Whether an error of SQLite says that the disk is full. */
export const isFull = (error: unknown): boolean => codeOf(error) === FULL;

/** The cause of an outage that begins with the start. */
export const fullDisk = (): Error => Object.assign(new Error('the disk is full'), { errcode: FULL });

/** Whether an error of SQLite says that the contents of the file are not those that it wrote. */
export const isDamage = (error: unknown): boolean => [CORRUPT, NOT_A_DATABASE].includes(codeOf(error));

/** The error of a damaged file; its message says what the user does. */
export const damageError = (file: string, cause: unknown): Error =>
  new Error(
    `${file} is damaged (${(cause as Error).message}). It stays as it is; restore a backup into an empty folder: weft restore BACKUP --data FOLDER`,
    { cause },
  );

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
  const { message = String(cause) } = cause as { readonly message?: string };
  const reason = REASONS[codeOf(cause)] ?? message;
  return new StorageError(`nothing can be stored in ${file}: ${reason}`, { cause });
}
