import { dirname } from 'node:path';
import type { Node } from 'typescript/unstable/ast';
import {
  isCallExpression,
  isIdentifier,
  isImportDeclaration,
  isNewExpression,
  isPropertyAccessExpression,
} from 'typescript/unstable/ast/is';
import { type House, placeOf, type Source, type Violation } from './house.ts';
import { folderGraph, importsOf, specifiersOf } from './imports.ts';

/** Imports between folders that their row in the arrow table does not allow. */
export function forbiddenArrows({ sources, arrows }: House): Violation[] {
  const isAllowed = (from: string, to: string) => from === to || (arrows[from] ?? []).includes(to);
  return sources.flatMap((source) =>
    importsOf(source)
      .filter((target) => !isAllowed(dirname(source.path), dirname(target)))
      .map((target) => ({
        at: `${source.path} -> ${target}`,
        why: `'${dirname(source.path)}' may not import '${dirname(target)}'`,
      })),
  );
}

/** Rows of the arrow table for folders that do not exist, folders without a row, and arrows that no import uses. */
export function staleArrows(house: House): Violation[] {
  const graph = folderGraph(house);
  const rows = Object.entries(house.arrows);
  const uses = new Map(house.sources.map((source) => [source.path, importsOf(source).map(dirname)]));
  const isUsed = (from: string, to: string) =>
    [...uses].some(([path, targets]) => dirname(path) === from && targets.includes(to));
  const missing = [...graph.keys()].filter((folder) => !(folder in house.arrows));
  return [
    ...missing.map((folder) => ({ at: folder, why: 'the folder has no row in arrows.ts' })),
    ...rows.filter(([folder]) => !graph.has(folder)).map(([folder]) => ({ at: folder, why: 'no such folder' })),
    ...rows.flatMap(([from, targets]) =>
      targets
        .filter((to) => graph.has(from) && !isUsed(from, to))
        .map((to) => ({ at: `${from} -> ${to}`, why: 'no import uses this arrow' })),
    ),
  ];
}

/** The only folders that may import a package. */
const PACKAGES: readonly { readonly name: RegExp; readonly folders: readonly string[] }[] = [
  { name: /^@aws-sdk\//, folders: ['lib/adapters'] },
  { name: /^(aws-cdk-lib|cdk-nag|constructs)(\/|$)/, folders: ['cdk'] },
];

/** The only folders that may import nothing but modules of Node and their own files. */
const WITHOUT_PACKAGES = ['clients', 'lib/containers/sidecar'];

const isIn = (folders: readonly string[], path: string) => folders.some((folder) => path.startsWith(`${folder}/`));

/** Packages outside their folders, and packages in the program that runs beside a container, which has none. */
export function misplacedPackages({ sources }: House): Violation[] {
  const isMisplaced = (path: string, name: string) =>
    PACKAGES.some((row) => row.name.test(name) && !isIn(row.folders, path)) ||
    (isIn(WITHOUT_PACKAGES, path) && !/^(node:|\.)/.test(name));
  return sources.flatMap((source) =>
    specifiersOf(source)
      .filter((name) => isMisplaced(source.path, name))
      .map((name) => ({ at: `${source.path} imports ${name}`, why: 'the package belongs to other folders' })),
  );
}

const ENVIRONMENT = ['lib/adapters/aws', 'lib/containers/sidecar', 'bin', 'cdk', 'bench'];
/**
 * A script runs in a thread of its own (lib/language/js), which has no ports and stops itself at its deadline. Programs of
 * users (clients) have no ports either.
 */
const CLOCKS = ['lib/adapters', 'lib/containers/sidecar', 'lib/language/js', 'bin', 'bench', 'clients'];

/** Members of globals that read the clock or make random values. */
const CLOCK_MEMBERS = ['Date.now', 'performance.now', 'process.hrtime', 'Math.random', 'crypto.randomUUID'];
/** Imports that do so, on any object. */
const CLOCK_IMPORTS = ['randomUUID', 'randomBytes', 'randomInt', 'getRandomValues', 'hrtime'];

function isClock(node: Node): boolean {
  if (isPropertyAccessExpression(node)) return CLOCK_MEMBERS.includes(node.getText());
  if (isNewExpression(node)) return node.expression.getText() === 'Date' && (node.arguments ?? []).length === 0;
  if (isCallExpression(node)) return node.expression.getText() === 'Date';
  return isIdentifier(node) && CLOCK_IMPORTS.includes(node.text);
}

function isEnvironment(node: Node): boolean {
  if (isImportDeclaration(node)) return /\{[^}]*\benv\b[^}]*\} from 'node:process'/.test(node.getText());
  return isPropertyAccessExpression(node) && node.getText() === 'process.env';
}

function uses(source: Source, isUse: (node: Node) => boolean, what: string): Violation[] {
  const found = source.nodes.filter(isUse);
  return found.map((node) => ({ at: placeOf(node, source), why: `${what} is used outside its folders` }));
}

/** Uses of the environment, of the clock and of random values outside their folders: elsewhere the ports give them. */
export function misplacedGlobals({ sources }: House): Violation[] {
  return sources.flatMap((source) => [
    ...(isIn(ENVIRONMENT, source.path) ? [] : uses(source, isEnvironment, 'process.env')),
    ...(isIn(CLOCKS, source.path) ? [] : uses(source, isClock, 'the clock or a random value')),
  ]);
}
