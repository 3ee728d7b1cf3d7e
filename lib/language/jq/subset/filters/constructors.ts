import { setMember } from '../../../json.ts';
import { add } from '../values/arithmetic.ts';
import { UnknownOutcomeError } from '../values/errors.ts';
import type { JsonObject } from '../values/members.ts';
import { formatString } from '../values/strings.ts';
import { combine, constant, type Filter, fromFunction, mapOutputs, outputsOf } from './filter.ts';

/** `[filter]`. */
export function makeArray(filter: Filter): Filter {
  return fromFunction((input) => outputsOf(filter, input));
}

/** A member of an object construction. */
export interface Member {
  readonly key: Filter;
  readonly value: Filter;
}

type Entry = readonly [key: string, value: unknown];

/** Throws UnknownOutcomeError for a key that is not a string: jq may have found the error at another point of the run. */
function toEntry(key: unknown, value: unknown): Entry {
  if (typeof key !== 'string') throw new UnknownOutcomeError();
  return [key, value];
}

function toObject(entries: readonly Entry[]): JsonObject {
  const object: JsonObject = {};
  for (const [key, value] of entries) setMember(object, key, value);
  return object;
}

/** `{key: value, ...}`: one object for each combination of outputs; the first member is the outermost loop. */
export function makeObject(members: readonly Member[]): Filter {
  const functions: { key: (input: unknown) => unknown; value: (input: unknown) => unknown }[] = [];
  for (const { key, value } of members)
    if (key.apply !== undefined && value.apply !== undefined) functions.push({ key: key.apply, value: value.apply });
  if (functions.length === members.length)
    return fromFunction((input) => toObject(functions.map(({ key, value }) => toEntry(key(input), value(input)))));
  return { run: (input, emit) => combineMembers(members, input, [], (entries) => emit(toObject(entries))) };
}

function combineMembers(
  [member, ...rest]: readonly Member[],
  input: unknown,
  entries: readonly Entry[],
  emit: (entries: readonly Entry[]) => void,
): void {
  if (member === undefined) emit(entries);
  else
    member.key.run(input, (key) =>
      member.value.run(input, (value) => combineMembers(rest, input, [...entries, toEntry(key, value)], emit)),
    );
}

/** A string with interpolations: one output for each combination; the last interpolation is the outermost loop. */
export function makeString(pieces: readonly (string | Filter)[]): Filter {
  const [only = '', ...others] = pieces;
  if (typeof only === 'string' && others.length === 0) return constant(only);
  return pieces
    .map((piece) => (typeof piece === 'string' ? constant(piece) : mapOutputs(piece, formatString)))
    .reduce((left, right) => combine(left, right, add));
}
