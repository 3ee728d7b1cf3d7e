import type { Ast, AstOf, Pattern } from './ast.ts';
import { parseString } from './constructors.ts';
import { type Grammar, parseGroup, separated } from './grammar.ts';

/** Parses the patterns of `as`: one, or several with `?//` between them. Throws JqSyntaxError. */
export function parsePatterns(grammar: Grammar): readonly Pattern[] {
  return separated(grammar, '?//', () => parsePattern(grammar));
}

function parsePattern(grammar: Grammar): Pattern {
  const { tokens } = grammar;
  if (tokens.isAt('variable')) return { kind: 'variable', name: tokens.take().text };
  if (tokens.accept('operator', '[')) {
    const items = separated(grammar, ',', () => grammar.deeper(() => parsePattern(grammar)));
    tokens.expect('operator', ']');
    return { kind: 'array', items };
  }
  if (!tokens.accept('operator', '{')) throw tokens.unexpected('expected a variable such as $x');
  const members = separated(grammar, ',', () => parseMember(grammar));
  tokens.expect('operator', '}');
  return { kind: 'object', members };
}

function parseMember(grammar: Grammar): AstOfMember {
  const { tokens } = grammar;
  const { kind, text } = tokens.next;
  const key = parseKey(grammar);
  const variable = kind === 'variable' ? { variable: text } : {};
  if (tokens.accept('operator', ':')) return { key, ...variable, pattern: grammar.deeper(() => parsePattern(grammar)) };
  if (kind !== 'variable') throw tokens.unexpected("expected ':'");
  return { key, ...variable };
}

type AstOfMember = Extract<Pattern, { readonly kind: 'object' }>['members'][number];

function parseKey(grammar: Grammar): Ast {
  const { tokens } = grammar;
  if (tokens.isAt('quote')) return parseString(grammar);
  const { kind, text, from, to } = tokens.take();
  if (kind === 'operator' && text === '(') return parseGroup(grammar);
  const key: AstOf<'string'> = { kind: 'string', parts: [text], from, to };
  return key;
}
