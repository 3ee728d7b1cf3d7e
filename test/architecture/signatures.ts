import type { Node } from 'typescript/unstable/ast';
import {
  isArrowFunction,
  isClassDeclaration,
  isFunctionDeclaration,
  isFunctionExpression,
  isFunctionLikeDeclaration,
  isVariableStatement,
} from 'typescript/unstable/ast/is';
import { type House, placeOf, type Violation } from './house.ts';

const MAX_PARAMETERS = 4;

/** Functions, methods and constructors with more than four positional parameters. */
export function longParameterLists({ sources }: House): Violation[] {
  return sources.flatMap((source) =>
    source.nodes
      .filter(isFunctionLikeDeclaration)
      .filter(({ parameters }) => parameters.length > MAX_PARAMETERS)
      .map((node) => ({
        at: placeOf(node, source),
        why: `${node.parameters.length} parameters, at most ${MAX_PARAMETERS}`,
      })),
  );
}

const isExported = (node: Node) =>
  ((node as { readonly modifiers?: readonly Node[] }).modifiers ?? []).some((one) => one.getText() === 'export');

const hasComment = (node: Node) => (node.jsDoc ?? []).length > 0;

/** The declarations of a statement that are functions or classes; a variable may hold a function. */
function documented(statement: Node): Node[] {
  if (isFunctionDeclaration(statement) || isClassDeclaration(statement)) return [statement];
  if (!isVariableStatement(statement)) return [];
  return statement.declarationList.declarations.filter(
    ({ initializer }) =>
      initializer !== undefined && (isArrowFunction(initializer) || isFunctionExpression(initializer)),
  );
}

/** Exported functions and classes without a doc comment. An overload is one function: its first signature has it. */
export function undocumentedExports({ sources }: House): Violation[] {
  return sources.flatMap((source) => {
    const statements = source.tree.statements.filter(isExported);
    const places = statements.flatMap((statement) =>
      documented(statement).map((node) => ({ at: placeOf(node, source), has: hasComment(statement) })),
    );
    const commented = new Set(places.filter(({ has }) => has).map(({ at }) => at));
    const bare = new Set(places.map(({ at }) => at).filter((at) => !commented.has(at)));
    return [...bare].map((at) => ({ at, why: 'an exported function or class has a doc comment' }));
  });
}
