import type { Ast } from './ast.ts';
import { isAtString, parseArray, parseObject, parseString } from './constructors.ts';
import { access, type Grammar, parseGroup, ranged } from './grammar.ts';
import { parseWord } from './keywords.ts';

/** Parses a term with the members, indices and `?` that follow it. */
export function parsePostfix(grammar: Grammar): Ast {
  const { tokens } = grammar;
  const { from } = tokens.next;
  let base = parseTerm(grammar);
  // In `(.a[].b)?` an error ends all outputs, in `.a[].b?` only its own.
  const group = base.from > from ? base : undefined;
  for (;;) {
    if (tokens.isAt('field')) base = access(grammar, from, { base, key: fieldKey(grammar) });
    else if (tokens.accept('operator', '?'))
      base = ranged(grammar, from, base === group ? { kind: 'try', body: base } : { kind: 'optional', base });
    else if (tokens.accept('operator', '[')) base = parseIndex(grammar, from, base);
    else if (tokens.accept('operator', '.')) base = parseDotted(grammar, from, base);
    else return base;
  }
}

/** Parses the string or the index after a dot behind a term. */
function parseDotted(grammar: Grammar, from: number, base: Ast): Ast {
  const { tokens } = grammar;
  if (tokens.accept('operator', '[')) return parseIndex(grammar, from, base);
  if (!isAtString(grammar)) throw tokens.unexpected('expected a name right behind the dot');
  return access(grammar, from, { base, key: parseString(grammar) });
}

function fieldKey({ tokens }: Grammar): Ast {
  const { text, from, to } = tokens.take();
  return { kind: 'string', parts: [text], from: from + 1, to };
}

function parseIndex(grammar: Grammar, from: number, base: Ast): Ast {
  const { tokens, pipe } = grammar;
  if (tokens.accept('operator', ']')) return ranged(grammar, from, { kind: 'iterate', base });
  if (tokens.accept('operator', ':')) return parseSliceEnd(grammar, from, { base });
  const key = pipe();
  if (tokens.accept('operator', ':')) return parseSliceEnd(grammar, from, { base, start: key });
  tokens.expect('operator', ']');
  return access(grammar, from, { base, key });
}

function parseSliceEnd(grammar: Grammar, from: number, begin: { readonly base: Ast; readonly start?: Ast }): Ast {
  const { tokens, pipe } = grammar;
  const end = begin.start !== undefined && tokens.isAt('operator', ']') ? undefined : pipe();
  tokens.expect('operator', ']');
  return ranged(grammar, from, { kind: 'slice', ...begin, ...(end && { end }) });
}

function parseTerm(grammar: Grammar): Ast {
  const { tokens } = grammar;
  const { kind, text, from } = tokens.next;
  if (isAtString(grammar)) return parseString(grammar);
  if (kind === 'name') return parseWord(grammar);
  if (kind === 'operator') return parseSymbol(grammar, from, text);
  if (kind === 'end' || kind === 'close') throw tokens.unexpected();
  if (kind === 'field') {
    const base: Ast = { kind: 'identity', from, to: from + 1 };
    return access(grammar, from, { base, key: fieldKey(grammar) });
  }
  tokens.take();
  if (kind === 'number') return ranged(grammar, from, { kind: 'literal', value: Number(text) });
  return ranged(grammar, from, { kind: kind === 'format' ? 'format' : 'variable', name: text });
}

function parseSymbol(grammar: Grammar, from: number, text: string): Ast {
  const { tokens } = grammar;
  if (!['.', '..', '(', '[', '{'].includes(text)) throw tokens.unexpected();
  tokens.take();
  if (text === '..') return ranged(grammar, from, { kind: 'recurse' });
  if (text === '(') return parseGroup(grammar);
  if (text === '{') return parseObject(grammar, from);
  if (text === '[') return parseArray(grammar, from);
  const base = ranged(grammar, from, { kind: 'identity' });
  return isAtString(grammar) ? access(grammar, from, { base, key: parseString(grammar) }) : base;
}
