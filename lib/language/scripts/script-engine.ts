import type { ScriptKind } from './scripts.ts';

/** What a script may use up. */
export interface Limits {
  readonly deadlineMs: number;
  /** Of the engine's own memory. */
  readonly memoryMiB: number;
  /** Of the result's JSON text. */
  readonly resultBytes: number;
}

/** JSON text of one value that is not null, or the message of a QueryError. */
export type ScriptResult = { readonly text: string } | { readonly error: string };

/** Runs scripts one after the other in the thread that calls it. When it throws it cannot be used any more. */
export interface Engine {
  /** `data` is JSON text. */
  run(source: string, data: string): ScriptResult;
  /**
   * The results of several scripts for the price of one, or undefined when they must be run one by one to tell them
   * apart. Only where it is cheaper.
   */
  runTogether?(sources: readonly string[], data: string): readonly string[] | undefined;
}

/** What a thread is asked: scripts of one kind on one data; several only to run them together. */
export interface Job {
  readonly kind: ScriptKind;
  readonly sources: readonly string[];
  /** JSON text. */
  readonly data: string;
}

/** What it answers, in the order of the sources. */
export interface Reply {
  /** Undefined when several scripts must be run one by one. */
  readonly results: readonly ScriptResult[] | undefined;
  /** The thread must not be used any more. */
  readonly spent: boolean;
}

const FAILURES: Readonly<Record<ScriptKind, string>> = { jq: 'error executing jq query', js: 'error running js query' };

/** A script can raise whatever it likes; what is longer than this, in characters, is cut off. */
const LONGEST_DETAIL = 10_000;

/** The message of a script that failed, as recorded from the original (workflow language, 5.5). */
export function failureText(kind: ScriptKind, source: string, detail: string): string {
  return `${FAILURES[kind]} ${source}: ${detail.slice(0, LONGEST_DETAIL)}`;
}

/** The message of a script without a result, or whose first result is null. */
export function emptyText(kind: ScriptKind, source: string): string {
  return `error in ${kind} query ${source}: no results`;
}
