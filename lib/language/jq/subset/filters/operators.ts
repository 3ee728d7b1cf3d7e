import { add, divide, multiply, remainder, subtract } from '../values/arithmetic.ts';
import { isTruthy } from '../values/members.ts';
import { compare } from '../values/order.ts';
import { assign, update, updateWith } from './assignments.ts';
import { alternative, conditional } from './control.ts';
import { combine, constant, type Filter } from './filter.ts';

/** A binary operator of jq. */
export interface Operator {
  /** The operator with the higher precedence binds first. */
  readonly precedence: number;
  readonly associativity: 'left' | 'right' | 'none';
  readonly join: (left: Filter, right: Filter) => Filter;
}

/** The precedence of `+` and `-`; a sign applies to everything that binds more closely. */
export const SUM_PRECEDENCE = 5;

type Operation = (left: unknown, right: unknown) => unknown;

function arithmetic(precedence: number, operate: Operation): Operator {
  return { precedence, associativity: 'left', join: (left, right) => combine(left, right, operate) };
}

function comparison(...signs: readonly number[]): Operator {
  const operate: Operation = (left, right) => signs.includes(Math.sign(compare(left, right)));
  return { precedence: 4, associativity: 'none', join: (left, right) => combine(left, right, operate) };
}

function assignment(join: Operator['join']): Operator {
  return { precedence: 1, associativity: 'none', join };
}

function arithmeticUpdate(operate: Operation): Operator {
  return assignment((target, value) => updateWith(target, value, operate));
}

const toBoolean = (filter: Filter): Filter => conditional(filter, constant(true), constant(false));
const or = (left: Filter, right: Filter): Filter => conditional(left, constant(true), toBoolean(right));
const and = (left: Filter, right: Filter): Filter => conditional(left, toBoolean(right), constant(false));

/** The binary operators by their tokens, with the precedence that jq's grammar gives them. */
export const OPERATORS: ReadonlyMap<string, Operator> = new Map([
  ['//', { precedence: 0, associativity: 'right', join: alternative }],
  ['=', assignment(assign)],
  ['|=', assignment(update)],
  ['+=', arithmeticUpdate(add)],
  ['-=', arithmeticUpdate(subtract)],
  ['*=', arithmeticUpdate(multiply)],
  ['/=', arithmeticUpdate(divide)],
  ['%=', arithmeticUpdate(remainder)],
  ['//=', arithmeticUpdate((old, value) => (isTruthy(old) ? old : value))],
  ['or', { precedence: 2, associativity: 'left', join: or }],
  ['and', { precedence: 3, associativity: 'left', join: and }],
  ['==', comparison(0)],
  ['!=', comparison(-1, 1)],
  ['<', comparison(-1)],
  ['<=', comparison(-1, 0)],
  ['>', comparison(1)],
  ['>=', comparison(0, 1)],
  ['+', arithmetic(SUM_PRECEDENCE, add)],
  ['-', arithmetic(SUM_PRECEDENCE, subtract)],
  ['*', arithmetic(6, multiply)],
  ['/', arithmetic(6, divide)],
  ['%', arithmetic(6, remainder)],
] satisfies [string, Operator][]);
