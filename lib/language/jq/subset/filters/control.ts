import { isTruthy } from '../values/members.ts';
import { type Filter, fromFunction } from './filter.ts';

/** `if condition then yes else no end`, once for each output of the condition. */
export function conditional(condition: Filter, yes: Filter, no: Filter): Filter {
  const { apply } = condition;
  const { apply: applyYes, paths: pathsOfYes } = yes;
  const { apply: applyNo, paths: pathsOfNo } = no;
  const filter: Filter =
    apply !== undefined && applyYes !== undefined && applyNo !== undefined
      ? fromFunction((input) => (isTruthy(apply(input)) ? applyYes(input) : applyNo(input)))
      : { run: (input, emit) => condition.run(input, (test) => (isTruthy(test) ? yes : no).run(input, emit)) };
  if (pathsOfYes === undefined || pathsOfNo === undefined) return filter;
  return {
    ...filter,
    paths: (from, emit) => condition.run(from.value, (test) => (isTruthy(test) ? pathsOfYes : pathsOfNo)(from, emit)),
  };
}

/** `left // right`: the outputs of the left filter that are neither false nor null; if there are none, the right one. */
export function alternative(left: Filter, right: Filter): Filter {
  const { apply: applyLeft } = left;
  const { apply: applyRight } = right;
  if (applyLeft !== undefined && applyRight !== undefined)
    return fromFunction((input) => {
      const value = applyLeft(input);
      return isTruthy(value) ? value : applyRight(input);
    });
  return {
    run: (input, emit) => {
      let isFound = false;
      left.run(input, (output) => {
        if (!isTruthy(output)) return;
        isFound = true;
        emit(output);
      });
      if (!isFound) right.run(input, emit);
    },
  };
}

/** A variable of a program. It holds its value while the body runs; the subset has no recursion that could run it twice. */
export interface Variable {
  value: unknown;
}

/** `source as $variable | body`. */
export function bindVariable(source: Filter, variable: Variable, body: Filter): Filter {
  const { apply } = source;
  const { apply: applyBody, paths } = body;
  const withEachValue = (input: unknown, run: () => void): void => {
    source.run(input, (value) => {
      variable.value = value;
      run();
    });
    variable.value = undefined;
  };
  const filter: Filter =
    apply !== undefined && applyBody !== undefined
      ? fromFunction((input) => {
          variable.value = apply(input);
          return applyBody(input);
        })
      : { run: (input, emit) => withEachValue(input, () => body.run(input, emit)) };
  if (paths === undefined) return filter;
  return { ...filter, paths: (from, emit) => withEachValue(from.value, () => paths(from, emit)) };
}
