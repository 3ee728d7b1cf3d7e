import { closeSync, existsSync, openSync, readFileSync, writeSync } from 'node:fs';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { crc32 } from 'node:zlib';
import { parseJson } from '../../../../language/json-numbers.ts';
import { makePrivate } from './private-file.ts';

/** A commit by its number, counted from 1 over all processes, and when it was made, milliseconds since 1970. */
export interface Mark {
  readonly number: number;
  readonly time: number;
}

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS commits (id INTEGER PRIMARY KEY CHECK (id = 1), number INTEGER, time INTEGER) STRICT;
`;
const KEEP = `INSERT INTO commits VALUES (1, ?, ?)
  ON CONFLICT DO UPDATE SET number = excluded.number, time = excluded.time`;
const READ = 'SELECT number, time FROM commits';
/** The name of the file of the mark, which is beside the database. */
export const markFile = (database: string): string => `${database}-mark`;
/** Within one block of a disk, so that each mark replaces the one before as a whole. */
const LENGTH = 128;

function lineOf(mark: Mark): Buffer {
  const text = JSON.stringify(mark);
  return Buffer.from(`${text} ${crc32(text)}`.padEnd(LENGTH - 1).concat('\n'));
}

/** The mark of a database file; undefined where there is none, or where its checksum differs. */
export function readMark(database: string): Mark | undefined {
  const file = markFile(database);
  if (!existsSync(file)) return undefined;
  const [text = '', sum] = readFileSync(file, 'utf8').trim().split(' ');
  return text !== '' && String(crc32(text)) === sum ? (parseJson(text) as Mark) : undefined;
}

/** The newest commit that a connection sees; the number 0 if there is none. Throws the error of SQLite. */
export function newestIn(connection: DatabaseSync): Mark {
  const hasTable = connection.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'commits'").get() !== undefined;
  const row = hasTable ? connection.prepare(READ).get() : undefined;
  return (row as unknown as Mark | undefined) ?? { number: 0, time: 0 };
}

/**
 * Numbers the commits of a database in a row of it, and keeps the number of the newest durable one in a file beside it. The
 * mark is written after the flush of its commit and before anything shows that commit, but it is not flushed itself: after
 * `kill -9` it is exact; after a power failure it may be older, never newer, than the commits on the disk.
 */
export class CommitMark {
  readonly #descriptor: number;
  readonly #keep: StatementSync;
  readonly #before: number;

  constructor(connection: DatabaseSync, file: string) {
    connection.exec(SCHEMA);
    makePrivate(markFile(file));
    this.#before = newestIn(connection).number;
    this.#keep = connection.prepare(KEEP);
    this.#descriptor = openSync(markFile(file), 'r+');
  }

  /** Numbers the commit that is about to be made, in its transaction. */
  number(commit: number): void {
    this.#keep.run(this.#before + commit, Date.now());
  }

  /** Marks that a commit of this process is durable, by its number in this process from 1. */
  keep(commit: number): void {
    try {
      writeSync(this.#descriptor, lineOf({ number: this.#before + commit, time: Date.now() }), 0, LENGTH, 0);
    } catch {
      // An older mark claims less. What the disk lacks is reported where a commit fails.
    }
  }

  close(): void {
    closeSync(this.#descriptor);
  }
}
