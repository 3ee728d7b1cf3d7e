import type { LocalDatabase } from '../database/database.ts';
import { prepareAll, type Statement } from '../database/statement.ts';

/** A stored delivery: its text, its due time, and the number of failed attempts. */
export interface DeliveryRow {
  readonly id: number;
  readonly due: number;
  readonly body: string;
  readonly tries: number;
}

/** The tables of a journal, with `name` as the prefix of their names. */
const deliveriesSchema = (name: string): string => `
  CREATE TABLE IF NOT EXISTS ${name}_deliveries (
    id INTEGER PRIMARY KEY, due INTEGER NOT NULL, body TEXT NOT NULL, tries INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE TABLE IF NOT EXISTS ${name}_names (name TEXT PRIMARY KEY, until INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS ${name}_until ON ${name}_names (until);
`;

const statementsOf = (name: string) => ({
  add: `INSERT INTO ${name}_deliveries (id, due, body) VALUES (?, ?, ?)`,
  last: `SELECT coalesce(max(id), 0) AS id FROM ${name}_deliveries`,
  claim: `INSERT OR IGNORE INTO ${name}_names VALUES (?, ?)`,
  find: `SELECT * FROM ${name}_deliveries WHERE id = ?`,
  all: `SELECT * FROM ${name}_deliveries ORDER BY due, id`,
  tried: `UPDATE ${name}_deliveries SET tries = tries + 1 WHERE id = ?`,
  remove: `DELETE FROM ${name}_deliveries WHERE id = ?`,
  forgetNames: `DELETE FROM ${name}_names WHERE until < ?`,
});

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** As long as Step Functions keeps the name of an ended execution (aws-facts 1.1). */
const NAMES_KEPT_MS = 90 * DAY_MS;

/** Deliveries in a database. Methods that change rows must be called within `commit`. */
export class DeliveriesJournal {
  readonly #database: LocalDatabase;
  readonly #now: () => number;
  readonly #sql: Readonly<Record<keyof ReturnType<typeof statementsOf>, Statement>>;
  #lastId: number;
  #nextPrune = 0;
  #isClosed = false;

  /** `name` is the prefix of the journal's tables. */
  constructor(database: LocalDatabase, name: string, now: () => number) {
    database.define(deliveriesSchema(name));
    this.#database = database;
    this.#sql = prepareAll(database, statementsOf(name));
    this.#lastId = Number(this.#sql.last.get()?.['id']);
    this.#now = now;
  }

  /** Resolves with the result of the function as `LocalDatabase.change` does; rejects with its error, storing nothing. */
  async commit<T>(work: () => T): Promise<T> {
    if (this.#isClosed) throw new Error('the journal is closed');
    return this.#database.change(() => {
      this.#prune();
      return work();
    });
  }

  /** Returns the id of the new delivery; undefined when its name is in use. */
  add(due: number, body: string, name?: string): number | undefined {
    const until = Math.max(due, this.#now()) + NAMES_KEPT_MS;
    if (name !== undefined && this.#sql.claim.run(name, Math.trunc(until)) === 0) return undefined;
    this.#lastId += 1;
    this.#sql.add.run(this.#lastId, Math.trunc(due), body);
    return this.#lastId;
  }

  find(id: number): DeliveryRow | undefined {
    return this.#sql.find.get(id) as unknown as DeliveryRow | undefined;
  }

  all(): DeliveryRow[] {
    return this.#sql.all.all() as unknown as DeliveryRow[];
  }

  remove(id: number): void {
    this.#sql.remove.run(id);
  }

  noteTry(id: number): void {
    this.#sql.tried.run(id);
  }

  /** Rejects later changes. */
  close(): void {
    this.#isClosed = true;
  }

  #prune(): void {
    const now = this.#now();
    if (now < this.#nextPrune) return;
    this.#nextPrune = now + HOUR_MS;
    this.#sql.forgetNames.run(Math.trunc(now));
  }
}
