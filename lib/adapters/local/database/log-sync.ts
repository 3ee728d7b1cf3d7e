import { closeSync, fdatasync, fsyncSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import type { CommitMark } from './disk/commit-mark.ts';
import type { Presence } from './disk/presence.ts';

const flushData = promisify(fdatasync);

/** Flushes the data of a file to the disk. */
export interface Flush {
  flush(): Promise<void>;
  close(): void;
}

/** Flushes the write-ahead log of a database file. The log must exist. */
export function logFlush(file: string): Flush {
  const folder = openSync(dirname(file), 'r');
  // The names of the new files are entries of the folder.
  if (process.platform !== 'win32') fsyncSync(folder);
  closeSync(folder);
  const log = openSync(`${file}-wal`, 'r+');
  return {
    flush: () =>
      flushData(log).catch((cause: Error) => {
        const advice = 'What it has stored is not known; start Weft again';
        throw new Error(`the disk failed to flush ${file} (${cause.message}). ${advice}`, { cause });
      }),
    close: () => closeSync(log),
  };
}

/** Where commits go; in memory neither is there. */
export interface LogFile {
  readonly flush?: Flush | undefined;
  /** Commits do not become durable when the files were removed. */
  readonly presence?: Presence | undefined;
  /** Learns of durable commits, before those who wait for them. */
  readonly mark?: Pick<CommitMark, 'keep' | 'close'> | undefined;
}

interface Waiter {
  readonly commit: number;
  readonly isPatient: boolean;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** A commit without a waiter is flushed after at most this long. */
const LATEST_FLUSH_MS = 100;

/**
 * Tracks which commits are on the disk. One flush covers every commit before it; commits during a flush share the next
 * one. Without a `Flush` a commit counts as durable at once.
 */
export class LogSync {
  /** Is called after each flush, before the next one begins. */
  onFlushed: () => void = () => undefined;
  readonly #flush: Flush | undefined;
  readonly #presence: LogFile['presence'];
  readonly #mark: LogFile['mark'];
  readonly #onFailure: (error: Error) => void;
  #waiters: Waiter[] = [];
  #committed = 0;
  #durable = 0;
  #running: Promise<void> | undefined;
  #later: NodeJS.Timeout | undefined;

  /** `onFailure` receives the error of a failed flush or check, after which the state of the disk is unknown. */
  constructor({ flush, presence, mark }: LogFile, onFailure: (error: Error) => void) {
    this.#flush = flush;
    this.#presence = presence;
    this.#mark = mark;
    this.#onFailure = onFailure;
  }

  /** A flush is under way: a commit at this moment is on the disk after the next flush only. */
  get isFlushing(): boolean {
    return this.#running !== undefined;
  }

  /** The number of commits so far. */
  get committed(): number {
    return this.#committed;
  }

  /** One more commit is in the log. */
  commit(): void {
    this.#committed += 1;
    if (this.#flush === undefined) {
      if (this.#isKept()) this.#settle(this.#committed);
    } else if (this.#waiters.length > 0) this.#start();
    else this.#later ??= setTimeout(() => this.#start(), LATEST_FLUSH_MS).unref();
  }

  isDurable(commit: number): boolean {
    return commit <= this.#durable;
  }

  /** Resolves when the commit of that number is on the disk. `fail` rejects it unless it `isPatient`. */
  wait(commit: number, isPatient: boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiters.push({ commit, isPatient, resolve, reject });
      if (commit <= this.#committed) this.#start();
    });
  }

  /** Rejects all waiters that are not patient. */
  fail(error: Error): void {
    const waiters = this.#waiters;
    this.#waiters = waiters.filter(({ isPatient }) => isPatient);
    for (const { isPatient, reject } of waiters) if (!isPatient) reject(error);
  }

  /** Flushes all commits and closes the log. */
  async close(): Promise<void> {
    clearTimeout(this.#later);
    try {
      if (this.#flush !== undefined && this.#durable < this.#committed) await this.wait(this.#committed, true);
      await this.#running;
    } finally {
      clearTimeout(this.#later);
      this.#flush?.close();
      this.#presence?.close();
      this.#mark?.close();
    }
  }

  #start(): void {
    clearTimeout(this.#later);
    this.#later = undefined;
    if (this.#running !== undefined || this.#flush === undefined || this.#durable === this.#committed) return;
    const upTo = this.#committed;
    this.#running = this.#flush.flush().then(
      () => {
        this.#running = undefined;
        if (!this.#isKept()) return;
        this.onFlushed();
        this.#settle(upTo);
      },
      (error: Error) => {
        this.#running = undefined;
        this.#onFailure(error);
      },
    );
  }

  /** Whether commits still reach the file. */
  #isKept(): boolean {
    try {
      this.#presence?.check();
      return true;
    } catch (error) {
      this.#onFailure(error as Error);
      return false;
    }
  }

  #settle(upTo: number): void {
    if (upTo > this.#durable) this.#mark?.keep(upTo);
    this.#durable = Math.max(this.#durable, upTo);
    const waiters = this.#waiters;
    this.#waiters = waiters.filter(({ commit }) => commit > this.#durable);
    for (const { commit, resolve } of waiters) if (commit <= this.#durable) resolve();
    if (this.#waiters.some(({ commit }) => commit <= this.#committed)) this.#start();
  }
}
