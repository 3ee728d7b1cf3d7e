/** A version of a machine in the journal. */
export interface MachineRow {
  readonly handle: string;
  readonly name: string;
  readonly tier: string;
  readonly definition: string;
}

export interface ExecutionRow {
  readonly id: number;
  readonly machine: string;
  readonly name: string;
  readonly handle: string;
  readonly input: string;
  readonly started: number;
  readonly deadline: number | null;
  readonly ended: number | null;
  readonly status: string | null;
  readonly output: string | null;
  readonly error: string | null;
  readonly cause: string | null;
}

/** The end of an execution whose notification is pending. */
export interface PendingNotificationRow {
  readonly execution: number;
  readonly handle: string;
  readonly name: string;
  readonly status: string;
  readonly error: string | null;
  readonly cause: string | null;
}

export interface ThreadRow {
  readonly execution: number;
  readonly id: number;
  readonly parent: number | null;
  readonly place: number;
  readonly state: string;
  readonly phase: string;
  readonly input: string;
  readonly variables: string;
  readonly work: string | null;
  readonly details: string;
  readonly events: number;
}

export const SCHEMA = `
  CREATE TABLE IF NOT EXISTS machines (
    handle TEXT PRIMARY KEY, name TEXT NOT NULL, tier TEXT NOT NULL, definition TEXT NOT NULL
  ) STRICT;
  CREATE TABLE IF NOT EXISTS executions (
    id INTEGER PRIMARY KEY, machine TEXT NOT NULL, name TEXT NOT NULL, handle TEXT NOT NULL, input TEXT NOT NULL,
    started INTEGER NOT NULL, deadline INTEGER, ended INTEGER, status TEXT, output TEXT, error TEXT, cause TEXT,
    UNIQUE (machine, name)
  ) STRICT;
  CREATE INDEX IF NOT EXISTS ended ON executions (ended) WHERE ended IS NOT NULL;
  CREATE INDEX IF NOT EXISTS unfinished ON executions (id) WHERE ended IS NULL;
  CREATE TABLE IF NOT EXISTS threads (
    execution INTEGER NOT NULL, id INTEGER NOT NULL, parent INTEGER, place INTEGER NOT NULL, state TEXT NOT NULL,
    phase TEXT NOT NULL, input TEXT NOT NULL, variables TEXT NOT NULL, work TEXT, details TEXT NOT NULL,
    events INTEGER NOT NULL, PRIMARY KEY (execution, id)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS owed (
    execution INTEGER PRIMARY KEY, handle TEXT NOT NULL, name TEXT NOT NULL, status TEXT NOT NULL, error TEXT, cause TEXT
  ) STRICT;
  CREATE TABLE IF NOT EXISTS closings (id INTEGER PRIMARY KEY) STRICT;
`;

/** All statements of the journal. */
export const STATEMENTS = {
  keepMachine: 'INSERT OR IGNORE INTO machines VALUES (?, ?, ?, ?)',
  machine: 'SELECT * FROM machines WHERE handle = ?',
  // A handle is the name and a version; executions that have not ended still need their version.
  removeMachines: `DELETE FROM machines WHERE name = ? AND handle NOT IN
    (SELECT handle FROM executions WHERE ended IS NULL)`,
  insert: 'INSERT INTO executions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
  end: 'UPDATE executions SET ended = ?, status = ?, output = ?, error = ?, cause = ? WHERE id = ?',
  find: 'SELECT * FROM executions WHERE machine = ? AND name = ?',
  unfinished: 'SELECT * FROM executions WHERE ended IS NULL ORDER BY id',
  endedCount: 'SELECT count(*) AS value FROM executions WHERE ended IS NOT NULL',
  // A pending notification may remain after its execution is deleted, so its number must not be used again.
  lastId: `SELECT max((SELECT coalesce(max(id), 0) FROM executions),
    (SELECT coalesce(max(execution), 0) FROM owed)) AS value`,
  removeOlder: 'DELETE FROM executions WHERE ended < ?',
  removeOldest: `DELETE FROM executions WHERE id IN
    (SELECT id FROM executions WHERE ended IS NOT NULL ORDER BY ended, id LIMIT ?)`,
  threads: 'SELECT * FROM threads WHERE execution = ? ORDER BY id',
  keepThread: 'INSERT OR REPLACE INTO threads VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
  removeThread: 'DELETE FROM threads WHERE execution = ? AND id = ?',
  removeThreads: 'DELETE FROM threads WHERE execution = ?',
  owe: 'INSERT INTO owed VALUES (?, ?, ?, ?, ?, ?)',
  owed: 'SELECT * FROM owed ORDER BY execution',
  isOwed: 'SELECT execution FROM owed WHERE execution = ?',
  // A row: the last process was closed.
  close: 'INSERT OR IGNORE INTO closings VALUES (1)',
  reopen: 'DELETE FROM closings',
  settle: 'DELETE FROM owed WHERE execution = ?',
} as const;
