import { type Ast, commaParts, literalText } from '../../language/jq/syntax/ast.ts';

type Paths = readonly (readonly string[])[];

/** More paths are not followed: `(.a, .b) | (.a, .b)` has four, and each further pipe doubles them. */
const MAX_PATHS = 100;

/** The paths of literal keys that an expression selects; undefined if they are not known, or too many. */
export function pathsOf(ast: Ast): Paths | undefined {
  if (ast.kind === 'identity') return [[]];
  if (ast.kind === 'access') {
    const [bases, key] = [pathsOf(ast.base), literalText(ast.key)];
    return bases === undefined || key === undefined ? undefined : bases.map((base) => [...base, key]);
  }
  if (ast.kind === 'comma') return bounded(commaParts(ast).map(pathsOf));
  if (ast.kind !== 'pipe') return undefined;
  const [left, right] = [pathsOf(ast.left), pathsOf(ast.right)];
  return left && right && bounded(left.map((one) => right.map((other) => [...one, ...other])));
}

function bounded(parts: readonly (Paths | undefined)[]): Paths | undefined {
  const count = parts.reduce((sum, paths) => sum + (paths?.length ?? Number.POSITIVE_INFINITY), 0);
  return count > MAX_PATHS ? undefined : parts.flatMap((paths) => paths ?? []);
}
