import { fromEntries, OF_KEYED, OF_VALUE, PLAIN, range, SELECTIONS, sum, toEntries } from '../operations/builtins.ts';
import type { Keyed } from '../operations/order.ts';
import { spend, UnknownOutcomeError } from '../operations/run.ts';
import { isTrue, listOf, membersOf } from '../operations/values.ts';
import { makeList } from './constructions.ts';
import {
  at,
  branch,
  collect,
  constant,
  EMPTY,
  type Emit,
  iterate,
  mapOutputs,
  outputsOf,
  type Part,
  pipe,
  SELF,
  single,
} from './parts.ts';
import { modifyBy, removeAll } from './updates.ts';

/** A function of the program's arguments, each of them a part. */
type Define = (...args: readonly [Part, Part]) => Part;

const MEMBERS = iterate(SELF, false);

function select(condition: Part): Part {
  return branch(condition, SELF, EMPTY);
}

/** Whether one of the outputs for the members has the truth that is looked for; nothing is run behind it. */
function search(condition: Part, wanted: boolean): Part {
  return single((data) => {
    for (const member of membersOf(data)) {
      const { outputs, failure } = collect<unknown>((emit) => condition.each(member, emit));
      if (outputs.some((output) => isTrue(output) === wanted)) return wanted;
      if (failure !== undefined) throw failure;
    }
    return !wanted;
  });
}

/** The first output only: a failure behind it is never seen. */
function emitFirst<T>(run: (emit: Emit<T>) => void, emit: Emit<T>): void {
  const { outputs, failure } = collect(run);
  for (const output of outputs.slice(0, 1)) emit(output);
  if (outputs.length === 0 && failure !== undefined) throw failure;
}

function first(part: Part): Part {
  const { places } = part;
  const each: Part['each'] = (data, emit) => emitFirst((add) => part.each(data, add), emit);
  if (places === undefined) return { each };
  return { each, places: (from, emit) => emitFirst((add) => places(from, add), emit) };
}

function last(part: Part): Part {
  return {
    each: (data, emit) => {
      const outputs = outputsOf(part, data);
      if (outputs.length > 0) emit(outputs.at(-1));
    },
  };
}

function keyed(operate: (list: readonly Keyed[]) => unknown): (key: Part) => Part {
  return (key) =>
    single((data) =>
      operate(
        listOf(data).map((value) => {
          spend();
          return { key: outputsOf(key, value), value };
        }),
      ),
    );
}

function ranges(from: Part, to: Part): Part {
  return {
    each: (data, emit) =>
      from.each(data, (start) =>
        to.each(data, (end) => {
          for (const next of range(start, end)) emit(next);
        }),
      ),
  };
}

function ofValue(operate: (value: unknown, argument: unknown) => unknown): (argument: Part) => Part {
  return (argument) => mapOutputs(argument, (output, data) => operate(data, output));
}

function mapMembers(part: Part): Part {
  const { one } = part;
  return one === undefined ? makeList(pipe(MEMBERS, part)) : single((data) => membersOf(data).map((m) => one(m)));
}

function* inTable<T>(table: Readonly<Record<string, T>>, arity: number, define: (entry: T) => Define) {
  for (const [name, entry] of Object.entries(table)) yield [`${name}/${arity}`, define(entry)] as const;
}

/** By name and number of arguments. */
const FUNCTIONS: ReadonlyMap<string, Define> = new Map<string, Define>([
  ...inTable(PLAIN, 0, (operate) => () => single(operate)),
  ...inTable(SELECTIONS, 0, (passes) => () => select(single(passes))),
  ...inTable(OF_VALUE, 1, ofValue),
  ...inTable(OF_KEYED, 1, keyed),
  ['empty/0', () => EMPTY],
  ['first/0', () => at(SELF, constant(0), false)],
  ['last/0', () => at(SELF, constant(-1), false)],
  ['first/1', first],
  ['last/1', last],
  ['select/1', select],
  ['map/1', mapMembers],
  ['map_values/1', (part) => modifyBy(MEMBERS, part)],
  ['del/1', removeAll],
  ['add/1', (part) => single((data) => sum(outputsOf(part, data)))],
  ['any/1', (condition) => search(condition, true)],
  ['all/1', (condition) => search(condition, false)],
  ['with_entries/1', (part) => pipe(pipe(single(toEntries), mapMembers(part)), single(fromEntries))],
  ['range/1', (to) => ranges(constant(0), to)],
  ['range/2', ranges],
]);

/** The function of the name, called. Throws UnknownOutcomeError for one not known here. */
export function callFunction(name: string, args: readonly Part[]): Part {
  const define = FUNCTIONS.get(`${name}/${args.length}`);
  if (define === undefined) throw new UnknownOutcomeError();
  const [one = SELF, other = SELF] = args;
  return define(one, other);
}
