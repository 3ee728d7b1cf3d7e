import { add, change, compare, index, isTrue, type Key, subtract, Unsure } from './fast-jq-values.ts';

/** A jq program; throws Unsure where only jq itself can tell the outcome. */
export type FastProgram = (data: unknown) => unknown;

/** A part of a program, of exactly one output. `path` is there when it is a plain path from `.`. */
export interface Part {
  readonly run: FastProgram;
  readonly path?: readonly Key[];
}

/** `part[key]`. */
export function at({ run, path }: Part, key: Key): Part {
  const get: FastProgram = (data) => index(run(data), key);
  return path === undefined ? { run: get } : { run: get, path: [...path, key] };
}

export interface Operator {
  /** Of two that stand beside each other the higher one binds first. */
  readonly level: number;
  readonly side: 'left' | 'right' | 'none';
  readonly join: (left: Part, right: Part) => Part;
}

/** How two values become one; the right one is evaluated only when it is asked for. */
type Operation = (left: unknown, right: () => unknown) => unknown;

function operator(level: number, side: Operator['side'], operate: Operation): Operator {
  return { level, side, join: (left, right) => ({ run: (data) => operate(left.run(data), () => right.run(data)) }) };
}

function assignment(operate: Operation): Operator {
  const join = ({ path, run }: Part, right: Part): Part => {
    if (path === undefined) throw new Unsure();
    return {
      run: (data) =>
        change(
          data,
          path,
          operate(run(data), () => right.run(data)),
        ),
    };
  };
  return { level: 1, side: 'none', join };
}

function comparison(...signs: readonly number[]): Operator {
  return operator(4, 'none', (left, right) => signs.includes(Math.sign(compare(left, right()))));
}

export const OPERATORS: ReadonlyMap<string, Operator> = new Map([
  ['//', operator(0, 'right', (left, right) => (isTrue(left) ? left : right()))],
  ['=', assignment((_, right) => right())],
  ['+=', assignment((left, right) => add(left, right()))],
  ['-=', assignment((left, right) => subtract(left, right()))],
  ['or', operator(2, 'left', (left, right) => isTrue(left) || isTrue(right()))],
  ['and', operator(3, 'left', (left, right) => isTrue(left) && isTrue(right()))],
  ['==', comparison(0)],
  ['!=', comparison(-1, 1)],
  ['<', comparison(-1)],
  ['<=', comparison(-1, 0)],
  ['>', comparison(1)],
  ['>=', comparison(0, 1)],
  ['+', operator(5, 'left', (left, right) => add(left, right()))],
  ['-', operator(5, 'left', (left, right) => subtract(left, right()))],
]);
