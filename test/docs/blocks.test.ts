import { existsSync, globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { BLOCKS, type Block, PAGES } from './blocks.ts';
import { FOREIGN } from './commands.ts';
import { EXCEPTIONS, type Exception } from './exceptions.ts';
import { diagramProblems, unitProblems } from './others.ts';
import { missingPython, pythonProblems, typeProblems } from './programs.ts';
import { judgeScript } from './shell.ts';
import { jsonProblem, transcriptProblems } from './transcripts.ts';
import { KINDS, kindOf, yamlProblems } from './workflows.ts';

const fits = ({ page, language, begins = '' }: Exception, block: Block): boolean =>
  block.page === page && (language === undefined || block.language === language) && block.text.startsWith(begins);
const judged = BLOCKS.filter((block) => !EXCEPTIONS.some((one) => fits(one, block)));
const inLanguage = (...languages: readonly string[]) => judged.filter(({ language }) => languages.includes(language));

const listOf = (problem: string | undefined): readonly string[] => (problem === undefined ? [] : [problem]);

/** The judges of one text. */
const JUDGES: Readonly<Record<string, (text: string) => readonly string[]>> = {
  yaml: yamlProblems,
  json: (text) => listOf(jsonProblem(text)),
  text: transcriptProblems,
  indented: transcriptProblems,
  ini: unitProblems,
  mermaid: diagramProblems,
};
/** Those of several blocks at once, in tests of their own. */
const TOGETHER = ['sh', 'ts', 'js', 'python'];

/** The scripts of a page are one: a later block uses what an earlier one sets. */
const scripts = PAGES.map((page) => ({ page, blocks: inLanguage('sh').filter((block) => block.page === page) }))
  .filter(({ blocks }) => blocks.length > 0)
  .map(({ page, blocks }) => ({ page, ...judgeScript(blocks.map(({ text }) => text).join('\n')) }));

describe('a code block of the documents', () => {
  test('has a judge, or a row in the table of exceptions', () => {
    const without = judged.filter(({ language }) => !(language in JUDGES) && !TOGETHER.includes(language));
    expect(without.map(({ page, line, language }) => `${page}:${line} '${language}'`)).toEqual([]);
    expect(judged.length).toBeGreaterThan(180);
  });

  test.each(Object.entries(JUDGES))('in %s is right', (language, judge) => {
    const wrong = inLanguage(language).flatMap(({ page, line, text }) =>
      judge(text).map((problem) => `${page}:${line}: ${problem}`),
    );
    expect(wrong).toEqual([]);
  });

  test('with a script has programs, options, routes and settings that exist', () => {
    expect(scripts.flatMap(({ page, problems }) => problems.map((problem) => `${page}: ${problem}`))).toEqual([]);
  });

  test('in TypeScript or JavaScript has no mistake in its types', async () => {
    expect(await typeProblems(inLanguage('ts', 'js'))).toEqual([]);
  });

  test('in Python compiles, and imports names that the package has', ({ skip }) => {
    const missing = missingPython();
    if (missing !== undefined) skip(missing);
    expect(pythonProblems(inLanguage('python'))).toEqual([]);
  });
});

describe('the tables of the judges', () => {
  test('have no row that no block needs', () => {
    const pairs = EXCEPTIONS.map((one) => ({ one, blocks: BLOCKS.filter((block) => fits(one, block)) }));
    expect(pairs.filter(({ blocks }) => blocks.length === 0)).toEqual([]);
    const kinds = new Set(inLanguage('yaml').map(({ text }) => kindOf(text)));
    expect(Object.keys(KINDS).filter((kind) => !kinds.has(kind))).toEqual([]);
    const programs = new Set(scripts.flatMap((script) => script.programs));
    expect(Object.keys(FOREIGN).filter((program) => !programs.has(program))).toEqual([]);
  });

  test('name tests that read the page', () => {
    const named = EXCEPTIONS.flatMap(({ page, because }) => (typeof because === 'string' ? [{ page, because }] : []));
    const unread = named.filter(({ page, because }) => {
      const files = because.endsWith('.ts') ? [because] : globSync(`${because}/**/*.ts`);
      const [name = '', folder = ''] = page.split('/').toReversed();
      const reads = (text: string) =>
        text.includes(name) || (text.includes(`${folder}/\${name}`) && folder === 'states');
      return !files.some((file) => existsSync(file) && reads(readFileSync(file, 'utf8')));
    });
    expect(unread).toEqual([]);
  });
});

describe('a judge refuses', () => {
  test.each([
    ['a workflow that does not compile', 'states:\n- {id: a, type: dealy}\n', 'unknown-type'],
    [
      'a workflow with a warning',
      'states:\n- {id: a, type: noop, transform: {b: "{{ .c }}"}}\n',
      'query-without-script',
    ],
    ['a state with an unknown field', '- id: a\n  type: noop\n  lgo: b\n', 'unknown-field'],
    ['an action without its function', 'action:\n  input: {a: 1}\n', 'missing-value'],
    ['a file of tests with an unknown field', 'workflow: a.yaml\ncases:\n- {name: a, inptu: 1}\n', 'inptu'],
    ['a mock with an unknown field', 'mocks:\n  bank: {retrun: 1}\n', 'retrun'],
    ['a job with a wrong option', 'jobs:\n  a: {steps: [{run: weft push flows --pruen}]}\n', "no option '--pruen'"],
    [
      'a job with an input that the action lacks',
      'jobs: {a: {steps: [{uses: OWNER/R@1, with: {foldr: a}}]}}\n',
      'foldr',
    ],
    ['another text', 'a: 1\n', 'no row'],
  ])('%s', (_, text, problem) => {
    expect(yamlProblems(text).join('\n')).toContain(problem);
  });

  test.each([
    ['a wrong option', 'weft push flows --pruen', "'push' has no option '--pruen'"],
    ['a wrong verb', 'weft() { npm run -s weft -- "$@"; }\nweft workflows pul', "'workflows' has no 'pul'"],
    ['a script that does not exist', 'npm run relase', "no script 'relase'"],
    ['a wrong option of a script', 'npm run release -- --dryrun', "no option '--dryrun'"],
    ['a setting that does not exist', "npm run cdk -- deploy --all -c 'lamdas=[]'", "'lamdas' is no setting"],
    ['a value that a setting does not take', 'npm run cdk -- deploy -c name=-', 'name is no valid name'],
    ['a path without a route', 'curl -H "Service-Api-Key: $KEY" "$WEFT_URL/api/nmespaces"', 'is no route'],
    [
      'another method',
      'curl -H "Service-Api-Key: $KEY" -X PATCH "$WEFT_URL/api/namespaces/a"',
      'PATCH /api/namespaces/a is no route',
    ],
    [
      'an op that does not exist',
      'curl -H "Service-Api-Key: $KEY" -d {} "$WEFT_URL/api/namespaces/a/tree/b?op=wiat"',
      'tree/b is no route',
    ],
    [
      'a query that the route lacks',
      'curl -H "Service-Api-Key: $KEY" "$WEFT_URL/api/namespaces?filter=a"',
      "query parameter 'filter'",
    ],
    [
      'a body that is no JSON',
      'curl -H "Service-Api-Key: $KEY" -X PATCH "$WEFT_URL/api/namespaces/a/config" -d "{a}"',
      'the body {a}',
    ],
    ['a request without a key', 'curl "$WEFT_URL/api/namespaces"', 'has no key'],
    ['a program of no table', 'wget a', "'wget' is in no table"],
    ['an archive of another version', 'npm install --global release/weft-workflows-0.0.9.tgz', 'another version'],
  ])('%s', (_, script, problem) => {
    expect(judgeScript(script).problems.join('\n')).toContain(problem);
  });

  test.each([
    ['a wrong command below a right one', 'weft jobs          lists them\nweft jobs stpo', "'jobs' has no 'stpo'"],
    ['a request without a route', 'GET /api/nmespaces', 'is no route'],
    [
      'a body that the route does not take',
      'PATCH /api/namespaces/a/config\n{"egress": 1}',
      'does not take {"egress": 1}',
    ],
    [
      'a member that the body has not',
      'POST /api/functions/namespaces/a {"name": "b", "imge": "c"}',
      "no member 'imge'",
    ],
    ['an output alone', 'done', 'begins with no command'],
    ['half of a JSON text', '{"a":', 'JSON'],
  ])('%s', (_, text, problem) => {
    expect(transcriptProblems(text).join('\n')).toContain(problem);
  });

  test('a unit with a wrong line or command, and a diagram with a file that does not exist', () => {
    expect(unitProblems('[Service]\nNoNewPrivileges\nExecStart=/usr/bin/weft synk\n')).toEqual([
      "'NoNewPrivileges' is no line of a unit",
      "no command 'synk'",
    ]);
    expect(diagramProblems('A->>B: lib/api/lambda.ts, lib/api/lamda.ts')).toEqual(['no file lib/api/lamda.ts']);
  });

  test('a program with a mistake', async ({ skip }) => {
    const block = {
      page: 'a.md',
      line: 7,
      language: 'ts',
      text: "import { startWorkr } from 'weft-workflows/worker';\n",
    };
    expect((await typeProblems([block]))[0]).toMatch(/^a\.md-7\.ts.*has no exported member/);
    const missing = missingPython();
    if (missing !== undefined) skip(missing);
    const programs = ['from weft_workflows import Clinet\n', 'def a(:\n'].map((text) => ({ ...block, text }));
    expect(pythonProblems(programs)).toEqual(['a.md:7: no Clinet', expect.stringContaining('a.md:7: invalid syntax')]);
  });
});
