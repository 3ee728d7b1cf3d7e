import jsonata from 'jsonata';
import { AWS_FUNCTIONS } from './functions.ts';

/** Evaluates one expression with these variables. The result is plain JSON, or undefined. Throws JsonataError. */
export type Query = (variables: Readonly<Record<string, unknown>>) => Promise<unknown>;

/** An expression has a syntax error, fails, runs too long, or returns a value that JSON cannot represent. */
export class JsonataError extends Error {
  override readonly name = 'JsonataError';
}

/** Step Functions stops an expression after one second. */
const MAX_RUN_MS = 1000;
/** Limits the memory of an endless recursion. */
const MAX_DEPTH = 5000;
const EVALUATIONS_PER_TIME_CHECK = 256;

const MAX_CACHED = 5000;

/** The remaining budget of one evaluation of an expression. */
interface Budget {
  /** The end of the evaluation by the monotonic clock, milliseconds. */
  readonly until: number;
  /** The time that `$now` and `$millis` return, milliseconds since 1970. */
  readonly time: number;
  evaluations: number;
  depth: number;
}

/** The variable that holds the budget; the blank keeps it out of reach of expressions. */
const BUDGET = ' budget';

interface Frame {
  lookup(name: string): unknown;
}

/**
 * A compiler of JSONata expressions in the dialect of Step Functions: with its additional functions, without `$eval`,
 * limited to one second. Compiled expressions are cached by their text. `now` returns milliseconds since 1970. The
 * compiler throws JsonataError for a syntax error.
 */
export function queryCompiler(now: () => number): (text: string) => Query {
  const cache = new Map<string, Query>();
  return (text) => {
    const known = cache.get(text);
    if (known) return known;
    const query = compile(text, now);
    const [oldest] = cache.size >= MAX_CACHED ? cache.keys() : [];
    if (oldest !== undefined) cache.delete(oldest);
    cache.set(text, query);
    return query;
  };
}

function compile(text: string, now: () => number): Query {
  const expression = parse(text);
  for (const [name, body] of Object.entries(AWS_FUNCTIONS)) expression.assign(name, body);
  expression.assign('eval', undefined);
  limit(expression);
  expression.registerFunction('millis', function (this: jsonata.Focus) {
    return budgetOf(this.environment).time;
  });
  expression.registerFunction('now', function (this: jsonata.Focus, picture?: string, timezone?: string) {
    return formatTime(budgetOf(this.environment).time, picture, timezone);
  });
  return async (variables) => {
    const time = now();
    const budget: Budget = { until: performance.now() + MAX_RUN_MS, time, evaluations: 0, depth: 0 };
    return plain(await attempt(() => expression.evaluate(undefined, { ...variables, [BUDGET]: budget })));
  };
}

function parse(text: string): jsonata.Expression {
  try {
    return jsonata(text);
  } catch (thrown) {
    throw new JsonataError(messageOf(thrown));
  }
}

async function attempt(evaluation: () => Promise<unknown>): Promise<unknown> {
  try {
    return await evaluation();
  } catch (thrown) {
    throw new JsonataError(messageOf(thrown));
  }
}

/** The library throws plain objects as well as errors. */
function messageOf(thrown: unknown): string {
  const { message, code } = thrown as { message?: unknown; code?: unknown };
  return [code, message].filter((part) => part !== undefined).join(': ') || String(thrown);
}

function budgetOf(frame: Frame): Budget {
  return frame.lookup(BUDGET) as Budget;
}

function limit(expression: jsonata.Expression): void {
  const assign = expression.assign as unknown as (name: symbol, hook: unknown) => void;
  assign(Symbol.for('jsonata.__evaluate_entry'), (_node: unknown, _input: unknown, frame: Frame) => {
    const budget = budgetOf(frame);
    if (++budget.depth > MAX_DEPTH) throw new JsonataError('the expression recurses too deeply');
    if (++budget.evaluations % EVALUATIONS_PER_TIME_CHECK === 0 && performance.now() > budget.until) {
      throw new JsonataError('the expression ran longer than a second');
    }
  });
  assign(Symbol.for('jsonata.__evaluate_exit'), (_node: unknown, _input: unknown, frame: Frame) => {
    budgetOf(frame).depth--;
  });
}

const formatter = jsonata('$fromMillis($time, $picture, $timezone)');

function formatTime(time: number, picture: unknown, timezone: unknown): Promise<unknown> {
  return formatter.evaluate(undefined, { time, picture, timezone });
}

/**
 * A copy without the flags that the library sets on arrays, and without undefined fields. Throws JsonataError for a
 * function and for a number that JSON cannot represent.
 */
function plain(value: unknown): unknown {
  if (value === null || typeof value === 'string' || typeof value === 'boolean' || value === undefined) return value;
  if (typeof value === 'number') return finite(value);
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || isFunction(value)) throw new JsonataError('the result holds a function');
  const copy: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(value)) {
    const held = plain(field);
    if (held !== undefined) define(copy, name, held);
  }
  return copy;
}

function define(target: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== '__proto__') target[name] = value;
  else Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
}

function finite(value: number): number {
  if (!Number.isFinite(value)) throw new JsonataError(`the result holds ${value}, which is no JSON number`);
  return value;
}

function isFunction(value: object): boolean {
  return '_jsonata_lambda' in value || '_jsonata_function' in value;
}
