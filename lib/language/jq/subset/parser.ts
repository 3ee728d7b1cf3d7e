import { accessMember, accessSlice, iterateMembers, suppressErrors } from './filters/access.ts';
import { type Member, makeArray, makeObject, makeString } from './filters/constructors.ts';
import { bindVariable, conditional, type Variable } from './filters/control.ts';
import { comma, constant, EMPTY, type Filter, fromFunction, IDENTITY, mapOutputs, pipe } from './filters/filter.ts';
import { callFunction } from './filters/functions.ts';
import { OPERATORS, SUM_PRECEDENCE } from './filters/operators.ts';
import { CLOSE, OPEN, Tokens } from './tokens.ts';
import { negate } from './values/arithmetic.ts';
import { UnknownOutcomeError } from './values/errors.ts';

/** The name of a function or of an object's key. */
const NAME = /^[A-Za-z_]/;

/** Variables that jq defines itself, or may define. */
const RESERVED = /^\$(?:ENV$|__)/;

/** The state of the parser: the tokens, and the variables in scope. */
interface Source {
  readonly tokens: Tokens;
  readonly variables: Map<string, Variable>;
}

/** Parses a program. Throws UnknownOutcomeError for syntax and functions outside the subset. */
export function parse(program: string): Filter {
  const source: Source = { tokens: new Tokens(program), variables: new Map() };
  const filter = parsePipe(source);
  source.tokens.expect('');
  return filter;
}

function parsePipe(source: Source): Filter {
  const { tokens } = source;
  if (tokens.next === '-') return parseRest(source, parseComma(source, parseOperand(source)));
  const term = parsePostfix(source);
  if (tokens.accept('as')) return parseBinding(source, term);
  return parseRest(source, parseComma(source, term));
}

function parseRest(source: Source, left: Filter): Filter {
  return source.tokens.accept('|') ? pipe(left, parsePipe(source)) : left;
}

function parseBinding(source: Source, value: Filter): Filter {
  const { tokens, variables } = source;
  const name = tokens.take();
  if (!name.startsWith('$') || RESERVED.test(name)) throw new UnknownOutcomeError();
  tokens.expect('|');
  const outer = variables.get(name);
  const variable: Variable = { value: undefined };
  variables.set(name, variable);
  const body = parsePipe(source);
  if (outer === undefined) variables.delete(name);
  else variables.set(name, outer);
  return bindVariable(value, variable, body);
}

function parseComma(source: Source, first: Filter): Filter {
  let filter = parseBinary(source, 0, first);
  while (source.tokens.accept(',')) filter = comma(filter, parseBinary(source, 0, parseOperand(source)));
  return filter;
}

/** Parses the operators of at least this precedence; `first` is the operand before them. */
function parseBinary(source: Source, precedence: number, first: Filter): Filter {
  const { tokens } = source;
  let left = first;
  for (let nonAssociative = -1; ; ) {
    const operator = OPERATORS.get(tokens.next);
    if (operator === undefined || operator.precedence < precedence) return left;
    if (operator.precedence === nonAssociative) throw new UnknownOutcomeError();
    tokens.take();
    const inner = operator.associativity === 'right' ? operator.precedence : operator.precedence + 1;
    left = operator.join(left, parseBinary(source, inner, parseOperand(source)));
    nonAssociative = operator.associativity === 'none' ? operator.precedence : -1;
  }
}

/** Parses an operand; a sign applies to everything that binds more closely than a sum. */
function parseOperand(source: Source): Filter {
  if (!source.tokens.accept('-')) return parsePostfix(source);
  return mapOutputs(parseBinary(source, SUM_PRECEDENCE + 1, parseOperand(source)), negate);
}

function parsePostfix(source: Source): Filter {
  const { tokens } = source;
  let filter = parseTerm(source);
  for (;;) {
    if (/^\../.test(tokens.next)) filter = memberOf(source, filter, tokens.take().slice(1));
    else if (tokens.accept('[')) filter = parseIndex(source, filter);
    else if (tokens.accept('.'))
      filter = tokens.accept('[') ? parseDotted(source, filter) : memberOf(source, filter, literalString(tokens));
    else if (tokens.accept('?')) filter = suppressErrors(filter);
    else return filter;
  }
}

function memberOf({ tokens }: Source, base: Filter, name: string): Filter {
  return accessMember(base, constant(name), tokens.accept('?'));
}

/** `.[key]` after a dot, which can be neither a slice nor an iteration. */
function parseDotted(source: Source, base: Filter): Filter {
  const key = parsePipe(source);
  source.tokens.expect(']');
  return accessMember(base, key, source.tokens.accept('?'));
}

const OPEN_BOUND = constant(null);

