import { Worker } from 'node:worker_threads';
import {
  type EngineKind,
  exhausted,
  failureMessage,
  type Job,
  type Limits,
  type Message,
  type Reply,
} from '../scripts/engine.ts';

/** Runs one job at a time in a worker thread, which is started by the first job and replaced when it is spent. */
export interface Thread {
  /** Whether the worker thread runs, so that a job need not wait for its start. */
  readonly isStarted: boolean;
  /** Starts the worker thread, if it does not run, and loads engines: the first job of each then begins at once. */
  start(kinds: readonly EngineKind[]): void;
  /** Rejects when the thread cannot be started or is closed. A script that exceeds a limit is a reply. */
  run(job: Job): Promise<Reply>;
  /** Ends the thread; a job in progress rejects. */
  close(): Promise<void>;
}

/** The longest time until an engine is loaded, which normally takes a fraction of a second. */
const START_MS = 60_000;

/** Time after the deadline before the thread is killed. QuickJS stops at the deadline itself, with a better message. */
const GRACE_MS: Readonly<Record<EngineKind, number>> = { jq: 0, js: 500, schema: 0 };

/** Creates a thread with these limits. Nothing is started before the first job; an idle thread does not keep the process alive. */
export function createThread(limits: Limits): Thread {
  let worker: Worker | undefined;
  let isClosed = false;

  const end = async (): Promise<void> => {
    const ending = worker;
    worker = undefined;
    await ending?.terminate();
  };
  return {
    get isStarted() {
      return worker !== undefined;
    },
    start(kinds) {
      if (isClosed || worker !== undefined) return;
      worker = startWorker(limits);
      worker.postMessage({ load: kinds } satisfies Message);
    },
    async run(job) {
      if (isClosed) throw new Error('the sandbox is closed');
      worker ??= startWorker(limits);
      const reply = await exchange(worker, job, limits).catch((error: unknown) =>
        end().then(() => Promise.reject(error)),
      );
      if (reply.isSpent) await end();
      return reply;
    },
    close() {
      isClosed = true;
      return end();
    },
  };
}

function startWorker(limits: Limits): Worker {
  // In source form the thread runs the source; a bundle has the bundle of the thread beside it.
  const file = import.meta.url.endsWith('.ts') ? './worker.ts' : './sandbox-worker.mjs';
  // The engines also write errors to stderr; it is captured but not read, because a stream that is read keeps the process alive.
  const worker = new Worker(new URL(file, import.meta.url), {
    workerData: limits,
    env: {},
    execArgv: [],
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: 2 * limits.memoryMiB },
  });
  worker.unref();
  // `exchange` handles failures during a job; without any listener an `error` event would end the process.
  worker.on('error', () => undefined);
  return worker;
}

async function exchange(worker: Worker, job: Job, limits: Limits): Promise<Reply> {
  const { promise, resolve, reject } = Promise.withResolvers<Reply>();
  const fail = (error: Error) => reject(new Error(`the thread for queries failed: ${error.message}`, { cause: error }));
  const silence = setTimeout(() => fail(new Error(`not ready after ${START_MS} ms`)), START_MS);
  let deadline: NodeJS.Timeout | undefined;
  const listeners = {
    message: (message: 'begun' | Reply) => {
      if (message !== 'begun') return resolve(message);
      clearTimeout(silence);
      deadline = setTimeout(() => resolve(late(job)), job.deadlineMs + GRACE_MS[job.kind]);
    },
    error: (error: Error) => (isOutOfMemory(error) ? resolve(outOfMemory(job, limits)) : fail(error)),
    exit: () => fail(new Error('it ended')),
  };
  for (const [event, listener] of Object.entries(listeners)) worker.on(event, listener);
  worker.ref();
  worker.postMessage(job satisfies Message);
  try {
    return await promise;
  } finally {
    clearTimeout(silence);
    clearTimeout(deadline);
    worker.unref();
    for (const [event, listener] of Object.entries(listeners)) worker.off(event, listener);
  }
}

const isOutOfMemory = (error: Error): boolean => 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';

function outOfMemory({ kind, sources }: Job, limits: Limits): Reply {
  return { results: sources.map((source) => exhausted(kind, source, limits)), isSpent: true };
}

function late(job: Job): Reply {
  const results = job.sources.map((source) => ({
    error: failureMessage(job.kind, source, `timeout after ${job.deadlineMs / 1000} s`),
  }));
  return { results: job.sources.length > 1 ? undefined : results, isSpent: true };
}
