import type { SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite';
import type { Transaction } from './transaction.ts';

/** A row as SQLite returns it. */
export type Row = Record<string, SQLOutputValue>;

/** A prepared statement, which reads and writes in the transaction of the turn. */
export interface Statement {
  get(...values: SQLInputValue[]): Row | undefined;
  all(...values: SQLInputValue[]): Row[];
  iterate(...values: SQLInputValue[]): Iterable<Row>;
  /** Only within `LocalDatabase.write`; the number of rows that changed. */
  run(...values: SQLInputValue[]): number;
}

/** What a statement does before it reads, and when it fails. */
export interface StatementListeners {
  readonly enter: () => void;
  readonly onError: (error: unknown) => void;
}

/** A statement that calls `enter` before it reads, and changes rows in the transaction. */
export function statementOf(
  prepared: StatementSync,
  transaction: Transaction,
  { enter, onError }: StatementListeners,
): Statement {
  const attempt = <T>(work: () => T): T => {
    enter();
    try {
      return work();
    } catch (error) {
      onError(error);
      throw error;
    }
  };
  return {
    get: (...values) => attempt(() => prepared.get(...values)),
    all: (...values) => attempt(() => prepared.all(...values)),
    iterate: (...values) => attempt(() => prepared.iterate(...values)),
    run: (...values) => transaction.run(prepared, values),
  };
}

/** Prepares the statements of an adapter, by their names. */
export function prepareAll<Name extends string>(
  database: { statement(text: string): Statement },
  texts: Readonly<Record<Name, string>>,
): Readonly<Record<Name, Statement>> {
  const prepared = Object.entries<string>(texts).map(([name, text]) => [name, database.statement(text)]);
  return Object.fromEntries(prepared) as Record<Name, Statement>;
}
