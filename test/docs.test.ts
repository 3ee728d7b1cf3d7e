import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { DEADLINE_MS } from '../lib/adapters/local/texts/threads.ts';
import { MAX_ELEMENTS } from '../lib/compiler/decoding/decoders.ts';
import { LANGUAGE } from '../lib/compiler/document.ts';
import { MAX_PARTS } from '../lib/compiler/sections.ts';
import { MAX_VALUE_BYTES } from '../lib/domain/credentials/secrets.ts';
import { MAX_EVENT_BYTES } from '../lib/domain/events/events.ts';
import { MAX_SCRIPT_BYTES } from '../lib/domain/events/filters.ts';
import { MAX_FLOW, RETENTION_DAYS } from '../lib/domain/runs/runs.ts';
import { MAX_INLINE, MAX_INLINE_SCHEMA } from '../lib/domain/tree/reading.ts';
import { MAX_PATTERN as MAX_CODE_PATTERN } from '../lib/language/patterns.ts';
import { MAX_PROBLEMS } from '../lib/language/problem.ts';
import { MAX_PATTERN as MAX_SCHEMA_PATTERN } from '../lib/language/schemas/regexps.ts';
import { MAX_SCRIPT } from '../lib/language/scripts/scripts.ts';
import { MAX_DEPTH } from '../lib/language/yaml/events.ts';

const GENERATED = ['docs/api.md', 'docs/command-line.md', 'docs/lint.md'];
const pages = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'AGENTS.md', ...globSync('docs/**/*.md')];

/** The text of a page without its code blocks. */
const proseOf = (page: string): string => readFileSync(page, 'utf8').replace(/^ *```.*?^ *```$/gms, '');

/** The anchors of a page, as GitHub makes them of its headings. */
function anchorsOf(page: string): string[] {
  const headings = [...proseOf(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading);
  const toAnchor = (heading: string) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-');
  return headings.map(toAnchor);
}

test('a link in the documents leads to a file that exists, and to a heading in it', () => {
  const broken = pages.flatMap((page) => {
    const links = [...proseOf(page).matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)/g)];
    const wrong = links.filter(([, path = '', anchor]) => {
      const target = path === '' ? page : join(dirname(page), path);
      return !existsSync(target) || (anchor !== undefined && !anchorsOf(target).includes(anchor));
    });
    return wrong.map(([link]) => `${page} ${link}`);
  });
  expect(broken).toEqual([]);
});

test('a path in code style in the documents exists', () => {
  const missing = pages.flatMap((page) => {
    const paths = [...proseOf(page).matchAll(/`((?:bench|bin|cdk|functions|lib|test)\/[^`\s]+)`/g)];
    const names = paths.map(([, path = '']) => path.replace(/<\w+>/g, '*'));
    return names.filter((path) => globSync(path).length === 0).map((path) => `${page} ${path}`);
  });
  // A path in an image.
  expect(missing.filter((one) => !one.endsWith(' lib/ld-musl-*'))).toEqual([]);
});

test('docs/README.md is an index of all pages', () => {
  const index = readFileSync('docs/README.md', 'utf8');
  const listed = [...index.matchAll(/\]\(([^)#]+)\)/g)].map(([, path = '']) => join('docs', path));
  const top = globSync('docs/*.md').filter((page) => page !== 'docs/README.md');
  expect(top.filter((page) => !listed.includes(page))).toEqual([]);
});

test('a page says in its first paragraph what it is for, and in its last one what to read next', () => {
  const all = globSync('docs/{*,states/*}.md').filter((page) => page !== 'docs/README.md');
  const wrong = all.flatMap((page) => {
    const text = readFileSync(page, 'utf8');
    const next = text.split(/^(?:## Next$|\*\*Next:\*\* )/m)[1] ?? '';
    return [
      ...(/^# .+\n\n[A-Z`][^\n]{25}/.test(text) ? [] : [`${page} has no purpose below its title`]),
      ...(next.includes('](') && !/^#/m.test(next) ? [] : [`${page} does not end with what to read next`]),
    ];
  });
  expect(all.length).toBeGreaterThan(50);
  expect(wrong).toEqual([]);
});

test('docs/README.md begins with an index by task', () => {
  const [, table = ''] =
    /\n\| I want to … \| \|\n\|---\|---\|\n([\s\S]*?)\n\n/.exec(readFileSync('docs/README.md', 'utf8')) ?? [];
  for (const task of ['call an API', 'wait', 'test', 'debug a failure', 'limit concurrency', 'move from Direktiv']) {
    expect(table).toMatch(new RegExp(`^\\| ${task}\\b.*\\]\\(`, 'm'));
  }
});

test('docs/decisions/README.md is an index of all decisions, in the groups of their subjects', () => {
  const index = readFileSync('docs/decisions/README.md', 'utf8');
  const listed = [...index.matchAll(/^\| \[(\d+)\]\((\d{3})-[\w-]+\.md\) \|/gm)].map(([, short = '', long]) => {
    expect(long).toBe(short.padStart(3, '0'));
    return long;
  });
  const numbers = globSync('docs/decisions/[0-9]*.md').map((page) => page.slice('docs/decisions/'.length).slice(0, 3));
  expect(listed.toSorted()).toEqual(numbers.toSorted());
});

