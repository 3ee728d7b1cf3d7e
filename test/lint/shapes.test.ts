import { describe, expect, test } from 'vitest';
import { lint } from '../../lib/lint/lint.ts';

/** A workflow that is started by an event of the type `e`, so that its data is known, with these states. */
const started = (states: string): string => `start: {type: event, event: {type: e}}\nstates:\n${states}`;

/** The members that never exist, as `line:column`. */
const missing = (text: string): string[] =>
  lint(text).flatMap(({ rule, line, column }) => (rule === 'member-missing' ? [`${line}:${column}`] : []));

/** One noop with this transform, and a second one with this log. */
const after = (transform: string, log: string): string[] =>
  missing(
    started(
      `- id: a\n  type: noop\n  transform: ${transform}\n  transition: b\n- id: b\n  type: noop\n  log: ${log}\n`,
    ),
  );

describe('a member that may exist is not reported', () => {
  test.each([
    ['any input', 'states:\n- {id: a, type: noop, log: jq(.anything.at.all)}\n'],
    [
      'a scheduled start',
      "start: {type: scheduled, cron: '@daily'}\nstates:\n- {id: a, type: noop, log: jq(.input)}\n",
    ],
    ['an extension of an event', started('- {id: a, type: noop, log: jq(.e.shop)}\n')],
    [
      'a way around the transform',
      started(
        '- id: a\n  type: switch\n  conditions:\n  - {condition: jq(.e.data.x), transform: {x: 1}, transition: b}\n  defaultTransition: b\n- {id: b, type: noop, log: "jq(.x // .e)"}\n',
      ),
    ],
    [
      'a loop that adds a member',
      started(
        '- {id: a, type: noop, transform: {n: 0}, transition: b}\n- {id: b, type: noop, transform: "jq(.m = (.m // 0) + 1)", transition: c}\n- id: c\n  type: switch\n  conditions:\n  - {condition: jq(.m < 3), transition: b}\n',
      ),
    ],
    [
      'a member that a query expects to be missing in the input',
      'input: {properties: {a: {}}}\nstates:\n- {id: a, type: noop, transform: jq(.b // .a)}\n',
    ],
    [
      'any member of an input without properties',
      'input: {required: [a]}\nstates:\n- {id: a, type: noop, log: jq(.b)}\n',
    ],
    [
      'a member that a state added to the input',
      "input: {properties: {a: {}}}\nstates:\n- {id: a, type: noop, transform: 'jq(. + {b: 1})', transition: b}\n- {id: b, type: noop, log: jq(.b)}\n",
    ],
    [
      'the schema of an open object',
      'states:\n- {id: a, type: validate, schema: {type: object, properties: {a: {}}}, transform: jq(.other)}\n',
    ],
  ])('%s', (_, text) => {
    expect(missing(text)).toEqual([]);
  });

  test.each([
    ['jq(. + {x: .e.data})', 'jq(.x.y.z)'],
    ['jq(.e.data)', 'jq(.whatever)'],
    ['jq(.e.data | del(.a))', 'jq(.b)'],
    ['jq(. * {x: 1})', 'jq(.x)'],
    ['jq(with_entries(.value |= 1))', 'jq(.x)'],
    ['jq(to_entries | from_entries)', 'jq(.x)'],
    ['jq(reduce .e.data[] as $x ({}; .[$x.k] = 1))', 'jq(.a)'],
    ['jq({(.e.data.k): 1})', 'jq(.a)'],
    ['jq({a: {b: 1}, (.e.data.k): {c: 1}})', 'jq(.a.c)'],
    ['jq(if .e.data.k then {a: 1} else {b: 1} end)', 'jq(.a, .b)'],
    ['js(return data.e)', 'jq(.a)'],
    ['jq(.a.b = 1)', 'jq(.a.b)'],
    ['jq(.a |= {b: 1})', 'jq(.a.b)'],
    ['jq({a: [{b: 1}, {c: 1}]})', 'jq(.a[0].c)'],
    ['jq({a: null} | .a.b = 1)', 'jq(.a.b)'],
    ['jq(def f: {a: 1}; f)', 'jq(.a)'],
    ['jq(.e.data as $d | {a: $d})', 'jq(.a.b)'],
    ['jq({a: 1} + (.e.data // {}))', 'jq(.b)'],
    ['{a: 1}', 'jq(.b // 1)'],
    ['{a: 1}', 'jq(has("b"))'],
    ['{a: 1}', 'jq(.b == null)'],
    ['{a: 1}', 'jq(if .b then 1 else 2 end)'],
    ['{a: 1}', 'jq(.b?)'],
    ['{a: 1}', 'jq([.b | values])'],
    ['{a: 1}', 'jq(.b = 1 | .b)'],
    ['{a: 1}', 'jq(. as {a: $x} | $x)'],
  ])('after the transform %s: %s', (transform, log) => {
    const quoted = transform.startsWith('{') ? transform : `'${transform}'`;
    expect(after(quoted, `'${log}'`)).toEqual([]);
  });
});

describe('a member that never exists is reported', () => {
  test.each([
    ['{a: 1}', 'jq(.b)'],
    ["'jq({a: 1} + {c: 2})'", 'jq(.b)'],
    ["'jq({a: 1, c: 2} | del(.c))'", 'jq(.c)'],
    ["'jq(.x = 1 | del(.e))'", 'jq(.e)'],
    ["'jq({a: {b: 1}})'", 'jq(.a.c)'],
    ["'jq({a: [{b: 1}]})'", 'jq(.a[] | .c)'],
    ["'jq({a: [{b: 1}]} | .a |= map(. + {d: 1}))'", 'jq(.a[0].c)'],
    ["'jq({a: {b: 1}} | .a.d = 1)'", 'jq(.a.c)'],
    ["'jq({a: 1} | to_entries | {list: .})'", 'jq(.list[0].val)'],
    ["'jq({a: 1} as $x | $x)'", 'jq(.b)'],
    ["'jq({a: 1} | select(.a > 0))'", 'jq(.b)'],
  ])('after the transform %s: %s', (transform, log) => {
    expect(after(transform, `'${log}'`)).toHaveLength(1);
  });
});

test('the analysis of many states in loops ends', () => {
  const state = (index: number): string =>
    `- id: s${index}\n  type: switch\n  conditions:\n  - {condition: jq(.a), transform: 'jq({a${index}: ., b: .b})', transition: s${(index * 7 + 1) % 100}}\n  defaultTransition: s${(index + 1) % 100}\n`;
  const text = started(Array.from({ length: 100 }, (_, index) => state(index)).join(''));
  expect(missing(text)).toEqual([]);
});
