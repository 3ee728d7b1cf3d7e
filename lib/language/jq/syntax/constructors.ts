import type { Ast, MemberAst } from './ast.ts';
import { access, type Grammar, parseGroup, ranged } from './grammar.ts';

/** True if a string is next, also one with a format before it. */
export function isAtString({ tokens }: Grammar): boolean {
  return tokens.isAt('quote') || (tokens.isAt('format') && tokens.isFollowedByString());
}

/** Parses a string with its interpolations, after the format if there is one. */
export function parseString(grammar: Grammar): Ast {
  const { tokens, pipe } = grammar;
  const { from } = tokens.next;
  const format = tokens.isAt('format') ? { format: tokens.take().text } : {};
  tokens.take();
  const parts: (string | Ast)[] = [tokens.take().text];
  while (tokens.accept('open')) {
    parts.push(pipe());
    tokens.expect('close', ')');
    parts.push(tokens.take().text);
  }
  tokens.take();
  return ranged(grammar, from, { kind: 'string', parts: parts.filter((part) => part !== ''), ...format });
}

/** Parses an array construction after its bracket. */
export function parseArray(grammar: Grammar, from: number): Ast {
  const { tokens, pipe } = grammar;
  if (tokens.accept('operator', ']')) return ranged(grammar, from, { kind: 'array' });
  const body = pipe();
  tokens.expect('operator', ']');
  return ranged(grammar, from, { kind: 'array', body });
}

/** Parses an object construction after its bracket. A comma may follow the last member. */
export function parseObject(grammar: Grammar, from: number): Ast {
  const { tokens } = grammar;
  const members: MemberAst[] = [];
  while (!tokens.isAt('operator', '}')) {
    members.push(parseMember(grammar));
    if (!tokens.accept('operator', ',')) break;
  }
  tokens.expect('operator', '}');
  return ranged(grammar, from, { kind: 'object', members });
}

function parseMember(grammar: Grammar): MemberAst {
  const { tokens } = grammar;
  const { kind, text, from, to } = tokens.next;
  if (tokens.accept('operator', '(')) {
    const key = parseGroup(grammar);
    tokens.expect('operator', ':');
    return { key, value: parseMemberValue(grammar) };
  }
  const isString = isAtString(grammar);
  if (!isString && kind !== 'name' && kind !== 'variable') throw tokens.unexpected('expected a key');
  const key: Ast = isString ? parseString(grammar) : textNode(tokens.take().text, from, to);
  const variable: Ast | undefined = kind === 'variable' ? { kind, name: text, from, to } : undefined;
  if (tokens.accept('operator', ':')) return { key: variable ?? key, value: parseMemberValue(grammar) };
  if (variable !== undefined) return { key, value: variable };
  return { key, value: access(grammar, from, { base: { kind: 'identity', from, to: from }, key }) };
}

const textNode = (text: string, from: number, to: number): Ast => ({ kind: 'string', parts: [text], from, to });

/** A member's value ends at a comma. */
function parseMemberValue(grammar: Grammar): Ast {
  const { tokens, memberValue } = grammar;
  const { from } = tokens.next;
  const left = memberValue();
  if (!tokens.accept('operator', '|')) return left;
  return ranged(grammar, from, { kind: 'pipe', left, right: grammar.deeper(() => parseMemberValue(grammar)) });
}
