import { setMember } from '../../../json.ts';
import { add } from '../operations/arithmetic.ts';
import { markBuilt, UnknownOutcomeError } from '../operations/run.ts';
import { printText } from '../operations/texts.ts';
import type { Json } from '../operations/values.ts';
import { combine, constant, mapOutputs, outputsOf, type Part, single } from './parts.ts';

/** `[part]`. */
export function makeList(part: Part): Part {
  return single((data) => outputsOf(part, data));
}

export interface Member {
  readonly key: Part;
  readonly value: Part;
}

type Entry = readonly [key: string, value: unknown];

/** jq may have found a key that is no text before running anything, and finds it before it looks at the next member. */
function toEntry(key: unknown, value: unknown): Entry {
  if (typeof key !== 'string') throw new UnknownOutcomeError();
  return [key, value];
}

function toObject(entries: readonly Entry[]): Json {
  const object: Json = markBuilt({});
  for (const [key, value] of entries) setMember(object, key, value);
  return object;
}

/** `{key: value, ...}`: an object for each combination, the first member the outermost loop. */
export function makeObject(members: readonly Member[]): Part {
  const ones: { key: (data: unknown) => unknown; value: (data: unknown) => unknown }[] = [];
  for (const { key, value } of members)
    if (key.one !== undefined && value.one !== undefined) ones.push({ key: key.one, value: value.one });
  if (ones.length === members.length)
    return single((data) => toObject(ones.map(({ key, value }) => toEntry(key(data), value(data)))));
  return { each: (data, emit) => combineMembers(members, data, [], (entries) => emit(toObject(entries))) };
}

function combineMembers(
  [member, ...rest]: readonly Member[],
  data: unknown,
  entries: readonly Entry[],
  emit: (entries: readonly Entry[]) => void,
): void {
  if (member === undefined) emit(entries);
  else
    member.key.each(data, (key) =>
      member.value.each(data, (value) => combineMembers(rest, data, [...entries, toEntry(key, value)], emit)),
    );
}

/** A text with interpolations; the last one is the outermost loop. */
export function makeText(pieces: readonly (string | Part)[]): Part {
  const [only, ...others] = pieces;
  if (typeof only === 'string' && others.length === 0) return constant(only);
  return pieces
    .map((piece) => (typeof piece === 'string' ? constant(piece) : mapOutputs(piece, printText)))
    .reduce((left, right) => combine(left, right, add));
}
