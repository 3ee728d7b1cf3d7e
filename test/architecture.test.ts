import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type House, parseSources } from './architecture/house.ts';
import { EXCEPTIONS, KNOWN } from './architecture/known.ts';
import { LAYERS } from './architecture/layers.ts';
import { RULE_NAMES, RULES } from './architecture/rules.ts';

/** The files of web/ have rules of their own: test/web/structure.test.ts. */
const SOURCE = /^(bin|bench|cdk|clients|functions|lib)\/.*\.ts$/;

const GUIDE = /^(AGENTS\.md|(bin|cdk|functions|lib)\/.*README\.md)$/;

/** Made by `npm run docs`; its size is that of the API. */
const GENERATED = 'clients/api/operations.ts';

/** Folders with one row a file; each `index.ts` is the table. */
const TABLES = [
  'bin/cli/commands/index.ts',
  'lib/api/registry/routes/index.ts',
  'lib/compiler/states/index.ts',
  'lib/engine/step/works/index.ts',
  'lib/ports/ports.ts',
  'lib/lint/rules/index.ts',
];

function readHouse(): House {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { encoding: 'utf8' });
  const paths = listed.split('\n').filter((path) => existsSync(path));
  const guides = paths.filter((path) => GUIDE.test(path));
  const sources = paths.filter((path) => SOURCE.test(path) && path !== GENERATED);
  return {
    sources: parseSources(new Map(sources.map((path) => [path, readFileSync(path, 'utf8')]))),
    paths,
    guides: new Map(guides.map((path) => [path, readFileSync(path, 'utf8')])),
    layers: LAYERS,
    tables: TABLES,
  };
}

const house = readHouse();

test('the rules read the whole product', () => {
  expect(house.sources.length).toBeGreaterThan(500);
});

test.each(RULE_NAMES)('%s', (name) => {
  const [known, excepted] = [KNOWN[name] ?? [], Object.keys(EXCEPTIONS[name] ?? {})];
  const violations = RULES[name](house);
  const found = new Set(violations.map(({ at }) => at));
  expect({
    violations: violations
      .filter(({ at }) => !known.includes(at) && !excepted.includes(at))
      .map(({ at, why }) => `${at}: ${why}`),
    'no longer violations: delete them from test/architecture/known.ts': [...known, ...excepted].filter(
      (at) => !found.has(at),
    ),
  }).toEqual({ violations: [], 'no longer violations: delete them from test/architecture/known.ts': [] });
});
