import { toJson } from '../json.ts';
import { NumberRangeError, parseJson } from '../json-numbers.ts';
import type { Fitted } from '../schemas/violations.ts';
import type { EngineKind, Job, Reply, ScriptResult } from '../scripts/engine.ts';
import { QueryError } from '../scripts/query-error.ts';
import { createPool } from './pool.ts';
import type { Evaluator, Outcome, Script } from './queries.ts';
import { createThread } from './thread.ts';

/** Settings of a sandbox. */
export interface SandboxOptions {
  /** The longest run of one script in milliseconds; default 10,000 (workflow-language 5.3 and 5.4). */
  readonly deadlineMs?: number;
  /** Scripts that run at the same time, default 4, of which one tenant has at most half; others wait in a fair queue. */
  readonly workers?: number;
  /** The largest memory of an engine, 16 to 256; default 256. */
  readonly memoryMiB?: number;
}

/** On whose account scripts run. The tenants of a sandbox take turns. */
export interface Tenant {
  readonly id: string;
  /** The longest run of one script of this tenant in milliseconds, if it is shorter than the sandbox's. */
  readonly deadlineMs?: number;
  /** The time left for the work that the scripts are for, milliseconds: a script runs no longer. Default: any time. */
  readonly timeLeft?: () => number;
  /** How many scripts of this tenant may wait; a further one rejects with QueueFullError. Default: any number. */
  readonly maxWaiting?: number;
  /** The time that scripts see, milliseconds since 1970. Default: that of the system. */
  readonly now?: (() => number) | undefined;
}

/** Runs scripts, validates by JSON Schemas, and renders templates. */
export interface TenantEvaluator extends Evaluator {
  evaluateAll(scripts: readonly Script[], data: unknown): Promise<readonly Outcome[]>;
  /**
   * Validates a value by a valid JSON Schema. Returns a text for each violation, as `violations` in schemas.ts does, but at
   * most 1,000. Rejects with QueryError if the validation exceeds a limit.
   */
  violations(schema: unknown, value: unknown): Promise<readonly string[]>;
  /** As `violations`, of the value with the defaults of the schema. */
  fit(schema: unknown, value: unknown): Promise<Fitted>;
  /** Renders a Mustache template. Rejects with QueryError for a template with a mistake, and when it exceeds a limit. */
  render(template: string, data: unknown): Promise<string>;
}

/** An evaluator that works in worker threads; without `of`, on the account of one tenant. */
export interface Sandbox extends TenantEvaluator {
  /** The same threads on the account of a tenant. */
  of(tenant: Tenant): TenantEvaluator;
  /** Ends the threads. Scripts in progress and later calls reject with an Error. */
  close(): Promise<void>;
}

/** The longest JSON text of a result. */
const RESULT_BYTES = 32 * 1024 * 1024;

/**
 * Creates an evaluator whose scripts run in worker threads, with a deadline and a memory cap. A script that exceeds one
 * of them fails with a QueryError (`timeout`, `out of memory`), its thread is ended, and the next script gets a new
 * thread. No thread is started before the first script, and an idle sandbox does not keep the process alive. Evaluation
 * rejects with a plain Error when a thread cannot be started.
 *
 * A bundle (esm, node) needs the bundle of the thread as a file `sandbox-worker.mjs` beside it, and no other file: it
 * contains the WebAssembly of both engines. esbuild makes it from `lib/language/sandbox/worker.ts` with
 * `--bundle --platform=node --format=esm --target=node24 --loader:.wasm=binary`; without the target, esbuild decodes the
 * bytes by a function that Node 24 does not have.
 */
export function createSandbox({ deadlineMs = 10_000, workers = 4, memoryMiB = 256 }: SandboxOptions = {}): Sandbox {
  const threads = Array.from({ length: workers }, () => createThread({ memoryMiB, resultBytes: RESULT_BYTES }));
  const runJob = createPool(threads);
  const of = (tenant: Tenant): TenantEvaluator =>
    evaluatorOver({
      get deadlineMs() {
        const left = Math.max(tenant.timeLeft?.() ?? deadlineMs, 1);
        return Math.min(tenant.deadlineMs ?? deadlineMs, deadlineMs, left);
      },
      run: (job) => runJob(tenant, tenant.now === undefined ? job : { ...job, now: tenant.now() }),
    });
  return {
    ...of({ id: '' }),
    of,
    async close() {
      await Promise.all(threads.map((thread) => thread.close()));
    },
  };
}

/** Where the jobs of a tenant run, and for how long. */
interface Runner {
  readonly deadlineMs: number;
  run(job: Job): Promise<Reply>;
}

function evaluatorOver(runner: Runner): TenantEvaluator {
  return {
    async evaluate(kind, source, data) {
      return needValue(await runOne(runner, { kind, source }, toJson(data)));
    },
    async evaluateAll(scripts, data) {
      const text = toJson(data);
      const known = await runTogether(runner, scripts, text);
      const outcomes: Outcome[] = [];
      for (const script of scripts) {
        const outcome = toOutcome(known.get(script) ?? (await runOne(runner, script, text)));
        outcomes.push(outcome);
        if ('error' in outcome) break;
      }
      return outcomes;
    },
    async violations(schema, value) {
      return needValue(await runOne(runner, schemaSource('schema', schema), toJson(value))) as readonly string[];
    },
    async fit(schema, value) {
      return needValue(await runOne(runner, schemaSource('defaults', schema), toJson(value))) as Fitted;
    },
    async render(template, data) {
      return needValue(await runOne(runner, { kind: 'template', source: template }, toJson(data))) as string;
    },
  };
}

interface Source {
  readonly kind: EngineKind;
  readonly source: string;
}

/** Not by toJson: violations are reported in the order of the schema's members. */
const schemaSource = (kind: 'schema' | 'defaults', schema: unknown): Source => ({
  kind,
  source: JSON.stringify(schema),
});

async function runOne({ deadlineMs, run }: Runner, { kind, source }: Source, data: string): Promise<ScriptResult> {
  const { results } = await run({ kind, sources: [source], data, deadlineMs });
  return results?.[0] ?? { error: `no answer to ${kind} query ${source}` };
}

/** Returns the results of the jq scripts if they can be run in one program; else none, and each must be run by itself. */
async function runTogether(
  { deadlineMs, run }: Runner,
  scripts: readonly Script[],
  data: string,
): Promise<Map<Script, ScriptResult>> {
  const batch = scripts.filter(({ kind }) => kind === 'jq');
  if (batch.length < 2) return new Map();
  const reply = await run({ kind: 'jq', sources: batch.map(({ source }) => source), data, deadlineMs });
  const results = reply.results ?? [];
  return new Map(batch.flatMap((script, index) => (results[index] ? [[script, results[index]]] : [])));
}

function needValue(result: ScriptResult): unknown {
  const outcome = toOutcome(result);
  if ('error' in outcome) throw outcome.error;
  return outcome.value;
}

function toOutcome(result: ScriptResult): Outcome {
  if ('error' in result) return { error: new QueryError(result.error) };
  try {
    return { value: parseJson(result.text) };
  } catch (error) {
    const problem = error instanceof NumberRangeError ? error.message : 'nested too deeply';
    return { error: new QueryError(`the result cannot be read: it is ${problem}`) };
  }
}
