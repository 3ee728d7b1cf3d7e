import { describe, expect, test } from 'vitest';
import { decodeSuite } from '../../lib/testing/format/decode.ts';
import type { TestCase } from '../../lib/testing/format/suite.ts';

function problemsOf(source: string): string[] {
  const decoded = decodeSuite(source);
  if (!('problems' in decoded)) return [];
  return decoded.problems.map(({ line, column, message, hint }) => {
    return `${line}:${column}: ${message}${hint === undefined ? '' : ` (${hint})`}`;
  });
}

function casesOf(source: string): readonly TestCase[] {
  const decoded = decodeSuite(source);
  if ('problems' in decoded) throw new Error(JSON.stringify(decoded.problems));
  return decoded.suite.cases;
}

const MISTAKES: readonly (readonly [source: string, problem: string])[] = [
  ['', '1:1: the file has no tests (the smallest test is `workflow: flow.yaml` and `cases: [{name: it works}]`)'],
  ['cases: []', "1:8: 'cases' must be a list with at least one case (the smallest test is"],
  ['cases: [a]', '1:9: cases[0] must be a map'],
  ['cases: [{name: a}]', '1:9: workflow required (name its file, relative to this one, as `workflow: flow.yaml`)'],
  ['cases: [{workflow: f}]', '1:9: name required'],
  ['cases: [{workflow: f, name: null}]', '1:29: name must be text, not null (put the value in quotes)'],
  ['cases: [{workflow: f, name: }]', '1:23: name required'],
  ['cases: [{name: 5, workflow: f}]', '1:16: field "name" must be text, not the number 5 (put the value in quotes)'],
  ['cases: [{name: a, workflow: f, mock: {}}]', `1:32: unknown field "mock" (did you mean 'mocks'?)`],
  ['workflow: f\ncases: [{name: a}, {name: a}]', "2:20: two cases are named 'a', also that in line 2"],
  ['cases: [{name: a, workflow: f, events: [{}]}]', '1:41: events[0] is invalid: type required'],
  ['cases: [{name: a, workflow: f, events: [{type: t, after: 5m}]}]', '1:58: events[0] is invalid: after is not a ISO'],
  ['cases: [{name: a, workflow: f, events: [{type: t, my-id: 5}]}]', "1:51: 'my-id' is no name of an attribute"],
  ['cases: [{name: a, workflow: f, events: [{type: t, x: [1]}]}]', "1:54: events[0] is invalid: the attribute 'x' of"],
  ['cases: [{name: a, workflow: f, decisions: [{}]}]', '1:44: decisions[0] is invalid: choice required'],
  [
    'cases: [{name: a, workflow: f, decisions: [{choice: c, reason: r}]}]',
    '1:56: unknown field "reason" (known fields: state, after, choice, form, by, from)',
  ],
  ['cases: [{name: a, workflow: f, decisions: [{choice: c, form: 5}]}]', 'form" must be a map'],
  [
    'cases: [{name: a, workflow: f, decisions: [{choice: c, after: PT2H}, {choice: c, after: PT1H}]}]',
    '1:70: decisions[1] is earlier than one before it (they are made in their order',
  ],
  ['cases: [{name: a, workflow: f, mocks: {g: {}}}]', "1:43: an answer has 'return' or 'error'"],
  ['cases: [{name: a, workflow: f, mocks: {g: []}}]', "1:43: the mock 'g' has no answer"],
  ['cases: [{name: a, workflow: f, mocks: {g: 5}}]', '1:43: field "g" must be an answer, as {return: {…}}, or a list'],
  ['cases: [{name: a, workflow: f, mocks: {g: {return: 1, error: e}}}]', "1:43: an answer has either 'return' or"],
  ['cases: [{name: a, workflow: f, mocks: {g: {return: 1, delay: 5}}}]', '1:62: field "delay" must be text'],
  ['cases: [{name: a, workflow: f, variables: {count: 1}}]', '1:44: variables has the scopes namespace, workflow, '],
  ['cases: [{name: a, workflow: f, now: yesterday}]', '1:37: now is not a time (write it like 2026-01-31T08:00:00Z)'],
  ['cases: [{name: a, workflow: f, expect: {status: done}}]', "1:49: unknown status 'done' (must be one of [complete"],
  ['cases: [{name: a, workflow: f, expect: {error: e, output: {}}}]', "1:40: expect has either 'output' or 'error'"],
  ['cases: [{name: a, workflow: f, expect: {calls: {g: -1}}}]', '1:52: g is at least 0'],
  ['cases: [{name: a, workflow: f, expect: {states: 5}}]', '1:49: field "states" must be the list of states'],
  ['cases: [{name: a, workflow: f, expect: {took: 30s}}]', '1:47: took is not a ISO8601 string'],
];

describe('a file of tests', () => {
  test.each(MISTAKES)('%s: has its mistake reported with its place', (source, problem) => {
    expect(problemsOf(source)).toEqual([expect.stringContaining(problem)]);
  });

  test('has all its mistakes reported, in the order of their places', () => {
    const source = 'flow: f\ncases:\n- {nme: a}\n- {name: b, events: [{typ: t, after: 5}], expect: {outptu: 1}}\n';
    expect(problemsOf(source).map((text) => text.split(' ')[0])).toEqual([
      '1:1:',
      '3:3:',
      '3:3:',
      '3:4:',
      '4:3:',
      '4:22:',
      '4:38:',
      '4:52:',
    ]);
  });

  test('gives its fields to every case, which may replace them', () => {
    const source = `
workflow: f.yaml
now: 2026-03-01
variables: {namespace: {a: 1, b: 2}}
mocks: {g: {return: 1}, h: {error: e}}
cases:
- name: a
- name: b
  workflow: other.yaml
  variables: {namespace: {b: 3}}
  mocks: {h: [{return: 2}]}
`;
    const [a, b] = casesOf(source);
    expect(a).toMatchObject({
      workflow: 'f.yaml',
      now: Date.UTC(2026, 2, 1),
      variables: { namespace: { a: 1, b: 2 } },
    });
    expect(b).toMatchObject({ workflow: 'other.yaml', variables: { namespace: { a: 1, b: 3 } } });
    expect(b?.mocks.map(({ function: id, isShared, isConstant }) => [id, isShared, isConstant])).toEqual([
      ['g', true, true],
      ['h', false, false],
    ]);
  });

  test('expects a run that completes, unless an error is expected', () => {
    const [a, b] = casesOf('workflow: f\ncases: [{name: a}, {name: b, expect: {error: e}}]');
    expect([a?.expect.status, b?.expect.status]).toEqual(['complete', 'failed']);
  });

  test('takes a mock as one answer, as a list, and as a map of answers', () => {
    const source = `
workflow: f
cases:
- name: a
  mocks:
    one: {return: {a: 1}, delay: PT5S, idempotent: true}
    list: [{error: e}, {error: {code: e, message: m}}, {return: null}]
    map: {answers: [{input: {a: 1}, return: 1, repeat: true}], idempotent: true}
`;
    const mocks = casesOf(source)[0]?.mocks;
    expect(mocks?.map(({ function: id, idempotent, answers }) => [id, idempotent, answers.length])).toEqual([
      ['one', true, 1],
      ['list', false, 3],
      ['map', true, 1],
    ]);
    expect(mocks?.[1]?.answers.map(({ error }) => error)).toEqual([
      { code: 'e', message: 'the mock raises e' },
      { code: 'e', message: 'm' },
      undefined,
    ]);
  });
});
