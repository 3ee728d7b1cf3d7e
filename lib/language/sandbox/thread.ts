import { Worker } from 'node:worker_threads';
import {
  type Begun,
  type EngineKind,
  exhausted,
  failureMessage,
  type Job,
  type Limits,
  type Message,
  type Reply,
} from '../scripts/engine.ts';
import { lowerPriority } from './priority.ts';

/** Runs one job at a time in a worker thread, which is started by the first job and replaced when it is spent. */
export interface Thread {
  /** Whether the worker thread runs, so that a job need not wait for its start. */
  readonly isStarted: boolean;
  /** Starts the worker thread, if it does not run, and loads engines, if it has not: the first job of each begins at once. */
  start(kinds: readonly EngineKind[]): void;
  /** Rejects when the thread cannot be started or is closed. A script that exceeds a limit is a reply. */
  run(job: Job): Promise<Reply>;
  /** Ends the thread; a job in progress rejects. */
  close(): Promise<void>;
}

/** The longest time until an engine is loaded, which normally takes a fraction of a second. */
const START_MS = 60_000;

/** Time after the deadline before the thread is killed. QuickJS stops at the deadline itself, with a better message. */
const GRACE_MS: Readonly<Record<EngineKind, number>> = {
  jq: 0,
  js: 500,
  schema: 0,
  defaults: 0,
  template: 0,
  workflow: 0,
};

/**
 * A job that takes longer than this yields the processors to shorter jobs and to requests, ms. Its thread may
 * have to be replaced afterwards, which costs about as much.
 */
const LONG_MS = 500;

// In source form the thread runs the source; a bundle has the bundle of the thread beside it.
const SANDBOX = new URL(import.meta.url.endsWith('.ts') ? './worker.ts' : './sandbox-worker.mjs', import.meta.url);

/**
 * Creates a thread with these limits, which runs a module that serves jobs; default: that of the sandbox. It starts with
 * the first job; an idle thread does not keep the process alive.
 */
export function createThread(limits: Limits, entry = SANDBOX): Thread {
  let worker: Worker | undefined;
  let isClosed = false;
  const loaded = new Set<EngineKind>();

  const load = (worker: Worker, kinds: readonly EngineKind[]): void => {
    const missing = kinds.filter((kind) => !loaded.has(kind));
    if (missing.length > 0) worker.postMessage({ load: missing } satisfies Message);
    for (const kind of missing) loaded.add(kind);
  };
  const end = async (): Promise<void> => {
    const ending = worker;
    worker = undefined;
    loaded.clear();
    await ending?.terminate();
  };
  return {
    get isStarted() {
      return worker !== undefined;
    },
    start(kinds) {
      if (isClosed) return;
      worker ??= startWorker(limits, entry);
      load(worker, kinds);
    },
    async run(job) {
      if (isClosed) throw new Error('the sandbox is closed');
      worker ??= startWorker(limits, entry);
      loaded.add(job.kind);
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

function startWorker(limits: Limits, entry: URL): Worker {
  // The engines also write errors to stderr; it is captured but not read, because a stream that is read keeps the process alive.
  const worker = new Worker(entry, {
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

/** A job lowers the priority of its thread when it has taken long. */
interface Yielding {
  /** Restores the priority. Returns false if that is not possible. */
  end(): boolean;
}

function yieldLater(threadId: number | undefined): Yielding {
  let restore: (() => boolean) | undefined;
  const timer = setTimeout(() => {
    if (threadId !== undefined) restore = lowerPriority(threadId);
  }, LONG_MS);
  return {
    end() {
      clearTimeout(timer);
      const isRestored = restore?.() ?? true;
      restore = undefined;
      return isRestored;
    },
  };
}

async function exchange(worker: Worker, job: Job, limits: Limits): Promise<Reply> {
  const { promise, resolve, reject } = Promise.withResolvers<Reply>();
  const fail = (error: Error) => reject(new Error(`the thread for queries failed: ${error.message}`, { cause: error }));
  const silence = setTimeout(() => fail(new Error(`not ready after ${START_MS} ms`)), START_MS);
  let deadline: NodeJS.Timeout | undefined;
  let yielding: Yielding | undefined;
  const listeners = {
    message: (message: Begun | Reply) => {
      if (!('begunBy' in message)) return resolve(message);
      clearTimeout(silence);
      deadline = setTimeout(() => resolve(late(job)), job.deadlineMs + GRACE_MS[job.kind]);
      yielding = yieldLater(message.begunBy);
    },
    error: (error: Error) => (isOutOfMemory(error) ? resolve(outOfMemory(job, limits)) : fail(error)),
    exit: () => fail(new Error('it ended')),
  };
  for (const [event, listener] of Object.entries(listeners)) worker.on(event, listener);
  worker.ref();
  worker.postMessage(job satisfies Message);
  try {
    const reply = await promise;
    return yielding?.end() === false ? { ...reply, isSpent: true } : reply;
  } finally {
    yielding?.end();
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
