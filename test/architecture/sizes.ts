import { dirname } from 'node:path';
import type { Node } from 'typescript/unstable/ast';
import { isClassLikeDeclaration, isFunctionLikeDeclaration } from 'typescript/unstable/ast/is';
import { type House, linesOf, placeOf, type Violation } from './house.ts';
import { importGraph } from './imports.ts';

const LINES = { file: 300, function: 50, class: 200 };
const FILES_OF_A_FOLDER = 15;

/** Files of more than 300 lines. */
export function longFiles({ sources }: House): Violation[] {
  const lines = sources.map(({ path, text }) => ({ path, count: text.split('\n').length - 1 }));
  const long = lines.filter(({ count }) => count > LINES.file);
  return long.map(({ path, count }) => ({ at: path, why: `${count} lines, at most ${LINES.file}` }));
}

function longNodes({ sources }: House, isMeasured: (node: Node) => boolean, most: number): Violation[] {
  return sources.flatMap((source) =>
    source.nodes
      .filter((node) => isMeasured(node) && linesOf(node, source) > most)
      .map((node) => ({ at: placeOf(node, source), why: `${linesOf(node, source)} lines, at most ${most}` })),
  );
}

/** Functions of more than 50 lines: also methods, arrow functions, accessors and constructors. */
export function longFunctions(house: House): Violation[] {
  return longNodes(house, isFunctionLikeDeclaration, LINES.function);
}

/** Classes of more than 200 lines. */
export function longClasses(house: House): Violation[] {
  return longNodes(house, isClassLikeDeclaration, LINES.class);
}

function filesByFolder({ sources }: House): Map<string, string[]> {
  return Map.groupBy(
    sources.map(({ path }) => path),
    (path) => dirname(path),
  );
}

/** Folders of more than 15 files that are no table. */
export function fullFolders(house: House): Violation[] {
  const folders = [...filesByFolder(house)].filter(
    ([folder]) => !house.tables.some((index) => dirname(index) === folder),
  );
  const full = folders.filter(([, files]) => files.length > FILES_OF_A_FOLDER);
  return full.map(([at, files]) => ({ at, why: `${files.length} files, at most ${FILES_OF_A_FOLDER}` }));
}

/** Files in a table folder, at any depth, that its index does not import, and declared indexes that do not exist. */
export function mixedTables(house: House): Violation[] {
  const imports = importGraph(house);
  return house.tables.flatMap((index) => {
    const rows = imports.get(index);
    if (rows === undefined) return [{ at: index, why: 'the index of a table does not exist' }];
    const inside = house.sources.map(({ path }) => path).filter((path) => path.startsWith(`${dirname(index)}/`));
    const others = inside.filter((path) => path !== index && !rows.includes(path));
    return others.map((at) => ({ at, why: `is no row of ${index}` }));
  });
}
