import { signal } from '@preact/signals';
import type { InstanceRecord, InstancesReply } from '../../../clients/api/operations.ts';
import { every } from '../api/asking.ts';
import { call } from '../api/client.ts';
import { type ApiError, toApiError } from '../api/errors.ts';
import { isPassing } from '../api/reach.ts';
import type { StreamState } from '../api/streams.ts';
import { type RunFilters, toListQuery } from './filters.ts';
import type { Labels } from './labels.ts';

const PAGE = 100;
const HALF = PAGE / 2;
const AGAIN_MS = 5000;

/**
 * The runs that a search finds. The service examines a part of the list in each request, so the rows are read page by
 * page: the next page when the last rows become visible. At the top, the first page is polled.
 */
export class FoundRows {
  readonly rows = signal<ReadonlyMap<number, InstanceRecord>>(new Map());
  /** The number of loaded rows, plus one while there may be more. */
  readonly total = signal<number | undefined>(undefined);
  readonly fresh = signal(0);
  readonly state = signal<StreamState>('connecting');
  readonly error = signal<ApiError | undefined>(undefined);
  /** False while there may be more rows. */
  readonly isWhole = signal(false);

  /** The labels of the runs, by id. */
  readonly labels = signal<ReadonlyMap<string, Labels>>(new Map());
  readonly #namespace: string;
  readonly #filters: RunFilters;
  readonly #openedAt = Date.now();
  #next: string | undefined;
  #isFirstPage = true;
  #isAtTop = true;
  #running: AbortController | undefined;
  #stopAsking: () => void = () => {};

  constructor(namespace: string, filters: RunFilters) {
    this.#namespace = namespace;
    this.#filters = filters;
  }

  /** Begins to load. Returns the function that stops it. */
  open(): () => void {
    void this.#load(undefined);
    this.#stopAsking = every(AGAIN_MS, () => {
      if (this.#isFirstPage && this.#isAtTop) void this.#load(undefined);
    });
    return () => {
      this.#stopAsking();
      this.#running?.abort();
      this.#running = undefined;
    };
  }

  /** Sets the range of visible rows. */
  readonly show = (from: number, to: number): void => {
    this.#isAtTop = from === 0;
    if (this.#next !== undefined && to >= this.rows.peek().size - HALF) void this.#load(this.#next);
  };

  /** Loads a page: sends further requests until the page is full or the list ends. */
  async #load(after: string | undefined): Promise<void> {
    if (this.#running !== undefined) return;
    const running = new AbortController();
    this.#running = running;
    try {
      let next = after;
      let found = 0;
      do {
        const page = await this.#ask(next, running.signal);
        this.#take(page, next === undefined);
        found += page.results.length;
        next = this.#next;
      } while (next !== undefined && found < PAGE);
      this.state.value = 'live';
      this.error.value = undefined;
    } catch (error) {
      if (running.signal.aborted) return;
      const failure = toApiError(error);
      if (this.total.peek() === undefined || !isPassing(failure)) this.error.value = failure;
      this.state.value = 'stale';
    } finally {
      if (this.#running === running) this.#running = undefined;
    }
  }

  async #ask(after: string | undefined, abort: AbortSignal): Promise<InstancesReply['instances']> {
    const cursor = after === undefined ? {} : { after };
    const query = { ...toListQuery(this.#filters, this.#openedAt), limit: PAGE, labels: true, ...cursor };
    return (await call('listInstances', { namespace: this.#namespace }, { query, signal: abort })).instances;
  }

  #take({ results, pageInfo }: InstancesReply['instances'], isFirst: boolean): void {
    const rows = new Map(isFirst ? [] : this.rows.peek());
    for (const row of results) rows.set(rows.size, row);
    this.#isFirstPage = isFirst;
    this.#next = pageInfo.hasNextPage ? pageInfo.endCursor : undefined;
    const labels = results.flatMap(({ id, labels: found }) => (found === undefined ? [] : [[id, found] as const]));
    this.labels.value = new Map([...(isFirst ? [] : this.labels.peek()), ...labels]);
    this.rows.value = rows;
    this.isWhole.value = this.#next === undefined;
    this.total.value = rows.size + (this.#next === undefined ? 0 : 1);
  }
}
