import type { Changes, Watch, Woken } from '../../ports/changes.ts';
import type { Table } from '../../ports/table.ts';

/** The interval of polls, milliseconds. */
export interface PollInterval {
  /** After a poll that found news. */
  readonly shortest: number;
  /** The interval grows to this while there are no news. */
  readonly longest: number;
}

const INTERVAL: PollInterval = { shortest: 1000, longest: 5000 };
const GROWTH = 1.5;

class PollingWatch implements Watch {
  readonly #table: Table;
  readonly #limits: PollInterval;
  #interval: number;
  #dueAt: number | undefined;
  #isOver = false;
  #wake: (() => void) | undefined;

  constructor(table: Table, limits: PollInterval) {
    this.#table = table;
    this.#limits = limits;
    this.#interval = limits.shortest;
  }

  begin(): Table {
    this.#dueAt = undefined;
    return this.#table;
  }

  join(): void {
    this.begin();
  }

  async next(atMost: number, isBusy: boolean): Promise<Woken> {
    const now = performance.now();
    if (this.#dueAt === undefined) {
      const { shortest, longest } = this.#limits;
      this.#interval = isBusy ? shortest : Math.min(this.#interval * GROWTH, longest);
      this.#dueAt = now + this.#interval;
    }
    const left = this.#dueAt - now;
    if (!this.#isOver) await this.#sleep(Math.max(Math.min(left, atMost), 0));
    if (this.#isOver) return 'over';
    return left <= atMost ? 'changed' : 'quiet';
  }

  close(): void {
    this.#isOver = true;
    this.#wake?.();
  }

  #sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

/** The port Changes without notifications: a watch polls after a second, and less often while there are no news. */
export function pollingChanges(interval: PollInterval = INTERVAL): Changes {
  return { watch: (table) => new PollingWatch(table, interval) };
}
