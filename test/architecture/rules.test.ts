import { expect, test } from 'vitest';
import { type House, parseSources } from './house.ts';
import { RULE_NAMES, RULES, type RuleName } from './rules.ts';

const lines = (count: number, line: string) => `${line}\n`.repeat(count);

/** A house without a fault: it has a map, layers, a table with its rows, and an example for each rule. */
const TEXTS: Readonly<Record<string, string>> = {
  'lib/ports/clock.ts': 'export interface Clock { now(): number }\n',
  'lib/domain/faults.ts': [
    '/** A mistake. */',
    'export class NameError extends Error {}',
    '/** A mistake in a path. */',
    'export class PathError extends NameError {}',
    '/** Four parameters, and 50 lines. */',
    'export function fail(a: 1, b: 2, c: 3, d: 4) {',
    `${lines(48, '  void [a, b, c, d, process.version];')}}\n`,
  ].join('\n'),
  'lib/adapters/clock.ts': `import '@aws-sdk/client-sfn';
import type { Clock } from '../ports/clock.ts';
/** The clock of the machine. */
export const openClock = (): Clock => ({ now: () => Date.now() });\n`,
  'lib/works/index.ts': "import { sleep } from './sleep.ts';\nexport const WORKS = { sleep };\n",
  'lib/works/sleep.ts': `/** Also with overloads, of which the first has the comment. */
export function sleep(): void;
export function sleep(): void {}\n`,
};

const MAP = `# Guide

Names \`lib/ports/clock.ts\`, \`lib/*/clock.ts\`, the route \`/api/x\` and the package \`@aws-sdk/client-sfn\`.

## Map

\`\`\`text
lib/          domain/ ports/ adapters/
lib/works/    its index.ts and its rows
\`\`\`
`;

function build(texts: Readonly<Record<string, string>>, changes: Partial<House> = {}): House {
  return {
    sources: parseSources(new Map(Object.entries(texts))),
    paths: Object.keys(texts),
    guides: new Map([['AGENTS.md', MAP]]),
    layers: [
      { rooms: ['lib/ports', 'lib/domain', 'lib/works'], on: [] },
      { rooms: ['lib/adapters'], on: ['lib/ports'] },
    ],
    tables: ['lib/works/index.ts'],
    ...changes,
  };
}

/** Files that are added to the house, or replace some of it, and the places that the rule then reports. */
interface Plant {
  readonly texts?: Readonly<Record<string, string>>;
  readonly changes?: Partial<House>;
  readonly found: readonly string[];
}

const bigFunction = (head: string) => `${head} {\n${lines(49, '  void 0;')}}`;

