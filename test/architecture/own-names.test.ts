import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { misreadNames } from './own-names.ts';

/** The interpreter of definitions, whose names are those of the compiler. */
const INTERPRETER = /^lib\/adapters\/local\/interpreter\//;

const PRODUCT = ['bin/cli', 'bin/server', 'functions', 'lib'];

/** Files with names that users do not choose, and what they name. */
const OURS: Readonly<Record<string, string>> = {
  'lib/adapters/aws/table/item-reader.ts': 'tables of the installation',
  'lib/adapters/aws/table/throttles.ts': 'indexes and their attributes',
  'lib/adapters/local/changes.ts': 'attributes of indexes',
  'lib/adapters/local/database/compaction.ts': 'pragmas of SQLite',
  'lib/adapters/local/table/items.ts': 'paths that `toStored` found in the item',
  'lib/adapters/local/table/reader.ts': 'attributes of indexes',
  'lib/adapters/local/table/rows.ts': 'attributes of indexes',
  'lib/adapters/local/table/schema.ts': 'indexes',
  'lib/adapters/portable/otlp-settings.ts': 'variables of the environment',
  'lib/compiler/emit/machine-builder.ts': 'states that the plan or the machine has',
  'lib/domain/runs/places.ts': 'properties of a run as they are stored',
  'lib/domain/runs/records.ts': 'properties of a step as they are stored',
  'lib/language/jq/subset/values/order.ts': 'types',
  'lib/language/jq/subset/values/paths.ts': 'a key that is deleted, which changes own members alone',
  'lib/language/json.ts': 'the keys of a frame, which are those of its members',
};

const fileOf = ({ at }: { readonly at: string }): string => at.split(' ')[0] ?? '';

test('no object is read by a name that it may have inherited, and no map becomes a text', { timeout: 60_000 }, () => {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', ...PRODUCT]);
  const paths = `${listed}`
    .split('\n')
    .filter((path) => path.endsWith('.ts') && !INTERPRETER.test(path) && existsSync(path));
  expect(paths.length).toBeGreaterThan(400);
  const found = misreadNames(paths);
  expect(found.filter((one) => !Object.hasOwn(OURS, fileOf(one)))).toEqual([]);
  const files = new Set(found.map(fileOf));
  expect(Object.keys(OURS).filter((file) => !files.has(file))).toEqual([]);
});

/** Functions of these parameters, each with what it does; the names say whether it is a violation. */
const PLANTS = `
interface Counts { [name: string]: number }
type Json = string | number | null | readonly Json[] | { readonly [name: string]: Json };
declare const Object: any; declare const String: any; declare const sortedKeys: any;
const TABLE: Counts = { one: 1 };
export const wrongRead = (counts: Counts, name: string) => counts[name];
export const wrongTable = (word: string) => TABLE[word];
export const wrongIn = (counts: Counts, name: string) => name in counts;
export function wrongWrite(name: string) { const made: Counts = {}; made[name] = 1; return made; }
export const wrongText = (value: Json) => String(value);
export const wrongPart = (value: unknown) => \`\${value}\`;
export const rightLiteral = (counts: Counts) => counts['one'];
export const rightUnion = (counts: Counts, name: 'one' | 'two') => counts[name];
export const rightList = (list: number[], index: number) => list[index];
export const rightTest = (counts: Counts, name: string) => (Object.hasOwn(counts, name) ? counts[name] : 0);
export const rightKeys = (counts: Counts) => sortedKeys(counts).map((name: string) => counts[name]);
export function rightBare(name: string) { const made: Counts = Object.create(null); made[name] = 1; return made; }
export const rightIn = (counts: Counts) => 'one' in counts;
export const rightText = (value: string | number) => String(value) + \`\${value}\`;
export const rightError = (error: unknown) => String(error);
`;

test('a violation is found: a name that an object may have inherited, and a map that becomes a text', () => {
  const found = misreadNames(['lib/plants.ts'], { 'lib/plants.ts': PLANTS }).map(({ at }) => at.split(/[ .]/)[2]);
  const wrong = ['wrongRead', 'wrongTable', 'wrongIn', 'wrongWrite', 'wrongText', 'wrongPart'];
  expect(new Set(found)).toEqual(new Set(wrong));
});
