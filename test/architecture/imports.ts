import { dirname, join, normalize } from 'node:path';
import type { Node } from 'typescript/unstable/ast';
import {
  isCallExpression,
  isExportDeclaration,
  isImportDeclaration,
  isImportTypeNode,
  isLiteralTypeNode,
  isStringLiteral,
} from 'typescript/unstable/ast/is';
import type { House, Source } from './house.ts';

function specifierOf(node: Node): Node | undefined {
  if (isImportDeclaration(node) || isExportDeclaration(node)) return node.moduleSpecifier;
  if (isImportTypeNode(node) && isLiteralTypeNode(node.argument)) return node.argument.literal;
  // `import(…)`: the callee is the keyword.
  if (isCallExpression(node) && node.expression.getText() === 'import') return node.arguments[0];
  return undefined;
}

/** The specifiers of a file, as written: static, dynamic and type imports, and exports from another file. */
export function specifiersOf({ nodes }: Source): string[] {
  const found = nodes.map(specifierOf);
  return found.flatMap((node) => (node !== undefined && isStringLiteral(node) ? [node.text] : []));
}

/** The paths of the files of the repository that a file imports. */
export function importsOf(source: Source): string[] {
  const relative = specifiersOf(source).filter((specifier) => specifier.startsWith('.'));
  return [...new Set(relative.map((specifier) => normalize(join(dirname(source.path), specifier))))];
}

/** Each file with the source files that it imports. */
export function importGraph({ sources }: House): Map<string, readonly string[]> {
  const paths = new Set(sources.map(({ path }) => path));
  return new Map(sources.map((source) => [source.path, importsOf(source).filter((path) => paths.has(path))]));
}
