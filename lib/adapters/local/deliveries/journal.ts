import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { GroupCommit } from './group-commit.ts';

/** What is to be handed over: its text, when, and how often that was tried in vain. */
export interface DeliveryRow {
  readonly id: number;
  readonly due: number;
  readonly body: string;
  readonly tries: number;
}

// WAL with synchronous=NORMAL survives the death of the process; the exclusive lock keeps a second process off the file.
const SCHEMA = `
  PRAGMA locking_mode = EXCLUSIVE;
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  CREATE TABLE IF NOT EXISTS deliveries (
    id INTEGER PRIMARY KEY AUTOINCREMENT, due INTEGER NOT NULL, body TEXT NOT NULL, tries INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE TABLE IF NOT EXISTS names (name TEXT PRIMARY KEY, until INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS until ON names (until);
`;

const STATEMENTS = {
  add: 'INSERT INTO deliveries (due, body) VALUES (?, ?)',
  claim: 'INSERT OR IGNORE INTO names VALUES (?, ?)',
  find: 'SELECT * FROM deliveries WHERE id = ?',
  all: 'SELECT * FROM deliveries ORDER BY due, id',
  tried: 'UPDATE deliveries SET tries = tries + 1 WHERE id = ?',
  remove: 'DELETE FROM deliveries WHERE id = ?',
  forgetNames: 'DELETE FROM names WHERE until < ?',
} as const;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** As long as Step Functions keeps the name of an execution that ended (aws-facts 1.1). */
const NAMES_KEPT_MS = 90 * DAY_MS;

/** Deliveries in an SQLite file. What changes must be called within `commit`. */
export class DeliveriesJournal {
  readonly database: DatabaseSync;
  readonly #group: GroupCommit;
  readonly #now: () => number;
  readonly #sql: Readonly<Record<keyof typeof STATEMENTS, StatementSync>>;
  #nextPrune = 0;

  /** Opens or makes the file, `:memory:` for none. Throws when another process holds it. */
  constructor(file: string, now: () => number) {
    this.database = new DatabaseSync(file);
    this.database.exec(SCHEMA);
    const prepared = Object.entries(STATEMENTS).map(([name, text]) => [name, this.database.prepare(text)]);
    this.#sql = Object.fromEntries(prepared) as Record<keyof typeof STATEMENTS, StatementSync>;
    this.#group = new GroupCommit(this.database);
    this.#now = now;
  }

  /** The work's result, once what it changed is stored. */
  commit<T>(work: () => T): Promise<T> {
    return this.#group.run(() => {
      this.#prune();
      return work();
    });
  }

  /** The id of the new delivery; undefined when there was one of that name already. */
  add(due: number, body: string, name?: string): number | undefined {
    const until = Math.max(due, this.#now()) + NAMES_KEPT_MS;
    if (name !== undefined && this.#sql.claim.run(name, until).changes === 0) return undefined;
    return Number(this.#sql.add.run(Math.trunc(due), body).lastInsertRowid);
  }

  find(id: number): DeliveryRow | undefined {
    return this.#sql.find.get(id) as DeliveryRow | undefined;
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

  /** Stores what is under way and closes the file. */
  close(): void {
    this.#group.close();
  }

  #prune(): void {
    const now = this.#now();
    if (now < this.#nextPrune) return;
    this.#nextPrune = now + HOUR_MS;
    this.#sql.forgetNames.run(now);
  }
}
