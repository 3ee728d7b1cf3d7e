import type { DatabaseSync } from 'node:sqlite';
import { IN_MEMORY } from './connection.ts';
import { CommitMark } from './disk/commit-mark.ts';
import { Outage } from './disk/outage.ts';
import { watchPresence } from './disk/presence.ts';
import type { Reserve } from './disk/reserve.ts';
import { emptyLog, shrink } from './disk/shrinking.ts';
import { damageError, fullDisk, isDamage, isFull, type StorageError, storageErrorOf } from './disk/storage-error.ts';
import { type LogFile, LogSync, logFlush } from './log-sync.ts';
import { Transaction } from './transaction.ts';

/**
 * When a commit counts as durable: `full`, when it is on the disk; `normal`, when the operating system has it, so that a
 * power failure can lose the last moments.
 */
export type Sync = 'full' | 'normal';

/** The file of a database, and how it is kept. */
export interface StoredFile {
  /** An SQLite file, created if it is missing; `:memory:` for no file. One process at a time may write. */
  readonly file: string;
  readonly sync?: Sync | undefined;
  /** Space for reads, cancellations and deletions while the disk is full. It is closed with the database. */
  readonly reserve?: Reserve | undefined;
  /**
   * The file cannot be used any more: a flush of the disk failed, so that its state is unknown, the file was removed, or it is
   * damaged. The process must end; the reason says what its user does.
   */
  readonly onLost?: ((reason: string) => void) | undefined;
}

const RETRY_MS = 1000;

/**
 * The commits of a database. When the disk is full, they are made in space of the reserve. What cannot be committed stays in
 * memory, and its commit is retried.
 */
export class Commits {
  readonly transaction: Transaction;
  readonly outage: Outage;
  readonly log: LogSync;
  /** The open transaction has changes, or `touch` was called in it. */
  isDirty = false;
  readonly #file: StoredFile;
  readonly #connection: DatabaseSync;
  readonly #mark: CommitMark | undefined;
  readonly #finish: () => void;
  #retrying: NodeJS.Timeout | undefined;

  /** `finish` ends the turn of the event loop with a commit. */
  constructor(connection: DatabaseSync, stored: StoredFile, finish: () => void) {
    const { file, reserve } = stored;
    this.#file = stored;
    this.#connection = connection;
    this.#finish = finish;
    this.transaction = new Transaction(connection);
    this.outage = new Outage(file);
    this.#mark = file === IN_MEMORY ? undefined : new CommitMark(connection, file);
    this.log = new LogSync(this.#logFile(), (error) => this.lose(error));
    if (reserve?.isReleased === true) this.#note(fullDisk(), true);
  }

  /** The number of the commit that has, or will have, all changes so far. */
  get newest(): number {
    return this.log.committed + (this.isDirty ? 1 : 0);
  }

  /** Opens a transaction, unless one is open. */
  begin(): void {
    if (this.outage.total === undefined && !this.transaction.isOpen) this.transaction.begin();
  }

  /** Commits the open transaction, if there is one that is not retried. */
  commitOpen(): void {
    if (this.outage.total === undefined && this.transaction.isOpen) this.#commit();
  }

  /**
   * Rebuilds the uncommitted changes in memory after an error of the disk. They are committed next, if the reserve had space
   * for them; else later. The log of a full disk is emptied first, since all that is stored from now on goes into it.
   */
  suffer(cause: unknown): StorageError {
    const { file } = this.#file;
    if (isDamage(cause)) {
      this.lose(damageError(file, cause));
      return storageErrorOf(cause, file);
    }
    const isSpared = isFull(cause) && this.#file.reserve?.release() === true;
    const error = this.#note(cause, isSpared);
    try {
      this.transaction.leave();
      if (isFull(cause)) emptyLog(this.#connection);
      this.transaction.rebuild();
    } catch (fault) {
      this.lose(fault as Error);
    }
    if (!isSpared) this.log.fail(error);
    return error;
  }

  /** The file cannot be used any more. */
  lose(error: Error): void {
    const { file, onLost } = this.#file;
    this.log.fail(storageErrorOf(error, file));
    onLost?.(`Weft cannot keep its data: ${error.message}`);
  }

  /** Tries once more to commit what waits, flushes all commits and closes the log. */
  async close(): Promise<void> {
    clearTimeout(this.#retrying);
    if (this.outage.total !== undefined) this.#commit();
    clearTimeout(this.#retrying);
    await this.log.close();
    this.#file.reserve?.close();
  }

  #logFile(): LogFile {
    const { file, sync = 'full' } = this.#file;
    if (file === IN_MEMORY) return {};
    return {
      flush: sync === 'full' ? logFlush(file) : undefined,
      presence: watchPresence([file, `${file}-wal`]),
      mark: this.#mark,
    };
  }

  #commit(): void {
    try {
      if (this.isDirty) this.#mark?.number(this.log.committed + 1);
      this.transaction.commit();
    } catch (error) {
      this.suffer(error);
      // The reserve gave space back.
      if (isFull(error) && this.outage.total === undefined) this.#commit();
      return;
    }
    if (!this.isDirty) return;
    this.isDirty = false;
    this.log.commit();
  }

  #note(cause: unknown, isSpared: boolean): StorageError {
    clearTimeout(this.#retrying);
    this.#retrying = setTimeout(() => this.#retry(), RETRY_MS);
    return this.outage.note(cause, isSpared ? 'reserve' : 'total');
  }

  #retry(): void {
    if (this.outage.total !== undefined) {
      this.#commit();
      if (this.transaction.isOpen) return;
    }
    const { reserve } = this.#file;
    if (reserve === undefined || reserve.restore()) this.outage.end();
    else this.#makeRoom();
  }

  /** Deletions free space in the file only: the disk gets it back here. */
  #makeRoom(): void {
    const { reserve } = this.#file;
    this.outage.lessen();
    this.#retrying = setTimeout(() => this.#retry(), RETRY_MS);
    this.#finish();
    if (this.transaction.isOpen) return;
    try {
      shrink(this.#connection);
    } catch (error) {
      if (isFull(error)) reserve?.release();
      else console.error('the file of the database cannot be made smaller at the moment', error);
    }
  }
}
