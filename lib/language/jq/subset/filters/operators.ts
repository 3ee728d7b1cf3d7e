import type { Operator } from '../../syntax/operators.ts';
import { add, divide, multiply, remainder, subtract } from '../values/arithmetic.ts';
import { isTruthy } from '../values/members.ts';
import { compare } from '../values/order.ts';
import { assign, update, updateWith } from './assignments.ts';
import { alternative, conditional } from './control.ts';
import { combine, constant, type Filter } from './filter.ts';

/** Joins the filters on both sides of an operator. */
type Join = (left: Filter, right: Filter) => Filter;

type Operation = (left: unknown, right: unknown) => unknown;

const arithmetic =
  (operate: Operation): Join =>
  (left, right) =>
    combine(left, right, operate);

const comparison = (...signs: readonly number[]): Join =>
  arithmetic((left, right) => signs.includes(Math.sign(compare(left, right))));

const arithmeticUpdate =
  (operate: Operation): Join =>
  (target, value) =>
    updateWith(target, value, operate);

const toBoolean = (filter: Filter): Filter => conditional(filter, constant(true), constant(false));
const or = (left: Filter, right: Filter): Filter => conditional(left, constant(true), toBoolean(right));
const and = (left: Filter, right: Filter): Filter => conditional(left, toBoolean(right), constant(false));

/** The binary operators by their tokens. */
export const OPERATORS: Readonly<Record<Operator, Join>> = {
  '//': alternative,
  '=': assign,
  '|=': update,
  '+=': arithmeticUpdate(add),
  '-=': arithmeticUpdate(subtract),
  '*=': arithmeticUpdate(multiply),
  '/=': arithmeticUpdate(divide),
  '%=': arithmeticUpdate(remainder),
  '//=': arithmeticUpdate((old, value) => (isTruthy(old) ? old : value)),
  or,
  and,
  '==': comparison(0),
  '!=': comparison(-1, 1),
  '<': comparison(-1),
  '<=': comparison(-1, 0),
  '>': comparison(1),
  '>=': comparison(0, 1),
  '+': arithmetic(add),
  '-': arithmetic(subtract),
  '*': arithmetic(multiply),
  '/': arithmetic(divide),
  '%': arithmetic(remainder),
};
