import {
  type Ast,
  type AstKind,
  type AstOf,
  childrenOf,
  commaParts,
  literalText,
  type Pattern,
  type UpdateOperator,
  variablesOf,
} from '../../language/jq/syntax/ast.ts';
import { hasResult, resultOf } from './functions.ts';
import { pathsOf } from './paths.ts';
import {
  ANY,
  arrayOf,
  BOOLEAN,
  compact,
  elementsOf,
  indexedOf,
  type Member,
  memberOf,
  NEVER,
  NULL,
  NUMBER,
  type ObjectShape,
  type Shape,
  STRING,
  unionOf,
  withMember,
  withoutMember,
} from './shape.ts';

/** An access to a member, with the shape of the value that it is accessed in. */
export interface Access {
  readonly key: string;
  /** The range of the key in the program. */
  readonly from: number;
  readonly to: number;
  readonly shape: Shape;
  /** The program expects that the member may be missing: `.a // 1`, `.a?`, a condition. */
  readonly isGuarded: boolean;
}

/** The scope in which a part of a program is evaluated. */
export interface Scope {
  readonly variables: ReadonlyMap<string, Shape>;
  /** The functions that the program defines, whose results may be anything. */
  readonly functions: ReadonlySet<string>;
  readonly isGuarded: boolean;
  readonly onAccess: (access: Access) => void;
  /** The evaluations left: `(.a, .b) |= …` evaluates its right side for each path, and may stand in another one. */
  readonly budget: { steps: number };
}

/** Evaluates a part of a program for an input of a shape. */
export type Evaluate = (ast: Ast, input: Shape, scope: Scope) => Shape;

type Evaluators = { readonly [K in AstKind]: (ast: AstOf<K>, input: Shape, scope: Scope) => Shape };

/** Returns the shape of the results of a program for an input of a shape, and reports the members that it accesses. */
export const evaluate: Evaluate = (ast, input, scope) => {
  if (input.kind === 'never') return NEVER;
  scope.budget.steps -= 1;
  if (scope.budget.steps < 0) return ANY;
  const evaluateKind = EVALUATORS[ast.kind] as (ast: Ast, input: Shape, scope: Scope) => Shape;
  return compact(evaluateKind(ast, input, scope));
};

const guarded = (scope: Scope): Scope => ({ ...scope, isGuarded: true });

/** The scope for parts whose input is not known. */
const bound = (scope: Scope, patterns: readonly Pattern[], shape: Shape): Scope => {
  const variables = new Map(scope.variables);
  for (const pattern of patterns) {
    if (pattern.kind === 'variable' && patterns.length === 1) variables.set(pattern.name, shape);
    else for (const name of variablesOf(pattern)) variables.set(name, ANY);
  }
  return { ...scope, variables };
};

function evaluateAccess({ base, key }: AstOf<'access'>, input: Shape, scope: Scope): Shape {
  const shape = evaluate(base, input, scope);
  const name = literalText(key);
  if (name === undefined) {
    evaluate(key, input, scope);
    return key.kind === 'literal' && typeof key.value === 'number' ? indexedOf(shape) : ANY;
  }
  scope.onAccess({ key: name, from: key.from, to: key.to, shape, isGuarded: scope.isGuarded });
  return memberOf(shape, name);
}

/** The members after a value was set under an unknown name, which may be the name of a known member. */
function perhapsReplaced(members: ObjectShape['members'], value: Shape): Map<string, Member> {
  const widened = [...members].map(([key, { shape, isOptional }]): [string, Member] => [
    key,
    { shape: unionOf([shape, value]), isOptional },
  ]);
  return new Map(widened);
}

