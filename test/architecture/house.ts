import type { Node, SourceFile } from 'typescript/unstable/ast';
import {
  isConstructorDeclaration,
  isFunctionLikeDeclaration,
  isPropertyAccessExpression,
  isPropertyAssignment,
  isVariableDeclaration,
} from 'typescript/unstable/ast/is';
import { createVirtualFileSystem } from 'typescript/unstable/fs';
import { API } from 'typescript/unstable/sync';
import type { Layer } from './layers.ts';

/** A source file of the product. `path` is relative to the repository, as are all paths here. */
export interface Source {
  readonly path: string;
  readonly text: string;
  readonly tree: SourceFile;
  /** Every node of the tree, parents first. */
  readonly nodes: readonly Node[];
}

/** The input of the rules. */
export interface House {
  readonly sources: readonly Source[];
  /** Every file of the repository, also those that are no source. */
  readonly paths: readonly string[];
  /** The texts of AGENTS.md and of the README.md of each folder that has one, by their paths. */
  readonly guides: ReadonlyMap<string, string>;
  /** Which rooms may import which, lowest layer first. */
  readonly layers: readonly Layer[];
  /** The indexes of the folders that are tables: an index and its rows, one row a file. */
  readonly tables: readonly string[];
}

/** A place that breaks a rule. `at` has no line numbers, so that it stays the same when other lines change. */
export interface Violation {
  readonly at: string;
  readonly why: string;
}

export type Rule = (house: House) => Violation[];

/**
 * Parses source texts, path to text, with the compiler that also checks the types (TypeScript 7, docs/decisions/039).
 * The texts are given to it as a file system in memory, without libraries and without resolution of imports, so that
 * only the syntax is read.
 */
export function parseSources(texts: ReadonlyMap<string, string>): Source[] {
  const root = '/house';
  const options = { noLib: true, noResolve: true, types: [], allowImportingTsExtensions: true, noEmit: true };
  const project = `${root}/tsconfig.json`;
  const files = Object.fromEntries([...texts].map(([path, text]) => [`${root}/${path}`, text]));
  const config = JSON.stringify({ compilerOptions: options, files: Object.keys(files) });
  const compiler = new API({ cwd: root, fs: createVirtualFileSystem({ ...files, [project]: config }) });
  try {
    const program = compiler.updateSnapshot({ openProjects: [project] }).getProject(project)?.program;
    return [...texts].map(([path, text]) => {
      const tree = program?.getSourceFile(`${root}/${path}`);
      if (tree === undefined) throw new Error(`the compiler did not parse ${path}`);
      return { path, text, tree, nodes: [...nodesOf(tree)] };
    });
  } finally {
    compiler.close();
  }
}

/** A node with all nodes in it, parents first. */
export function* nodesOf(node: Node): Generator<Node> {
  yield node;
  const children: Node[] = [];
  node.forEachChild((child) => {
    children.push(child);
  });
  for (const child of children) yield* nodesOf(child);
}

/** The number of lines of a node, without the comment above it. */
export function linesOf(node: Node, { tree }: Source): number {
  const line = (position: number) => tree.getLineAndCharacterOfPosition(position).line;
  return line(node.getEnd()) - line(node.getStart(tree)) + 1;
}

/** The part of a node in the name of a place: the name of a declaration, `()` for a function without a name. */
function nameOf(node: Node): string | undefined {
  if (isConstructorDeclaration(node)) return 'constructor';
  if (isPropertyAccessExpression(node)) return undefined;
  const name = (node as { readonly name?: Node }).name?.getText();
  if (name !== undefined || !isFunctionLikeDeclaration(node)) return name;
  return isVariableDeclaration(node.parent) || isPropertyAssignment(node.parent) ? undefined : '()';
}

/**
 * A name for a node that stays the same when other lines change: the path of its file, and the names of the
 * declarations around it, from the outside in.
 */
export function placeOf(node: Node, { path }: Pick<Source, 'path'>): string {
  const names: string[] = [];
  for (let at: Node | undefined = node; at !== undefined; at = at.parent) {
    const name = nameOf(at);
    if (name !== undefined) names.unshift(name);
  }
  return `${path} ${names.join('.')}`.trim();
}
