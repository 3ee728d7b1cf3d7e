import { requireArray } from '../values/checks.ts';
import { UnknownOutcomeError } from '../values/errors.ts';
import { BY_KEY, fromEntries, NULLARY, range, sum, TYPE_SELECTORS, toEntries, UNARY } from '../values/functions.ts';
import { isTruthy, membersOf } from '../values/members.ts';
import type { Keyed } from '../values/order.ts';
import { countSteps } from '../values/run.ts';
import { accessMember, iterateMembers } from './access.ts';
import { deletePaths, update } from './assignments.ts';
import { makeArray } from './constructors.ts';
import { conditional } from './control.ts';
import {
  collectUntilError,
  constant,
  EMPTY,
  type Emit,
  type Filter,
  fromFunction,
  IDENTITY,
  mapOutputs,
  outputsOf,
  pipe,
} from './filter.ts';

/** Makes the filter of a function call. The arguments are filters; an absent one is `.`. */
type Define = (...args: readonly [Filter, Filter]) => Filter;

const MEMBERS = iterateMembers(IDENTITY, false);

function select(condition: Filter): Filter {
  return conditional(condition, IDENTITY, EMPTY);
}

/** `any(condition)` and `all(condition)`: stops at the first output whose truth is `wanted`, as jq does. */
function search(condition: Filter, wanted: boolean): Filter {
  return fromFunction((input) => {
    for (const member of membersOf(input)) {
      const { outputs, failure } = collectUntilError<unknown>((emit) => condition.run(member, emit));
      if (outputs.some((output) => isTruthy(output) === wanted)) return wanted;
      if (failure !== undefined) throw failure;
    }
    return !wanted;
  });
}

/** Emits the first output only; an error after it does not occur. */
function emitFirst<T>(run: (emit: Emit<T>) => void, emit: Emit<T>): void {
  const { outputs, failure } = collectUntilError(run);
  for (const output of outputs.slice(0, 1)) emit(output);
  if (outputs.length === 0 && failure !== undefined) throw failure;
}

function first(filter: Filter): Filter {
  const { paths } = filter;
  const run: Filter['run'] = (input, emit) => emitFirst((add) => filter.run(input, add), emit);
  if (paths === undefined) return { run };
  return { run, paths: (from, emit) => emitFirst((add) => paths(from, add), emit) };
}

function last(filter: Filter): Filter {
  return {
    run: (input, emit) => {
      emit(outputsOf(filter, input).at(-1) ?? null);
    },
  };
}

/** A function of an array whose argument computes the key of each member, for example `sort_by(.a)`. */
function byKey(operate: (members: readonly Keyed[]) => unknown): (key: Filter) => Filter {
  return (key) =>
    fromFunction((input) =>
      operate(
        requireArray(input).map((value) => {
          countSteps();
          return { key: outputsOf(key, value), value };
        }),
      ),
    );
}

function rangeBetween(from: Filter, to: Filter): Filter {
  return {
    run: (input, emit) =>
      from.run(input, (start) =>
        to.run(input, (end) => {
          for (const next of range(start, end)) emit(next);
        }),
      ),
  };
}

function unary(operate: (value: unknown, argument: unknown) => unknown): (argument: Filter) => Filter {
  return (argument) => mapOutputs(argument, (output, input) => operate(input, output));
}

function mapMembers(filter: Filter): Filter {
  const { apply } = filter;
  if (apply === undefined) return makeArray(pipe(MEMBERS, filter));
  return fromFunction((input) => membersOf(input).map((member) => apply(member)));
}

function* inTable<T>(table: Readonly<Record<string, T>>, arity: number, define: (entry: T) => Define) {
  for (const [name, entry] of Object.entries(table)) yield [`${name}/${arity}`, define(entry)] as const;
}

/** jq's built-in functions by name and number of arguments, as far as the subset has them. */
export const FUNCTIONS: ReadonlyMap<string, Define> = new Map<string, Define>([
  ...inTable(NULLARY, 0, (operate) => () => fromFunction(operate)),
  ...inTable(TYPE_SELECTORS, 0, (includes) => () => select(fromFunction(includes))),
  ...inTable(UNARY, 1, unary),
  ...inTable(BY_KEY, 1, byKey),
  ['empty/0', () => EMPTY],
  ['first/0', () => accessMember(IDENTITY, constant(0), false)],
  ['last/0', () => accessMember(IDENTITY, constant(-1), false)],
  ['first/1', first],
  ['last/1', last],
  ['select/1', select],
  ['map/1', mapMembers],
  ['map_values/1', (change) => update(MEMBERS, change)],
  ['del/1', deletePaths],
  ['add/1', (filter) => fromFunction((input) => sum(outputsOf(filter, input)))],
  ['any/1', (condition) => search(condition, true)],
  ['all/1', (condition) => search(condition, false)],
  ['with_entries/1', (change) => pipe(pipe(fromFunction(toEntries), mapMembers(change)), fromFunction(fromEntries))],
  ['range/1', (to) => rangeBetween(constant(0), to)],
  ['range/2', rangeBetween],
]);

/** Returns the filter of a call of a built-in function. Throws UnknownOutcomeError for a function outside the subset. */
export function callFunction(name: string, args: readonly Filter[]): Filter {
  const define = FUNCTIONS.get(`${name}/${args.length}`);
  if (define === undefined) throw new UnknownOutcomeError();
  const [one = IDENTITY, other = IDENTITY] = args;
  return define(one, other);
}
