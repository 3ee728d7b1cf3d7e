import { at, type FastProgram, OPERATORS, type Part } from './fast-jq-operators.ts';
import { Tokens } from './fast-jq-tokens.ts';
import { change, index, isTrue, type Key, lengthOf, Unsure } from './fast-jq-values.ts';
import { setMember } from './json.ts';

export { Unsure } from './fast-jq-values.ts';

/** Longer programs are not the common ones, and could nest deeper than the call stack. */
const LONGEST = 1000;

/** Compiled programs kept; the one compiled first goes first. */
const MOST_PROGRAMS = 1000;

const programs = new Map<string, FastProgram | undefined>();

/**
 * The program in TypeScript, for the commonest jq: paths, literals, lists and objects of one output each, `+`, `-`,
 * comparisons, `and`, `or`, `not`, `//`, `=`, `+=`, `-=`, `del(path)`, `length`. Undefined for every other program.
 * What it gives, jq gives; where that is not certain it throws Unsure.
 */
export function compileFast(program: string): FastProgram | undefined {
  if (programs.has(program)) return programs.get(program);
  const compiled = compile(program);
  const oldest = programs.size >= MOST_PROGRAMS ? programs.keys().next().value : undefined;
  if (oldest !== undefined) programs.delete(oldest);
  programs.set(program, compiled);
  return compiled;
}

function compile(program: string): FastProgram | undefined {
  if (program.length > LONGEST) return undefined;
  try {
    return parseAll(new Tokens(program === '' ? '.' : program)).run;
  } catch (error) {
    if (error instanceof Unsure) return undefined;
    throw error;
  }
}

function parseAll(tokens: Tokens): Part {
  const part = parsePipe(tokens);
  tokens.expect('');
  return part;
}

function parsePipe(tokens: Tokens): Part {
  return parseRest(tokens, parseBinary(tokens, 0));
}

function parseRest(tokens: Tokens, left: Part): Part {
  if (!tokens.accept('|')) return left;
  const right = parsePipe(tokens);
  return { run: (data) => right.run(left.run(data)) };
}

function parseBinary(tokens: Tokens, level: number): Part {
  let left = parsePostfix(tokens);
  for (let closed = -1; ; ) {
    const operator = OPERATORS.get(tokens.next);
    if (operator === undefined || operator.level < level) return left;
    if (operator.level === closed) throw new Unsure();
    tokens.take();
    left = operator.join(left, parseBinary(tokens, operator.side === 'right' ? operator.level : operator.level + 1));
    closed = operator.side === 'none' ? operator.level : -1;
  }
}

function parsePostfix(tokens: Tokens): Part {
  let part = parseTerm(tokens);
  for (;;) {
    if (/^\../.test(tokens.next)) part = at(part, tokens.take().slice(1));
    else if (tokens.accept('[')) part = at(part, parseKey(tokens));
    else if (tokens.accept('.')) part = at(part, tokens.accept('[') ? parseKey(tokens) : stringOf(tokens.take()));
    // What `?` would catch is Unsure, and so left to jq.
    else if (!tokens.accept('?')) return part;
  }
}

function parseKey(tokens: Tokens): Key {
  const token = tokens.take();
  tokens.expect(']');
  const key = token.startsWith('"') ? stringOf(token) : numberOf(token);
  if (typeof key === 'number' && !Number.isInteger(key)) throw new Unsure();
  return key;
}

function stringOf(token: string): string {
  if (!token.startsWith('"')) throw new Unsure();
  return token.slice(1, -1);
}

/** Only numbers written as we would print them, since jq keeps the text of a literal. */
function numberOf(token: string): number {
  if (!/^\d/.test(token) || String(Number(token)) !== token) throw new Unsure();
  return Number(token);
}

const SELF: Part = { run: (data) => data, path: [] };

const TERMS: ReadonlyMap<string, (tokens: Tokens) => Part> = new Map<string, (tokens: Tokens) => Part>([
  ['.', (tokens) => (tokens.next.startsWith('"') ? at(SELF, stringOf(tokens.take())) : SELF)],
  ['true', () => ({ run: () => true })],
  ['false', () => ({ run: () => false })],
  ['null', () => ({ run: () => null })],
  ['not', () => ({ run: (data) => !isTrue(data) })],
  ['length', () => ({ run: lengthOf })],
  ['(', parseGroup],
  ['[', parseList],
  ['{', parseObject],
  ['del', parseDelete],
]);

function parseTerm(tokens: Tokens): Part {
  const token = tokens.take();
  const parse = TERMS.get(token);
  if (parse !== undefined) return parse(tokens);
  if (token.startsWith('.')) return at(SELF, token.slice(1));
  const value = token.startsWith('"') ? stringOf(token) : numberOf(token);
  return { run: () => value };
}

function parseGroup(tokens: Tokens): Part {
  const part = parsePipe(tokens);
  tokens.expect(')');
  return part;
}

function parseDelete(tokens: Tokens): Part {
  tokens.expect('(');
  const { path } = parseGroup(tokens);
  if (path === undefined || path.length === 0) throw new Unsure();
  return { run: (data) => change(data, path, undefined) };
}

function parseList(tokens: Tokens): Part {
  const parts: Part[] = [];
  if (!tokens.accept(']')) {
    do parts.push(parseBinary(tokens, 0));
    while (tokens.accept(','));
    // A comma binds closer than a pipe, so only a list of one output may hold one.
    const [only] = parts;
    if (only !== undefined && parts.length === 1) parts[0] = parseRest(tokens, only);
    tokens.expect(']');
  }
  return { run: (data) => parts.map((part) => part.run(data)) };
}

function parseObject(tokens: Tokens): Part {
  const members: [name: string, value: FastProgram][] = [];
  if (!tokens.accept('}')) {
    do members.push(parseMember(tokens));
    while (tokens.accept(','));
    tokens.expect('}');
  }
  return {
    run: (data) => {
      const object: Record<string, unknown> = {};
      for (const [name, value] of members) setMember(object, name, value(data));
      return object;
    },
  };
}

function parseMember(tokens: Tokens): [name: string, value: FastProgram] {
  const token = tokens.take();
  if (!/^["A-Za-z]/.test(token)) throw new Unsure();
  const name = token.startsWith('"') ? stringOf(token) : token;
  return [name, tokens.accept(':') ? parsePipe(tokens).run : (data) => index(data, name)];
}
