import { signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { LogLine } from '../../../clients/api/operations.ts';
import { instantOf } from '../format/time.ts';
import type { PathOf } from './client.ts';
import type { ApiError } from './errors.ts';
import { follow, type StreamState } from './streams.ts';

/** Operations that return a log, which only grows. */
export type LogOperation = 'getInstanceLogs' | 'getWorkflowLogs' | 'getNamespaceLogs' | 'getServerLogs';

/** Lines in one event: a long log comes in parts, so that its first lines are shown at once. */
const PART = 1000;

/** A log that is streamed. Each line is shown once, also after a reconnect. */
export class GrowingLog {
  readonly lines = signal<readonly LogLine[]>([]);
  readonly state = signal<StreamState>('connecting');
  readonly error = signal<ApiError | undefined>(undefined);
  #last = Number.NEGATIVE_INFINITY;

  /** Opens the stream. Returns the function that closes it. */
  open<Id extends LogOperation>(id: Id, path: PathOf<Id>): () => void {
    const query = { limit: PART } as Parameters<typeof follow<Id>>[2]['query'];
    return follow<Id>(id, path, query === undefined ? {} : { query }, {
      onFrame: ({ results }) => this.#add(results),
      onState: (state) => {
        this.state.value = state;
      },
      onError: (error) => {
        this.error.value = error;
      },
    });
  }

  /** Times strictly increase within a log, so a line that is not newer was received before. */
  #add(results: readonly LogLine[]): void {
    const fresh = results.filter(({ t }) => instantOf(t) > this.#last);
    const newest = fresh.at(-1);
    if (newest === undefined) return;
    this.#last = instantOf(newest.t);
    this.lines.value = [...this.lines.value, ...fresh];
  }
}

/** The log of an operation while the component is shown. */
export function useGrowingLog<Id extends LogOperation>(id: Id, path: PathOf<Id>): GrowingLog {
  const name = JSON.stringify([id, path]);
  const log = useMemo(() => new GrowingLog(), [name]);
  useEffect(() => log.open(id, path), [log]);
  return log;
}
