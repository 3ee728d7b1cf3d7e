import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { loadAll } from '../../bin/cli/commands/index.ts';
import { COMMON_OPTIONS, type Command } from '../../bin/cli/shell/command.ts';

const GENERATED = ['docs/api.md', 'docs/command-line.md'];
const pages = [
  'README.md',
  'SECURITY.md',
  'AGENTS.md',
  ...globSync('docs/**/*.md'),
  ...globSync('editors/**/README.md'),
]
  .filter((page) => !page.includes('node_modules'))
  .filter((page) => !GENERATED.includes(page));

/** A command line of a page: in code style, or a line of a block. */
interface Shown {
  readonly page: string;
  readonly text: string;
}

const START = /^(?:[A-Z]+=\$\()?(?:weft|npm run (?:-s )?weft --) (?=[a-z-])/;

function shownIn(page: string): Shown[] {
  const text = readFileSync(page, 'utf8');
  const blocks = [...text.matchAll(/^ *```(?:sh|text)?\n(.*?)^ *```$/gms)].flatMap(([, block = '']) =>
    block.replaceAll('\\\n', ' ').split('\n'),
  );
  const inline = [...text.replace(/^ *```.*?^ *```$/gms, '').matchAll(/`([^`]+)`/g)].map(([, code = '']) =>
    code.replace(/\s+/g, ' '),
  );
  const lines = [...blocks, ...inline].map((line) => line.trim()).filter((line) => START.test(line));
  return lines.map((line) => ({ page, text: line.replace(START, '') }));
}

/** The words of a command line up to its end, a pipe, or the column of its explanation. */
function wordsOf(text: string): string[] {
  const [line = ''] = text.split(/ {2,}|[|;&#>)]/);
  return line.match(/'[^']*'|"[^"]*"|\S+/g) ?? [];
}

/** Why a command line cannot be typed; undefined if it can. */
function problemOf([name = '', ...words]: readonly string[], commands: Readonly<Record<string, Command>>) {
  if (name === 'help' || name.startsWith('-')) return undefined;
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) return `no command '${name}'`;
  const options = Object.entries({ ...command.options, ...COMMON_OPTIONS });
  const isKnown = (flag: string): boolean =>
    options.some(([long, { short }]) => flag === `--${long}` || (short !== undefined && flag === `-${short}`));
  const unknown = words
    .map((word) => word.split('=')[0] ?? '')
    .find((word) => /^--?[a-z]/.test(word) && !isKnown(word));
  if (unknown !== undefined) return `'${name}' has no option '${unknown}'`;
  const [first] = words;
  const isVerb = command.words.length > 0 && first !== undefined && /^[a-z]+$/.test(first);
  return isVerb && !command.words.includes(first) ? `'${name}' has no '${first}'` : undefined;
}

test('a command line in the documents has a command, verbs and options that exist', async () => {
  const commands = await loadAll();
  const shown = pages.flatMap(shownIn);
  expect(shown.length).toBeGreaterThan(80);
  const wrong = shown.flatMap(({ page, text }) => {
    const problem = problemOf(wordsOf(text), commands);
    return problem === undefined ? [] : [`${page}: weft ${text}: ${problem}`];
  });
  expect(wrong).toEqual([]);
});

test.each([
  ['pusch FOLDER', "no command 'pusch'"],
  ['push FOLDER --pruen', "'push' has no option '--pruen'"],
  ['workflows pul --output copy', "'workflows' has no 'pul'"],
  ['workflows pull --output copy', undefined],
])('weft %s is judged', async (text, problem) => {
  expect(problemOf(wordsOf(text), await loadAll())).toBe(problem);
});
