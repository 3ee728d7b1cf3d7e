import { type Member, makeList, makeObject, makeText } from './filters/constructions.ts';
import { callFunction } from './filters/functions.ts';
import { OPERATORS, SUM_LEVEL } from './filters/operators.ts';
import {
  at,
  attempted,
  bind,
  branch,
  comma,
  constant,
  EMPTY,
  iterate,
  mapOutputs,
  type Part,
  pipe,
  SELF,
  single,
  sliceOf,
  type Variable,
} from './filters/parts.ts';
import { negate } from './operations/arithmetic.ts';
import { UnknownOutcomeError } from './operations/run.ts';
import { CLOSE, OPEN, Tokens } from './tokens.ts';

/** A program being read: its tokens, and the variables known where it is read. */
interface Source {
  readonly tokens: Tokens;
  readonly variables: Map<string, Variable>;
}

/** The part a program is; throws UnknownOutcomeError for what is not known here. */
export function parse(program: string): Part {
  const source: Source = { tokens: new Tokens(program), variables: new Map() };
  const part = parsePipe(source);
  source.tokens.expect('');
  return part;
}

function parsePipe(source: Source): Part {
  const { tokens } = source;
  if (tokens.next === '-') return parseRest(source, parseComma(source, parseOperand(source)));
  const term = parsePostfix(source);
  if (tokens.accept('as')) return parseBinding(source, term);
  return parseRest(source, parseComma(source, term));
}

function parseRest(source: Source, left: Part): Part {
  return source.tokens.accept('|') ? pipe(left, parsePipe(source)) : left;
}

function parseBinding(source: Source, value: Part): Part {
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
  return bind(value, variable, body);
}

function parseComma(source: Source, first: Part): Part {
  let part = parseBinary(source, 0, first);
  while (source.tokens.accept(',')) part = comma(part, parseBinary(source, 0, parseOperand(source)));
  return part;
}

function parseBinary(source: Source, level: number, first: Part): Part {
  const { tokens } = source;
  let left = first;
  for (let closed = -1; ; ) {
    const operator = OPERATORS.get(tokens.next);
    if (operator === undefined || operator.level < level) return left;
    if (operator.level === closed) throw new UnknownOutcomeError();
    tokens.take();
    const inner = operator.side === 'right' ? operator.level : operator.level + 1;
    left = operator.join(left, parseBinary(source, inner, parseOperand(source)));
    closed = operator.side === 'none' ? operator.level : -1;
  }
}

/** A sign takes in whatever binds more closely than a sum. */
function parseOperand(source: Source): Part {
  if (!source.tokens.accept('-')) return parsePostfix(source);
  return mapOutputs(parseBinary(source, SUM_LEVEL + 1, parseOperand(source)), negate);
}

function parsePostfix(source: Source): Part {
  const { tokens } = source;
  let part = parseTerm(source);
  for (;;) {
    if (/^\../.test(tokens.next)) part = atName(source, part, tokens.take().slice(1));
    else if (tokens.accept('[')) part = parseIndex(source, part);
    else if (tokens.accept('.'))
      part = tokens.accept('[') ? parseDotted(source, part) : atName(source, part, plainText(tokens));
    else if (tokens.accept('?')) part = attempted(part);
    else return part;
  }
}

function atName({ tokens }: Source, base: Part, name: string): Part {
  return at(base, constant(name), tokens.accept('?'));
}

/** `.[key]`, which may be neither a slice nor an iteration. */
function parseDotted(source: Source, base: Part): Part {
  const key = parsePipe(source);
  source.tokens.expect(']');
  return at(base, key, source.tokens.accept('?'));
}

const END = constant(null);

function parseIndex(source: Source, base: Part): Part {
  const { tokens } = source;
  if (tokens.accept(']')) return iterate(base, tokens.accept('?'));
  const from = tokens.next === ':' ? END : parsePipe(source);
  if (!tokens.accept(':')) {
    tokens.expect(']');
    return at(base, from, tokens.accept('?'));
  }
  const to = tokens.next === ']' && from !== END ? END : parsePipe(source);
  tokens.expect(']');
  return sliceOf(base, from, to, tokens.accept('?'));
}

