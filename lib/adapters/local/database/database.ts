import type { DatabaseSync } from 'node:sqlite';
import { Commits, type StoredFile } from './commits.ts';
import { IN_MEMORY, openWithin } from './connection.ts';
import { keepCopy } from './copy.ts';
import { reportLoss } from './disk/loss.ts';
import type { Outage } from './disk/outage.ts';
import { withReserveNow } from './disk/reserved-work.ts';
import { damageError, isDamage, type StorageError } from './disk/storage-error.ts';
import type { LogSync } from './log-sync.ts';
import { type Statement, statementOf } from './statement.ts';
import type { Transaction } from './transaction.ts';
import { Turn } from './turn.ts';

export interface LocalDatabaseOptions extends StoredFile {
  /**
   * When `accepted` resolves. `durable`: when the data is on the disk. `written`: at once; then every output of this
   * process must itself wait for `durable`, because a crash could still lose the data that it shows.
   */
  readonly acknowledge?: 'durable' | 'written';
  /**
   * Whether a long turn of the event loop yields by its time, as a service needs it; default. Else by the count of its
   * operations, so that their order does not depend on the speed of the machine.
   */
  readonly isTimed?: boolean;
}

const DONE = Promise.resolve();

/**
 * An SQLite file with group commit. Everything that one turn of the event loop reads and writes is one transaction, which
 * is committed at the end of the turn, or of the flush that is under way: the next flush of the disk, outside of the event
 * loop, makes all commits before it durable. While the disk accepts no writes, changes stay in memory and their commit is
 * retried.
 */
export class LocalDatabase {
  /** The file was missing. */
  readonly isNew: boolean;
  /** Whether `accepted` waits for the disk. */
  readonly waits: boolean;
  /** Whether no turn is under way and no caller waits for the next one; flushes of the disk do not count. */
  readonly isQuiet = (): boolean => this.#turn.isQuiet;
  readonly #file: string;
  readonly #connection: DatabaseSync;
  readonly #commits: Commits;
  readonly #transaction: Transaction;
  readonly #log: LogSync;
  readonly #outage: Outage;
  readonly #turn: Turn;
  readonly #beforeCommit: (() => void)[] = [];
  #isClosed = false;

