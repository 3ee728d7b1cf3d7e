/**
 * The entry point of the thread that runs scripts, validates by JSON Schemas and renders templates (sandbox.ts describes its
 * bundle). It answers each job with `Begun` when the engine is loaded, at which the deadline starts, and then with a `Reply`.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { createJqEngine } from '../jq/engine.ts';
import { createJsEngine } from '../js/engine.ts';
import { hasMoreNodes, MAX_NODES } from '../json-size.ts';
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

const CREATE: Readonly<Record<EngineKind, (limits: Limits) => Promise<Engine>>> = {
  jq: createJqEngine,
  js: createJsEngine,
  // Loaded late: most threads never validate or render, and the validator takes time to load.
  schema: async () => (await import('./schema-engine.ts')).createSchemaEngine(),
  template: async () => (await import('./template-engine.ts')).createTemplateEngine(),
};

const limits = workerData as Limits;
const threadId = presentThreadId();
const engines = new Map<EngineKind, Promise<Engine>>();

async function work(job: Job): Promise<void> {
  const engine = await engineOf(job.kind);
  parentPort?.postMessage({ begunBy: threadId } satisfies Begun);
  parentPort?.postMessage(reply(engine, job) satisfies Reply);
}

function engineOf(kind: EngineKind): Promise<Engine> {
  const engine = engines.get(kind) ?? CREATE[kind](limits);
  engines.set(kind, engine);
  return engine;
}

function reply(engine: Engine, job: Job): Reply {
  takeLargestSize();
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
  return { error: failureMessage(kind, source, `the result is too large: more than ${MAX_NODES} values`) };
}

capMemory(limits.memoryMiB * 1024 * 1024);
parentPort?.on('message', (message: Message) => {
  if (!('load' in message)) return void work(message);
  // The job that needs an engine reports why it cannot be loaded.
  for (const kind of message.load) engineOf(kind).catch(() => undefined);
});
