import { toJson } from '../json.ts';
import type { EngineKind, Job, Reply, ScriptResult } from '../scripts/engine.ts';
import { QueryError } from '../scripts/query-error.ts';
import type { Evaluator, Outcome, Script } from './queries.ts';
import { createThread, type Thread } from './thread.ts';

/** Settings of a sandbox. */
export interface SandboxOptions {
  /** The longest run of one script in milliseconds; default 10,000 (workflow-language 5.3 and 5.4). */
  readonly deadlineMs?: number;
  /** Scripts that run at the same time, default 1; others wait in a queue. */
  readonly workers?: 1 | 2;
  /** The largest memory of an engine, 16 to 256; default 256. */
  readonly memoryMiB?: number;
}

/** An evaluator that runs scripts in worker threads, and validates there by JSON Schemas. */
export interface Sandbox extends Evaluator {
  /**
   * Validates a value by a valid JSON Schema. Returns a text for each violation, as `violations` in schemas.ts does, but at
   * most 1,000. Rejects with QueryError if the validation exceeds a limit.
   */
  violations(schema: unknown, value: unknown): Promise<readonly string[]>;
  evaluateAll(scripts: readonly Script[], data: unknown): Promise<readonly Outcome[]>;
  /** Ends the threads. Scripts in progress and later calls reject with an Error. */
  close(): Promise<void>;
}

/** The longest JSON text of a result. */
const RESULT_BYTES = 32 * 1024 * 1024;

/**
 * Creates an evaluator whose scripts run in worker threads, with a deadline and a memory cap. A script that exceeds one of
 * them fails with a QueryError (`timeout`, `out of memory`), its thread is ended, and the next script gets a new thread.
 * Nothing is started before the first script, and an idle sandbox does not keep the process alive. Evaluation rejects with
 * a plain Error when a thread cannot be started.
 *
 * A bundle (esm, node) needs the bundle of the thread as a file `sandbox-worker.mjs` beside it, and no other file: it
 * contains the WebAssembly of both engines. esbuild makes it from `lib/language/sandbox/worker.ts` with
 * `--bundle --platform=node --format=esm --target=node24 --loader:.wasm=binary`; without the target, esbuild decodes the
 * bytes by a function that Node 24 does not have.
 */
export function createSandbox({ deadlineMs = 10_000, workers = 1, memoryMiB = 256 }: SandboxOptions = {}): Sandbox {
  const limits = { deadlineMs, memoryMiB, resultBytes: RESULT_BYTES };
  const pool = createPool(Array.from({ length: workers }, () => createThread(limits)));

  const runOne = async (
    { kind, source }: { kind: EngineKind; source: string },
    data: string,
  ): Promise<ScriptResult> => {
    const { results } = await pool.run({ kind, sources: [source], data });
    return results?.[0] ?? { error: `no answer to ${kind} query ${source}` };
  };
  return {
    async evaluate(kind, source, data) {
      const outcome = toOutcome(await runOne({ kind, source }, toJson(data)));
      if ('error' in outcome) throw outcome.error;
      return outcome.value;
    },
    async evaluateAll(scripts, data) {
      const text = toJson(data);
      const known = await runTogether(pool, scripts, text);
      const outcomes: Outcome[] = [];
      for (const script of scripts) {
        const outcome = toOutcome(known.get(script) ?? (await runOne(script, text)));
        outcomes.push(outcome);
        if ('error' in outcome) break;
      }
      return outcomes;
    },
    async violations(schema, value) {
      // Not by toJson: violations are reported in the order of the schema's members.
      const source = JSON.stringify(schema);
      const outcome = toOutcome(await runOne({ kind: 'schema', source }, toJson(value)));
      if ('error' in outcome) throw outcome.error;
      return outcome.value as readonly string[];
    },
    close: pool.close,
  };
}

/** Returns the results of the jq scripts if they can be run in one program; else none, and each must be run by itself. */
async function runTogether(pool: Thread, scripts: readonly Script[], data: string): Promise<Map<Script, ScriptResult>> {
  const batch = scripts.filter(({ kind }) => kind === 'jq');
  if (batch.length < 2) return new Map();
  const reply = await pool.run({ kind: 'jq', sources: batch.map(({ source }) => source), data });
  const results = reply.results ?? [];
  return new Map(batch.flatMap((script, index) => (results[index] ? [[script, results[index]]] : [])));
}

/** Distributes jobs to several threads; a job waits in a queue until a thread is idle. */
function createPool(threads: readonly Thread[]): Thread {
  const idle = [...threads];
  const waiting: ((thread: Thread) => void)[] = [];

  const release = (thread: Thread): void => {
    const next = waiting.shift();
    if (next === undefined) idle.push(thread);
    else next(thread);
  };
  return {
    async run(job: Job): Promise<Reply> {
      const thread = idle.pop() ?? (await new Promise<Thread>((resolve) => waiting.push(resolve)));
      return thread.run(job).finally(() => release(thread));
    },
    async close() {
      await Promise.all(threads.map((thread) => thread.close()));
    },
  };
}

function toOutcome(result: ScriptResult): Outcome {
  if ('error' in result) return { error: new QueryError(result.error) };
  try {
    return { value: JSON.parse(result.text) };
  } catch {
    return { error: new QueryError('the result cannot be read: it is nested too deeply') };
  }
}
