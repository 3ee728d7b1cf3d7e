import { effect, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { type ApiError, toApiError } from '../api/errors.ts';
import { key } from '../api/session.ts';
import { count } from '../format/text.ts';
import { type BulkAction, type BulkPlan, type BulkProgress, cancelAction, rerunAction } from './bulk.ts';
import type { RunFilters } from './filters.ts';

/** What is done to the runs of a list. */
export type BulkKind = 'cancel' | 'rerun';

/** The runs that an action is for, and how it is done to them. */
export interface BulkOrder {
  readonly namespace: string;
  readonly kind: BulkKind;
  readonly filters: RunFilters;
  readonly revision: 'pinned' | 'latest';
}

/** The action of an order, which plans and does it. */
export const actionOf = ({ namespace, kind, filters, revision }: BulkOrder): BulkAction =>
  kind === 'cancel' ? cancelAction(namespace, filters) : rerunAction(namespace, filters, revision);

export type JobState = 'running' | 'over' | 'stopped' | 'failed';

/** An action on many runs, which goes on while the person looks at other pages. */
export class BulkJob {
  readonly order: BulkOrder;
  /** The runs that it was planned for. */
  readonly planned: number;
  readonly #plan: BulkPlan;
  readonly #progress = signal<BulkProgress>({ done: 0, skipped: 0 });
  readonly #state: Signal<JobState> = signal<JobState>('running');
  readonly #error = signal<ApiError | undefined>(undefined);
  #isStopped = false;

  constructor(order: BulkOrder, plan: BulkPlan) {
    this.order = order;
    this.#plan = plan;
    this.planned = plan.total - plan.rows.filter(({ skipped }) => skipped !== undefined).length;
  }

  get progress(): ReadonlySignal<BulkProgress> {
    return this.#progress;
  }

  get state(): ReadonlySignal<JobState> {
    return this.#state;
  }

  get error(): ReadonlySignal<ApiError | undefined> {
    return this.#error;
  }

  /** Does it, or goes on after a failure: what was done already is skipped. */
  async run(): Promise<void> {
    this.#isStopped = false;
    this.#state.value = 'running';
    this.#error.value = undefined;
    try {
      await actionOf(this.order).run(
        this.#plan,
        (progress) => {
          this.#progress.value = progress;
        },
        () => this.#isStopped,
      );
      this.#state.value = this.#isStopped ? 'stopped' : 'over';
    } catch (error) {
      this.#error.value = toApiError(error);
      this.#state.value = 'failed';
    }
  }

  /** Ends it after the request that is under way. */
  stop(): void {
    this.#isStopped = true;
  }
}

const DID: Readonly<Record<BulkKind, string>> = { cancel: 'cancelled', rerun: 'started' };
const ENDINGS: Readonly<Record<JobState, string>> = {
  running: ' …',
  over: '.',
  stopped: ', then stopped.',
  failed: ', then it failed.',
};

/** `3 runs cancelled, 1 skipped …`. */
export function progressText({ order, progress, state }: BulkJob): string {
  const { done, skipped } = progress.value;
  const more = skipped === 0 ? '' : `, ${skipped.toLocaleString('en-US')} skipped`;
  return `${count(done, 'run')} ${DID[order.kind]}${more}${ENDINGS[state.value]}`;
}

/** The actions that are under way or over, until a person takes note; the newest last. */
export const jobs = signal<readonly BulkJob[]>([]);

const isFor = (job: BulkJob, { namespace, kind, filters }: Omit<BulkOrder, 'revision'>): boolean =>
  job.order.namespace === namespace &&
  job.order.kind === kind &&
  JSON.stringify(job.order.filters) === JSON.stringify(filters);

/** The newest action on these runs, if there is one. */
export const jobFor = (order: Omit<BulkOrder, 'revision'>): BulkJob | undefined =>
  jobs.value.findLast((job) => isFor(job, order));

/** Begins an action, which ends by itself, by `stop`, or with the session. */
export function begin(order: BulkOrder, plan: BulkPlan): void {
  const job = new BulkJob(order, plan);
  jobs.value = [...jobs.peek().filter((other) => !isFor(other, order)), job];
  void job.run();
}

/** Takes an action that is over off the list. */
export function forget(job: BulkJob): void {
  jobs.value = jobs.peek().filter((other) => other !== job);
}

// What one key has begun is not done by the next.
key.subscribe(() => {
  for (const job of jobs.peek()) job.stop();
  jobs.value = [];
});

const askToStay = (event: BeforeUnloadEvent): void => event.preventDefault();

// A tab that is closed ends its actions: the browser asks first.
effect(() => {
  const isRunning = jobs.value.some(({ state }) => state.value === 'running');
  if (isRunning) window.addEventListener('beforeunload', askToStay);
  else window.removeEventListener('beforeunload', askToStay);
});
