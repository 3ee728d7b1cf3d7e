import { effect, type Signal, signal } from '@preact/signals';
import { type ApiError, toApiError } from '../api/errors.ts';
import { key, may, rights, session } from '../api/session.ts';
import { count, numeric } from '../format/text.ts';
import { actionOf, type BulkKind, type BulkOrder, type BulkPlan, type BulkProgress } from './actions.ts';
import { dropJob, interruptedJobs, type KeptJob, keepJob, nameOf, underLock } from './kept-jobs.ts';

/** The state of an action. */
export type JobState = 'running' | 'over' | 'stopped' | 'failed' | 'interrupted';

/** An action on many runs, which continues while the user visits other pages, and can continue in another tab. */
export class BulkJob {
  readonly order: BulkOrder;
  /** The number of runs in the plan. */
  readonly planned: number;
  /** The time of the plan: newer runs are left out. */
  readonly plan: KeptJob['plan'];
  readonly progress: Signal<BulkProgress>;
  readonly state = signal<JobState>('interrupted');
  readonly error = signal<ApiError | undefined>(undefined);
  #isStopped = false;
  #isLeft = false;

  constructor({ order, plan, planned, progress }: KeptJob) {
    this.order = order;
    this.planned = planned;
    this.plan = plan;
    this.progress = signal(progress);
  }

  /** Performs the action, or continues it after a failure or in another tab without repeating processed runs. */
  async run(): Promise<void> {
    this.#isStopped = false;
    this.state.value = 'running';
    this.error.value = undefined;
    this.#keep();
    try {
      await underLock(this.order, () => this.#work());
      if (this.#isLeft) return;
      this.state.value = this.#isStopped ? 'stopped' : 'over';
      dropJob(this.order);
    } catch (error) {
      this.error.value = toApiError(error);
      this.state.value = 'failed';
    }
  }

  #work(): Promise<void> {
    return actionOf(this.order).run(this.plan, {
      from: this.progress.peek(),
      onProgress: (progress) => {
        this.progress.value = progress;
        this.#keep();
      },
      isStopped: () => this.#isStopped,
    });
  }

  #keep(): void {
    keepJob({ order: this.order, plan: this.plan, planned: this.planned, progress: this.progress.peek() });
  }

  /** Ends it after the request in progress. */
  stop(): void {
    this.#isStopped = true;
  }

  /** Ends it after the request in progress, so that another session can continue it. */
  leave(): void {
    this.#isLeft = true;
    this.#isStopped = true;
  }
}

const DID: Readonly<Record<BulkKind, string>> = { cancel: 'cancelled', rerun: 'started' };
const ENDINGS: Readonly<Record<JobState, string>> = {
  running: ' …',
  over: '.',
  stopped: ', then stopped.',
  failed: ', then it failed.',
  interrupted: ', then its tab was closed.',
};

/** `3 of 10 runs cancelled, 1 skipped …`. */
export function progressText({ order, planned, progress, state }: BulkJob): string {
  const { done, skipped } = progress.value;
  const more = skipped === 0 ? '' : `, ${numeric(skipped)} skipped`;
  const isPart = state.value !== 'over' && planned > done;
  const runs = isPart ? `${numeric(done)} of ${count(planned, 'run')}` : count(done, 'run');
  return `${runs} ${DID[order.kind]}${more}${ENDINGS[state.value]}`;
}

/** The actions in progress, and the ended ones until the user closes them; the newest last. */
export const jobs = signal<readonly BulkJob[]>([]);

const isFor = (job: BulkJob, order: Omit<BulkOrder, 'revision'>): boolean => nameOf(job.order) === nameOf(order);

/** The newest action on these runs, if there is one. */
export const jobFor = (order: Omit<BulkOrder, 'revision'>): BulkJob | undefined =>
  jobs.value.findLast((job) => isFor(job, order));

/** Begins an action, which ends by itself or by `stop`; a later session can continue it. */
export function begin(order: BulkOrder, { at, total, rows }: BulkPlan): void {
  const planned = total - rows.filter(({ skipped }) => skipped !== undefined).length;
  const job = new BulkJob({ order, plan: { at, total }, planned, progress: { done: 0, skipped: 0 } });
  jobs.value = [...jobs.peek().filter((other) => !isFor(other, order)), job];
  void job.run();
}

/** Removes an ended action from the list. */
export function forget(job: BulkJob): void {
  dropJob(job.order);
  jobs.value = jobs.peek().filter((other) => other !== job);
}

const mayGoOn = ({ order: { namespace, kind } }: KeptJob): boolean => {
  const { namespaces = [] } = rights.peek() ?? {};
  const isOpen = namespaces.length === 0 || namespaces.includes(namespace);
  return isOpen && may(kind === 'cancel' ? 'cancelInstance' : 'rerunInstances');
};

/** Offers to continue interrupted actions if the key has the permission. */
async function offer(): Promise<void> {
  const found = (await interruptedJobs()).filter(mayGoOn).map((kept) => new BulkJob(kept));
  const fresh = found.filter(({ order }) => !jobs.peek().some((job) => isFor(job, order)));
  if (fresh.length > 0) jobs.value = [...fresh, ...jobs.peek()];
}

// A session continues the actions of the previous session only if the user starts them.
session.subscribe(() => {
  for (const job of jobs.peek()) job.leave();
  jobs.value = [];
});

effect(() => {
  if (key.value !== undefined && rights.value !== undefined) void offer();
});

const askToStay = (event: BeforeUnloadEvent): void => event.preventDefault();

// Closing the tab interrupts its actions, so the browser asks first.
effect(() => {
  const isRunning = jobs.value.some(({ state }) => state.value === 'running');
  if (isRunning) window.addEventListener('beforeunload', askToStay);
  else window.removeEventListener('beforeunload', askToStay);
});
