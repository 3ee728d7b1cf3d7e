import { type ReadonlySignal, signal } from '@preact/signals';
import type { InstanceRecord, InstancesReply } from '../../../clients/api/operations.ts';
import { every } from '../api/asking.ts';
import { call } from '../api/client.ts';
import { type ApiError, toApiError } from '../api/errors.ts';
import { isPassing } from '../api/reach.ts';
import { follow, type StreamState } from '../api/streams.ts';
import { type RunFilters, toListQuery } from './filters.ts';
import { RunLabels } from './labels.ts';

/** Rows that one request asks for: those in sight, and some on both sides. */
const PAGE = 100;
const HALF = PAGE / 2;
/** Scrolling comes to rest before rows are asked for. */
const REST_MS = 80;
const RECOUNT_MS = 5000;

/**
 * The runs of a list, of which only those near the ones in sight are loaded. At the top it follows new runs; further
 * down the list stands still, and new runs are counted.
 */
export class RunRows {
  readonly rows = signal<ReadonlyMap<number, InstanceRecord>>(new Map());
  readonly total = signal<number | undefined>(undefined);
  /** Runs that came since the list stands still. */
  readonly fresh = signal(0);
  readonly state = signal<StreamState>('connecting');
  readonly error = signal<ApiError | undefined>(undefined);
  /** Every run of the list is counted. */
  readonly isWhole: ReadonlySignal<boolean> = signal(true);

  readonly #labels = new RunLabels();
  readonly #namespace: string;
  readonly #filters: RunFilters;
  readonly #openedAt = Date.now();
  #offset = -1;
  /** The start of the newest run when the list began to stand still. */
  #anchor = '';
  #stop: () => void = () => {};
  #timer: ReturnType<typeof setTimeout> | undefined;
  #stopCounting: () => void = () => {};

  constructor(namespace: string, filters: RunFilters) {
    this.#namespace = namespace;
    this.#filters = filters;
  }

  /** The labels of the runs as far as they are known, by id. */
  get labels(): RunLabels['known'] {
    return this.#labels.known;
  }

  /** Begins to load. Returns the function that ends it. */
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

  /** Sets which rows are in sight. */
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

  /** A list that ends at a chosen time stands still anyway. */
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
    // At the top everything moves down when a run is new, so rows that are not asked for are not known any longer.
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
