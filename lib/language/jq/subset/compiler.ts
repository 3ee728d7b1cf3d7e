import type { Ast, AstKind, AstOf } from '../syntax/ast.ts';
import { parseJq } from '../syntax/parser.ts';
import { accessMember, accessSlice, iterateMembers, suppressErrors } from './filters/access.ts';
import { makeArray, makeObject, makeString } from './filters/constructors.ts';
import { bindVariable, conditional, type Variable } from './filters/control.ts';
import { comma, constant, EMPTY, type Filter, fromFunction, IDENTITY, mapOutputs, pipe } from './filters/filter.ts';
import { callFunction } from './filters/functions.ts';
import { OPERATORS } from './filters/operators.ts';
import { negate } from './values/arithmetic.ts';
import { UnknownOutcomeError } from './values/errors.ts';

/** The program that is compiled, and the variables in scope. */
interface Scope {
  readonly program: string;
  readonly variables: ReadonlyMap<string, Variable>;
}

/** Variables that jq defines itself, or may define. */
const RESERVED = /^(?:ENV$|__)|:/;

/** Numbers with few enough digits to be one double and one decimal. */
const NUMBER = /^\d{1,15}(?:\.\d{1,9})?$/;

/** Characters of strings that jq may replace: control characters, and the one that it puts in the place of others. */
const UNCERTAIN = /[^\P{Cc}\n\r\t]|\ufffd/u;

/** Compiles a program. Throws UnknownOutcomeError for a program outside the subset, JqSyntaxError for a mistake. */
export function compile(program: string): Filter {
  if (!program.isWellFormed() || UNCERTAIN.test(program)) throw new UnknownOutcomeError();
  return toFilter(parseJq(program), { program, variables: new Map() });
}

type Compilers = { readonly [K in AstKind]: (ast: AstOf<K>, scope: Scope) => Filter };

function toFilter(ast: Ast, scope: Scope): Filter {
  const compileKind = COMPILERS[ast.kind] as (ast: Ast, scope: Scope) => Filter;
  return compileKind(ast, scope);
}

/** Compiles an access, which is optional if `?` follows it. */
function toAccess(ast: AstOf<'access' | 'slice' | 'iterate'>, scope: Scope, isOptional: boolean): Filter {
  const base = toFilter(ast.base, scope);
  if (ast.kind === 'access') return accessMember(base, toFilter(ast.key, scope), isOptional);
  if (ast.kind !== 'slice') return iterateMembers(base, isOptional);
  const bound = (end: Ast | undefined): Filter => (end === undefined ? OPEN_BOUND : toFilter(end, scope));
  return accessSlice(base, { from: bound(ast.start), to: bound(ast.end) }, isOptional);
}

const OPEN_BOUND = constant(null);

const access = (ast: AstOf<'access' | 'slice' | 'iterate'>, scope: Scope): Filter => toAccess(ast, scope, false);

const unsupported = (): never => {
  throw new UnknownOutcomeError();
};

/** Accepts only numbers written as they are printed here, because jq prints a literal as it was written. */
function literal({ value, from, to }: AstOf<'literal'>, { program }: Scope): Filter {
  const text = program.slice(from, to);
  if (typeof value === 'number' && !(NUMBER.test(text) && String(value) === text)) throw new UnknownOutcomeError();
  return constant(value);
}

function string({ parts, format }: AstOf<'string'>, scope: Scope): Filter {
  if (format !== undefined) throw new UnknownOutcomeError();
  return makeString(parts.map((part) => (typeof part === 'string' ? requireCertain(part) : toFilter(part, scope))));
}

function requireCertain(text: string): string {
  if (!text.isWellFormed() || text.includes('\ufffd')) throw new UnknownOutcomeError();
  return text;
}

function object({ members }: AstOf<'object'>, scope: Scope): Filter {
  return makeObject(
    members.map((member) => {
      const key = toFilter(member.key, scope);
      // A key with several outputs would be looked up once for each of them.
      const isLookup = member.value.kind === 'access' && member.value.key === member.key;
      if (isLookup && key.apply === undefined) throw new UnknownOutcomeError();
      return { key, value: toFilter(member.value, scope) };
    }),
  );
}

function bind({ source, patterns: [pattern, ...others], body }: AstOf<'bind'>, scope: Scope): Filter {
  if (pattern?.kind !== 'variable' || others.length > 0 || RESERVED.test(pattern.name)) throw new UnknownOutcomeError();
  const variable: Variable = { value: undefined };
  const variables = new Map(scope.variables).set(pattern.name, variable);
  return bindVariable(toFilter(source, scope), variable, toFilter(body, { ...scope, variables }));
}

function variable({ name }: AstOf<'variable'>, { variables }: Scope): Filter {
  const known = variables.get(name);
  if (known === undefined) throw new UnknownOutcomeError();
  return fromFunction(() => known.value);
}

/** Compiles an operand at the end of an operation, of which jq binds the whole to a variable, and not the operand alone. */
function lastOperand(operand: Ast, { to }: Ast, scope: Scope): Filter {
  if (operand.kind === 'bind' && operand.to === to) throw new UnknownOutcomeError();
  return toFilter(operand, scope);
}

function operation(ast: AstOf<'binary' | 'update'>, scope: Scope): Filter {
  return OPERATORS[ast.operator](toFilter(ast.left, scope), lastOperand(ast.right, ast, scope));
}

const COMPILERS: Compilers = {
  identity: () => IDENTITY,
  literal,
  string,
  access,
  slice: access,
  iterate: access,
  optional: ({ base }, scope) =>
    base.kind === 'access' || base.kind === 'slice' || base.kind === 'iterate'
      ? toAccess(base, scope, true)
      : suppressErrors(toFilter(base, scope)),
  negate: (ast, scope) => mapOutputs(lastOperand(ast.base, ast, scope), negate),
  array: ({ body }, scope) => makeArray(body === undefined ? EMPTY : toFilter(body, scope)),
  object,
  binary: operation,
  update: operation,
  pipe: ({ left, right }, scope) => pipe(toFilter(left, scope), toFilter(right, scope)),
  comma: ({ left, right }, scope) => comma(toFilter(left, scope), toFilter(right, scope)),
  bind,
  if: ({ condition, then, otherwise }, scope) =>
    conditional(
      toFilter(condition, scope),
      toFilter(then, scope),
      otherwise === undefined ? IDENTITY : toFilter(otherwise, scope),
    ),
  try: ({ body, handler }, scope) => (handler === undefined ? suppressErrors(toFilter(body, scope)) : unsupported()),
  call: ({ name, args }, scope) =>
    callFunction(
      name,
      args.map((arg) => toFilter(arg, scope)),
    ),
  variable,
  recurse: unsupported,
  format: unsupported,
  reduce: unsupported,
  foreach: unsupported,
  def: unsupported,
  label: unsupported,
  break: unsupported,
};
