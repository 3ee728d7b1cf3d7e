/** A part of a jq program, from one offset of its text to another. */
interface Range {
  readonly from: number;
  readonly to: number;
}

/** The operators that compute a value from two. */
export type BinaryOperator = '+' | '-' | '*' | '/' | '%' | '==' | '!=' | '<' | '<=' | '>' | '>=' | 'and' | 'or' | '//';

/** The operators that change the input at a path. */
export type UpdateOperator = '=' | '|=' | '+=' | '-=' | '*=' | '/=' | '%=' | '//=';

/** A member of an object construction. */
export interface MemberAst {
  readonly key: Ast;
  readonly value: Ast;
}

/** A pattern of `as`: a variable, an array of patterns, or an object of patterns by their keys. */
export type Pattern =
  | { readonly kind: 'variable'; readonly name: string }
  | { readonly kind: 'array'; readonly items: readonly Pattern[] }
  | {
      readonly kind: 'object';
      readonly members: readonly { readonly key: Ast; readonly variable?: string; readonly pattern?: Pattern }[];
    };

/** The syntax tree of a jq program, as in jq's manual. */
export type Ast = Range &
  (
    | { readonly kind: 'identity' | 'recurse' }
    | { readonly kind: 'literal'; readonly value: number | boolean | null }
    | { readonly kind: 'string'; readonly parts: readonly (string | Ast)[]; readonly format?: string }
    | { readonly kind: 'format'; readonly name: string }
    | { readonly kind: 'access'; readonly base: Ast; readonly key: Ast }
    | { readonly kind: 'slice'; readonly base: Ast; readonly start?: Ast; readonly end?: Ast }
    | { readonly kind: 'iterate' | 'optional' | 'negate'; readonly base: Ast }
    | { readonly kind: 'array'; readonly body?: Ast }
    | { readonly kind: 'object'; readonly members: readonly MemberAst[] }
    | { readonly kind: 'binary'; readonly operator: BinaryOperator; readonly left: Ast; readonly right: Ast }
    | { readonly kind: 'update'; readonly operator: UpdateOperator; readonly left: Ast; readonly right: Ast }
    | { readonly kind: 'pipe' | 'comma'; readonly left: Ast; readonly right: Ast }
    | { readonly kind: 'bind'; readonly source: Ast; readonly patterns: readonly Pattern[]; readonly body: Ast }
    | {
        readonly kind: 'reduce' | 'foreach';
        readonly source: Ast;
        readonly patterns: readonly Pattern[];
        /** The initial value, the update, and the extraction of `foreach`. */
        readonly parts: readonly Ast[];
      }
    | { readonly kind: 'if'; readonly condition: Ast; readonly then: Ast; readonly otherwise?: Ast }
    | { readonly kind: 'try'; readonly body: Ast; readonly handler?: Ast }
    | {
        readonly kind: 'def';
        readonly name: string;
        readonly parameters: readonly string[];
        readonly definition: Ast;
        readonly body: Ast;
      }
    | { readonly kind: 'label'; readonly name: string; readonly body: Ast }
    | { readonly kind: 'break'; readonly name: string }
    | { readonly kind: 'call'; readonly name: string; readonly args: readonly Ast[] }
    | { readonly kind: 'variable'; readonly name: string }
  );

/** The kinds of nodes of a syntax tree. */
export type AstKind = Ast['kind'];

/** The nodes of one kind. */
export type AstOf<K extends AstKind> = Ast extends infer Node
  ? Node extends Ast
    ? K extends Node['kind']
      ? Node
      : never
    : never
  : never;

function keysOf(patterns: readonly Pattern[]): Ast[] {
  return patterns.flatMap((pattern): Ast[] => {
    if (pattern.kind === 'array') return keysOf(pattern.items);
    if (pattern.kind === 'variable') return [];
    return pattern.members.flatMap(({ key, pattern: inner }) => [key, ...(inner === undefined ? [] : keysOf([inner]))]);
  });
}

const present = (...nodes: readonly (Ast | undefined)[]): Ast[] => nodes.filter((node) => node !== undefined);

/** Returns the parts of a list that commas separate. Iterative: a program may list thousands of values. */
export function commaParts(ast: Ast): readonly Ast[] {
  const parts: Ast[] = [];
  let rest = ast;
  for (; rest.kind === 'comma'; rest = rest.left) parts.push(rest.right);
  return [...parts, rest].reverse();
}

/** Returns the nodes directly below a node, in the order of the text; of a list with commas, all its parts. */
export function childrenOf(ast: Ast): readonly Ast[] {
  switch (ast.kind) {
    case 'string':
      return ast.parts.filter((part) => typeof part !== 'string');
    case 'access':
      return [ast.base, ast.key];
    case 'slice':
      return present(ast.base, ast.start, ast.end);
    case 'iterate':
    case 'optional':
    case 'negate':
      return [ast.base];
    case 'array':
      return present(ast.body);
    case 'object':
      return ast.members.flatMap(({ key, value }) => (key === value ? [key] : [key, value]));
    case 'binary':
    case 'update':
    case 'pipe':
      return [ast.left, ast.right];
    case 'comma':
      return commaParts(ast);
    case 'bind':
      return [ast.source, ...keysOf(ast.patterns), ast.body];
    case 'reduce':
    case 'foreach':
      return [ast.source, ...keysOf(ast.patterns), ...ast.parts];
    case 'if':
      return present(ast.condition, ast.then, ast.otherwise);
    case 'try':
      return present(ast.body, ast.handler);
    case 'def':
      return [ast.definition, ast.body];
    case 'label':
      return [ast.body];
    case 'call':
      return ast.args;
    default:
      return [];
  }
}

/** Returns the text of a string literal without interpolation; undefined for any other node. */
export function literalText(ast: Ast): string | undefined {
  if (ast.kind !== 'string' || ast.parts.some((part) => typeof part !== 'string')) return undefined;
  return ast.parts.join('');
}

/** Returns the variables that a pattern binds, without `$`. */
export function variablesOf(pattern: Pattern): string[] {
  if (pattern.kind === 'variable') return [pattern.name];
  if (pattern.kind === 'array') return pattern.items.flatMap(variablesOf);
  return pattern.members.flatMap(({ variable, pattern: inner }) => [
    ...(variable === undefined ? [] : [variable]),
    ...(inner === undefined ? [] : variablesOf(inner)),
  ]);
}
