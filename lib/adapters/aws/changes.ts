import type { Changes, Watch, Woken } from '../../ports/changes.ts';
import type { Table } from '../../ports/table.ts';

export interface PollingPace {
  /** Milliseconds until the next look after news. */
  readonly shortest: number;
  /** While nothing happens, looks become as rare as this, milliseconds. */
  readonly longest: number;
}

const PACE: PollingPace = { shortest: 1000, longest: 5000 };
const GROWTH = 1.5;

class PollingWatch implements Watch {
  readonly #table: Table;
  readonly #pace: PollingPace;
  #pause: number;
  #dueAt: number | undefined;
  #isOver = false;
  #settle: (() => void) | undefined;

  constructor(table: Table, pace: PollingPace) {
    this.#table = table;
    this.#pace = pace;
    this.#pause = pace.shortest;
  }

  begin(): Table {
    this.#dueAt = undefined;
    return this.#table;
  }

  async next(atMost: number, isBusy: boolean): Promise<Woken> {
    const now = performance.now();
    if (this.#dueAt === undefined) {
      this.#pause = isBusy ? this.#pace.shortest : Math.min(this.#pause * GROWTH, this.#pace.longest);
      this.#dueAt = now + this.#pause;
    }
    const left = this.#dueAt - now;
    if (!this.#isOver) await this.#sleep(Math.max(Math.min(left, atMost), 0));
    if (this.#isOver) return 'over';
    return left <= atMost ? 'changed' : 'quiet';
  }

  close(): void {
    this.#isOver = true;
    this.#settle?.();
  }

  #sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#settle = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

/** Changes where nobody tells of them: looks again after a second, and ever more rarely while there are no news. */
export function pollingChanges(pace: PollingPace = PACE): Changes {
  return { watch: (table) => new PollingWatch(table, pace) };
}
