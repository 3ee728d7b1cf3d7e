import { add, divide, multiply, remainder, subtract } from '../operations/arithmetic.ts';
import { compare } from '../operations/order.ts';
import { isTrue } from '../operations/values.ts';
import { branch, combine, constant, otherwise, type Part } from './parts.ts';
import { assign, modifyBy, modifyWith } from './updates.ts';

export interface Operator {
  /** Of two that stand beside each other the higher one binds first. */
  readonly level: number;
  readonly side: 'left' | 'right' | 'none';
  readonly join: (left: Part, right: Part) => Part;
}

/** The level of `+` and `-`; a sign binds all that binds more closely. */
export const SUM_LEVEL = 5;

type Operation = (left: unknown, right: unknown) => unknown;

function operator(level: number, side: Operator['side'], operate: Operation): Operator {
  return { level, side, join: (left, right) => combine(left, right, operate) };
}

function comparison(...signs: readonly number[]): Operator {
  return operator(4, 'none', (left, right) => signs.includes(Math.sign(compare(left, right))));
}

function update(operate: Operation): Operator {
  return { level: 1, side: 'none', join: (left, right) => modifyWith(left, right, operate) };
}

const toTruth = (part: Part): Part => branch(part, constant(true), constant(false));

export const OPERATORS: ReadonlyMap<string, Operator> = new Map([
  ['//', { level: 0, side: 'right', join: otherwise }],
  ['=', { level: 1, side: 'none', join: assign }],
  ['|=', { level: 1, side: 'none', join: modifyBy }],
  ['+=', update(add)],
  ['-=', update(subtract)],
  ['*=', update(multiply)],
  ['/=', update(divide)],
  ['%=', update(remainder)],
  ['//=', update((old, value) => (isTrue(old) ? old : value))],
  ['or', { level: 2, side: 'left', join: (left, right) => branch(left, constant(true), toTruth(right)) }],
  ['and', { level: 3, side: 'left', join: (left, right) => branch(left, toTruth(right), constant(false)) }],
  ['==', comparison(0)],
  ['!=', comparison(-1, 1)],
  ['<', comparison(-1)],
  ['<=', comparison(-1, 0)],
  ['>', comparison(1)],
  ['>=', comparison(0, 1)],
  ['+', operator(SUM_LEVEL, 'left', add)],
  ['-', operator(SUM_LEVEL, 'left', subtract)],
  ['*', operator(6, 'left', multiply)],
  ['/', operator(6, 'left', divide)],
  ['%', operator(6, 'left', remainder)],
] satisfies [string, Operator][]);
