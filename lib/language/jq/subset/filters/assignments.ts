import { UnknownOutcomeError } from '../values/errors.ts';
import { CopyOnWrite, type Key, type Path } from '../values/paths.ts';
import { collectUntilError, type Emit, type Filter, fromFunction, mapOutputs } from './filter.ts';

type Paths = NonNullable<Filter['paths']>;

/** Throws UnknownOutcomeError for a filter that the subset does not support as a path expression. */
function pathsOf({ paths }: Filter): Paths {
  if (paths === undefined) throw new UnknownOutcomeError();
  return paths;
}

function visitPaths(paths: Paths, document: unknown, emit: Emit<Path>): void {
  paths({ keys: [], value: document }, emit);
}

/** `target = value`: one output for each output of the value. */
export function assign(target: Filter, value: Filter): Filter {
  const paths = pathsOf(target);
  return mapOutputs(value, (newValue, document) => {
    const copy = new CopyOnWrite(document);
    visitPaths(paths, document, ({ keys }) => copy.set(keys, newValue));
    return copy.root;
  });
}

/** Replaces the value at each path by the first output of `change`; a path without an output is deleted at the end. */
function replaceEach(paths: Paths, document: unknown, change: (value: unknown) => readonly unknown[]): unknown {
  const copy = new CopyOnWrite(document);
  const deleted: (readonly Key[])[] = [];
  visitPaths(paths, document, ({ keys }) => {
    const outputs = change(copy.get(keys));
    if (outputs.length > 0) copy.set(keys, outputs[0]);
    else deleted.push(keys);
  });
  copy.delete(deleted);
  return copy.root;
}

/** `target |= change`. */
export function update(target: Filter, change: Filter): Filter {
  const paths = pathsOf(target);
  const { apply } = change;
  const firstOutput = (value: unknown): readonly unknown[] => {
    if (apply !== undefined) return [apply(value)];
    const { outputs, failure } = collectUntilError<unknown>((emit) => change.run(value, emit));
    if (failure !== undefined && outputs.length === 0) throw failure;
    return outputs;
  };
  return fromFunction((document) => replaceEach(paths, document, firstOutput));
}

/** `target += value` and the other arithmetic updates: one output for each output of the value. */
export function updateWith(
  target: Filter,
  value: Filter,
  operate: (old: unknown, operand: unknown) => unknown,
): Filter {
  const paths = pathsOf(target);
  return mapOutputs(value, (operand, document) => replaceEach(paths, document, (old) => [operate(old, operand)]));
}

/** `del(target)`. */
export function deletePaths(target: Filter): Filter {
  const paths = pathsOf(target);
  return fromFunction((document) => {
    const deleted: (readonly Key[])[] = [];
    visitPaths(paths, document, ({ keys }) => deleted.push(keys));
    const copy = new CopyOnWrite(document);
    copy.delete(deleted);
    return copy.root;
  });
}
