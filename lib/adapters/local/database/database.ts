import type { DatabaseSync } from 'node:sqlite';
import { IN_MEMORY, openConnection } from './connection.ts';
import { keepCopy } from './copy.ts';
import { LogSync, logFlush } from './log-sync.ts';
import { Outage } from './outage.ts';
import { type Statement, statementOf } from './statement.ts';
import { type StorageError, storageErrorOf } from './storage-error.ts';
import { Transaction } from './transaction.ts';

/**
 * When a commit counts as durable: `full`, when the disk has it; `normal`, when the operating system has it, so that a
 * power cut may lose the last moments.
 */
export type Sync = 'full' | 'normal';

export interface LocalDatabaseOptions {
  /** An SQLite file, made if it is not there; `:memory:` for none. One process at a time may write. */
  readonly file: string;
  readonly sync?: Sync | undefined;
  /**
   * What `accepted` waits for. `durable`: the disk. `written`: nothing; then every output of this process must wait for
   * `durable` itself, so that nothing leaves that a crash could take back.
   */
  readonly acknowledge?: 'durable' | 'written';
  /** The disk failed to flush. What it holds is unknown, so the process must end; the next one reads what is there. */
  readonly onLost?: ((reason: string) => void) | undefined;
}

const RETRY_MS = 1000;
/** A turn that never waits for anything outside yields to others after this long. */
const LONGEST_TURN_MS = 10;
const DONE = Promise.resolve();

/**
 * An SQLite file with group commit. Everything that one turn of the event loop reads and writes is one transaction, which
 * is committed at the end of the turn; one flush of the disk, outside of the event loop, makes all commits before it
 * durable. While the disk takes no writes, what was written stays in memory and its commit is tried again and again.
 */
export class LocalDatabase {
  /** There was no such file. */
  readonly isNew: boolean;
  /** Whether `accepted` waits for the disk. */
  readonly waits: boolean;
  readonly #file: string;
  readonly #connection: DatabaseSync;
  readonly #transaction: Transaction;
  readonly #log: LogSync;
  readonly #outage: Outage;
  readonly #onLost: (reason: string) => void;
  readonly #beforeCommit: (() => void)[] = [];
  /** When the turn began; undefined between two turns. */
  #turn: number | undefined;
  #isDirty = false;
  #retrying: NodeJS.Timeout | undefined;
  #isClosed = false;

  /** Throws as `openConnection` does. */
  constructor({ file, sync = 'full', acknowledge = 'durable', onLost = () => undefined }: LocalDatabaseOptions) {
    const { connection, isNew } = openConnection(file);
    this.isNew = isNew;
    this.waits = acknowledge === 'durable';
    this.#file = file;
    this.#connection = connection;
    this.#transaction = new Transaction(connection);
    this.#outage = new Outage(file);
    this.#onLost = onLost;
    const flush = file !== IN_MEMORY && sync === 'full' ? logFlush(file) : undefined;
    this.#log = new LogSync(flush, (error) => this.#lose(error));
  }

  /** Creates tables and indexes; not a part of any turn. */
  define(schema: string): void {
    this.#endTurn();
    this.#connection.exec(schema);
  }

