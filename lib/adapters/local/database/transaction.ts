import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';

interface Change {
  readonly statement: StatementSync;
  readonly values: SQLInputValue[];
}

/** A transaction that can be rebuilt when its commit fails: it keeps its changes until they are committed. */
export class Transaction {
  readonly #connection: DatabaseSync;
  #changes: Change[] = [];
  #isChanging = false;

  constructor(connection: DatabaseSync) {
    this.#connection = connection;
  }

  get isOpen(): boolean {
    return this.#connection.isTransaction;
  }

  get isChanging(): boolean {
    return this.#isChanging;
  }

  begin(): void {
    this.#connection.exec('BEGIN');
  }

  /** Runs a statement that changes rows; returns their number. Throws Error outside of `attempt`. */
  run(statement: StatementSync, values: SQLInputValue[]): number {
    if (!this.#isChanging) throw new Error('a row is changed outside of a write');
    const { changes } = statement.run(...values);
    if (changes > 0) this.#changes.push({ statement, values });
    return Number(changes);
  }

  /**
   * Runs a function that changes rows; undoes them if it throws. There is no savepoint, which each write would pay for: a
   * refused write has changed no row yet, and any other is undone by a rebuild. After an error of the disk no transaction
   * is open.
   */
  attempt<T>(work: () => T): T {
    const mark = this.#changes.length;
    this.#isChanging = true;
    try {
      return work();
    } catch (error) {
      const isPartial = this.#changes.length > mark;
      this.#changes.length = mark;
      if (isPartial && this.isOpen) this.rebuild();
      throw error;
    } finally {
      this.#isChanging = false;
    }
  }

  /** Throws the error of SQLite; then `rebuild` restores the uncommitted changes. */
  commit(): void {
    this.#connection.exec('COMMIT');
    this.#changes = [];
  }

  /** Ends the transaction, if one is open, without its changes, which `rebuild` makes again. */
  leave(): void {
    if (this.isOpen) this.#connection.exec('ROLLBACK');
  }

  /** Opens a transaction with all changes since the last commit. */
  rebuild(): void {
    this.leave();
    this.begin();
    for (const { statement, values } of this.#changes) statement.run(...values);
  }
}
