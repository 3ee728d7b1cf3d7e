import { type Place, placeAt, placesIn } from '../operations/paths.ts';
import { JqError, spend } from '../operations/run.ts';
import { index, isTrue, membersOf, slice } from '../operations/values.ts';

export type Emit<T = unknown> = (output: T) => void;

/** A part of a program. */
export interface Part {
  /** Emits the outputs in jq's order. Throws JqError or UnknownOutcomeError. */
  readonly each: (data: unknown, emit: Emit) => void;
  /** There when every input has exactly one output. */
  readonly one?: (data: unknown) => unknown;
  /** There when the part is a path: emits the places it leads to. */
  readonly places?: (from: Place, emit: Emit<Place>) => void;
}

function emitEach<T>(outputs: readonly T[], emit: Emit<T>): void {
  for (const output of outputs) emit(output);
}

export function single(one: (data: unknown) => unknown): Part {
  return { one, each: (data, emit) => emit(one(data)) };
}

export const SELF: Part = { ...single((data) => data), places: (from, emit) => emit(from) };

export const EMPTY: Part = { each: () => {}, places: () => {} };

export function constant(value: unknown): Part {
  return single(() => value);
}

/** The outputs up to the failure, if there is one. */
export function collect<T>(run: (emit: Emit<T>) => void): { readonly outputs: T[]; readonly failure?: JqError } {
  const outputs: T[] = [];
  try {
    run((output) => outputs.push(output));
    return { outputs };
  } catch (error) {
    if (error instanceof JqError) return { outputs, failure: error };
    throw error;
  }
}

export function outputsOf(part: Part, data: unknown): unknown[] {
  if (part.one !== undefined) return [part.one(data)];
  const outputs: unknown[] = [];
  part.each(data, (output) => outputs.push(output));
  return outputs;
}

/** `part`, then what becomes of each output. */
export function mapOutputs(part: Part, operate: (output: unknown, data: unknown) => unknown): Part {
  const { one, each } = part;
  if (one !== undefined) return single((data) => operate(one(data), data));
  return { each: (data, emit) => each(data, (output) => emit(operate(output, data))) };
}

/** One output for each pair; the second part is the outer loop. */
export function combine(first: Part, second: Part, operate: (first: unknown, second: unknown) => unknown): Part {
  const { one, each } = first;
  const { one: other, each: eachOther } = second;
  if (one !== undefined && other !== undefined)
    return single((data) => {
      const right = other(data);
      return operate(one(data), right);
    });
  return {
    each: (data, emit) => eachOther(data, (right) => each(data, (left) => emit(operate(left, right)))),
  };
}

export function pipe(first: Part, second: Part): Part {
  const { one, places } = first;
  const { one: then, each: eachThen, places: placesThen } = second;
  const run: Part =
    one !== undefined && then !== undefined
      ? single((data) => then(one(data)))
      : { each: (data, emit) => first.each(data, (output) => eachThen(output, emit)) };
  if (places === undefined || placesThen === undefined) return run;
  return { ...run, places: (from, emit) => places(from, (place) => placesThen(place, emit)) };
}

export function comma(first: Part, second: Part): Part {
  const { places } = first;
  const { places: placesThen } = second;
  const each: Part['each'] = (data, emit) => {
    spend();
    first.each(data, emit);
    second.each(data, emit);
  };
  if (places === undefined || placesThen === undefined) return { each };
  return {
    each,
    places: (from, emit) => {
      spend();
      places(from, emit);
      placesThen(from, emit);
    },
  };
}

/** Runs a step of one output; where it may fail, a failure is no output. */
function attempt<T>(mayFail: boolean, step: () => T, emit: Emit<T>): void {
  let output: T;
  try {
    output = step();
  } catch (error) {
    if (mayFail && error instanceof JqError) return;
    throw error;
  }
  emit(output);
}

/** `base[key]`, or `base[key]?`. */
export function at(base: Part, key: Part, mayFail: boolean): Part {
  const run: Part = mayFail
    ? {
        each: (data, emit) =>
          key.each(data, (name) => base.each(data, (value) => attempt(true, () => index(value, name), emit))),
      }
    : combine(base, key, index);
  const { places } = base;
  if (places === undefined) return run;
  return {
    ...run,
    places: (from, emit) =>
      key.each(from.value, (name) => places(from, (place) => attempt(mayFail, () => placeAt(place, name), emit))),
  };
}

/** `base[from:to]`, or with `?`. */
export function sliceOf(base: Part, from: Part, to: Part, mayFail: boolean): Part {
  return {
    each: (data, emit) =>
      from.each(data, (start) =>
        to.each(data, (end) => base.each(data, (value) => attempt(mayFail, () => slice(value, start, end), emit))),
      ),
  };
}

/** `base[]`, or `base[]?`. */
export function iterate(base: Part, mayFail: boolean): Part {
  const emitAll = (value: unknown, emit: Emit): void =>
    attempt(
      mayFail,
      () => membersOf(value),
      (members) => emitEach(members, emit),
    );
  const each: Part['each'] = (data, emit) => base.each(data, (value) => emitAll(value, emit));
  const { places } = base;
  if (places === undefined) return { each };
  return {
    each,
    places: (from, emit) =>
      places(from, (place) =>
        attempt(
          mayFail,
          () => placesIn(place),
          (inner) => emitEach(inner, emit),
        ),
      ),
  };
}

/** `(part)?`: the outputs up to the failure. */
export function attempted(part: Part): Part {
  return { each: (data, emit) => emitEach(collect<unknown>((add) => part.each(data, add)).outputs, emit) };
}

/** `if condition then yes else no end`. */
export function branch(condition: Part, yes: Part, no: Part): Part {
  const { one } = condition;
  const { one: oneYes, places: placesYes } = yes;
  const { one: oneNo, places: placesNo } = no;
  const run: Part =
    one !== undefined && oneYes !== undefined && oneNo !== undefined
      ? single((data) => (isTrue(one(data)) ? oneYes(data) : oneNo(data)))
      : { each: (data, emit) => condition.each(data, (is) => (isTrue(is) ? yes : no).each(data, emit)) };
  if (placesYes === undefined || placesNo === undefined) return run;
  return {
    ...run,
    places: (from, emit) => condition.each(from.value, (is) => (isTrue(is) ? placesYes : placesNo)(from, emit)),
  };
}

/** `left // right`. */
export function otherwise(left: Part, right: Part): Part {
  const { one } = left;
  const { one: other } = right;
  if (one !== undefined && other !== undefined)
    return single((data) => {
      const value = one(data);
      return isTrue(value) ? value : other(data);
    });
  return {
    each: (data, emit) => {
      let found = false;
      left.each(data, (output) => {
        if (!isTrue(output)) return;
        found = true;
        emit(output);
      });
      if (!found) right.each(data, emit);
    },
  };
}

/** A variable's value while the part that knows it runs; nothing can run that part within itself. */
export interface Variable {
  value: unknown;
}

/** `source as $variable | body`. */
export function bind(source: Part, variable: Variable, body: Part): Part {
  const { one } = source;
  const { one: then, places } = body;
  const within = (data: unknown, run: () => void): void => {
    source.each(data, (value) => {
      variable.value = value;
      run();
    });
    variable.value = undefined;
  };
  const run: Part =
    one !== undefined && then !== undefined
      ? single((data) => {
          variable.value = one(data);
          return then(data);
        })
      : { each: (data, emit) => within(data, () => body.each(data, emit)) };
  if (places === undefined) return run;
  return { ...run, places: (from, emit) => within(from.value, () => places(from, emit)) };
}
