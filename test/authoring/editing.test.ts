import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, expect, test } from 'vitest';
import { completeAt } from '../../lib/authoring/editing/completion.ts';
import { format } from '../../lib/authoring/editing/formatting.ts';
import { hoverAt } from '../../lib/authoring/editing/hover.ts';
import { declarationOf, placesOf, rename, subflowAt } from '../../lib/authoring/editing/names.ts';
import { openText } from '../../lib/authoring/editing/open-text.ts';
import { symbolsIn } from '../../lib/authoring/editing/symbols.ts';
import { compile } from '../../lib/compiler/compile.ts';
import { readWorkflow, type Workflow } from '../../lib/lint/document/workflow.ts';
import { applyMends } from '../../lib/lint/lint.ts';

/** A text without its mark `▸`, and the position of the mark. */
function marked(text: string) {
  const opened = openText(text.replace('▸', ''));
  return { opened, at: opened.source.at(text.indexOf('▸')) };
}

const read = (text: string): Workflow => {
  const found = readWorkflow(text);
  if (!('states' in found)) throw new Error(found.problems[0]?.message);
  return found;
};

function labels(text: string, workflows: Readonly<Record<string, string>> = {}): string[] {
  const { opened, at } = marked(text);
  const others = new Map(Object.entries(workflows).map(([path, source]) => [path, read(source)]));
  return completeAt(opened, at, { path: 'shop/main', workflows: others }).items.map(({ label }) => label);
}

const PAY = 'functions:\n- {id: pay, type: subflow, workflow: pay}\n- {id: ship, type: subflow, workflow: ship}\n';
const STATES =
  'states:\n- id: first\n  type: noop\n  transition: second\n- id: second\n  type: delay\n  duration: PT1S\n';