const PLANTS: Readonly<Record<RuleName, Plant>> = {
  'a room imports only the rooms that its layer stands on': {
    texts: {
      'lib/domain/static.ts': "import { openClock } from '../adapters/clock.ts';\nvoid openClock;\n",
      'lib/domain/type.ts': "export type Clock = import('../adapters/clock.ts').Clock;\n",
      'lib/domain/deep/dynamic.ts': "void import('../../adapters/clock.ts');\n",
      'lib/domain/passed-on.ts': "export { openClock } from '../adapters/clock.ts';\n",
      'lib/domain/outside.ts': "import '../../test/architecture/rules.ts';\n",
      'lib/domain/beside.ts': "import '../works/sleep.ts';\n",
      'lib/ports/pure/one.ts': "import '../clock.ts';\n",
      'lib/works/below.ts': "import '../ports/clock.ts';\nimport '../domain/deep/dynamic.ts';\n",
    },
    changes: {
      layers: [
        { rooms: ['lib/ports', 'lib/ports/pure'], on: [] },
        { rooms: ['lib/domain'], on: ['lib/ports'] },
        { rooms: ['lib/adapters', 'lib/works'], on: ['lib/domain'] },
      ],
    },
    found: [
      ...['static', 'type', 'deep/dynamic', 'passed-on'].map(
        (name) => `lib/domain/${name}.ts -> lib/adapters/clock.ts`,
      ),
      'lib/domain/outside.ts -> test/architecture/rules.ts',
      'lib/domain/beside.ts -> lib/works/sleep.ts',
      'lib/ports/pure/one.ts -> lib/ports/clock.ts',
    ],
  },
  'layers.ts has a room for each file, and no room or name more than the imports need': {
    texts: { 'lib/events/one.ts': 'export const ONE = 1;\n' },
    changes: {
      layers: [
        { rooms: ['lib/adapters'], on: ['lib/ports'] },
        { rooms: ['lib/ports', 'lib/gone'], on: [] },
        { rooms: ['lib/domain', 'lib/works'], on: ['lib/ports'] },
      ],
    },
    found: ['lib/events/one.ts', 'lib/gone', 'lib/adapters -> lib/ports', 'lib/domain, lib/works -> lib/ports'],
  },
  'files do not import each other in a circle': {
    texts: {
      'lib/domain/a.ts': "import type { B } from './b.ts';\nexport interface A { b: B }\n",
      'lib/domain/b.ts': "export type { C as B } from './c.ts';\n",
      'lib/domain/c.ts': "import type { A } from './a.ts';\nexport interface C { a: A }\n",
    },
    found: ['lib/domain/a.ts, lib/domain/b.ts, lib/domain/c.ts'],
  },
  'folders do not import each other in a circle': {
    texts: {
      'lib/domain/clock.ts': "import '../ports/clock.ts';\n",
      'lib/ports/errors.ts': "import '../domain/faults.ts';\n",
      // No folder of these two imports the other: their parents do.
      'lib/calls/run/one.ts': "import '../../waits/two.ts';\n",
      'lib/waits/two.ts': "import './three.ts';\n",
      'lib/waits/end/four.ts': "import '../../calls/five.ts';\n",
      'lib/calls/five.ts': '',
      // A folder's own files are a part of it.
      'lib/works/pause/long.ts': "import '../sleep.ts';\n",
      'lib/works/sleep.ts': "import './pause/short.ts';\n",
      'lib/works/pause/short.ts': '',
    },
    found: ['lib/domain, lib/ports', 'lib/calls, lib/waits', 'lib/works, lib/works/pause'],
  },
  'a package is imported only in its folders': {
    texts: {
      'lib/domain/s3.ts': "void import('@aws-sdk/client-s3');\n",
      'lib/domain/stack.ts': "import { Stack } from 'aws-cdk-lib';\nvoid Stack;\n",
      'lib/containers/sidecar/line.ts': "import 'node:net';\nimport './other.ts';\nimport 'zod';\n",
    },
    found: [
      'lib/domain/s3.ts imports @aws-sdk/client-s3',
      'lib/domain/stack.ts imports aws-cdk-lib',
      'lib/containers/sidecar/line.ts imports zod',
    ],
  },
  'what a commit owes is delivered in one place': {
    texts: {
      'lib/engine/delivery/deliver.ts': 'export const ended = (token: string) => endTask(token, outboxOf(token));\n',
      'lib/engine/waking.ts': 'export const wake = (given: Given) => given.executions.answer(notifyEnd(given.id));\n',
      'lib/engine/sweep.ts': 'export const sweep = (all: Given) => listeners.removeAll(all);\n',
    },
    changes: { layers: [{ rooms: ['lib/ports', 'lib/domain', 'lib/works', 'lib/engine', 'lib/adapters'], on: [] }] },
    found: [
      'lib/engine/waking.ts calls executions.answer',
      'lib/engine/waking.ts calls notifyEnd',
      'lib/engine/sweep.ts calls listeners.removeAll',
    ],
  },
  'the environment, the clock and random values are used only in their folders': {
    texts: {
      'lib/domain/environment.ts': "export const HOST = process.env['HOST'];\n",
      'lib/domain/imported.ts': "import { env } from 'node:process';\nvoid env;\n",
      'lib/domain/dates.ts': 'export const MADE = { at: new Date(), given: new Date(0), read: Date.now() };\n',
      'lib/domain/ids.ts': 'export const id = () => crypto.randomUUID();\n',
      'lib/domain/dice.ts': "import { randomInt } from 'node:crypto';\nvoid 0;\n",
    },
    found: [
      'lib/domain/environment.ts HOST',
      'lib/domain/imported.ts',
      'lib/domain/dates.ts MADE.at',
      'lib/domain/dates.ts MADE.read',
      'lib/domain/ids.ts id',
      'lib/domain/dice.ts randomInt',
    ],
  },
  'a file has at most 300 lines': {
    texts: { 'lib/domain/full.ts': lines(300, 'void 0;'), 'lib/domain/long.ts': lines(301, 'void 0;') },
    found: ['lib/domain/long.ts'],
  },
  'a function has at most 50 lines': {
    texts: {
      'lib/domain/long.ts': [
        bigFunction('function plain()'),
        bigFunction('const arrow = () =>'),
        `const row = { ${bigFunction('member()')}, value: ${bigFunction('async () =>')} };`,
        `class Kept { ${bigFunction('constructor()')} ${bigFunction('get size(): undefined')} }`,
        `[1].map(${bigFunction('() =>')});`,
        'void [plain, arrow, row, Kept];\n',
      ].join('\n'),
    },
    found: ['plain', 'arrow', 'row.member', 'row.value', 'Kept.constructor', 'Kept.size', '()'].map(
      (place) => `lib/domain/long.ts ${place}`,
    ),
  },
  'a class has at most 200 lines': {
    texts: {
      'lib/domain/classes.ts': `class Full {\n${lines(198, '  // one')}}\nclass Long {\n${lines(199, '  // one')}}\n`,
    },
    found: ['lib/domain/classes.ts Long'],
  },
  'a folder has at most 15 files': {
    texts: Object.fromEntries(
      Array.from({ length: 15 }, (_, index) => `row-${index}`).flatMap((name) => [
        [`lib/domain/${name}.ts`, ''],
        [`lib/full/${name}.ts`, ''],
        [`lib/works/${name}.ts`, ''],
      ]),
    ),
    found: ['lib/domain'],
  },
  'a table folder holds its index and its rows alone': {
    texts: { 'lib/works/loose.ts': '', 'lib/works/parts/loose.ts': '' },
    changes: { tables: ['lib/works/index.ts', 'lib/domain/index.ts'] },
    found: ['lib/works/loose.ts', 'lib/works/parts/loose.ts', 'lib/domain/index.ts'],
  },
  'no file or folder is a drawer': {
    texts: { 'lib/domain/utils.ts': '', 'lib/shared/one.ts': '', 'lib/domain/media-types.ts': '' },
    found: ['lib/domain/utils.ts', 'lib/shared/one.ts'],
  },
  'no file name begins with the name of its folder': {
    texts: { 'lib/works/work-list.ts': '', 'lib/domain/domain-names.ts': '', 'lib/domain/domains.ts': '' },
    found: ['lib/works/work-list.ts', 'lib/domain/domain-names.ts'],
  },
  'a file name stands in at most three folders of lib': {
    texts: Object.fromEntries(
      ['lib/domain', 'lib/ports', 'lib/adapters', 'lib/works', 'bin/cli', 'lib/events'].flatMap((folder) => [
        [`${folder}/events.ts`, ''],
        [folder === 'lib/events' ? 'lib/events/one.ts' : `${folder}/runs.ts`, ''],
      ]),
    ),
    found: ['events.ts in 4 folders'],
  },
  'the name of an error class ends in Error': {
    texts: {
      'lib/domain/refusal.ts':
        'class Refusal extends Error {}\nclass Late extends Refusal {}\nclass Map2 extends Map {}\n',
    },
    found: ['lib/domain/refusal.ts Refusal', 'lib/domain/refusal.ts Late'],
  },
  'no two classes have one name': {
    texts: { 'lib/domain/one.ts': 'class Draft {}\n', 'lib/domain/two.ts': 'export const draft = class Draft {};\n' },
    found: ['Draft'],
  },
  'an exported function or class has a doc comment': {
    texts: {
      'lib/domain/bare.ts': [
        '// No doc comment.',
        'export function plain() {}',
        'export async function* listed() {}',
        'export const arrow = () => 1;',
        'export class Bare {}',
        'export const VALUE = 1;',
        'function inner() {}\nvoid inner;\n',
      ].join('\n'),
    },
    found: ['plain', 'listed', 'arrow', 'Bare'].map((name) => `lib/domain/bare.ts ${name}`),
  },
  'a function has at most four positional parameters': {
    texts: {
      'lib/domain/wide.ts': [
        'function wide(a: 1, b: 2, c: 3, d: 4, e?: 5) {}',
        'class Wide { constructor(a: 1, b: 2, c: 3, d: 4, ...e: 5[]) {} }',
        '[wide, Wide].map((a, b, c, d, e) => 1);\n',
      ].join('\n'),
    },
    found: ['wide', 'Wide.constructor', '()'].map((place) => `lib/domain/wide.ts ${place}`),
  },
  'every path in AGENTS.md and in the README.md of a folder exists': {
    changes: {
      guides: new Map([
        [
          'AGENTS.md',
          `${MAP.replace('domain/ ports/', 'domain/ porches/')}\nSee lib/domain/gone.ts, \`CHANGES.md\` and \`lib/*/faults.mjs\`.\n`,
        ],
        [
          'lib/ports/README.md',
          'See `clock.ts`, `lib/domain/faults.ts`, `../domain/`, `../porches/` and `clocks.ts`.\n',
        ],
      ]),
    },
    found: ['porches/', 'lib/domain/gone.ts', 'CHANGES.md', 'lib/*/faults.mjs', '../porches/', 'clocks.ts'],
  },
  'AGENTS.md has at most 160 lines': {
    changes: { guides: new Map([['AGENTS.md', `${MAP}${lines(160, 'x')}`]]) },
    found: ['AGENTS.md'],
  },
  'the map in AGENTS.md names every folder of two levels, or the folder has a README.md': {
    texts: { 'lib/domain/runs/run.ts': '', 'lib/events/one.ts': '', 'lib/time/one.ts': '' },
    changes: {
      guides: new Map([
        ['AGENTS.md', MAP],
        ['lib/time/README.md', '# Time\n'],
      ]),
    },
    found: ['lib/events/'],
  },
};

test('a house without a fault has no violation', () => {
  const house = build(TEXTS);
  expect(RULE_NAMES.flatMap((name) => RULES[name](house))).toEqual([]);
});

test.each(RULE_NAMES)('a violation is found: %s', (name) => {
  const { texts = {}, changes = {}, found } = PLANTS[name];
  const house = build({ ...TEXTS, ...texts }, changes);
  const places = new Set(RULES[name](house).map(({ at }) => at));
  expect([...places].sort()).toEqual([...found].sort());
});