function parseIndex(source: Source, base: Filter): Filter {
  const { tokens } = source;
  if (tokens.accept(']')) return iterateMembers(base, tokens.accept('?'));
  const from = tokens.next === ':' ? OPEN_BOUND : parsePipe(source);
  if (!tokens.accept(':')) {
    tokens.expect(']');
    return accessMember(base, from, tokens.accept('?'));
  }
  const to = tokens.next === ']' && from !== OPEN_BOUND ? OPEN_BOUND : parsePipe(source);
  tokens.expect(']');
  return accessSlice(base, { from, to }, tokens.accept('?'));
}

/** A string without interpolations. */
function literalString(tokens: Tokens): string {
  const token = tokens.take();
  if (!token.startsWith('"') || tokens.next === OPEN) throw new UnknownOutcomeError();
  return token.slice(1);
}

function parseString(source: Source, first: string): Filter {
  const { tokens } = source;
  const pieces: (string | Filter)[] = [first.slice(1)];
  while (tokens.accept(OPEN)) {
    pieces.push(parsePipe(source));
    tokens.expect(CLOSE);
    pieces.push(tokens.take().slice(1));
  }
  return makeString(pieces);
}

/** Accepts only numbers written as they are printed here, because jq prints a literal as it was written. */
function numberOf(token: string): number {
  if (!/^\d/.test(token) || String(Number(token)) !== token) throw new UnknownOutcomeError();
  return Number(token);
}

const TERMS: ReadonlyMap<string, (source: Source) => Filter> = new Map<string, (source: Source) => Filter>([
  ['.', ({ tokens }) => parseRoot(tokens)],
  ['(', parseGroup],
  ['[', parseArray],
  ['{', parseObject],
  ['if', parseConditional],
]);

function parseTerm(source: Source): Filter {
  const token = source.tokens.take();
  const parseKnown = TERMS.get(token);
  if (parseKnown !== undefined) return parseKnown(source);
  if (token.startsWith('"')) return parseString(source, token);
  if (token.startsWith('.')) return memberOf(source, IDENTITY, token.slice(1));
  if (token.startsWith('$')) return parseVariable(source, token);
  return NAME.test(token) ? parseCall(source, token) : constant(numberOf(token));
}

function parseRoot(tokens: Tokens): Filter {
  return tokens.next.startsWith('"')
    ? accessMember(IDENTITY, constant(literalString(tokens)), tokens.accept('?'))
    : IDENTITY;
}

function parseVariable({ variables }: Source, name: string): Filter {
  const variable = variables.get(name);
  if (variable === undefined) throw new UnknownOutcomeError();
  return fromFunction(() => variable.value);
}

function parseCall(source: Source, name: string): Filter {
  const { tokens } = source;
  const args: Filter[] = [];
  if (tokens.accept('(')) {
    do args.push(parsePipe(source));
    while (tokens.accept(';'));
    tokens.expect(')');
  }
  return callFunction(name, args);
}

function parseGroup(source: Source): Filter {
  const filter = parsePipe(source);
  source.tokens.expect(')');
  return filter;
}

function parseArray(source: Source): Filter {
  if (source.tokens.accept(']')) return makeArray(EMPTY);
  const filter = parsePipe(source);
  source.tokens.expect(']');
  return makeArray(filter);
}

function parseConditional(source: Source): Filter {
  const { tokens } = source;
  const condition = parsePipe(source);
  tokens.expect('then');
  const yes = parsePipe(source);
  if (tokens.accept('elif')) return conditional(condition, yes, parseConditional(source));
  const no = tokens.accept('else') ? parsePipe(source) : IDENTITY;
  tokens.expect('end');
  return conditional(condition, yes, no);
}

function parseObject(source: Source): Filter {
  const { tokens } = source;
  const members: Member[] = [];
  if (!tokens.accept('}')) {
    do members.push(parseMember(source));
    while (tokens.accept(','));
    tokens.expect('}');
  }
  return makeObject(members);
}

function parseMember(source: Source): Member {
  const { tokens } = source;
  const token = tokens.take();
  if (token === '(') {
    const key = parseGroup(source);
    tokens.expect(':');
    return { key, value: parseMemberValue(source) };
  }
  if (token.startsWith('$')) return { key: constant(token.slice(1)), value: parseVariable(source, token) };
  if (!/^["A-Za-z_]/.test(token)) throw new UnknownOutcomeError();
  const key = token.startsWith('"') ? parseString(source, token) : constant(token);
  if (tokens.accept(':')) return { key, value: parseMemberValue(source) };
  // A key with several outputs would be looked up once for each of them.
  if (key.apply === undefined) throw new UnknownOutcomeError();
  return { key, value: accessMember(IDENTITY, key, false) };
}

/** A member's value ends at a comma and cannot bind a variable. */
function parseMemberValue(source: Source): Filter {
  const value = parseBinary(source, 0, parseOperand(source));
  return source.tokens.accept('|') ? pipe(value, parseMemberValue(source)) : value;
}
