import { setImmediate as turn } from 'node:timers/promises';
import type { Blobs } from '../../ports/blobs.ts';
import type { LocalDatabase } from './database/database.ts';
import { prepareAll } from './database/statement.ts';

/** The number of keys of one listing. */
const MAX_LISTED = 1000;

const compareBytes = (one: string, other: string): number => Buffer.compare(Buffer.from(one), Buffer.from(other));

/** Blobs in memory, which are lost with the process. */
export function memoryBlobs(): Blobs {
  const kept = new Map<string, Uint8Array>();
  return {
    async put(key, bytes) {
      kept.set(key, Uint8Array.from(bytes));
    },
    async get(key) {
      const bytes = kept.get(key);
      return bytes && Uint8Array.from(bytes);
    },
    async remove(prefix) {
      for (const key of kept.keys()) {
        if (key.startsWith(prefix)) kept.delete(key);
      }
    },
    async delete(keys) {
      for (const key of keys) kept.delete(key);
    },
    async list(prefix, after = '') {
      const found = [...kept.keys()].filter((key) => key.startsWith(prefix) && compareBytes(key, after) > 0);
      return found.sort(compareBytes).slice(0, MAX_LISTED);
    },
  };
}

/** A blob refers to its content, whose parts are rows of at most 256 KiB, in their order. */
const SCHEMA = `
  CREATE TABLE IF NOT EXISTS blobs (key TEXT PRIMARY KEY, content INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS blob_parts (
    content INTEGER NOT NULL, part INTEGER NOT NULL, bytes BLOB NOT NULL, PRIMARY KEY (content, part)
  ) STRICT;
  DELETE FROM blob_parts WHERE content IN
    (SELECT DISTINCT content FROM blob_parts WHERE part > 0 AND content NOT IN (SELECT content FROM blobs));
`;

const STATEMENTS = {
  find: 'SELECT content FROM blobs WHERE key = ?',
  parts: 'SELECT bytes FROM blob_parts WHERE content = ? ORDER BY part',
  name: 'INSERT OR REPLACE INTO blobs VALUES (?, ?)',
  add: 'INSERT INTO blob_parts VALUES (?, ?, ?)',
  last: 'SELECT coalesce(max(content), 0) AS value FROM blob_parts',
  begun: 'SELECT key, content FROM blobs WHERE key >= ? AND key < ?',
  listed: 'SELECT key FROM blobs WHERE key >= ? AND key < ? AND key > ? ORDER BY key LIMIT ?',
  removeName: 'DELETE FROM blobs WHERE key = ?',
  removeParts: 'DELETE FROM blob_parts WHERE content = ?',
} as const;

const PART_BYTES = 256 * 1024;
/** The number of parts that are written in one turn of the event loop, of all large blobs together. */
const PARTS_AT_ONCE = 4;
/** Sorts after every key with the prefix before it. */
const LAST = '\u{10FFFF}';

/** Blobs as rows of a database. A blob is stored completely or not at all. Any text is a valid key. */
export interface DatabaseBlobs extends Blobs {
  /** Removes every blob whose key begins with the prefix, within `LocalDatabase.write`. */
  removeNow(prefix: string): void;
}

/** One after the other: those that wait get a turn of the event loop each, in FIFO order. */
class Turns {
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  /** Resolves when it is the caller's turn; at once if there is no other. */
  async next(): Promise<void> {
    const before = this.#last;
    this.#waiting += 1;
    this.#last = before.then(() => turn());
    void this.#last.then(() => {
      this.#waiting -= 1;
    });
    if (this.#waiting > 1) await before;
  }
}

type Sql = ReturnType<typeof statementsOf>;
const statementsOf = (database: LocalDatabase) => prepareAll(database, STATEMENTS);

/** The changes of one blob, within `LocalDatabase.write`. */
function changesOf(sql: Sql) {
  const removeOne = (key: string, content: number): void => {
    sql.removeName.run(key);
    sql.removeParts.run(content);
  };
  return {
    nameContent(key: string, content: number): void {
      const former = sql.find.get(key);
      if (former !== undefined) sql.removeParts.run(Number(former['content']));
      sql.name.run(key, content);
    },
    removePrefix(prefix: string): void {
      for (const { key, content } of sql.begun.all(prefix, prefix + LAST)) removeOne(String(key), Number(content));
    },
    removeKey(key: string): void {
      const found = sql.find.get(key);
      if (found !== undefined) removeOne(key, Number(found['content']));
    },
  };
}

/** Blobs as rows of the database. A change resolves as `LocalDatabase.accepted` does. */
export function databaseBlobs(database: LocalDatabase): DatabaseBlobs {
  database.define(SCHEMA);
  const sql = statementsOf(database);
  const { nameContent, removePrefix, removeKey } = changesOf(sql);
  let content = Number(sql.last.get()?.['value']);
  const turns = new Turns();

  return {
    async put(key, bytes) {
      content += 1;
      const number = content;
      const count = Math.ceil(bytes.length / PART_BYTES);
      // The caller may change the bytes during the wait.
      const whole = count > PARTS_AT_ONCE ? Uint8Array.from(bytes) : bytes;
      let to = 0;
      do {
        const from = to;
        to = Math.min(from + PARTS_AT_ONCE, count);
        if (count > 1) await turns.next();
        await database.change(() => {
          for (let part = from; part < to; part += 1) {
            sql.add.run(number, part, whole.subarray(part * PART_BYTES, (part + 1) * PART_BYTES));
          }
          if (to === count) nameContent(key, number);
        });
      } while (to < count);
    },
    async get(key) {
      const found = sql.find.get(key);
      const parts = found === undefined ? [] : sql.parts.all(Number(found['content']));
      await database.accepted();
      if (found === undefined) return undefined;
      const [first = new Uint8Array(), ...others] = parts.map(({ bytes }) => bytes as Uint8Array);
      if (others.length === 0) return first;
      const { buffer, byteOffset, length } = Buffer.concat([first, ...others]);
      return new Uint8Array(buffer, byteOffset, length);
    },
    remove: (prefix) => database.change(() => removePrefix(prefix)),
    removeNow: removePrefix,
    delete: (keys) => database.change(() => keys.forEach(removeKey)),
    async list(prefix, after = '') {
      const keys = sql.listed.all(prefix, prefix + LAST, after, MAX_LISTED).map(({ key }) => String(key));
      await database.accepted();
      return keys;
    },
  };
}
