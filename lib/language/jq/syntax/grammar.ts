import type { Ast } from './ast.ts';
import type { TokenStream } from './token-stream.ts';

/** The parsers of the parts of a program, which call each other. Each throws JqSyntaxError. */
export interface Grammar {
  readonly tokens: TokenStream;
  /** Calls a parser that may call itself. Throws JqSyntaxError for a program that is nested too deeply. */
  readonly deeper: <T>(parse: () => T, units?: number) => T;
  /** An expression with pipes. */
  readonly pipe: () => Ast;
  /** An expression without pipes and commas. */
  readonly operation: () => Ast;
  /** An operation that binds no variable. */
  readonly memberValue: () => Ast;
  /** A term with its suffixes: members, indices, `?`. */
  readonly postfix: () => Ast;
}

type Node<T> = T & { readonly from: number; readonly to: number };

/** Returns the node with its range, which ends at the last token that was read. */
export function ranged<const T extends object>({ tokens }: Grammar, from: number, node: T): Node<T> {
  return { ...node, from, to: tokens.end };
}

/** The access to a member of a base. */
export function access(grammar: Grammar, from: number, parts: { readonly base: Ast; readonly key: Ast }): Ast {
  return ranged(grammar, from, { kind: 'access', ...parts });
}

/** Parses the expression after an opening bracket, and the closing one. */
export function parseGroup({ tokens, pipe }: Grammar): Ast {
  const inner = pipe();
  tokens.expect('operator', ')');
  return inner;
}

/** Consumes a variable and returns its name, without `$`. */
export function takeVariable({ tokens }: Grammar): string {
  if (!tokens.isAt('variable')) throw tokens.unexpected('expected a variable such as $x');
  return tokens.take().text;
}

/** Parses one part or several, with a separator between them. */
export function separated<T>({ tokens }: Grammar, separator: string, parse: () => T): T[] {
  const parts = [parse()];
  while (tokens.accept('operator', separator)) parts.push(parse());
  return parts;
}
