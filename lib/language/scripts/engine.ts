import type { ScriptKind } from './scripts.ts';

/**
 * The engine of a job: that of a language of scripts; the validator of JSON Schemas, whose source is the JSON text of a
 * schema, without and with its defaults; the renderer of Mustache templates, whose source is the template; or the reader of workflows, whose source is
 * the text of a workflow.
 */
export type EngineKind = ScriptKind | 'schema' | 'defaults' | 'template' | 'workflow';

/** The limits of every script of a thread. */
export interface Limits {
  /** The largest WebAssembly memory of an engine. The heap of the thread is limited to twice as much. */
  readonly memoryMiB: number;
  /** The longest JSON text of a result. */
  readonly resultBytes: number;
}

/** The JSON text of a value that is not null, or the message of a QueryError. */
export type ScriptResult = { readonly text: string } | { readonly error: string };

/** Runs scripts synchronously. After it has thrown, it must not be used again: its memory may be corrupt. */
export interface Engine {
  /** Runs one script; `data` is JSON text. An engine that can interrupt a script does so after `deadlineMs`. */
  run(source: string, data: string, deadlineMs: number): ScriptResult;
  /**
   * Runs several scripts in one program, if the engine is faster that way. Returns undefined if one of them fails: they must
   * then be run one by one, to know which.
   */
  runTogether?(sources: readonly string[], data: string): readonly string[] | undefined;
}

/** A request to the thread: scripts of one kind on the same data. Several scripts are run together. */
export interface Job {
  readonly kind: EngineKind;
  readonly sources: readonly string[];
  /** JSON text. */
  readonly data: string;
  /** The longest run of each source, in milliseconds. */
  readonly deadlineMs: number;
  /** The time that scripts see, milliseconds since 1970. Default: that of the system. */
  readonly now?: number;
}

/** A message to the thread: a job, or the engines to load before their first job. */
export type Message = Job | { readonly load: readonly EngineKind[] };

/** The engine of a job is loaded: its deadline starts. */
export interface Begun {
  /** The id by which the system knows the thread; undefined where it has none. */
  readonly begunBy: number | undefined;
}

/** The reply of the thread. */
export interface Reply {
  /** In the order of the sources; undefined if several scripts must be run one by one. */
  readonly results: readonly ScriptResult[] | undefined;
  /** True if the thread must be replaced. */
  readonly isSpent: boolean;
}

const FAILURES: Readonly<Record<EngineKind, (source: string) => string>> = {
  jq: (source) => `error executing jq query ${source}`,
  js: (source) => `error running js query ${source}`,
  schema: () => 'the JSON Schema could not be applied',
  defaults: () => 'the JSON Schema could not be applied',
  template: () => 'the template could not be rendered',
  workflow: () => 'the workflow cannot be checked',
};

/** The longest error detail in characters: a script can raise an error of any length. */
const MAX_DETAIL = 10_000;

/** Returns the error message of a failed script, as recorded from the original (workflow-language 5.5). */
export function failureMessage(kind: EngineKind, source: string, detail: string): string {
  return `${FAILURES[kind](source)}: ${detail.slice(0, MAX_DETAIL)}`;
}

/** The result of a script that used up its memory or its stack. */
export function exhausted(kind: EngineKind, source: string, { memoryMiB }: Limits): ScriptResult {
  const detail = `out of memory: more than ${memoryMiB} MiB needed, or values nested too deeply`;
  return { error: failureMessage(kind, source, detail) };
}

/** Returns the error message of a script without a result, or whose result is null (workflow-language 5.5). */
export function noResultMessage(kind: ScriptKind, source: string): string {
  return `error in ${kind} query ${source}: no results`;
}

/** Returns the error message of a jq program with several outputs: the original's, and the program. */
export function severalOutputsMessage(source: string): string {
  return `jq query produced multiple outputs: ${source}`;
}