describe('completion offers', () => {
  test.each([
    ['the fields of a workflow', `${STATES}▸\n`, ['functions', 'start', 'timeouts', 'description']],
    ['the fields of a type of states', 'states:\n- id: a\n  type: delay\n  ▸\n', ['duration', 'transition', 'catch']],
    [
      'the fields of a state, before what follows',
      'states:\n- id: a\n  type: delay\n  d▸\n- {id: b, type: noop}\n',
      ['duration'],
    ],
    ['the fields of a state in brackets', 'states:\n- {id: a, type: delay, d▸}\n', ['duration']],
    ['the fields of a state in brackets that are open', 'states:\n- {id: a, type: delay, d▸\n', ['duration']],
    [
      'the fields of an action',
      `${PAY}states:\n- id: a\n  type: action\n  action:\n    ▸\n`,
      ['function', 'retries', 'input'],
    ],
    [
      'the fields of retries',
      `${PAY}states:\n- id: a\n  type: action\n  action:\n    function: pay\n    retries:\n      ▸\n`,
      ['max_attempts', 'codes'],
    ],
    ['the fields of a catch', 'states:\n- id: a\n  type: noop\n  catch:\n  - ▸\n', ['error', 'transition']],
    ['the types of states', 'states:\n- id: a\n  type: ▸\n', ['noop', 'action', 'eventXor']],
    ['the types of functions', `functions:\n- id: a\n  type: sub▸\n${STATES}`, ['subflow', 'knative-workflow']],
    ['the types of starts', `start:\n  type: ▸\n${STATES}`, ['scheduled', 'event']],
    ['states', `${STATES}  transition: ▸\n`, ['first', 'second']],
    [
      'states in a switch',
      'states:\n- id: a\n  type: switch\n  conditions:\n  - {condition: jq(.a), transition: ▸}\n- {id: b, type: noop}\n',
      ['a', 'b'],
    ],
    ['functions', `${PAY}states:\n- id: a\n  type: action\n  action: {function: ▸}\n`, ['pay', 'ship']],
    ['words', 'states:\n- id: a\n  type: parallel\n  mode: ▸\n', ['and', 'or']],
    ['scopes', 'states:\n- id: a\n  type: getter\n  variables:\n  - {key: x, scope: ▸}\n', ['workflow', 'namespace']],
    [
      'codes of errors',
      'states:\n- id: a\n  type: noop\n  catch:\n  - error: ▸\n    transition: a\n',
      ['*', 'service.cancels.timeout.soft'],
    ],
    ['the fields of a file of tests', 'cases: [{name: a}]\n▸\n', ['workflow', 'mocks', 'now']],
    ['the fields of a case', 'cases:\n- name: a\n  ▸\n', ['workflow', 'events', 'expect']],
    ['the fields of an event of a case', 'cases:\n- events: [{▸}]\n', ['after', 'type', 'source']],
    ['the fields of an answer', 'cases:\n- mocks:\n    pay:\n    - {▸}\n', ['return', 'error', 'delay']],
    ['the results of a run', 'cases:\n- expect: {status: ▸}\n', ['complete', 'failed', 'crashed']],
  ])('%s', (_, text, expected) => {
    expect(labels(text)).toEqual(expect.arrayContaining(expected));
  });

  test('subflows as the caller names them, and variables of other workflows', () => {
    const others = {
      'shop/pay': 'states: [{id: a, type: setter, variables: [{key: total, scope: workflow}]}]',
      'mail/send': 'states: [{id: a, type: noop}]',
    };
    expect(labels('functions:\n- {id: a, type: subflow, workflow: ▸}\n', others)).toEqual(['pay', '/mail/send']);
    expect(labels('states:\n- id: a\n  type: getter\n  variables:\n  - {key: ▸, scope: workflow}\n', others)).toEqual([
      'total',
    ]);
  });

  describe('in a file of tests', () => {
    const folder = {
      'shop/main': `${PAY}states: [{id: a, type: noop}]`,
      'shop/pay': "functions: [{id: bank, type: http, url: 'https://bank.test'}]\nstates: [{id: a, type: noop}]",
      'shop/tools/add': 'functions: [{id: sum, type: knative-workflow, image: sum}]\nstates: [{id: a, type: noop}]',
      'shop/agent':
        "functions: [{id: tool, type: subflow, workflow: jq(.t), allowed: ['tools/*']}]\nstates: [{id: a, type: noop}]",
      lone: 'functions: [{id: far, type: http, url: "https://far.test"}]\nstates: [{id: a, type: noop}]',
    };
    const MAIN = ['pay', 'ship', 'pay#bank'];

    test.each([
      ['a mock of a case', 'workflow: main.yaml\ncases:\n- name: a\n  mocks:\n    ▸\n', MAIN],
      ['a mock in brackets', 'workflow: main.yaml\ncases:\n- {name: a, mocks: {▸}}\n', MAIN],
      ['a mock in brackets that are open', 'workflow: main.yaml\ncases:\n- {name: a, mocks: {pa▸\n', MAIN],
      ['a mock of all cases', 'mocks: {▸}\ncases:\n- {name: a, workflow: main.yaml}\n', MAIN],
      ['a mock after others', 'workflow: main.yaml\ncases:\n- mocks: {pay: {return: 1}, ▸}\n', ['ship', 'pay#bank']],
      ['a mock that has begun with a path', 'workflow: main.yaml\ncases:\n- mocks: {pay#b▸}\n', MAIN],
      ['expected calls', 'workflow: main.yaml\ncases:\n- expect: {calls: {▸}}\n', MAIN],
      ['a mock where a subflow is computed', 'workflow: agent.yaml\ncases:\n- mocks: {▸}\n', ['tool', 'tools/add#sum']],
      [
        'a mock of another workflow of the case',
        'workflow: pay.yaml\nothers: [../lone.yaml]\nfolders: [..]\ncases:\n- mocks: {▸}\n',
        ['bank', 'lone#far'],
      ],
      ['a mock without a workflow', 'cases:\n- mocks: {▸}\n', []],
    ])('the functions of %s', (_, text, expected) => {
      expect(labels(text, folder)).toEqual(expected);
    });

    test.each([
      ['the workflow of a file', 'workflow: ▸\ncases: [{name: a}]\n'],
      ['the workflow of a case', 'cases:\n- name: a\n  workflow: ▸\n'],
      ['another workflow', 'others: [▸]\ncases: [{name: a}]\n'],
      ['another workflow in a list', 'cases:\n- name: a\n  others:\n  - ▸\n'],
    ])('the files of workflows as %s', (_, text) => {
      expect(labels(text, folder)).toEqual(['main.yaml', 'pay.yaml', 'tools/add.yaml', 'agent.yaml', '../lone.yaml']);
    });
  });

  test('not a field that is given', () => {
    expect(labels('states:\n- id: a\n  type: noop\n  tr▸: b\n  log: x\n')).not.toContain('log');
  });

  test.each(['log: jq(.a | to_▸)', 'log: jq({a, ▸})', 'log: js([▸', 'transform: {a: jq([.b, (.c)]), d: jq([▸'])(
    'nothing inside of a script: %s',
    (line) => {
      expect(labels(`states:\n- id: a\n  type: noop\n  ${line}\n`)).toEqual([]);
    },
  );

  test('fields after a script', () => {
    const text = `${STATES}  catch:\n  - {error: 'jq((.a))', ▸}\n`;
    expect(labels(text)).toContain('transition');
  });

  test('nothing outside of the language', () => {
    expect(labels('states:\n- id: a\n  type: noop\n  # a comment ▸\n')).toEqual([]);
    expect(labels('states:\n- id: a\n  type: noop\n  log: any words ▸\n')).toEqual([]);
  });
});

