import { compileFast, UnknownOutcomeError } from '../jq/subset/fast-jq.ts';
import { isObject, setMember, sortedKeys, toJson } from '../json.ts';
import { noResultMessage, severalOutputsMessage } from '../scripts/engine.ts';
import { QueryError } from '../scripts/query-error.ts';
import { nextScript, type Piece, type ScriptKind, scanScripts } from '../scripts/scripts.ts';

export { QueryError } from '../scripts/query-error.ts';

/** A script with its language. */
export interface Script {
  readonly kind: ScriptKind;
  readonly source: string;
}

/** The result of one script. */
export type Outcome = { readonly value: unknown } | { readonly error: QueryError };

/** Runs scripts. A result is never null or undefined: no result is an error (workflow-language 5.3). */
export interface Evaluator {
  /** Runs one script. Rejects with QueryError if it fails. */
  evaluate(kind: ScriptKind, source: string, data: unknown): Promise<unknown>;
  /** Runs several scripts on the same data, faster than one by one. The outcomes, in order, end with the first error. */
  evaluateAll?(scripts: readonly Script[], data: unknown): Promise<readonly Outcome[]>;
}

/** A query nested deeper than this is rejected. */
const MAX_DEPTH = 1000;

/**
 * Evaluates a structured query on the data (workflow-language 5.1 and 5.2). An absent or null query yields the whole data.
 * In maps and lists, every text is trimmed and its scripts are replaced by their results. Rejects with QueryError, whose
 * message begins with the place in the query.
 *
 * The result may be the data itself or share parts with it. Therefore data and results are immutable: callers, evaluators
 * and this function never change them.
 */
export async function evaluateQuery(query: unknown, data: unknown, evaluator: Evaluator): Promise<unknown> {
  if (query === undefined || query === null) return data;
  const scripts: LocatedScript[] = [];
  const unreadable = collect(query, '', 0, scripts);
  const outcomes = await run(scripts, data, evaluator);
  const values = outcomes.map((outcome, index) => {
    if ('error' in outcome) throw located(scripts[index], outcome.error);
    return outcome.value;
  });
  if (unreadable !== undefined) throw unreadable;
  return build(query, values[Symbol.iterator]());
}

/** True when the query contains a script, so that its value depends on the data. */
export function hasScripts(query: unknown): boolean {
  if (typeof query === 'string') return nextScript(query, 0) >= 0;
  if (Array.isArray(query)) return query.some(hasScripts);
  return isObject(query) && Object.values(query).some(hasScripts);
}

/** A script and its place in the query, as the beginning of an error message. */
interface LocatedScript extends Script {
  readonly path: string;
}

/** The error of a script, with its place in the query and its text. */
function located(script: LocatedScript | undefined, { message }: QueryError): QueryError {
  if (script === undefined) return new QueryError(message);
  return new QueryError(script.path + message, `${script.kind}(${script.source})`);
}

/** Collects the scripts in the order of evaluation. Returns the error of a text that cannot be split, and stops there. */
function collect(query: unknown, path: string, depth: number, into: LocatedScript[]): QueryError | undefined {
  if (depth > MAX_DEPTH) return new QueryError(`${path}nested too deeply`);
  if (typeof query === 'string') return collectText(query, path, into);
  for (const [place, member] of members(query)) {
    const error = collect(member, path + place, depth + 1, into);
    if (error !== undefined) return error;
  }
  return undefined;
}

function collectText(text: string, path: string, into: LocatedScript[]): QueryError | undefined {
  if (nextScript(text, 0) < 0) return undefined;
  try {
    for (const piece of scanScripts(text.trim())) if (piece.kind !== 'text') into.push({ ...piece, path });
    return undefined;
  } catch (error) {
    if (error instanceof QueryError) return new QueryError(path + error.message);
    throw error;
  }
}

function* members(query: unknown): Generator<readonly [place: string, member: unknown]> {
  if (Array.isArray(query))
    for (const [index, member] of query.entries()) yield [`error in element ${index}: `, member];
  else if (isObject(query)) for (const key of sortedKeys(query)) yield [`error in '${key}': `, query[key]];
}

/** Returns the outcomes in order, up to the first error. The evaluator runs only the scripts outside the subset of jq. */
async function run(
  scripts: readonly LocatedScript[],
  data: unknown,
  evaluator: Evaluator,
): Promise<readonly Outcome[]> {
  const fast = scripts.map((script) => evaluateFast(script, data));
  const failed = fast.findIndex((outcome) => outcome !== undefined && 'error' in outcome);
  const wanted = failed < 0 ? fast : fast.slice(0, failed + 1);
  const others = scripts.filter((_, index) => index < wanted.length && wanted[index] === undefined);
  const evaluated = (await evaluateAll(others, data, evaluator))[Symbol.iterator]();
  const outcomes: Outcome[] = [];
  for (const outcome of wanted) {
    const next = outcome ?? evaluated.next().value;
    if (next === undefined) break;
    outcomes.push(next);
  }
  return outcomes;
}

function evaluateFast({ kind, source }: Script, data: unknown): Outcome | undefined {
  const program = kind === 'jq' ? compileFast(source) : undefined;
  if (program === undefined) return undefined;
  try {
    return toOutcome(program(data), source);
  } catch (error) {
    if (error instanceof UnknownOutcomeError) return undefined;
    throw error;
  }
}

/** A result is exactly one output that is not null (workflow-language 5.3). */
function toOutcome([first = null, ...others]: readonly unknown[], source: string): Outcome {
  if (first === null) return { error: new QueryError(noResultMessage('jq', source)) };
  if (others.length > 0) return { error: new QueryError(severalOutputsMessage(source)) };
  return { value: first };
}

async function evaluateAll(
  scripts: readonly Script[],
  data: unknown,
  evaluator: Evaluator,
): Promise<readonly Outcome[]> {
  if (scripts.length > 1 && evaluator.evaluateAll) return evaluator.evaluateAll(scripts, data);
  const outcomes: Outcome[] = [];
  for (const { kind, source } of scripts) {
    const outcome = await evaluator.evaluate(kind, source, data).then(toValue, toError);
    outcomes.push(outcome);
    if ('error' in outcome) break;
  }
  return outcomes;
}

function toValue(value: unknown): Outcome {
  return { value };
}

function toError(error: unknown): Outcome {
  if (error instanceof QueryError) return { error };
  throw error;
}

/** Builds the value of the query from the results of its scripts, in the order of `collect`. */
function build(query: unknown, values: Iterator<unknown>): unknown {
  if (typeof query === 'string') return buildText(query, values);
  if (Array.isArray(query)) return query.map((member) => build(member, values));
  if (!isObject(query)) return query;
  const built: Record<string, unknown> = {};
  for (const key of sortedKeys(query)) setMember(built, key, build(query[key], values));
  return built;
}

function buildText(text: string, values: Iterator<unknown>): unknown {
  const trimmed = text.trim();
  if (nextScript(trimmed, 0) < 0) return trimmed;
  const pieces = scanScripts(trimmed);
  const parts = pieces.map((piece: Piece) => (piece.kind === 'text' ? piece.text : values.next().value));
  if (parts.length === 1) return parts[0];
  return parts.map((part) => (typeof part === 'string' ? part : toJson(part))).join('');
}