function evaluateObject({ members: pairs }: AstOf<'object'>, input: Shape, scope: Scope): Shape {
  let members = new Map<string, Member>();
  let isOpen = false;
  for (const { key, value } of pairs) {
    const inner = evaluate(value, input, scope);
    const name = literalText(key);
    if (name === undefined) evaluate(key, input, scope);
    if (inner.kind === 'never') return NEVER;
    if (name !== undefined) members.set(name, { shape: inner, isOptional: false });
    // After one unknown name, further ones are looked at no more closely: each would take time for all members.
    else members = isOpen ? new Map() : perhapsReplaced(members, inner);
    isOpen ||= name === undefined;
  }
  return { kind: 'object', members, isOpen };
}

function evaluateBinary(ast: AstOf<'binary'>, input: Shape, scope: Scope): Shape {
  const { operator } = ast;
  const isTest = operator === 'and' || operator === 'or' || operator === '//';
  const isNullTest = [ast.left, ast.right].some((one) => one.kind === 'literal' && one.value === null);
  const left = evaluate(ast.left, input, isTest || isNullTest ? guarded(scope) : scope);
  const right = evaluate(ast.right, input, isNullTest ? guarded(scope) : scope);
  if (operator === '//') return unionOf([withoutNull(left), right]);
  if (/^[=!<>]=?$|^(and|or)$/.test(operator)) return BOOLEAN;
  return operator === '+' ? plus(left, right) : arithmetic(operator, left, right);
}

function withoutNull(shape: Shape): Shape {
  const options = shape.kind === 'union' ? shape.options : [shape];
  return unionOf(options.filter(({ kind }) => kind !== 'null'));
}

function plus(left: Shape, right: Shape): Shape {
  if (left.kind === 'null') return right;
  if (right.kind === 'null') return left;
  if (left.kind === 'object' && right.kind === 'object') return merged(left, right);
  if (left.kind === 'array' && right.kind === 'array') return arrayOf(unionOf([left.items, right.items]));
  return left.kind === right.kind && (left.kind === 'number' || left.kind === 'string') ? left : ANY;
}

/** The members of the right object replace those of the left one. */
function merged(left: ObjectShape, right: ObjectShape): Shape {
  const members = new Map(left.members);
  for (const [key, { shape, isOptional }] of right.members) {
    const before = members.get(key);
    const under = before?.shape ?? (left.isOpen ? ANY : NEVER);
    const mayBeAbsent = isOptional && (before?.isOptional ?? true);
    members.set(key, { shape: isOptional ? unionOf([under, shape]) : shape, isOptional: mayBeAbsent });
  }
  // An open right side may replace any member of the left one.
  if (right.isOpen)
    for (const [key, { isOptional }] of left.members)
      if (!right.members.has(key)) members.set(key, { shape: ANY, isOptional });
  return { kind: 'object', members, isOpen: left.isOpen || right.isOpen };
}

function arithmetic(operator: string, left: Shape, right: Shape): Shape {
  if (left.kind === 'number' && right.kind === 'number') return NUMBER;
  if (operator === '-' && left.kind === 'array') return left;
  return operator === '/' && left.kind === 'string' ? arrayOf(STRING) : ANY;
}

/** The value of a member after an assignment. */
function updated(operator: UpdateOperator, before: Shape, value: Shape): Shape {
  if (operator === '=' || operator === '|=') return value;
  if (operator === '+=') return plus(before, value);
  return operator === '//=' ? unionOf([withoutNull(before), value]) : ANY;
}

/** True for a program that has a result whenever it does not fail. */
function hasResultAlways(ast: Ast): boolean {
  if (ast.kind === 'call') return hasResult(ast) && ast.args.every(hasResultAlways);
  if (ast.kind === 'pipe') return hasResultAlways(ast.left) && hasResultAlways(ast.right);
  if (ast.kind === 'array' || ast.kind === 'literal' || ast.kind === 'variable' || ast.kind === 'identity') return true;
  const isSimple = ['access', 'string', 'object', 'binary', 'negate', 'if'].includes(ast.kind);
  return isSimple && childrenOf(ast).every(hasResultAlways);
}