describe('hover', () => {
  const about = (text: string): string | undefined => {
    const { opened, at } = marked(text);
    return hoverAt(opened, at)?.markdown;
  };

  test.each([
    ['a field', 'states:\n- id: a\n  type: delay\n  dura▸tion: PT1S\n', 'How long to wait'],
    [
      'a field inside another',
      `${PAY}states:\n- id: a\n  type: action\n  action: {function: pay, retries: {max_at▸tempts: 1, codes: [x]}}\n`,
      'number of retries',
    ],
    ['a type', 'states:\n- id: a\n  type: fore▸ach\n', 'once for each'],
    [
      'a transition',
      `${STATES}`.replace('transition: second', 'transition: sec▸ond'),
      'state of the type `delay`, line 5',
    ],
    [
      'a function',
      `${PAY}states:\n- id: a\n  type: action\n  action: {function: pa▸y}\n`,
      'function of the type `subflow`',
    ],
    ['a field of a file of tests', 'cases: [{name: a}]\nfol▸ders: [.]\n', 'root of the tree'],
    ['a field of a case', 'cases: [{sk▸ip: later}]\n', 'why the case is not run'],
    ['a field of a case that the file may have', 'cases: [{mo▸cks: {}}]\n', 'answers of functions'],
    ['a field of one of several answers', 'cases: [{mocks: {pay: {answers: [{de▸lay: PT1S}]}}}]\n', 'virtual time'],
    ['an expectation', 'cases: [{expect: {to▸ok: PT1S}}]\n', 'virtual time of the run'],
  ])('describes %s', (_, text, part) => {
    expect(about(text)).toContain(part);
  });

  test('has nothing about a value', () => {
    expect(about('states:\n- id: a\n  type: noop\n  log: some▸thing\n')).toBeUndefined();
  });
});

const FLOW = `start: {type: default, state: first}
${PAY}states:
- id: first
  type: switch
  conditions:
  - {condition: jq(.a), transition: 'second'}
  defaultTransition: second
- id: second
  type: error
  error: e
  message: m
  catch:
  - {error: x, transition: first}
- id: third
  type: foreach
  array: jq(.l)
  action: {function: pay}
  transition: first
`;

describe('a state or function', () => {
  test('is found where it is declared, and at all other places', () => {
    const { opened, at } = marked(FLOW.replace('defaultTransition: second', 'defaultTransition: sec▸ond'));
    expect(declarationOf(opened, at)?.from).toEqual({ line: 11, column: 7 });
    expect(placesOf(opened, at).map(({ range }) => range.from.line)).toEqual([9, 10, 11]);
  });

  test.each([
    ['a state by its id', '- id: fir▸st', 'begin'],
    ['a state by a transition', "transition: 'sec▸ond'", 'last-one'],
    ['a function', 'function: pa▸y', 'charge'],
  ])('is renamed with everything that refers to it: %s', (_, mark, to) => {
    const { opened, at } = marked(FLOW.replace(mark.replace('▸', ''), mark));
    const renamed = rename(opened, at, to);
    if ('problem' in renamed) throw new Error(renamed.problem);
    const { text } = applyMends(opened.text, [{ title: '', isCertain: true, edits: renamed.edits }]);
    const name = /\w*▸\w*/.exec(mark)?.[0].replace('▸', '');
    expect(compile(text)).toHaveProperty('plan');
    expect(text).not.toMatch(new RegExp(`(id|transition|function|state|Transition): '?${name}\\b`));
  });

  test.each([
    ['an id that is no id', 'Second State', 'is no id'],
    ['an id that exists', 'second', "another state has the id 'second'"],
  ])('is not renamed to %s', (_, to, problem) => {
    const { opened, at } = marked(FLOW.replace('- id: first', '- id: fir▸st'));
    expect(rename(opened, at, to)).toMatchObject({ problem: expect.stringContaining(problem) });
  });

  test('leads to the subflow that it calls', () => {
    const { opened, at } = marked(FLOW.replace('function: pay', 'function: pa▸y'));
    expect(subflowAt(opened, at, 'shop/main')).toBe('shop/pay');
    const declared = marked(FLOW.replace('workflow: ship', 'workflow: sh▸ip'));
    expect(subflowAt(declared.opened, declared.at, 'shop/main')).toBe('shop/ship');
  });

  test('is in the outline', () => {
    const names = symbolsIn(openText(FLOW)).map(({ name, detail }) => `${name} ${detail}`);
    expect(names).toEqual(['pay subflow', 'ship subflow', 'first switch', 'second error', 'third foreach']);
  });
});

describe('formatting', () => {
  test('indents by two, removes blanks, and keeps comments, blank lines and quotes', () => {
    const text = `# first\nstates:\n    -   id:   a   # the id\n        type: noop\n\n        log: 'jq(.a)'\n        transform:  {x:   1,y: 2}\n`;
    expect(format(text)).toBe(
      `# first\nstates:\n- id: a # the id\n  type: noop\n\n  log: 'jq(.a)'\n  transform: {x: 1, y: 2}\n`,
    );
  });

  const examples = globSync('examples/**/*.yaml').filter((file) => !/^runs\.yaml$|\.test\.yaml$/.test(basename(file)));

  test.each(examples)('keeps the plan of %s, and a second time changes nothing', (file) => {
    const text = readFileSync(file, 'utf8');
    const formatted = format(text);
    expect(compile(formatted ?? '')).toEqual(compile(text));
    expect(format(formatted ?? '')).toBe(formatted);
  });

  test('leaves a text that is not YAML', () => {
    expect(format('states: [')).toBeUndefined();
  });
});
