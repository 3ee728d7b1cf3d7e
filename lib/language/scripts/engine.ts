import type { ScriptKind } from './scripts.ts';

/** The limits of one script. */
export interface Limits {
  readonly deadlineMs: number;
  /** The largest memory of the engine. */
  readonly memoryMiB: number;
  /** The longest JSON text of a result. */
  readonly resultBytes: number;
}

/** The JSON text of a value that is not null, or the message of a QueryError. */
export type ScriptResult = { readonly text: string } | { readonly error: string };

/** Runs scripts synchronously. After it has thrown, it must not be used again: its memory may be corrupt. */
export interface Engine {
  /** Runs one script; `data` is JSON text. */
  run(source: string, data: string): ScriptResult;
  /**
   * Runs several scripts in one program, if the engine is faster that way. Returns undefined if one of them fails: they must
   * then be run one by one, to know which.
   */
  runTogether?(sources: readonly string[], data: string): readonly string[] | undefined;
}

/** A request to the thread: scripts of one kind on the same data. Several scripts are run together. */
export interface Job {
  readonly kind: ScriptKind;
  readonly sources: readonly string[];
  /** JSON text. */
  readonly data: string;
}

/** The reply of the thread. */
export interface Reply {
  /** In the order of the sources; undefined if several scripts must be run one by one. */
  readonly results: readonly ScriptResult[] | undefined;
  /** True if the thread must be replaced. */
  readonly isSpent: boolean;
}

const FAILURE_PREFIXES: Readonly<Record<ScriptKind, string>> = {
  jq: 'error executing jq query',
  js: 'error running js query',
};

/** The longest error detail in characters: a script can raise an error of any length. */
const MAX_DETAIL = 10_000;

/** Returns the error message of a failed script, as recorded from the original (workflow-language 5.5). */
export function failureMessage(kind: ScriptKind, source: string, detail: string): string {
  return `${FAILURE_PREFIXES[kind]} ${source}: ${detail.slice(0, MAX_DETAIL)}`;
}

/** Returns the error message of a script without a result, or whose result is null (workflow-language 5.5). */
export function noResultMessage(kind: ScriptKind, source: string): string {
  return `error in ${kind} query ${source}: no results`;
}