test('there are at most 45 decisions, each of at most 40 lines', () => {
  const decisions = globSync('docs/decisions/[0-9]*.md');
  expect(decisions.length).toBeLessThanOrEqual(45);
  expect(decisions.filter((page) => readFileSync(page, 'utf8').trimEnd().split('\n').length > 40)).toEqual([]);
});

test('a decision that the code names exists', () => {
  const sources = globSync('{bench,bin,cdk,clients,functions,lib,test,web}/**/*.ts');
  const missing = sources.flatMap((file) => {
    const names = [...readFileSync(file, 'utf8').matchAll(/\bdecisions?[ /](\d{1,3})\b/g)];
    const numbers = names.map(([, number = '']) => number.padStart(3, '0'));
    const isMissing = (number: string) => globSync(`docs/decisions/${number}-*.md`).length === 0;
    return numbers.filter(isMissing).map((number) => `${file} ${number}`);
  });
  expect(missing).toEqual([]);
});

// A sentence in plain technical English has a thing as its subject (CONTRIBUTING.md).
test('the documents name things, not nameless persons', () => {
  const found = pages
    .filter((page) => !GENERATED.includes(page))
    .flatMap((page) => {
      const words = proseOf(page)
        .replace(/`[^`]*`/g, '')
        .match(/\b(somebody|nobody|whoever|everybody|tells?|told)\b/gi);
      return (words ?? []).map((word) => `${page} ${word}`);
    });
  expect(found).toEqual([]);
});

test('docs/limits.md has the limits of the code', () => {
  const page = readFileSync('docs/limits.md', 'utf8');
  const limitOf = (limit: string): string => page.split(`| ${limit} |`)[1]?.split('|')[0]?.trim() ?? '';
  expect(limitOf('a secret')).toBe(`${MAX_VALUE_BYTES / 1024} KiB`);
  expect(limitOf('an event')).toBe(`${MAX_EVENT_BYTES / 1024 ** 2} MiB`);
  expect(limitOf('an event filter')).toMatch(new RegExp(`^${MAX_SCRIPT_BYTES / 1024} KiB`));
  expect(limitOf('states listed in `flow` of an instance')).toMatch(`${MAX_FLOW.toLocaleString('en')},`);
  expect(limitOf('a finished run with its log and output')).toBe(`kept for ${RETENTION_DAYS} days`);
  expect(limitOf('problems reported for one workflow')).toBe(String(MAX_PROBLEMS));
  expect(limitOf('nesting of the YAML')).toBe(`${MAX_DEPTH} levels`);
  const count = (limit: number): string => limit.toLocaleString('en');
  expect(limitOf('states; functions')).toBe(`${count(MAX_PARTS.state)}; ${count(MAX_PARTS.function)}`);
  expect(page).toMatch(new RegExp(`\\| elements of a list of the language.*\\| ${count(MAX_ELEMENTS)} \\|`));
  expect(limitOf('one script (jq or JavaScript) in the text')).toBe(
    `${count(MAX_SCRIPT.characters)} characters, ${count(MAX_SCRIPT.levels)} brackets in each other`,
  );
  expect(limitOf('a pattern of `catch` or `retries.codes`')).toMatch(`${count(MAX_CODE_PATTERN)} parts,`);
  expect(limitOf('a `pattern` in a JSON Schema')).toMatch(`${count(MAX_SCHEMA_PATTERN)} parts,`);
  const read = `reading a text of more than ${count(MAX_INLINE)} characters, ${count(MAX_INLINE_SCHEMA)} with a JSON Schema, or with an anchor of YAML (only \`npm start\`)`;
  expect(limitOf(read)).toMatch(`${DEADLINE_MS / 1000} s,`);
});

test('docs/states/README.md has each field at the top of a workflow', () => {
  const [, table = ''] =
    /\n## Fields of a workflow\n([\s\S]*?)\n## /.exec(readFileSync('docs/states/README.md', 'utf8')) ?? [];
  const cells = [...table.matchAll(/^\| (`[^|]+`) \|/gm)].map(([, cell = '']) => cell);
  const fields = cells.flatMap((cell) => [...cell.matchAll(/`(\w+)`/g)].map(([, field]) => field));
  expect(fields.toSorted()).toEqual(Object.keys(LANGUAGE.fields).toSorted());
});

test('docs/threads.md says for each thing that a commit owes what repeats it after a crash', () => {
  const kinds = [...readFileSync('lib/engine/delivery/outbox.ts', 'utf8').matchAll(/\| \{ readonly do: '(\w+)'/g)];
  const [, table = ''] =
    /\n## What a commit owes[^\n]*\n([\s\S]*?)\n## /.exec(readFileSync('docs/threads.md', 'utf8')) ?? [];
  const rows = [...table.matchAll(/^\| `(\w+)` \|/gm)];
  expect(rows.map(([, kind]) => kind).toSorted()).toEqual(kinds.map(([, kind]) => kind).toSorted());
  expect(kinds.length).toBeGreaterThan(5);
});
