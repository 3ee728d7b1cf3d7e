/**
 * The thread that runs scripts (see sandbox.ts for how it is found after bundling). It answers each job with `begun`,
 * once the engine is loaded and the deadline may run, and then with a reply.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { createJqEngine } from '../jq/engine.ts';
import { createJsEngine } from '../js/engine.ts';
import {
  type Engine,
  failureText,
  type Job,
  type Limits,
  type Reply,
  type ScriptResult,
} from '../scripts/script-engine.ts';
import type { ScriptKind } from '../scripts/scripts.ts';
import { capMemory, takeLargest } from './memory-cap.ts';

/** An engine never gives memory back; a thread whose engine has grown beyond this goes after its job. */
const SPENT_BYTES = 64 * 1024 * 1024;

const CREATE: Readonly<Record<ScriptKind, (limits: Limits) => Promise<Engine>>> = {
  jq: createJqEngine,
  js: createJsEngine,
};

const limits = workerData as Limits;
const engines = new Map<ScriptKind, Promise<Engine>>();

async function work(job: Job): Promise<void> {
  const engine = await engineOf(job.kind);
  parentPort?.postMessage('begun');
  parentPort?.postMessage(reply(engine, job));
}

function engineOf(kind: ScriptKind): Promise<Engine> {
  const engine = engines.get(kind) ?? CREATE[kind](limits);
  engines.set(kind, engine);
  return engine;
}

function reply(engine: Engine, job: Job): Reply {
  takeLargest();
  try {
    const results = runAll(engine, job);
    return { results, spent: takeLargest() > SPENT_BYTES };
  } catch {
    // Engines throw when their memory or stack is used up, and are in pieces afterwards.
    return { results: job.sources.map((source) => exhausted(job.kind, source)), spent: true };
  }
}

function runAll(engine: Engine, { sources, data }: Job): readonly ScriptResult[] | undefined {
  const [only, second] = sources;
  if (only !== undefined && second === undefined) return [engine.run(only, data)];
  return engine.runTogether?.(sources, data)?.map((text) => ({ text }));
}

function exhausted(kind: ScriptKind, source: string): ScriptResult {
  const detail = `out of memory: more than ${limits.memoryMiB} MiB needed, or values nested too deeply`;
  return { error: failureText(kind, source, detail) };
}

capMemory(limits.memoryMiB * 1024 * 1024);
parentPort?.on('message', (job: Job) => void work(job));