  /** Prints how many commits are missing. Throws as `openConnection` does, and when the rest of the commits is damaged. */
  constructor({ acknowledge = 'durable', isTimed, ...stored }: LocalDatabaseOptions) {
    const { file, reserve } = stored;
    if (file !== IN_MEMORY) reportLoss(file);
    const { connection, isNew } = openWithin(file, reserve);
    this.isNew = isNew;
    this.waits = acknowledge === 'durable';
    this.#file = file;
    this.#connection = connection;
    this.#commits = new Commits(connection, stored, () => this.#finish());
    ({ transaction: this.#transaction, outage: this.#outage, log: this.#log } = this.#commits);
    this.#log.onFlushed = () => this.#turn.hasBegun || this.#commitTurns();
    this.#turn = new Turn(() => this.#endTurn(), isTimed);
  }

  /** Creates tables and indexes; not a part of any turn. */
  define(schema: string): void {
    this.#finish();
    this.#connection.exec(schema);
  }

  /** Ends the turn of the event loop with a commit: much that is written in one turn would stay in memory. */
  commit(): void {
    this.#finish();
  }

  /** Prepares a statement. */
  statement(text: string): Statement {
    return statementOf(this.#connection.prepare(text), this.#transaction, {
      enter: () => this.#enter(),
      onError: (error) => isDamage(error) && this.#commits.lose(damageError(this.#file, error)),
    });
  }

  /**
   * Runs a function that changes rows, all or nothing, and resolves with its result when `accepted` resolves. Waits while
   * the disk accepts no writes. Rejects with the error of the function. The function may run again from its beginning.
   */
  async change<T>(work: () => T): Promise<T> {
    for (;;) {
      await this.#outage.admitted();
      try {
        const result = this.write(work);
        await this.accepted();
        return result;
      } catch (error) {
        if (this.#outage.error === error) continue;
        // The error may depend on data that is not durable yet.
        await this.accepted();
        throw error;
      }
    }
  }

  /**
   * Runs a function that changes rows, all or nothing, in the transaction of this turn; returns its result. Reads see the
   * changes at once. Throws the error of the function, and StorageError while the disk accepts no writes.
   */
  write<T>(work: () => T): T {
    if (this.#transaction.isChanging) return work();
    this.#enter();
    const { refusal } = this.#outage;
    if (refusal !== undefined) throw refusal;
    try {
      const result = this.#transaction.attempt(work);
      this.#commits.isDirty = true;
      return result;
    } catch (error) {
      if (this.#transaction.isOpen) throw error;
      throw this.#commits.suffer(error);
    }
  }

  /** Calls `store`, which may write and must not throw, at the end of each turn that has written or called `touch`. */
  beforeCommit(store: () => void): void {
    this.#beforeCommit.push(store);
  }

  /** Marks this turn as having data that `beforeCommit` stores. */
  touch(): void {
    this.#enter();
    this.#commits.isDirty = true;
  }

  /** Calls the listener at the start of each outage, and when it becomes total. */
  onOutage(listener: (error: StorageError) => void): void {
    this.#outage.listen(listener);
  }

  /** Why the disk accepts no writes at the moment; undefined while it does. */
  get outage(): StorageError | undefined {
    return this.#outage.error;
  }

  /** Work with the reserve is stored during this outage, and everything that reads show. */
  get hasReserve(): boolean {
    return this.#outage.error !== undefined && this.canStore;
  }

  /** Work with the reserve is stored at once. */
  get canStore(): boolean {
    return this.#outage.total === undefined;
  }

  /** Resolves when the caller may act on everything written so far, which depends on `acknowledge`. */
  accepted(): Promise<void> {
    if (this.#outage.total !== undefined) return this.#outage.over;
    return this.waits ? this.durable({ isPatient: true }) : this.#turn.yielded();
  }

  /** Resolves when all writes are on the disk. While it accepts none, rejects with StorageError, or waits if `isPatient`. */
  durable({ isPatient = false } = {}): Promise<void> {
    const commit = this.#commits.newest;
    if (this.#log.isDurable(commit)) return DONE;
    if (this.#outage.total !== undefined && !isPatient) return Promise.reject(this.#outage.total);
    return this.#log.wait(commit, isPatient);
  }

  /** Keeps a copy of the current state of the file; see `keepCopy`. */
  keepCopy(name: string): string {
    this.#finish();
    return keepCopy(this.#connection, this.#file, name);
  }

  /** Commits and flushes all changes, and closes the file. Changes that the disk does not accept by then are lost. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#finish();
    this.#isClosed = true;
    await this.#commits.close();
    this.#connection.close();
  }

  #enter(): void {
    if (this.#turn.hasBegun) return;
    if (this.#isClosed) throw new Error('the database is closed');
    this.#commits.begin();
    this.#turn.begin();
  }

  #endTurn(): void {
    if (this.#isClosed) return;
    if (this.#commits.isDirty) this.#storeNoted();
    // The next flush begins after the one that runs, so the changes of all turns until then share one commit.
    if (!(this.#commits.isDirty && this.#log.isFlushing)) this.#commitTurns();
  }

  /** What has happened in memory already is stored also while no new change is accepted. */
  #storeNoted(): void {
    const store = () => {
      for (const one of this.#beforeCommit) one();
    };
    if (this.#outage.error === undefined) store();
    else withReserveNow(store);
  }

  /** Commits now, also during a flush. */
  #finish(): void {
    this.#turn.end();
    this.#commitTurns();
  }

  #commitTurns(): void {
    if (!this.#isClosed) this.#commits.commitOpen();
  }
}
