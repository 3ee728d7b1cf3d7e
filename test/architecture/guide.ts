import { dirname } from 'node:path';
import type { House, Violation } from './house.ts';

/** A row of the map: its path and its text. */
const ROW = /^([\w./-]+)\s+(.*)$/;

/** A path in the guide: a word with a slash in it, or the name of a file. Routes begin with a slash. */
const PATH = /(?<![\w./@'-])(?:\.?[\w-]+\/[\w./*-]*|[\w-]+\.(?:ts|mjs|md|json))(?![\w(])/g;

const mapOf = ({ guide }: House): string[] =>
  (/^## Map\n\n```text\n(.*?)\n```$/ms.exec(guide)?.[1] ?? '').split('\n').filter((line) => line !== '');

/** Whether a path is that of a file, or begins those of files. A `*` stands for any name. */
function exists({ paths }: House, wanted: string): boolean {
  const path = wanted.replace(/[.,:]$/, '');
  const pattern = path.replace(/[.+]/g, '\\$&').replaceAll('*', '[^/]+');
  const file = new RegExp(path.endsWith('/') ? `^${pattern}` : `^${pattern}(/|$)`);
  return paths.some((one) => file.test(one));
}

interface Mention {
  readonly path: string;
  /** The folder that the path may also be relative to: that of the row in the map. */
  readonly folder: string;
}

function mentionsIn(line: string, isRow: boolean): Mention[] {
  const head = isRow ? (ROW.exec(line)?.[1] ?? '') : '';
  const folder = head.endsWith('/') ? head : `${dirname(head)}/`;
  return [...line.matchAll(PATH)].map(([path]) => ({ path, folder }));
}

/** Paths in AGENTS.md that do not exist. A row of the map may name paths relative to the folder that it is about. */
export function missingPaths(house: House): Violation[] {
  const rows = new Set(mapOf(house));
  const mentions = house.guide.split('\n').flatMap((line) => mentionsIn(line, rows.has(line)));
  const missing = mentions.filter(({ path, folder }) => !exists(house, path) && !exists(house, `${folder}${path}`));
  return missing.map(({ path }) => ({ at: path, why: 'AGENTS.md names it, and it does not exist' }));
}

/** Folders with source files that the map in AGENTS.md does not name, in a row of theirs or in that of a folder above. */
export function unmappedFolders(house: House): Violation[] {
  const mentions = mapOf(house).flatMap((row) => mentionsIn(row, true));
  const named = new Set(mentions.flatMap(({ path, folder }) => [path, `${folder}${path}`]));
  const folders = [...new Set(house.sources.map(({ path }) => `${dirname(path)}/`))];
  return folders.filter((folder) => !named.has(folder)).map((at) => ({ at, why: 'the map in AGENTS.md lacks it' }));
}
