import { effect, type Signal, signal } from '@preact/signals';
import { type ApiError, toApiError } from '../api/errors.ts';
import { key, may, rights, session } from '../api/session.ts';
import { count, numeric } from '../format/text.ts';
import { actionOf, type BulkKind, type BulkOrder, type BulkPlan, type BulkProgress } from './actions.ts';
import { dropJob, interruptedJobs, type KeptJob, keepJob, nameOf, underLock } from './kept-jobs.ts';

/** The state of an action. */
export type JobState = 'running' | 'over' | 'stopped' | 'failed' | 'interrupted';

/** An action on many runs, which a job of the service performs. This tab shows how far it is, and after it another one. */
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

  /** Creates the job of the service, or follows the one that exists. */
  async run(): Promise<void> {
    this.#isStopped = false;
    this.state.value = 'running';
    this.error.value = undefined;
    this.#keep();
    try {
      await underLock(this.order, () => this.#work());
      if (this.#isLeft) return;
      this.state.value = this.progress.peek().isStopped === true ? 'stopped' : 'over';
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
      wish: () => (this.#isLeft ? 'leave' : this.#isStopped ? 'stop' : undefined),
    });
  }

  #keep(): void {
    keepJob({ order: this.order, plan: this.plan, planned: this.planned, progress: this.progress.peek() });
  }

  /** Stops the job of the service. */
  stop(): void {
    this.#isStopped = true;
  }

  /** Follows the job no longer, so that another session can. */
  leave(): void {
    this.#isLeft = true;
  }
}

const DID: Readonly<Record<BulkKind, string>> = { cancel: 'cancelled', rerun: 'started' };
const ENDINGS: Readonly<Record<JobState, string>> = {
  running: ' …',
  over: '.',
  stopped: ', then stopped.',
  failed: ', then it failed.',
  interrupted: ' …',
};

/** `3 of 10 runs started, 1 skipped, 2 held back …`. */
export function progressText({ order, planned, progress, state }: BulkJob): string {
  const { done, skipped, held = 0 } = progress.value;
  const parts = { skipped, 'held back': held };
  const more = Object.entries(parts).map(([what, number]) => (number === 0 ? '' : `, ${numeric(number)} ${what}`));
  const isPart = state.value !== 'over' && planned > done;
  const runs = isPart ? `${numeric(done)} of ${count(planned, 'run')}` : count(done, 'run');
  return `${runs} ${DID[order.kind]}${more.join('')}${ENDINGS[state.value]}`;
}

/** The actions in progress, and the ended ones until the user closes them; the newest last. */
export const jobs = signal<readonly BulkJob[]>([]);

const isFor = (job: BulkJob, order: Omit<BulkOrder, 'revision'>): boolean => nameOf(job.order) === nameOf(order);

/** The newest action on these runs, if there is one. */
export const jobFor = (order: Omit<BulkOrder, 'revision'>): BulkJob | undefined =>
  jobs.value.findLast((job) => isFor(job, order));

/** Begins an action, which ends by itself or by `stop`; a later session can follow it. */
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

/** Follows the jobs that an earlier tab began, if the key has the permission. */
async function offer(): Promise<void> {
  const known = (await interruptedJobs()).filter(({ progress }) => progress.job !== undefined);
  const found = known.filter(mayGoOn).map((kept) => new BulkJob(kept));
  const fresh = found.filter(({ order }) => !jobs.peek().some((job) => isFor(job, order)));
  if (fresh.length > 0) jobs.value = [...fresh, ...jobs.peek()];
  for (const job of fresh) void job.run();
}

session.subscribe(() => {
  for (const job of jobs.peek()) job.leave();
  jobs.value = [];
});

effect(() => {
  if (key.value !== undefined && rights.value !== undefined) void offer();
});
