import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { lint } from '../../lib/lint/lint.ts';
import { decodeSuite } from '../../lib/testing/format/decode.ts';
import { judgeScript } from './shell.ts';

/** A kind of text in YAML: how it is recognised, and what is wrong in one. */
interface Kind {
  readonly sign: RegExp;
  readonly problemsOf: (text: string) => readonly string[];
}

const indented = (text: string, by: string): string => text.replace(/^(?=.)/gm, by);

function workflowProblems(text: string): string[] {
  return lint(text).map(({ line, rule, message }) => `line ${line} (${rule}): ${message}`);
}

function suiteProblems(text: string): string[] {
  const decoded = decodeSuite(text);
  return 'problems' in decoded ? decoded.problems.map(({ line, message }) => `line ${line}: ${message}`) : [];
}

/** Declares the functions that a part of a workflow calls; a comment after a call may have the image. */
function declared(part: string): string {
  const calls = [...part.matchAll(/function: ([\w-]+)(?: +# image: (\S+))?/g)];
  const rows = calls.map(([, id, image]) =>
    image === undefined
      ? `{id: ${id}, type: http, url: 'https://example.com'}`
      : `{id: ${id}, type: knative-workflow, image: '${image}'}`,
  );
  return `functions: [${rows.join(', ')}]\nstates:\n`;
}

/** The texts below a key of any level. */
function* textsIn(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value;
  else if (typeof value === 'object' && value !== null) for (const one of Object.values(value)) yield* textsIn(one);
}

/** Of a file for another program: the command lines of Weft in it. */
const commandProblems = (text: string): string[] =>
  [...textsIn(parse(text))].filter((line) => /\bweft /.test(line)).flatMap((line) => [...judgeScript(line).problems]);

interface Step {
  readonly uses?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

function jobProblems(text: string): string[] {
  const { inputs } = parse(readFileSync('action.yml', 'utf8')) as {
    readonly inputs: Readonly<Record<string, unknown>>;
  };
  const { jobs } = parse(text) as { readonly jobs: Readonly<Record<string, { readonly steps: readonly Step[] }>> };
  const own = Object.values(jobs).flatMap(({ steps }) => steps.filter(({ uses }) => uses?.startsWith('OWNER/')));
  const given = own.flatMap((step) => Object.keys(step.with ?? {}));
  return [
    ...commandProblems(text),
    ...given.filter((name) => !Object.hasOwn(inputs, name)).map((name) => `action.yml has no input '${name}'`),
  ];
}

/** The kinds, the first that fits counts. A part of a text is judged within the smallest whole one. */
export const KINDS: Readonly<Record<string, Kind>> = {
  'a file of tests': { sign: /^cases:/m, problemsOf: suiteProblems },
  'a part of a case': {
    sign: /^(?:mocks|events|decisions):/,
    problemsOf: (text) => suiteProblems(`workflow: flow.yaml\ncases:\n- name: shown\n${indented(text, '  ')}`),
  },
  'a workflow': { sign: /^states:/m, problemsOf: workflowProblems },
  'states of a workflow': { sign: /^- id: /, problemsOf: (text) => workflowProblems(declared(text) + text) },
  'an action of a state': {
    sign: /^action:/,
    problemsOf: (text) => workflowProblems(`${declared(text)}- id: shown\n  type: action\n${indented(text, '  ')}`),
  },
  'fields of a workflow': {
    sign: /^labels:/,
    problemsOf: (text) => workflowProblems(`${text}states:\n- {id: shown, type: noop}\n`),
  },
  'a file of GitHub Actions': { sign: /^jobs:/m, problemsOf: jobProblems },
  'a file of CodeBuild': { sign: /^phases:/m, problemsOf: commandProblems },
  'a file of Prometheus': { sign: /^scrape_configs:/m, problemsOf: commandProblems },
};

/** The kind of a text; undefined for none of them. */
export const kindOf = (text: string): string | undefined =>
  Object.entries(KINDS).find(([, { sign }]) => sign.test(text))?.[0];

/** What is wrong in a text in YAML of the documents. */
export function yamlProblems(text: string): readonly string[] {
  const kind = kindOf(text);
  return kind === undefined
    ? ['no row of KINDS in test/docs/workflows.ts fits']
    : (KINDS[kind]?.problemsOf(text) ?? []);
}
