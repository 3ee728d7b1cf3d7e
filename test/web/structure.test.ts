import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, test } from 'vitest';
import { type House, parseSources, type Rule } from '../architecture/house.ts';
import { specifiersOf } from '../architecture/imports.ts';
import { RULES } from '../architecture/rules.ts';

const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', 'web'], {
  encoding: 'utf8',
});
const paths = listed.split('\n').filter((path) => existsSync(path));
const code = paths.filter((path) => /\.tsx?$/.test(path));
const styles = paths.filter((path) => path.endsWith('.css'));
const read = (path: string): string => readFileSync(path, 'utf8');

const house: House = {
  sources: parseSources(new Map(code.map((path) => [path, read(path)]))),
  paths,
  guides: new Map(),
  layers: [],
  tables: [],
};

/** The rules of the product that hold here too; the arrows between rooms are below. */
const SAME_RULES = [
  'files do not import each other in a circle',
  'folders do not import each other in a circle',
  'a file has at most 300 lines',
  'a function has at most 50 lines',
  'a class has at most 200 lines',
  'a folder has at most 15 files',
  'no file or folder is a drawer',
  'no file name begins with the name of its folder',
  'the name of an error class ends in Error',
  'no two classes have one name',
  'an exported function or class has a doc comment',
  'a function has at most four positional parameters',
] as const satisfies readonly (keyof typeof RULES)[];

test.each(SAME_RULES)('%s', (name) => {
  const rule: Rule = RULES[name];
  expect(rule(house).map(({ at, why }) => `${at}: ${why}`)).toEqual([]);
});

/** The rooms that each room may import from. */
const ARROWS: Readonly<Record<string, readonly string[]>> = {
  data: [],
  parts: ['data'],
  pages: ['data', 'parts'],
  app: ['data', 'parts', 'pages'],
};

const roomOf = (path: string): string => path.split('/')[1] ?? '';
const pageOf = (path: string): string => path.split('/').slice(0, 3).join('/');

/** Every import of a file, those inside of web/ as paths. */
const imports = house.sources.flatMap((source) =>
  specifiersOf(source).map((name) => ({
    from: source.path,
    to: name.startsWith('.') ? normalize(join(dirname(source.path), name)) : name,
  })),
);
const inner = imports.filter(({ to }) => to.startsWith('web/'));

test('a room imports only the rooms below it, and a page imports nothing of another page', () => {
  const isAllowed = ({ from, to }: (typeof imports)[number]): boolean => {
    if (roomOf(from) === 'pages' && roomOf(to) === 'pages') return pageOf(from) === pageOf(to);
    return roomOf(from) === roomOf(to) || (ARROWS[roomOf(from)] ?? []).includes(roomOf(to));
  };
  expect(inner.filter((one) => !isAllowed(one))).toEqual([]);
});

test('the console imports the client of the API alone of the service, and no package that is not its own', () => {
  const known =
    /^(clients\/api\/[\w-]+\.ts|preact(\/hooks)?|@preact\/signals|@codemirror\/[\w-]+|@lezer\/\w+|@dagrejs\/dagre|uplot|js-yaml|minisearch)$/;
  const outside = imports.filter(({ to }) => !to.startsWith('web/') && !to.startsWith('examples/') && !known.test(to));
  expect(outside).toEqual([]);
});

test('every style is in the list of styles, so that it is loaded', () => {
  const named = [...read('web/style/index.css').matchAll(/@import "([^"]+)"/g)].map(([, name = '']) => name);
  // The documentation has one style of its own.
  const others = styles.filter((path) => path !== 'web/style/index.css' && !path.startsWith('web/site/'));
  expect(named.map((name) => normalize(join('web/style', name))).toSorted()).toEqual(others.toSorted());
});

test('a colour is named by a token, never written where it is used', () => {
  const colour = /#[0-9a-f]{3,8}\b|rgba?\(|hsla?\(|oklch\(/i;
  const others = styles.filter((path) => path !== 'web/style/tokens.css');
  expect(others.filter((path) => colour.test(read(path)))).toEqual([]);
});

test('nothing is put into the page as markup, and no text is run as a script', () => {
  const wrong = /dangerouslySetInnerHTML|innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function/;
  expect(code.filter((path) => wrong.test(read(path)))).toEqual([]);
});
