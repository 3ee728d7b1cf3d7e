import { readFileSync } from 'node:fs';
import MarkdownIt from 'markdown-it';
import { expect, test } from 'vitest';
import { PAGES } from '../docs/blocks.ts';
import { weftProblem } from '../docs/commands.ts';
import { routeProblem } from '../docs/requests.ts';
import { wordsOf } from '../docs/transcripts.ts';

const COMMAND = /^(?:[A-Z]+=\$\()?(?:weft|npm run (?:-s )?weft --) (?=[a-z-])/;
const REQUEST = /^(GET|PUT|POST|PATCH|DELETE) (\/(?:api|namespaces|instances)\/\S*)/;
/** Written from the tables of commands and routes. */
const GENERATED = ['docs/api.md', 'docs/command-line.md'];

/** Each text in code style in the sentences of the documents. */
const shown = PAGES.filter((page) => !GENERATED.includes(page)).flatMap((page) =>
  new MarkdownIt({ html: true })
    .parse(readFileSync(page, 'utf8'), {})
    .flatMap(({ children }) => children ?? [])
    .filter(({ type }) => type === 'code_inline')
    .map(({ content }) => ({ page, text: content })),
);

// Those in blocks: test/docs/blocks.test.ts.
test('a command line in a sentence of the documents has a command, verbs and options that exist', () => {
  const commands = shown.filter(({ text }) => COMMAND.test(text));
  expect(commands.length).toBeGreaterThan(80);
  const wrong = commands.flatMap(({ page, text }) => {
    const problem = weftProblem(wordsOf(text.replace(COMMAND, '')));
    return problem === undefined ? [] : [`${page}: ${text}: ${problem}`];
  });
  expect(wrong).toEqual([]);
});

test('a request in a sentence of the documents has a route and parameters that exist', () => {
  const requests = shown.filter(({ text }) => REQUEST.test(text) && !text.includes('…'));
  expect(requests.length).toBeGreaterThan(10);
  const wrong = requests.flatMap(({ page, text }) => {
    const [, method = '', path = ''] = REQUEST.exec(text) ?? [];
    const problem = routeProblem(method, path.replace(/^(?!\/api)/, '/api'));
    return problem === undefined ? [] : [`${page}: ${text}: ${problem}`];
  });
  expect(wrong).toEqual([]);
});

test.each([
  ['pusch FOLDER', "no command 'pusch'"],
  ['push FOLDER --pruen', "'push' has no option '--pruen'"],
  ['workflows pul --output copy', "'workflows' has no 'pul'"],
  ['workflows pull --output copy', undefined],
])('weft %s is judged', (text, problem) => {
  expect(weftProblem(wordsOf(text))).toBe(problem);
});