/** A text without interpolations. */
function plainText(tokens: Tokens): string {
  const token = tokens.take();
  if (!token.startsWith('"') || tokens.next === OPEN) throw new UnknownOutcomeError();
  return token.slice(1);
}

function parseText(source: Source, first: string): Part {
  const { tokens } = source;
  const pieces: (string | Part)[] = [first.slice(1)];
  while (tokens.accept(OPEN)) {
    pieces.push(parsePipe(source));
    tokens.expect(CLOSE);
    pieces.push(tokens.take().slice(1));
  }
  return makeText(pieces);
}

/** Only numbers written as we would print them, since jq keeps the text of a literal. */
function numberOf(token: string): number {
  if (!/^\d/.test(token) || String(Number(token)) !== token) throw new UnknownOutcomeError();
  return Number(token);
}

const TERMS: ReadonlyMap<string, (source: Source) => Part> = new Map<string, (source: Source) => Part>([
  ['.', ({ tokens }) => parseRoot(tokens)],
  ['(', parseGroup],
  ['[', parseList],
  ['{', parseObject],
  ['if', parseBranch],
]);

function parseTerm(source: Source): Part {
  const token = source.tokens.take();
  const parseKnown = TERMS.get(token);
  if (parseKnown !== undefined) return parseKnown(source);
  if (token.startsWith('"')) return parseText(source, token);
  if (token.startsWith('.')) return atName(source, SELF, token.slice(1));
  if (token.startsWith('$')) return parseVariable(source, token);
  return NAME.test(token) ? parseCall(source, token) : constant(numberOf(token));
}

function parseRoot(tokens: Tokens): Part {
  return tokens.next.startsWith('"') ? at(SELF, constant(plainText(tokens)), tokens.accept('?')) : SELF;
}

function parseVariable({ variables }: Source, name: string): Part {
  const variable = variables.get(name);
  if (variable === undefined) throw new UnknownOutcomeError();
  return single(() => variable.value);
}

function parseCall(source: Source, name: string): Part {
  const { tokens } = source;
  const args: Part[] = [];
  if (tokens.accept('(')) {
    do args.push(parsePipe(source));
    while (tokens.accept(';'));
    tokens.expect(')');
  }
  return callFunction(name, args);
}

function parseGroup(source: Source): Part {
  const part = parsePipe(source);
  source.tokens.expect(')');
  return part;
}

function parseList(source: Source): Part {
  if (source.tokens.accept(']')) return makeList(EMPTY);
  const part = parsePipe(source);
  source.tokens.expect(']');
  return makeList(part);
}

function parseBranch(source: Source): Part {
  const { tokens } = source;
  const condition = parsePipe(source);
  tokens.expect('then');
  const yes = parsePipe(source);
  if (tokens.accept('elif')) return branch(condition, yes, parseBranch(source));
  const no = tokens.accept('else') ? parsePipe(source) : SELF;
  tokens.expect('end');
  return branch(condition, yes, no);
}

function parseObject(source: Source): Part {
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
  const key = token.startsWith('"') ? parseText(source, token) : constant(token);
  if (tokens.accept(':')) return { key, value: parseMemberValue(source) };
  // Of several names each would be looked up by itself.
  if (key.one === undefined) throw new UnknownOutcomeError();
  return { key, value: at(SELF, key, false) };
}

/** A comma ends the value, and it binds no variable. */
function parseMemberValue(source: Source): Part {
  const value = parseBinary(source, 0, parseOperand(source));
  return source.tokens.accept('|') ? pipe(value, parseMemberValue(source)) : value;
}

const NAME = /^[A-Za-z_]/;

/** Variables jq itself has, or may have. */
const RESERVED = /^\$(?:ENV$|__)/;
