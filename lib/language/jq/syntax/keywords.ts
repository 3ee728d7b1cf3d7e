import type { Ast } from './ast.ts';
import { JqSyntaxError } from './errors.ts';
import { type Grammar, ranged, separated, takeVariable } from './grammar.ts';
import { parsePatterns } from './patterns.ts';

/** Parses `def name(parameters): definition; body` after its first word. */
export function parseDefinition(grammar: Grammar, from: number): Ast {
  const { tokens, pipe } = grammar;
  if (!tokens.isAt('name')) throw tokens.unexpected('expected the name of a function');
  const name = tokens.take().text;
  const parameters = tokens.accept('operator', '(') ? separated(grammar, ';', () => takeParameter(grammar)) : [];
  if (parameters.length > 0) tokens.expect('operator', ')');
  tokens.expect('operator', ':');
  const definition = pipe();
  tokens.expect('operator', ';');
  return ranged(grammar, from, { kind: 'def', name, parameters, definition, body: pipe() });
}

function takeParameter({ tokens }: Grammar): string {
  if (tokens.isAt('variable')) return `$${tokens.take().text}`;
  if (!tokens.isAt('name')) throw tokens.unexpected('expected a parameter');
  return tokens.take().text;
}

/** Parses `label $name | body` after its first word. */
export function parseLabel(grammar: Grammar, from: number): Ast {
  const name = takeVariable(grammar);
  grammar.tokens.expect('operator', '|');
  return ranged(grammar, from, { kind: 'label', name, body: grammar.pipe() });
}

function parseConditional(grammar: Grammar, from: number): Ast {
  const { tokens, pipe } = grammar;
  const condition = pipe();
  tokens.expect('name', 'then');
  const then = pipe();
  const { from: next } = tokens.next;
  if (tokens.accept('name', 'elif')) {
    const otherwise = grammar.deeper(() => parseConditional(grammar, next));
    return ranged(grammar, from, { kind: 'if', condition, then, otherwise });
  }
  const otherwise = tokens.accept('name', 'else') ? pipe() : undefined;
  tokens.expect('name', 'end');
  return ranged(grammar, from, { kind: 'if', condition, then, ...(otherwise && { otherwise }) });
}

function parseFold(grammar: Grammar, from: number, kind: 'reduce' | 'foreach'): Ast {
  const { tokens, pipe, postfix } = grammar;
  const source = postfix();
  tokens.expect('name', 'as');
  const patterns = parsePatterns(grammar);
  tokens.expect('operator', '(');
  const parts = separated(grammar, ';', pipe);
  if (parts.length < 2 || parts.length > (kind === 'reduce' ? 2 : 3)) throw tokens.unexpected("expected ';'");
  tokens.expect('operator', ')');
  return ranged(grammar, from, { kind, source, patterns, parts });
}

function parseTry(grammar: Grammar, from: number): Ast {
  const body = parseTryPart(grammar);
  const handler = grammar.tokens.accept('name', 'catch') ? parseTryPart(grammar) : undefined;
  return ranged(grammar, from, { kind: 'try', body, ...(handler && { handler }) });
}

function parseTryPart(grammar: Grammar): Ast {
  const { from } = grammar.tokens.next;
  if (!grammar.tokens.accept('operator', '-')) return grammar.postfix();
  return ranged(grammar, from, { kind: 'negate', base: grammar.deeper(() => parseTryPart(grammar)) });
}

function parseCall(grammar: Grammar, from: number, name: string): Ast {
  const { tokens, pipe } = grammar;
  const args = tokens.accept('operator', '(') ? separated(grammar, ';', pipe) : [];
  if (args.length > 0) tokens.expect('operator', ')');
  return ranged(grammar, from, { kind: 'call', name, args });
}

const constant =
  (value: boolean | null): Parse =>
  (grammar, from) =>
    ranged(grammar, from, { kind: 'literal', value });

type Parse = (grammar: Grammar, from: number) => Ast;

const KEYWORDS: ReadonlyMap<string, Parse> = new Map<string, Parse>([
  ['null', constant(null)],
  ['true', constant(true)],
  ['false', constant(false)],
  ['if', parseConditional],
  ['reduce', (grammar, from) => parseFold(grammar, from, 'reduce')],
  ['foreach', (grammar, from) => parseFold(grammar, from, 'foreach')],
  ['try', parseTry],
  ['break', (grammar, from) => ranged(grammar, from, { kind: 'break', name: takeVariable(grammar) })],
  ['def', ({ tokens }) => reject(tokens.end, 'def')],
  ['label', ({ tokens }) => reject(tokens.end, 'label')],
]);

/** Words that cannot be the name of a function. */
const RESERVED = ['as', 'then', 'elif', 'else', 'end', 'and', 'or', 'catch', 'import', 'include', 'module', '__loc__'];

function reject(end: number, word: string): never {
  throw new JqSyntaxError(`unexpected '${word}'`, end - word.length, 'put it in brackets');
}

/** Parses a term that begins with a word: a keyword, or a call. */
export function parseWord(grammar: Grammar): Ast {
  const { tokens } = grammar;
  const { text, from } = tokens.next;
  if (RESERVED.includes(text)) throw tokens.unexpected();
  tokens.take();
  return KEYWORDS.get(text)?.(grammar, from) ?? parseCall(grammar, from, text);
}

/** Parses the rest of a binding after its source and `as`. */
export function parseBinding(grammar: Grammar, from: number, source: Ast): Ast {
  const patterns = parsePatterns(grammar);
  grammar.tokens.expect('operator', '|');
  // A binding inside of another one takes the stack of two levels.
  const body = grammar.deeper(grammar.pipe);
  return ranged(grammar, from, { kind: 'bind', source, patterns, body });
}
