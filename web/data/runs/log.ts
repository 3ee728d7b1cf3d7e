import { signal } from '@preact/signals';
import type { ApiError } from '../api/errors.ts';
import type { LogLine } from '../api/operations.ts';
import { follow, type StreamState } from '../api/streams.ts';
import { instantOf } from '../format/time.ts';

/** Lines in one event: a long log comes in parts, so that its first lines are shown at once. */
const PART = 1000;

/** The log of a run, which grows while it is followed. */
export class RunLog {
  readonly lines = signal<readonly LogLine[]>([]);
  readonly state = signal<StreamState>('connecting');
  readonly error = signal<ApiError | undefined>(undefined);
  #last = Number.NEGATIVE_INFINITY;

  /** Begins to follow. Returns the function that ends it. */
  open(namespace: string, instance: string): () => void {
    return follow(
      'getInstanceLogs',
      { namespace, instance },
      { query: { limit: PART } },
      {
        onFrame: ({ results }) => this.#add(results),
        onState: (state) => {
          this.state.value = state;
        },
        onError: (error) => {
          this.error.value = error;
        },
      },
    );
  }

  /** Times of a log only grow, so a line that is not later was there before. */
  #add(results: readonly LogLine[]): void {
    const fresh = results.filter(({ t }) => instantOf(t) > this.#last);
    const [newest] = fresh.slice(-1);
    if (newest === undefined) return;
    this.#last = instantOf(newest.t);
    this.lines.value = [...this.lines.value, ...fresh];
  }
}
