import { type Ast, childrenOf } from '../../language/jq/syntax/ast.ts';

/** Functions of jq with any number of results. */
const PLURAL: ReadonlySet<string> = new Set([
  'range',
  'recurse',
  'splits',
  'paths',
  'inputs',
  'limit',
  'repeat',
  'while',
  'scan',
]);

/** Functions of jq with one result, which is never null. */
const NEVER_NULL: ReadonlySet<string> = new Set([
  ...['not', 'has', 'in', 'any', 'all', 'test', 'contains', 'inside', 'startswith', 'endswith', 'isvalid', 'IN'],
  ...['length', 'type', 'isnan', 'isempty', 'tostring', 'tojson', 'keys', 'map', 'ascii_downcase', 'ascii_upcase'],
]);

const COMPUTED: ReadonlySet<string> = new Set(['==', '!=', '<', '<=', '>', '>=', 'and', 'or']);

/** Whether a program may have several results: the elements of `.items[]`, or `.a, .b`. */
export function mayHaveSeveral(ast: Ast): boolean {
  if (ast.kind === 'iterate' || ast.kind === 'comma' || ast.kind === 'recurse' || ast.kind === 'foreach') return true;
  // These collect the results of their parts.
  if (ast.kind === 'array' || ast.kind === 'reduce') return false;
  if (ast.kind === 'call') return PLURAL.has(ast.name);
  return childrenOf(ast).some(mayHaveSeveral);
}

/** Whether a program may have the result null, or none, as far as its text tells. */
export function mayBeNull(ast: Ast): boolean {
  if (ast.kind === 'literal') return ast.value === null;
  if (ast.kind === 'string' || ast.kind === 'array' || ast.kind === 'object')
    return childrenOf(ast).some(mayHaveSeveral);
  if (ast.kind === 'binary') return ast.operator === '//' ? mayBeNull(ast.right) : !COMPUTED.has(ast.operator);
  if (ast.kind === 'pipe') return mayBeNull(ast.right) || mayHaveSeveral(ast.left);
  if (ast.kind === 'call') return !NEVER_NULL.has(ast.name);
  if (ast.kind === 'if') return mayBeNull(ast.then) || ast.otherwise === undefined || mayBeNull(ast.otherwise);
  return true;
}
