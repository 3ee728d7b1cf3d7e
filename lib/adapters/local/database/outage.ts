import { type StorageError, storageErrorOf } from './storage-error.ts';

const DONE = Promise.resolve();

/** Whether the disk accepts writes at the moment, and why not. */
export class Outage {
  readonly #file: string;
  readonly #listeners: ((error: StorageError) => void)[] = [];
  #error: StorageError | undefined;
  #over: Promise<void> = DONE;
  #end = () => {};

  constructor(file: string) {
    this.#file = file;
  }

  /** Undefined: the disk accepts writes. */
  get error(): StorageError | undefined {
    return this.#error;
  }

  /** Resolves when the disk accepts writes. */
  get over(): Promise<void> {
    return this.#over;
  }

  /** Calls the listener at the beginning of each outage. */
  listen(listener: (error: StorageError) => void): void {
    this.#listeners.push(listener);
  }

  /** Starts the outage, unless it has started already, and returns its error. */
  note(cause: unknown): StorageError {
    if (this.#error !== undefined) return this.#error;
    const error = storageErrorOf(cause, this.#file);
    this.#error = error;
    const { promise, resolve } = Promise.withResolvers<void>();
    [this.#over, this.#end] = [promise, resolve];
    console.error(`${error.message}. Until it can be written again, requests get 503 and runs wait`);
    for (const listener of this.#listeners) listener(error);
    return error;
  }

  /** Ends the outage. */
  end(): void {
    this.#error = undefined;
    this.#over = DONE;
    this.#end();
    console.error(`${this.#file} can be written again; all changes are stored`);
  }
}
