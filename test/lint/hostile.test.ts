import { describe, expect, test } from 'vitest';
import { compile } from '../../lib/compiler/compile.ts';
import { findingsOf } from '../../lib/lint/findings.ts';
import { MAX_FINDINGS } from '../../lib/lint/reports/rule.ts';
import { pricedRuns } from '../../lib/pricing/reply.ts';

const repeated = (count: number, part: (index: number) => string, separator = ''): string =>
  Array.from({ length: count }, (_, index) => part(index)).join(separator);

const transformed = (value: string): string => `states:\n- id: a\n  type: noop\n  transform: ${value}\n`;
const scripted = (script: string): string => transformed(`'${script}'`);
const caught = (pattern: string): string =>
  `states:\n- id: a\n  type: noop\n  catch:\n  - {error: '${pattern}', transition: a}\n`;
const listed = (states: string): string => `states:\n${states}`;

/** Texts that took seconds, minutes or forever while a part of the linter or the compiler took quadratic or exponential time. */
const TEXTS: Readonly<Record<string, string>> = {
  'brackets of jq that are not closed': scripted(`jq(${repeated(40_000, () => '(.a|')}`),
  'brackets in each other': scripted(`jq(${'['.repeat(150_000)}${']'.repeat(150_000)})`),
  'round brackets in each other': scripted(`jq(${'('.repeat(75_000)}1${')'.repeat(75_000)})`),
  'a sum of jq': scripted(`jq(${repeated(40_000, () => '.a', '+')})`),
  'a list of jq': scripted(`jq([${repeated(30_000, () => '.a', ',')}])`),
  'alternatives of jq': scripted(`jq(${repeated(30_000, () => '.a', '//')})`),
  'conditions of jq': scripted(`jq(if 1 then 1 ${repeated(8000, () => 'elif 1 then 1 ')}end)`),
  'pipes in a member': scripted(`jq({a: ${repeated(30_000, () => '1', '|')}})`),
  'patterns in each other': scripted(`jq(. as ${'['.repeat(50_000)} | 1)`),
  'variables of jq in each other': scripted(
    `jq(${repeated(400, (at) => `1 as $v${at}|`)} [${repeated(9000, (at) => `$x${at}`, ',')}])`,
  ),
  'unknown functions': scripted(`jq([${repeated(15_000, (at) => `unknown${at}`, ',')}])`),
  'paths that double': scripted(`jq(${repeated(200, () => '(.a,.b)', '|')} |= 1)`),
  'updates that double': scripted(`jq(${repeated(200, () => '(.a,.b) |= (')}1${')'.repeat(200)})`),
  'objects that double': scripted(`jq({}${repeated(300, () => '|{a:., b:.}')} | if .a then . else {c:.} end)`),
  'different objects that double': scripted(
    `jq(if .x then {} ${repeated(200, () => '|{a:., b:.}')} else {} ${repeated(200, () => '|{b:., a:.}')} end)`,
  ),
  'brackets of js': scripted(`js(${'('.repeat(300_000)}`),
  'brackets of js that are closed': scripted(`js(${'('.repeat(150_000)}1${')'.repeat(150_000)})`),
  'signs of js': scripted(`js(return ${'!'.repeat(120_000)}1)`),
  'comments of js that are not closed': scripted(`js(return 1 ${'/*'.repeat(60_000)})`),
  'members of js': scripted(`js(return ${repeated(17_000, () => 'data.a')})`),
  'strings in a script that is not closed': scripted(`jq(${repeated(60_000, () => '"a(')}`),
  'conditions of a switch': `states:\n- id: a\n  type: switch\n  conditions:\n${repeated(20_000, () => '  - condition: jq(.a)\n')}`,
  functions: `functions:\n${repeated(8000, (at) => `- {id: f${at}, type: subflow, workflow: w}\n`)}states:\n- {id: a, type: noop}\n`,
  'literal blocks': transformed(`\n${repeated(60_000, (at) => `    a${at}: |\n      b\n`)}`),
  'the same key': `{${repeated(250_000, () => 'a', ',')}}`,
  'a pattern with repetitions': caught('(a?b?){500}x'),
  'brackets of a pattern': caught('('.repeat(100_000)),
  'states with the same id': listed(repeated(9000, () => '- {id: s, type: noop}\n')),
  'states that follow each other': listed(
    repeated(9000, (at) => `- {id: s${at}, type: noop, transition: s${(at + 1) % 9000}}\n`),
  ),
  'transitions to nowhere': listed(repeated(9000, (at) => `- {id: s${at}, type: noop, transition: t${at}}\n`)),
  'errors that are caught': `states:\n- id: a\n  type: noop\n  catch:\n${repeated(1000, (at) => `  - {error: x${at}, transition: a}\n`)}`,
  'states that wait before many others': listed(
    `${repeated(3000, (at) => `- {id: d${at}, type: delay, duration: PT1S, transition: s0, catch: [{error: x, transition: d${at + 1}}]}\n`)}- {id: d3000, type: noop}\n${repeated(6000, (at) => `- {id: s${at}, type: noop, transition: s${at + 1}}\n`)}- {id: s6000, type: noop}\n`,
  ),
  'secrets of actions': `functions: [{id: f, type: subflow, workflow: w}]\nstates:\n- id: a\n  type: parallel\n  actions:\n${repeated(1000, (at) => `  - {function: f, secrets: [A${at}], input: 'jq(.secrets.B${at})'}\n`)}`,
  'blanks behind a query': scripted(`{{ .a${' '.repeat(200_000)}`),
  'blanks that are no spaces': `a: "${'\u00a0'.repeat(100_000)}"`,
  'digits of a duration': `states: [{id: a, type: delay, duration: '${'1'.repeat(200_000)}'}]`,
  'digits of a number': `a: ${'1'.repeat(500_000)}`,
  'zeros of a placeholder': `states:\n- {id: a, type: error, error: x, message: '%${'0'.repeat(200_000)}', args: [1]}\n`,
  'members that may be meant': scripted(`jq({${'a'.repeat(30)}b: 1} | .${'a'.repeat(40)})`),
};

describe('a text of hostile size or shape', () => {
  test.each(Object.entries(TEXTS))('is compiled, linted and priced soon: %s', (_, text) => {
    const compiled = compile(text);
    const findings = findingsOf(text);
    expect(findings.length).toBeLessThanOrEqual(MAX_FINDINGS);
    expect(findings.some(({ severity }) => severity === 'error')).toBe('problems' in compiled);
    const runs = 'plan' in compiled ? pricedRuns(compiled.plan, 10) : [];
    expect(runs.length > 0).toBe('plan' in compiled);
  });
});
