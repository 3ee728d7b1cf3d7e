import { dirname, join } from 'node:path';
import type { House, Violation } from './house.ts';

/** A row of a map: its path and its text. */
const ROW = /^([\w./-]+)\s+(.*)$/;

/** A path in a guide: a word with a slash in it, or the name of a file. Routes begin with a slash. */
const PATH = /(?<![\w./@'-])(?:(?:\.?[\w-]+|\.\.)\/[\w./*-]*|[\w-]+\.(?:ts|mjs|md|json))(?![\w(])/g;

/** The rows of the maps in a text: the lines of its blocks. */
const rowsOf = (text: string): string[] =>
  [...text.matchAll(/^```text\n(.*?)\n```$/gms)].flatMap(([, block = '']) => block.split('\n'));

/** Whether a path is a file, or the beginning of the paths of files. A `*` stands for any name. */
function exists({ paths }: House, wanted: string): boolean {
  const path = wanted.replace(/[.,:]$/, '');
  const pattern = path.replace(/[.+]/g, '\\$&').replaceAll('*', '[^/]+');
  const file = new RegExp(path.endsWith('/') ? `^${pattern}` : `^${pattern}(/|$)`);
  return paths.some((one) => file.test(one));
}

/** The paths in a line. In a row they may be relative to the folder that it is about, which comes second in `all`. */
function mentionsIn(line: string, isRow: boolean): { path: string; all: string[] }[] {
  const head = isRow ? (ROW.exec(line)?.[1] ?? '') : '';
  const folder = head.endsWith('/') ? head : `${dirname(head)}/`;
  return [...line.matchAll(PATH)].map(([path]) => ({ path, all: [path, `${folder}${path}`] }));
}

/** Paths in AGENTS.md and in the README.md of folders that do not exist, seen from there and from the repository. */
export function missingPaths(house: House): Violation[] {
  return [...house.guides].flatMap(([guide, text]) => {
    const rows = new Set(rowsOf(text));
    const mentions = text.split('\n').flatMap((line) => mentionsIn(line, rows.has(line)));
    const isMissing = (path: string) => !exists(house, path) && !exists(house, join(dirname(guide), path));
    const missing = mentions.filter(({ all }) => all.every(isMissing));
    return missing.map(({ path }) => ({ at: path, why: `${guide} names it, and it does not exist` }));
  });
}

const LINES = 160;

/** AGENTS.md, if it is too long to be read at once. */
export function longGuide({ guides }: House): Violation[] {
  const count = (guides.get('AGENTS.md') ?? '').split('\n').length - 1;
  return count > LINES ? [{ at: 'AGENTS.md', why: `${count} lines, at most ${LINES}` }] : [];
}

/** Folders of the first two levels that no row of the map in AGENTS.md names, and that have no README.md. */
export function unmappedFolders({ guides, sources }: House): Violation[] {
  const rows = rowsOf(guides.get('AGENTS.md') ?? '');
  const named = new Set(rows.flatMap((row) => mentionsIn(row, true)).flatMap(({ all }) => all));
  const folders = [...new Set(sources.map(({ path }) => dirname(path).split('/').slice(0, 2).join('/')))];
  const unmapped = folders.filter((folder) => !named.has(`${folder}/`) && !guides.has(`${folder}/README.md`));
  return unmapped.map((folder) => ({ at: `${folder}/`, why: 'no row of the map, and no README.md' }));
}
