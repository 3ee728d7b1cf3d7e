import { JqError } from '../values/errors.ts';
import { memberAt, membersOf, slice } from '../values/members.ts';
import { memberPaths, pathTo } from '../values/paths.ts';
import { collectUntilError, combine, type Emit, type Filter } from './filter.ts';

function emitEach<T>(outputs: readonly T[], emit: Emit<T>): void {
  for (const output of outputs) emit(output);
}

/** Emits the result of a step; where the access is optional (`?`), an error is no output. */
function attempt<T>(isOptional: boolean, step: () => T, emit: Emit<T>): void {
  let output: T;
  try {
    output = step();
  } catch (error) {
    if (isOptional && error instanceof JqError) return;
    throw error;
  }
  emit(output);
}

/** `base[key]`, or `base[key]?` if it is optional. */
export function accessMember(base: Filter, key: Filter, isOptional: boolean): Filter {
  const filter: Filter = isOptional
    ? {
        run: (input, emit) =>
          key.run(input, (name) => base.run(input, (value) => attempt(true, () => memberAt(value, name), emit))),
      }
    : combine(base, key, memberAt);
  const { paths } = base;
  if (paths === undefined) return filter;
  return {
    ...filter,
    paths: (from, emit) =>
      key.run(from.value, (name) => paths(from, (path) => attempt(isOptional, () => pathTo(path, name), emit))),
  };
}

/** The filters before and after the colon of `[from:to]`. */
export interface SliceBounds {
  readonly from: Filter;
  readonly to: Filter;
}

/** `base[from:to]`, or with `?` if it is optional. */
export function accessSlice(base: Filter, { from, to }: SliceBounds, isOptional: boolean): Filter {
  return {
    run: (input, emit) =>
      from.run(input, (start) =>
        to.run(input, (end) => base.run(input, (value) => attempt(isOptional, () => slice(value, start, end), emit))),
      ),
  };
}

/** `base[]`, or `base[]?` if it is optional. */
export function iterateMembers(base: Filter, isOptional: boolean): Filter {
  const emitMembers = (value: unknown, emit: Emit): void =>
    attempt(
      isOptional,
      () => membersOf(value),
      (members) => emitEach(members, emit),
    );
  const run: Filter['run'] = (input, emit) => base.run(input, (value) => emitMembers(value, emit));
  const { paths } = base;
  if (paths === undefined) return { run };
  return {
    run,
    paths: (from, emit) =>
      paths(from, (path) =>
        attempt(
          isOptional,
          () => memberPaths(path),
          (inner) => emitEach(inner, emit),
        ),
      ),
  };
}

/** `(filter)?`: the outputs before the first error. */
export function suppressErrors(filter: Filter): Filter {
  return { run: (input, emit) => emitEach(collectUntilError<unknown>((add) => filter.run(input, add)).outputs, emit) };
}
