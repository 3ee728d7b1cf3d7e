import { parentPort, workerData } from 'node:worker_threads';
import { hasMoreNodes, MAX_NODES, MOST_NODES } from '../json-size.ts';
import {
  type Begun,
  type Engine,
  type EngineKind,
  exhausted,
  failureMessage,
  type Job,
  type Limits,
  type Message,
  type Reply,
  type ScriptResult,
} from '../scripts/engine.ts';
import { capMemory, takeLargestSize } from './memory-cap.ts';
import { presentThreadId } from './priority.ts';

/** A thread with a larger engine is replaced after its job: WebAssembly memory never shrinks. */
const SPENT_BYTES = 64 * 1024 * 1024;

/** How a thread creates each of its engines, when the first job needs it. */
type Engines = Readonly<Partial<Record<EngineKind, (limits: Limits) => Promise<Engine>>>>;

const limits = workerData as Limits;
const threadId = presentThreadId();
const engines = new Map<EngineKind, Promise<Engine>>();
const { now: systemTime } = Date;

function engineOf(kind: EngineKind, create: Engines): Promise<Engine> {
  const engine = engines.get(kind) ?? create[kind]?.(limits);
  if (engine === undefined) throw new Error(`the thread has no engine for ${kind}`);
  engines.set(kind, engine);
  return engine;
}

function reply(engine: Engine, job: Job): Reply {
  takeLargestSize();
  const { now } = job;
  // Both engines ask this function for the time.
  Date.now = now === undefined ? systemTime : () => now;
  try {
    const results = runAll(engine, job);
    return { results, isSpent: takeLargestSize() > SPENT_BYTES };
  } catch {
    // An engine throws when its memory or stack is exhausted, and cannot be used afterwards.
    return { results: job.sources.map((source) => exhausted(job.kind, source, limits)), isSpent: true };
  }
}

function runAll(engine: Engine, { kind, sources, data, deadlineMs }: Job): readonly ScriptResult[] | undefined {
  const [only, second] = sources;
  if (only !== undefined && second === undefined) return [bounded(kind, only, engine.run(only, data, deadlineMs))];
  return engine.runTogether?.(sources, data)?.map((text, index) => bounded(kind, sources[index] ?? '', { text }));
}

/** The result is parsed on the thread that serves all tenants. */
function bounded(kind: EngineKind, source: string, result: ScriptResult): ScriptResult {
  if ('error' in result || !hasMoreNodes(Buffer.from(result.text), MAX_NODES)) return result;
  return { error: failureMessage(kind, source, `the result is too large: more than ${MOST_NODES}`) };
}

/**
 * Serves the jobs of the worker thread in which it is called. It answers each job with `Begun` when the engine is loaded,
 * at which the deadline starts, and then with a `Reply`.
 */
export function serveJobs(create: Engines): void {
  capMemory(limits.memoryMiB * 1024 * 1024);
  const work = async (job: Job): Promise<void> => {
    const engine = await engineOf(job.kind, create);
    parentPort?.postMessage({ begunBy: threadId } satisfies Begun);
    parentPort?.postMessage(reply(engine, job) satisfies Reply);
  };
  parentPort?.on('message', (message: Message) => {
    if (!('load' in message)) return void work(message);
    // The job that needs an engine reports why it cannot be loaded.
    for (const kind of message.load) engineOf(kind, create).catch(() => undefined);
  });
}
