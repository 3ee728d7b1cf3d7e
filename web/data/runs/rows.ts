import { type ReadonlySignal, signal } from '@preact/signals';
import type { InstanceRecord, InstancesReply } from '../../../clients/api/operations.ts';
import { every } from '../api/asking.ts';
import { call } from '../api/client.ts';
import { type ApiError, toApiError } from '../api/errors.ts';
import { isPassing } from '../api/reach.ts';
import { follow, type StreamState } from '../api/streams.ts';
import { type RunFilters, toListQuery } from './filters.ts';
import { RunLabels } from './labels.ts';

/** The rows of one request: the visible ones, and some on both sides. */
const PAGE = 100;
const HALF = PAGE / 2;
/** Rows are requested when scrolling has paused for this time. */
const REST_MS = 80;
const RECOUNT_MS = 5000;

/**
 * The runs of a list, of which only those around the visible rows are loaded. At the top, new runs appear; further down
 * the list does not move, and new runs are counted.
 */
export class RunRows {
  readonly rows = signal<ReadonlyMap<number, InstanceRecord>>(new Map());
  readonly total = signal<number | undefined>(undefined);
  /** The number of runs that began since the list does not move. */
  readonly fresh = signal(0);
  readonly state = signal<StreamState>('connecting');
  readonly error = signal<ApiError | undefined>(undefined);
  /** `total` counts every run of the list. */
  readonly isWhole: ReadonlySignal<boolean> = signal(true);

  readonly #labels = new RunLabels();
  readonly #namespace: string;
  readonly #filters: RunFilters;
  readonly #openedAt = Date.now();
  #offset = -1;
  /** The start of the newest run when the list stopped moving; empty while it follows new runs. */
  #anchor = '';
  #stop: () => void = () => {};
  #timer: ReturnType<typeof setTimeout> | undefined;
  #stopCounting: () => void = () => {};

  constructor(namespace: string, filters: RunFilters) {
    this.#namespace = namespace;
    this.#filters = filters;
  }

  /** The labels of the runs by id. */
  get labels(): RunLabels['known'] {
    return this.#labels.known;
  }

  /** Begins to load. Returns the function that stops it. */
  open(): () => void {
    this.#load(0);
    this.#stopCounting = every(RECOUNT_MS, () => void this.#recount());
    return () => {
      clearTimeout(this.#timer);
      this.#stopCounting();
      this.#labels.stop();
      this.#stop();
      this.#offset = -1;
    };
  }

  /** Sets the range of visible rows. */
  readonly show = (from: number, to: number): void => {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#look(from, to), REST_MS);
  };

  #look(from: number, to: number): void {
    const isTop = from === 0;
    if (isTop && this.#anchor !== '') {
      this.#anchor = '';
      this.fresh.value = 0;
      this.#load(0);
    } else if (!isTop && this.#anchor === '') {
      this.#anchor = this.rows.value.get(0)?.createdAt ?? '';
      this.#load(this.#offsetFor(from));
    } else if (from < this.#offset || to > this.#offset + PAGE) {
      this.#load(this.#offsetFor(from));
    }
  }

  #offsetFor(from: number): number {
    return Math.max(0, Math.floor((from - HALF / 2) / HALF) * HALF);
  }

  #query(offset: number, limit: number, until: string) {
    const filters = until === '' ? this.#filters : { ...this.#filters, until };
    return { ...toListQuery(filters, this.#openedAt), limit, offset };
  }

  /** A list with an end time does not move anyway. */
  get #until(): string {
    return this.#filters.until === '' ? this.#anchor : '';
  }

  #load(offset: number): void {
    this.#stop();
    this.#offset = offset;
    const query = this.#query(offset, PAGE, this.#until);
    this.#stop = follow(
      'listInstances',
      { namespace: this.#namespace },
      { query },
      {
        onFrame: ({ instances }) => {
          this.#take(offset, instances);
          this.#labels.want(instances.results, () => this.#labelled(query));
        },
        onState: (state) => {
          this.state.value = state;
        },
        onError: (error) => {
          this.error.value = error;
        },
      },
    );
  }

  async #labelled(query: object): Promise<InstancesReply['instances']['results']> {
    const labelled = { query: { ...query, labels: true } };
    return (await call('listInstances', { namespace: this.#namespace }, labelled)).instances.results;
  }

  #take(offset: number, { pageInfo, results }: InstancesReply['instances']): void {
    // At the top a new run moves all rows down, so rows outside of the reply are no longer valid.
    const rows = new Map(offset === 0 ? [] : this.rows.value);
    results.forEach((row, index) => {
      rows.set(offset + index, row);
    });
    this.error.value = undefined;
    this.rows.value = rows;
    this.total.value = pageInfo.total;
  }

  async #recount(): Promise<void> {
    if (this.#until === '') return;
    try {
      const query = this.#query(0, 1, '');
      const { instances } = await call('listInstances', { namespace: this.#namespace }, { query });
      if (this.#until !== '') this.fresh.value = Math.max(0, instances.pageInfo.total - (this.total.value ?? 0));
    } catch (error) {
      const failure = toApiError(error);
      if (!isPassing(failure)) this.error.value = failure;
    }
  }
}
