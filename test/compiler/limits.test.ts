import { expect, test } from 'vitest';
import { compile } from '../../lib/compiler/compile.ts';
import { lint } from '../../lib/lint/lint.ts';

const scripted = (script: string): string => `states:\n- id: a\n  type: noop\n  transform: '${script}'\n`;

const list = (count: number, element: string): string => Array.from({ length: count }, () => element).join(', ');

const switched = (count: number): string =>
  `states:\n- {id: a, type: switch, conditions: [${list(count, '{condition: jq(.a)}')}]}\n`;

const functions = (count: number): string => {
  const all = Array.from({ length: count }, (_, at) => `{id: f${at}, type: subflow, workflow: w}`);
  return `functions: [${all.join(', ')}]\nstates: [{id: a, type: noop}]\n`;
};

const states = (count: number): string =>
  `states: [${Array.from({ length: count }, (_, at) => `{id: s${at}, type: noop}`).join(', ')}]\n`;

const nested = (levels: number): string => scripted(`jq(${'('.repeat(levels)}1${')'.repeat(levels)})`);

test.each([
  [
    'conditions',
    switched(1000),
    switched(1001),
    'failed to decode state[0]: field "conditions" has 1001 elements, and 1000 are allowed',
  ],
  ['functions', functions(1000), functions(1001), 'the workflow has 1001 functions, and 1000 are allowed'],
  ['states', states(10_000), states(10_001), 'the workflow has 10001 states, and 10000 are allowed'],
  [
    'brackets in each other',
    nested(1000),
    nested(1001),
    'the jq script is nested 1001 levels deep, and 1000 are allowed',
  ],
  [
    'characters of a script',
    scripted(`js(${'x'.repeat(131_072)})`),
    scripted(`js(${'x'.repeat(131_073)})`),
    'the js script has 131073 characters, and 131072 are allowed',
  ],
])('a workflow may have so many %s, and no more', (_, fitting, tooMany, message) => {
  expect(compile(fitting)).toHaveProperty('plan');
  expect(compile(tooMany)).toMatchObject({ problems: [{ message, hint: expect.stringContaining('') }] });
  expect(lint(tooMany)[0]).toMatchObject({ severity: 'error', message });
});
