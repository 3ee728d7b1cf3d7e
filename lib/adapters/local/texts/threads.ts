import { createPool } from '../../../language/sandbox/pool.ts';
import { createThread } from '../../../language/sandbox/thread.ts';
import type { TextReader } from '../../../ports/reader.ts';

/** Texts that are read at the same time, half of them of one namespace. */
const THREADS = 2;

/** The heap of a thread may have twice this size. */
const LIMITS = { memoryMiB: 256, resultBytes: 32 * 1024 * 1024 };

/** The longest time in which a text is read, milliseconds. */
export const DEADLINE_MS = 10_000;

/** A reader of large texts in worker threads, and how to end these. */
export interface ThreadedReader extends TextReader {
  close(): Promise<void>;
}

/**
 * Creates the reader of `npm start`: worker threads, whose turns the namespaces take. No thread starts before the first
 * large text, and idle threads do not keep the process alive.
 */
export function threadedReader({ deadlineMs = DEADLINE_MS }: { readonly deadlineMs?: number } = {}): ThreadedReader {
  const entry = new URL('./reading-thread.ts', import.meta.url);
  const threads = Array.from({ length: THREADS }, () => createThread(LIMITS, entry));
  const runJob = createPool(threads);
  return {
    async read(tenant, source, reading) {
      const job = { kind: 'workflow', sources: [source], data: JSON.stringify(reading), deadlineMs } as const;
      const { results } = await runJob({ id: tenant }, job);
      const [result] = results ?? [];
      if (result === undefined) throw new Error('the thread that reads texts gave no result');
      return result;
    },
    async close() {
      await Promise.all(threads.map((thread) => thread.close()));
    },
  };
}
