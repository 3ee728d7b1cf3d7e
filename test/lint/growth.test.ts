import { describe, expect, test } from 'vitest';
import { compile } from '../../lib/compiler/compile.ts';
import { emit } from '../../lib/compiler/emit/emit.ts';
import { findingsOf } from '../../lib/lint/findings.ts';
import { pricedRuns } from '../../lib/pricing/reply.ts';
import { countOperations } from '../operations.ts';

const repeated = (count: number, part: (index: number) => string, separator = ''): string =>
  Array.from({ length: count }, (_, index) => part(index)).join(separator);
const transformed = (value: string): string => `states:\n- id: a\n  type: noop\n  transform: ${value}\n`;
const scripted = (script: string): string => transformed(`'${script}'`);
const nested = (open: string, close: string, size: number): string => `${open.repeat(size)}1${close.repeat(size)}`;

/** Texts by their size, each with one part that grows. */
const TEXTS: Readonly<Record<string, (size: number) => string>> = {
  'brackets of jq in each other': (size) => scripted(`jq(${nested('(', ')', size / 8)})`),
  'brackets of jq that are not closed': (size) => scripted(`jq(${'(.a|'.repeat(size / 2)}`),
  'pipes of jq': (size) => scripted(`jq(${repeated(size / 2, () => '.a', '|')})`),
  'sums of jq': (size) => scripted(`jq(${repeated(size, () => '.a', '+')})`),
  'variables of jq in each other': (size) => scripted(`jq(${repeated(size / 4, (at) => `1 as $v${at}|`)} 1)`),
  'objects of jq': (size) => scripted(`jq({${repeated(size, (at) => `k${at}: .a`, ',')}})`),
  'brackets of js in each other': (size) => scripted(`js(return ${nested('(', ')', size / 2)})`),
  'members of js': (size) => scripted(`js(return ${repeated(size, () => 'data.a', '+')})`),
  'scripts in a text': (size) => transformed(`"${'x jq(.a) '.repeat(size)}"`),
  'members of YAML': (size) => transformed(`\n${repeated(size, (at) => `    a${at}: 1\n`)}`),
  'literal blocks': (size) => transformed(`\n${repeated(size, (at) => `    a${at}: |\n      b\n`)}`),
  'lists in each other': (size) => transformed(`${'['.repeat(size / 20)}${']'.repeat(size / 20)}`),
  'aliases of YAML': (size) => transformed(`[&a 1, ${repeated(size, () => '*a', ', ')}]`),
  'the same key': (size) => transformed(`{${repeated(size, () => 'a: 1', ',')}}`),
  'conditions of a switch': (size) =>
    `states:\n- id: a\n  type: switch\n  conditions:\n${repeated(size, (at) => `  - condition: jq(.a${at})\n    transition: a\n`)}`,
  'errors that are caught': (size) =>
    `states:\n- id: a\n  type: noop\n  catch:\n${repeated(size, (at) => `  - {error: x${at}, transition: a}\n`)}`,
  'functions without calls': (size) =>
    `functions:\n${repeated(size, (at) => `- {id: f${at}, type: subflow, workflow: w}\n`)}states:\n- {id: a, type: noop}\n`,
  'actions of a state': (size) =>
    `functions: [{id: f, type: subflow, workflow: w}]\nstates:\n- id: a\n  type: parallel\n  actions:\n${repeated(size, (at) => `  - {function: f, secrets: [A${at}], input: 'jq(.secrets.B${at})'}\n`)}`,
  'states that follow each other': (size) =>
    `states:\n${repeated(size, (at) => `- {id: s${at}, type: noop, transition: s${at + 1}}\n`)}- {id: s${size}, type: noop}\n`,
  'states that wait': (size) =>
    `states:\n${repeated(size, (at) => `- {id: s${at}, type: delay, duration: PT1S, transition: s${at + 1}}\n`)}- {id: s${size}, type: noop}\n`,
  'states with the same id': (size) => `states:\n${'- {id: s, type: noop}\n'.repeat(size)}`,
  'transitions to nowhere': (size) =>
    `states:\n${repeated(size, (at) => `- {id: s${at}, type: noop, transition: t${at}}\n`)}`,
  'members of a schema': (size) =>
    `states:\n- id: a\n  type: validate\n  schema:\n    type: object\n    properties:\n${repeated(size, (at) => `      m${at}: {type: string}\n`)}`,
  'repetitions in a pattern': (size) =>
    `states:\n- id: a\n  type: noop\n  catch: [{error: '${'a?b?'.repeat(size / 16)}x', transition: a}]\n`,
};

const SIZE = 160;

/** Growth by twice the size, divided by that before: 2 if it is linear, 4 if it is quadratic. */
const MOST = 2.7;

function readWhole(text: string): void {
  const compiled = compile(text);
  findingsOf(text);
  if (!('plan' in compiled)) return;
  pricedRuns(compiled.plan, 100);
  emit(compiled.plan);
}

describe('the operations to compile, lint, price and emit a text grow with its size and not with its square', () => {
  test.each(Object.entries(TEXTS))('%s', async (_, textOf) => {
    const operationsFor = (size: number): Promise<number> => {
      const text = textOf(size);
      return countOperations(() => readWhole(text));
    };
    // The first reading fills caches and loads what is loaded late.
    await operationsFor(SIZE / 2);
    const [once, twice, four] = [
      await operationsFor(SIZE),
      await operationsFor(2 * SIZE),
      await operationsFor(4 * SIZE),
    ];
    expect(twice - once).toBeGreaterThan(SIZE / 4);
    expect((four - twice) / (twice - once)).toBeLessThan(MOST);
  });
});

/** The beginning and the end of one level of a program of jq. */
const LEVELS: readonly (readonly [string, string])[] = [
  ['(', ')'],
  ['[', ']'],
  ['{a: ', '}'],
  ['{(.a): ', '}'],
  ['.[', ']'],
  ['-', ''],
  ['. as $v | ', ''],
  ['. as [$v] | ', ''],
  ['. as {a: $v} ?// $v | ', ''],
  ['def f: ', '; f'],
  ['def f(g): g; ', ''],
  ['label $l | ', ''],
  ['if . then ', ' else . end'],
  ['if . then . else ', ' end'],
  ['if ', ' then . end'],
  ['try ', ''],
  ['try error catch ', ''],
  ['reduce .[] as $v (0; ', ')'],
  ['foreach .[] as $v (0; ', '; .)'],
  ['"\\(', ')"'],
  ['@base64 "\\(', ')"'],
  ['map(', ')'],
  ['. + ', ''],
  ['. // ', ''],
  ['. , ', ''],
  ['. |= ', ''],
  ['.a | ', ''],
];

describe('a program of jq of more levels than the stack has room for', () => {
  test.each(LEVELS)('is reported: %s…%s', (open, close) => {
    const program = `${open.repeat(3000)}1${close.repeat(3000)}`.replaceAll("'", "''");
    expect(findingsOf(scripted(`jq(${program})`)).length).toBeGreaterThan(0);
  });

  test.each(LEVELS)('is linted at the limit or reported: %s…%s', (open, close) => {
    for (const levels of [150, 200, 240, 320, 490, 900])
      expect(() => findingsOf(scripted(`jq(${open.repeat(levels)}1${close.repeat(levels)})`))).not.toThrow();
  });
});
