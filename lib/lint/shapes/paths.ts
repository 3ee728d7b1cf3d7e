import { type Ast, literalText } from '../../language/jq/syntax/ast.ts';

/** The paths of literal keys that an expression selects; undefined if they are not known. */
export function pathsOf(ast: Ast): readonly (readonly string[])[] | undefined {
  if (ast.kind === 'identity') return [[]];
  if (ast.kind === 'access') {
    const [bases, key] = [pathsOf(ast.base), literalText(ast.key)];
    return bases === undefined || key === undefined ? undefined : bases.map((base) => [...base, key]);
  }
  const sides = ast.kind === 'comma' || ast.kind === 'pipe' ? [pathsOf(ast.left), pathsOf(ast.right)] : [];
  const [left, right] = sides;
  if (left === undefined || right === undefined) return undefined;
  return ast.kind === 'comma' ? [...left, ...right] : left.flatMap((one) => right.map((other) => [...one, ...other]));
}
