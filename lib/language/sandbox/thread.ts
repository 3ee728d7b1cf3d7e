import { Worker } from 'node:worker_threads';
import { failureText, type Job, type Limits, type Reply } from '../scripts/script-engine.ts';

/** Runs one job at a time in a thread of its own, which begins with the first job and is replaced when it is spent. */
export interface Thread {
  /** Rejects when the thread cannot be started or has been closed. A script that breaches a limit is a reply. */
  run(job: Job): Promise<Reply>;
  close(): Promise<void>;
}

/** Loading an engine takes a fraction of a second; a machine that needs longer than this is broken. */
const START_MS = 60_000;

/** The js engine stops itself at the deadline, with a better answer; it is killed only when it does not. */
const GRACE_MS = { jq: 0, js: 500 } as const;

/** A thread under the limits; nothing runs before the first job. The process may end while the thread is idle. */
export function createThread(limits: Limits): Thread {
  let worker: Worker | undefined;
  let isClosed = false;

  const end = async (): Promise<void> => {
    const ending = worker;
    worker = undefined;
    await ending?.terminate();
  };
  return {
    async run(job) {
      if (isClosed) throw new Error('the sandbox is closed');
      worker ??= startWorker(limits);
      const reply = await converse(worker, job, limits).catch((error: unknown) =>
        end().then(() => Promise.reject(error)),
      );
      if (reply.spent) await end();
      return reply;
    },
    close() {
      isClosed = true;
      return end();
    },
  };
}

function startWorker(limits: Limits): Worker {
  // From source the thread runs the source; a bundle has the thread's own bundle beside it.
  const file = import.meta.url.endsWith('.ts') ? './worker.ts' : './sandbox-worker.mjs';
  // Engines complain on stderr of what is a reply anyway: nobody reads it. (A stream that is read keeps the process.)
  const worker = new Worker(new URL(file, import.meta.url), {
    workerData: limits,
    env: {},
    execArgv: [],
    stderr: true,
  });
  worker.unref();
  // `converse` hears of a failure while it matters; without any listener an event `error` would end the process.
  worker.on('error', () => undefined);
  return worker;
}

async function converse(worker: Worker, job: Job, limits: Limits): Promise<Reply> {
  const { promise, resolve, reject } = Promise.withResolvers<Reply>();
  const fail = (error: Error) => reject(new Error(`the thread for queries failed: ${error.message}`, { cause: error }));
  const silence = setTimeout(() => fail(new Error(`not ready after ${START_MS} ms`)), START_MS);
  let deadline: NodeJS.Timeout | undefined;
  const listeners = {
    message: (message: 'begun' | Reply) => {
      if (message !== 'begun') return resolve(message);
      clearTimeout(silence);
      deadline = setTimeout(() => resolve(late(job, limits)), limits.deadlineMs + GRACE_MS[job.kind]);
    },
    error: fail,
    exit: () => fail(new Error('it ended')),
  };
  for (const [event, listener] of Object.entries(listeners)) worker.on(event, listener);
  worker.ref();
  worker.postMessage(job);
  try {
    return await promise;
  } finally {
    clearTimeout(silence);
    clearTimeout(deadline);
    worker.unref();
    for (const [event, listener] of Object.entries(listeners)) worker.off(event, listener);
  }
}

function late(job: Job, limits: Limits): Reply {
  const results = job.sources.map((source) => ({
    error: failureText(job.kind, source, `timeout after ${limits.deadlineMs / 1000} s`),
  }));
  return { results: job.sources.length > 1 ? undefined : results, spent: true };
}