function evaluateUpdate({ operator, left, right }: AstOf<'update'>, input: Shape, scope: Scope): Shape {
  const paths = pathsOf(left);
  if (paths === undefined) {
    evaluate(right, operator === '|=' ? ANY : input, guarded(scope));
    return ANY;
  }
  return paths.reduce((shape, path) => {
    const before = path.reduce(memberOf, shape);
    const value = operator === '|=' ? evaluate(right, before, scope) : evaluate(right, input, scope);
    if (value.kind === 'never' && operator !== '|=') return NEVER;
    const after = updated(operator, before, value);
    const changed = withMember(shape, path, after);
    // A member whose new value has no result is deleted.
    const mayDelete = operator === '|=' && !hasResultAlways(right);
    return mayDelete ? unionOf([changed, withoutMember(shape, path)]) : changed;
  }, input);
}

const EVALUATORS: Evaluators = {
  identity: (_, input) => input,
  recurse: () => ANY,
  literal: ({ value }) => (value === null ? NULL : typeof value === 'number' ? NUMBER : BOOLEAN),
  string: (ast, input, scope) => {
    for (const part of childrenOf(ast)) evaluate(part, input, scope);
    return STRING;
  },
  format: () => STRING,
  access: evaluateAccess,
  slice: ({ base }, input, scope) => evaluate(base, input, scope),
  iterate: ({ base }, input, scope) => elementsOf(evaluate(base, input, scope)),
  optional: ({ base }, input, scope) => evaluate(base, input, guarded(scope)),
  negate: ({ base }, input, scope) => {
    evaluate(base, input, scope);
    return NUMBER;
  },
  array: ({ body }, input, scope) => arrayOf(body === undefined ? NEVER : evaluate(body, input, scope)),
  object: evaluateObject,
  binary: evaluateBinary,
  update: evaluateUpdate,
  pipe: ({ left, right }, input, scope) => {
    // The input of a test for presence may be missing.
    const isTested =
      right.kind === 'call' && ['not', 'values', 'type', 'tostring', 'tojson', 'length'].includes(right.name);
    return evaluate(right, evaluate(left, input, isTested ? guarded(scope) : scope), scope);
  },
  comma: (ast, input, scope) => unionOf(commaParts(ast).map((part) => evaluate(part, input, scope))),
  bind: ({ source, patterns, body }, input, scope) => {
    const shape = evaluate(source, input, scope);
    return evaluate(body, input, bound(scope, patterns, shape));
  },
  reduce: evaluateFold,
  foreach: evaluateFold,
  if: ({ condition, then, otherwise }, input, scope) => {
    evaluate(condition, input, guarded(scope));
    // Inside the branches, a condition may have tested that a member exists.
    const inner = guarded(scope);
    return unionOf([evaluate(then, input, inner), otherwise === undefined ? input : evaluate(otherwise, input, inner)]);
  },
  try: ({ body, handler }, input, scope) => {
    const shape = evaluate(body, input, guarded(scope));
    return handler === undefined ? shape : ANY;
  },
  def: ({ name, parameters, body }, input, scope) =>
    evaluate(body, input, { ...scope, functions: new Set([...scope.functions, `${name}/${parameters.length}`]) }),
  label: ({ body }, input, scope) => evaluate(body, input, scope),
  break: () => NEVER,
  call: (ast, input, scope) =>
    scope.functions.has(`${ast.name}/${ast.args.length}`) ? ANY : callOf(ast, input, scope),
  variable: ({ name }, _, scope) => scope.variables.get(name) ?? ANY,
};

function callOf(ast: AstOf<'call'>, input: Shape, scope: Scope): Shape {
  return resultOf(ast, input, {
    strict: (argument, shape) => evaluate(argument, shape, scope),
    guarded: (argument, shape) => evaluate(argument, shape, guarded(scope)),
  });
}

function evaluateFold({ source, parts }: AstOf<'reduce' | 'foreach'>, input: Shape, scope: Scope): Shape {
  evaluate(source, input, scope);
  const [init] = parts;
  if (init !== undefined) evaluate(init, input, scope);
  return ANY;
}
