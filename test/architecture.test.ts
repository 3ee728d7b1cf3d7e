import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ARROWS } from './architecture/arrows.ts';

/** A package or global, and the only places that may use it. */
const ONLY_IN: readonly { what: RegExp; rooms: readonly string[] }[] = [
  { what: /from '@aws-sdk\//, rooms: ['lib/adapters'] },
  { what: /from 'aws-cdk-lib|from 'cdk-nag|from 'constructs/, rooms: ['cdk'] },
  { what: /process\.env/, rooms: ['lib/adapters/aws', 'lib/containers/sidecar', 'bin', 'cdk', 'bench'] },
  {
    what: /Date\.now\(|new Date\(\)|Math\.random\(|randomUUID/,
    rooms: ['lib/adapters', 'lib/containers/sidecar', 'bin', 'bench'],
  },
];

const MOST_LINES_OF_A_FILE = 300;
const MOST_LINES_OF_A_FUNCTION = 50;
const DRAWERS = /(^|\/)(utils?|common|helpers?|shared|misc|types)(\/|\.ts$)/;

const allFiles = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { encoding: 'utf8' })
  .split('\n')
  .filter((file) => existsSync(file));
const files = allFiles.filter((file) => /^(bin|bench|cdk|functions|lib)\/.*\.ts$/.test(file));
const text = new Map(files.map((file) => [file, readFileSync(file, 'utf8')]));

const roomOf = (file: string): string => dirname(file);

function importsOf(file: string): string[] {
  const specifiers = [...(text.get(file) ?? '').matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)];
  return specifiers.map((match) => normalize(join(dirname(file), match[1] ?? '')));
}

function mayImport(file: string, target: string): boolean {
  const [room, other] = [roomOf(file), roomOf(target)];
  return room === other || (ARROWS[room] ?? []).includes(other);
}

function findCycle(): string[] | undefined {
  const state = new Map<string, 'open' | 'done'>();
  const visit = (file: string, path: string[]): string[] | undefined => {
    if (state.get(file) === 'done') return undefined;
    if (state.get(file) === 'open') return [...path, file];
    state.set(file, 'open');
    const cycle = importsOf(file)
      .filter((target) => text.has(target))
      .map((target) => visit(target, [...path, file]))
      .find((found) => found !== undefined);
    state.set(file, 'done');
    return cycle;
  };
  return files.map((file) => visit(file, [])).find((found) => found !== undefined);
}

const FUNCTION_HEAD = /^( {0,2})(?:export )?(?:async )?(?:function\*? \w+|(?:const )?\w+(?: = (?:async )?)?\().*\{$/;

/** Lines of each top-level or class-level function, read from the formatter's fixed indentation. */
function longFunctions(file: string): string[] {
  const lines = (text.get(file) ?? '').split('\n');
  return lines.flatMap((line, start) => {
    const head = FUNCTION_HEAD.exec(line);
    if (head === null || /^\s*(if|for|while|switch|return|describe)\b/.test(line)) return [];
    const end = lines.findIndex((other, index) => index > start && other.startsWith(`${head[1] ?? ''}}`));
    const length = end - start + 1;
    return length > MOST_LINES_OF_A_FUNCTION ? [`${file}:${start + 1} ${length} lines`] : [];
  });
}

describe('the house', () => {
  test('a room imports only what its row in the arrow table names', () => {
    const wrong = files.flatMap((file) =>
      importsOf(file)
        .filter((target) => !mayImport(file, target))
        .map((target) => `${file} -> ${target}`),
    );
    expect(wrong).toEqual([]);
  });

  test('what runs beside a function imports nothing but Node', () => {
    const beside = files.filter((file) => roomOf(file) === 'lib/containers/sidecar');
    expect(beside.length).toBeGreaterThan(5);
    expect(beside.filter((file) => /from '(?!node:|\.)/.test(text.get(file) ?? ''))).toEqual([]);
  });

  test('no file imports itself through others', () => {
    expect(findCycle()).toBeUndefined();
  });

  test('packages, the environment, the clock and chance are used only in their rooms', () => {
    const wrong = ONLY_IN.flatMap(({ what, rooms }) =>
      files.filter((file) => what.test(text.get(file) ?? '') && !rooms.some((room) => file.startsWith(`${room}/`))),
    );
    expect(wrong).toEqual([]);
  });

  test(`no file is longer than ${MOST_LINES_OF_A_FILE} lines and none is a drawer`, () => {
    const long = files.filter((file) => (text.get(file) ?? '').split('\n').length - 1 > MOST_LINES_OF_A_FILE);
    expect([...long, ...files.filter((file) => DRAWERS.test(file))]).toEqual([]);
  });

  test(`no function is longer than ${MOST_LINES_OF_A_FUNCTION} lines`, () => {
    expect(files.flatMap(longFunctions)).toEqual([]);
  });
});

describe('the map in AGENTS.md', () => {
  const map = /^## Map\n\n```text\n(.*?)\n```$/ms.exec(readFileSync('AGENTS.md', 'utf8'))?.[1] ?? '';
  const paths = map.split('\n').map((line) => line.split(' ')[0] ?? '');

  test('names only what is there, a room by a slash at its end', () => {
    expect(paths.length).toBeGreaterThan(20);
    const isThere = (path: string) =>
      allFiles.some((file) => file === path || (/\/$/.test(path) && file.startsWith(path)));
    expect(paths.filter((path) => !isThere(path))).toEqual([]);
  });

  test('names every room', () => {
    const rooms = allFiles.flatMap(
      (file) => /^(?:lib\/adapters\/\w+\/|lib\/(?!adapters)\w+\/|(?!lib\/|\.)\w+\/)/.exec(file) ?? [],
    );
    expect([...new Set(rooms)].filter((room) => !paths.includes(room))).toEqual([]);
  });
});