  /** Prepares a statement. */
  statement(text: string): Statement {
    return statementOf(this.#connection.prepare(text), this.#transaction, () => this.#enter());
  }

  /** Prepares the statements of an adapter, by their names. */
  statements<Name extends string>(texts: Readonly<Record<Name, string>>): Readonly<Record<Name, Statement>> {
    const prepared = Object.entries<string>(texts).map(([name, text]) => [name, this.statement(text)]);
    return Object.fromEntries(prepared) as Record<Name, Statement>;
  }

  /**
   * Runs a work that changes rows, all or nothing, and returns its result when `accepted` does. While the disk takes no
   * writes it waits. Rejects with what the work throws. The work may run again from its beginning.
   */
  async change<T>(work: () => T): Promise<T> {
    for (;;) {
      await this.#outage.over;
      try {
        const result = this.write(work);
        await this.accepted();
        return result;
      } catch (error) {
        if (this.#outage.error === error) continue;
        // It may follow from something that is not on the disk yet.
        await this.accepted();
        throw error;
      }
    }
  }

  /**
   * Runs a work that changes rows, all or nothing, as a part of this turn's transaction; returns its result. Reads see the
   * changes at once. Throws what the work throws, and StorageError while the disk takes no writes.
   */
  write<T>(work: () => T): T {
    if (this.#transaction.isChanging) return work();
    this.#enter();
    if (this.#outage.error !== undefined) throw this.#outage.error;
    try {
      const result = this.#transaction.attempt(work);
      this.#isDirty = true;
      return result;
    } catch (error) {
      if (this.#transaction.isOpen) throw error;
      throw this.#suffer(error);
    }
  }

  /** Calls `store` before each commit of a turn in which `touch` was called; it may write. It must not throw. */
  beforeCommit(store: () => void): void {
    this.#beforeCommit.push(store);
  }

  /** Something is to be stored by `beforeCommit` in this turn. */
  touch(): void {
    this.#enter();
    this.#isDirty = true;
  }

  /** Calls the listener whenever the disk takes no writes any more. */
  onOutage(listener: (error: StorageError) => void): void {
    this.#outage.listen(listener);
  }

  /** Why the disk takes no writes at the moment. */
  get outage(): StorageError | undefined {
    return this.#outage.error;
  }

  /** Resolves when what was written so far may be built upon, which depends on `acknowledge`. */
  accepted(): Promise<void> {
    if (this.#outage.error !== undefined) return this.#outage.over;
    return this.waits ? this.durable({ isPatient: true }) : this.#yielded();
  }

  /**
   * Resolves when what was written so far is on the disk. While the disk takes no writes it rejects with StorageError,
   * or, if it `isPatient`, waits.
   */
  durable({ isPatient = false } = {}): Promise<void> {
    const commit = this.#log.committed + (this.#isDirty ? 1 : 0);
    if (this.#log.isDurable(commit)) return DONE;
    if (this.#outage.error !== undefined && !isPatient) return Promise.reject(this.#outage.error);
    return this.#log.wait(commit, isPatient);
  }

  /** Keeps a copy of the file, as it is at this moment; see `keepCopy`. */
  keepCopy(name: string): string {
    this.#endTurn();
    return keepCopy(this.#connection, this.#file, name);
  }

  /** Commits and flushes what was written, and closes the file. What the disk does not take by then is lost. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#endTurn();
    clearTimeout(this.#retrying);
    if (this.#outage.error !== undefined) this.#retry();
    clearTimeout(this.#retrying);
    this.#isClosed = true;
    await this.#log.close();
    this.#connection.close();
  }

  /** Resolves at once, or, when this turn has lasted long, after others had theirs. */
  #yielded(): Promise<void> {
    if (this.#turn === undefined || performance.now() - this.#turn < LONGEST_TURN_MS) return DONE;
    return new Promise((resolve) => setImmediate(resolve));
  }

  #enter(): void {
    if (this.#turn !== undefined) return;
    if (this.#isClosed) throw new Error('the database is closed');
    if (this.#outage.error === undefined) this.#transaction.begin();
    this.#turn = performance.now();
    setImmediate(() => this.#endTurn());
  }

  #endTurn(): void {
    if (this.#turn === undefined || this.#isClosed) return;
    if (this.#isDirty) for (const store of this.#beforeCommit) store();
    this.#turn = undefined;
    if (this.#outage.error === undefined) this.#commit();
  }

  #commit(): void {
    try {
      this.#transaction.commit();
    } catch (error) {
      this.#suffer(error);
      return;
    }
    if (!this.#isDirty) return;
    this.#isDirty = false;
    this.#log.commit();
  }

  /** What could not be committed is built anew in memory, and committed later. */
  #suffer(cause: unknown): StorageError {
    const error = this.#outage.note(cause);
    try {
      this.#transaction.rebuild();
    } catch (fault) {
      this.#lose(fault as Error);
    }
    this.#log.fail(error);
    this.#retrying = setTimeout(() => this.#retry(), RETRY_MS);
    return error;
  }

  #retry(): void {
    this.#commit();
    if (!this.#transaction.isOpen) this.#outage.end();
  }

  #lose(error: Error): void {
    const reason = `the disk failed to keep ${this.#file}: ${error.message}`;
    this.#log.fail(storageErrorOf(new Error(reason), this.#file));
    this.#onLost(reason);
  }
}
