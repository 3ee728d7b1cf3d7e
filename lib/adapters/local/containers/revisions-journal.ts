import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { parseJson } from '../../../language/json-numbers.ts';
import type { ContainerRevision } from '../../../ports/containers.ts';
import { IN_MEMORY } from '../database/connection.ts';
import { makePrivate } from '../database/disk/private-file.ts';
import type { HolderStore } from './private-images.ts';

/** A prepared revision as it is stored: without its credentials. */
export interface StoredRevision {
  readonly revision: ContainerRevision;
  /** The id of its image in the engine; undefined: it was not fetched. */
  readonly image: string | undefined;
}

const SCHEMA = `CREATE TABLE IF NOT EXISTS revisions (
  id TEXT PRIMARY KEY, revision TEXT NOT NULL, image TEXT
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS private_images (
  image TEXT NOT NULL, tenant TEXT NOT NULL, PRIMARY KEY (image, tenant)
) STRICT, WITHOUT ROWID`;

const STATEMENTS = {
  put: 'INSERT OR REPLACE INTO revisions VALUES (?, ?, ?)',
  all: 'SELECT * FROM revisions',
  remove: 'DELETE FROM revisions WHERE id = ?',
  addHolder: 'INSERT OR IGNORE INTO private_images VALUES (?, ?)',
  holders: 'SELECT tenant FROM private_images WHERE image = ?',
} as const;

interface Row {
  readonly revision: string;
  readonly image: string | null;
}

/** The prepared revisions and the holders of private images in an SQLite file, or in memory (`:memory:`). */
export class RevisionsJournal implements HolderStore {
  readonly #database: DatabaseSync;
  readonly #sql: Readonly<Record<keyof typeof STATEMENTS, StatementSync>>;

  constructor(file: string) {
    if (file !== IN_MEMORY) makePrivate(file);
    this.#database = new DatabaseSync(file);
    this.#database.exec('PRAGMA journal_mode = WAL');
    this.#database.exec(SCHEMA);
    const prepared = Object.entries(STATEMENTS).map(([name, text]) => [name, this.#database.prepare(text)]);
    this.#sql = Object.fromEntries(prepared) as Record<keyof typeof STATEMENTS, StatementSync>;
  }

  /** Stores a revision, in place of one with the same id. */
  put({ revision, image }: StoredRevision): void {
    // The tables of the service store the credentials encrypted; here they would be readable.
    this.#sql.put.run(revision.id, JSON.stringify({ ...revision, credentials: [] }), image ?? null);
  }

  /** All stored revisions. */
  all(): StoredRevision[] {
    const rows = this.#sql.all.all() as unknown as Row[];
    return rows.map(({ revision, image }) => ({
      revision: parseJson(revision) as ContainerRevision,
      image: image ?? undefined,
    }));
  }

  /** Removes a revision. */
  remove(id: string): void {
    this.#sql.remove.run(id);
  }

  /** The tenants that fetched an image with their credentials. */
  holdersOf(image: string): readonly string[] {
    const rows = this.#sql.holders.all(image) as unknown as { readonly tenant: string }[];
    return rows.map(({ tenant }) => tenant);
  }

  /** Adds a tenant to those of an image. */
  addHolder(image: string, tenant: string): void {
    this.#sql.addHolder.run(image, tenant);
  }

  close(): void {
    this.#database.close();
  }
}
