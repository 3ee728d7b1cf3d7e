import { mayUseReserve } from './reserved-work.ts';
import { type StorageError, storageErrorOf } from './storage-error.ts';

const DONE = Promise.resolve();

/** What is stored during an outage: the changes of work with the reserve, or none. */
export type Extent = 'reserve' | 'total';

const EFFECTS: Readonly<Record<Extent, string>> = {
  reserve: 'requests that write get 503 and runs wait; reads, cancellations and deletions use a reserve',
  total: 'requests get 503 and runs wait',
};

/** Whether the disk accepts writes at the moment, and why not. */
export class Outage {
  readonly #file: string;
  readonly #listeners: ((error: StorageError) => void)[] = [];
  #error: StorageError | undefined;
  #extent: Extent = 'total';
  #over: Promise<void> = DONE;
  #end = () => {};

  constructor(file: string) {
    this.#file = file;
  }

  /** Undefined: the disk accepts writes. */
  get error(): StorageError | undefined {
    return this.#error;
  }

  /** The error while nothing at all can be stored, so that changes wait in memory. */
  get total(): StorageError | undefined {
    return this.#extent === 'total' ? this.#error : undefined;
  }

  /** Why a change of the present work is not stored; undefined: it is. */
  get refusal(): StorageError | undefined {
    return this.total ?? (mayUseReserve() ? undefined : this.#error);
  }

  /** Resolves when the disk accepts writes. */
  get over(): Promise<void> {
    return this.#over;
  }

  /** Resolves when the present work may change something. */
  admitted(): Promise<void> {
    return this.refusal === undefined ? DONE : this.#over;
  }

  /** Calls the listener at the beginning of each outage, and when it becomes total. */
  listen(listener: (error: StorageError) => void): void {
    this.#listeners.push(listener);
  }

  /** Starts the outage, unless it has started already to that extent, and returns its error. */
  note(cause: unknown, extent: Extent): StorageError {
    if (this.#error !== undefined && (this.#extent === 'total' || extent === 'reserve')) return this.#error;
    const error = storageErrorOf(cause, this.#file);
    if (this.#error === undefined) {
      const { promise, resolve } = Promise.withResolvers<void>();
      [this.#over, this.#end] = [promise, resolve];
    }
    [this.#error, this.#extent] = [error, extent];
    console.error(`${error.message}. Until it can be written again, ${EFFECTS[extent]}`);
    for (const listener of this.#listeners) listener(error);
    return error;
  }

  /** The changes of work with the reserve can be stored again. */
  lessen(): void {
    this.#extent = 'reserve';
  }

  /** Ends the outage. */
  end(): void {
    this.#error = undefined;
    this.#over = DONE;
    this.#end();
    console.error(`${this.#file} can be written again; all changes are stored`);
  }
}
