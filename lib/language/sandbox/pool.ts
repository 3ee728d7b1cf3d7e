import type { EngineKind, Job, Reply } from '../scripts/engine.ts';
import { FairQueue } from './fair-queue.ts';
import type { Thread } from './thread.ts';

/** On whose account a job runs, and how many of its jobs may wait. */
export interface Account {
  readonly id: string;
  readonly maxWaiting?: number;
}

/** Runs a job in one of several threads, when it is the turn of its tenant. */
export type RunJob = (account: Account, job: Job) => Promise<Reply>;

/** While a job of a shared pool takes longer than this, another thread is ready for the next job, ms. */
const SPARE_AFTER_MS = 50;

/**
 * Distributes jobs to threads. The thread that was used last is used first, so few threads are started. Once tenants
 * have worked side by side, a long job starts a further thread beforehand: a thread needs up to a second to start on
 * a busy machine, and another tenant would wait for that. A tenant whose last job spent its thread waits itself for the
 * start of the next one, so that the threads that are ready are left to others.
 */
class Pool {
  readonly #queue: FairQueue;
  readonly #idle: Thread[];
  readonly #kinds = new Set<EngineKind>();
  /** The tenants whose last job spent its thread. */
  readonly #spenders = new Set<string>();
  /** The tenants of the jobs in progress. */
  readonly #running: string[] = [];
  #isShared = false;

  constructor(threads: readonly Thread[]) {
    this.#idle = [...threads];
    this.#queue = new FairQueue({ total: threads.length, perTenant: Math.ceil(threads.length / 2) });
  }

  run({ id, maxWaiting }: Account, job: Job): Promise<Reply> {
    return this.#queue.run(id, () => this.#runNow(id, job), { maxWaiting });
  }

  async #runNow(tenant: string, job: Job): Promise<Reply> {
    const thread = this.#takeIdle(tenant);
    this.#isShared ||= this.#running.some((other) => other !== tenant);
    this.#running.push(tenant);
    this.#kinds.add(job.kind);
    const timer = setTimeout(() => this.#startSpare(), SPARE_AFTER_MS).unref();
    try {
      const reply = await thread.run(job);
      if (reply.isSpent) this.#spenders.add(tenant);
      else this.#spenders.delete(tenant);
      return reply;
    } finally {
      clearTimeout(timer);
      this.#running.splice(this.#running.indexOf(tenant), 1);
      this.#idle.push(thread);
      if (!thread.isStarted) this.#startSpare();
      else if (this.#isShared) thread.start([...this.#kinds]);
    }
  }

  #takeIdle(tenant: string): Thread {
    const wantsStarted = !(this.#isShared && this.#spenders.has(tenant));
    const index = this.#idle.findLastIndex(({ isStarted }) => isStarted === wantsStarted);
    const [thread] = this.#idle.splice(index, 1);
    if (thread === undefined) throw new Error('no thread is idle');
    return thread;
  }

  #startSpare(): void {
    if (!this.#isShared || this.#idle.some(({ isStarted }) => isStarted)) return;
    this.#idle.at(-1)?.start([...this.#kinds]);
  }
}

/** Creates a pool of threads that tenants share. One tenant has at most half of them; waiting tenants take turns. */
export function createPool(threads: readonly Thread[]): RunJob {
  const pool = new Pool(threads);
  return (account, job) => pool.run(account, job);
}
