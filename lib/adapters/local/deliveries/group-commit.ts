import type { DatabaseSync } from 'node:sqlite';

interface Job {
  readonly work: () => void;
  readonly reject: (fault: unknown) => void;
  readonly resolve: () => void;
}

/** All writes of one turn of the event loop are one transaction of an SQLite file: many callers, one write to the disk. */
export class GroupCommit {
  readonly #database: DatabaseSync;
  #jobs: Job[] = [];
  #closed = false;

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** The work's result, once it is stored. Rejects for all works of the turn when one of them throws: nothing is stored. */
  run<T>(work: () => T): Promise<T> {
    if (this.#closed) return Promise.reject(new Error('the file is closed'));
    return new Promise<T>((resolve, reject) => {
      let result: { readonly value: T } | undefined;
      if (this.#jobs.length === 0) setImmediate(() => this.flush());
      this.#jobs.push({
        work: () => {
          result = { value: work() };
        },
        resolve: () => result && resolve(result.value),
        reject,
      });
    });
  }

  /** Stores at once what waits. */
  flush(): void {
    const jobs = this.#jobs;
    this.#jobs = [];
    if (jobs.length === 0) return;
    try {
      this.#transact(jobs);
    } catch (fault) {
      for (const job of jobs) job.reject(fault);
      return;
    }
    for (const job of jobs) job.resolve();
  }

  /** Stores what waits and closes the file. */
  close(): void {
    if (this.#closed) return;
    this.flush();
    this.#closed = true;
    this.#database.close();
  }

  #transact(jobs: readonly Job[]): void {
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      for (const { work } of jobs) work();
      this.#database.exec('COMMIT');
    } catch (fault) {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      throw fault;
    }
  }
}
