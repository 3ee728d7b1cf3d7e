import { describe, expect, test } from 'vitest';
import { functionLines } from '../../bin/cli/validation/functions.ts';
import { countConstructs } from '../../lib/authoring/migration/constructs.ts';
import { inventoryOf } from '../../lib/authoring/migration/images.ts';
import { migrate } from '../../lib/authoring/migration/migration.ts';
import type { Names } from '../../lib/authoring/migration/references.ts';

const NAMES: Names = {
  path: 'flow',
  nodes: new Set(['flow']),
  moved: new Map(),
  ids: new Map(),
  keepsExtension: false,
};

/** The text after the migration, which must be free of errors. */
function migrated(text: string, names: Partial<Names> = {}): string {
  const { text: after, findings } = migrate(text, { ...NAMES, ...names });
  expect(findings.filter(({ severity }) => severity === 'error')).toEqual([]);
  return after;
}

const NOOP = 'states:\n- id: a\n  type: noop\n';
const CALL = 'states:\n- id: a\n  type: action\n  action:\n    function: f\n';

describe('weft migrate', () => {
  test('leaves a text of this language as it is', () => {
    const text = `# about\ndirektiv_api: workflow/v1\n${NOOP}  transform:   {a: 'jq(.x)'}\n`;
    expect(migrate(text, NAMES)).toMatchObject({ text, changes: [], findings: [] });
  });

  test.each([
    ['drops the id of v0.5', `id: greet\nsingular: true\n${NOOP}`, NOOP],
    [
      'adds the type of a container',
      `functions:\n- id: f\n  image: acme/f:1\n${CALL}`,
      `functions:\n- id: f\n  type: knative-workflow\n  image: acme/f:1\n${CALL}`,
    ],
    [
      'adds the type of a subflow, also in braces',
      `functions:\n- {id: f, workflow: other}\n${CALL}`,
      `functions:\n- {id: f, type: subflow, workflow: other}\n${CALL}`,
    ],
    [
      'declares the workflows that actions of v0.5 named themselves',
      'functions:\n- id: f\n  type: reusable\n  image: acme/f\nstates:\n- id: a\n  type: action\n  action:\n    workflow: applyOrder\n  transition: b\n- id: b\n  type: action\n  action: {function: f}\n',
      "functions:\n- {id: apply-order, type: subflow, workflow: 'applyOrder'}\n- id: f\n  type: reusable\n  image: acme/f\nstates:\n- id: a\n  type: action\n  action:\n    function: apply-order\n  transition: b\n- id: b\n  type: action\n  action: {function: f}\n",
    ],
    [
      'adds the list of functions for them',
      'states:\n- id: a\n  type: action\n  action:\n    workflow: pay\n',
      "functions:\n- {id: pay, type: subflow, workflow: 'pay'}\nstates:\n- id: a\n  type: action\n  action:\n    function: pay\n",
    ],
    [
      'renames the fields input of foreach and default of switch',
      "functions:\n- {id: f, type: reusable, image: acme/f}\nstates:\n- id: a\n  type: switch\n  conditions:\n  - condition: '.x > 1'\n    transition: b\n  default: b\n- id: b\n  type: foreach\n  input: '.list'\n  action: {function: f}\n",
      "functions:\n- {id: f, type: reusable, image: acme/f}\nstates:\n- id: a\n  type: switch\n  conditions:\n  - condition: 'jq(.x > 1)'\n    transition: b\n  defaultTransition: b\n- id: b\n  type: foreach\n  array: 'jq(.list)'\n  action: {function: f}\n",
    ],
    [
      'puts a query in double braces into jq(...), beside bare ones',
      `functions:\n- {id: f, type: reusable, image: acme/f}\n${CALL}    input: {u: '{{ "x/" + .a }}', v: "{{.b}} of {{ .c | length }}"}\n  transform: '.return'\n`,
      `functions:\n- {id: f, type: reusable, image: acme/f}\n${CALL}    input: {u: 'jq("x/" + .a)', v: "jq(.b) of jq(.c | length)"}\n  transform: 'jq(.return)'\n`,
    ],
    [
      'replaces the type isolated',
      `functions:\n- {id: f, type: isolated, image: acme/f}\n${CALL}`,
      `functions:\n- {id: f, type: knative-workflow, image: acme/f}\n${CALL}`,
    ],
    [
      'moves the files of a function into its actions',
      `functions:\n- id: f\n  type: reusable\n  image: acme/f\n  files:\n  - key: data.json\n    scope: workflow\n${CALL}`,
      `functions:\n- id: f\n  type: reusable\n  image: acme/f\n${CALL.replace('function: f', 'files: [ { key: data.json, scope: workflow } ]\n    function: f')}`,
    ],
    [
      'removes patches, and keeps permissions',
      `functions:\n- id: f\n  image: acme/f\n  type: knative-workflow\n  patches:\n  - op: add\n    path: /spec\n    value: {a: b}\n${CALL}    files:\n    - key: run.sh\n      permissions: '0755'\n      scope: file\n`,
      `functions:\n- id: f\n  image: acme/f\n  type: knative-workflow\n${CALL}    files:\n    - key: run.sh\n      permissions: '0755'\n      scope: file\n`,
    ],
    [
      'renames filters of events',
      `start:\n  type: event\n  event:\n    type: order\n    filters:\n      shop: north\n${NOOP}`,
      `start:\n  type: event\n  event:\n    type: order\n    context:\n      shop: north\n${NOOP}`,
    ],
    [
      'moves retries into the action, as one object',
      `functions:\n- {id: f, type: subflow, workflow: w}\n${CALL}  retries:\n  - max_attempts: 3\n    codes: ['.*']\n`,
      `functions:\n- {id: f, type: subflow, workflow: w}\n${CALL.replace('function: f', "retries: { max_attempts: 3, codes: [ '.*' ] }\n    function: f")}`,
    ],
    [
      'collects the several results of a foreach of v0.5 in a list',
      `functions:\n- {id: f, type: reusable, image: acme/f}\nstates:\n- id: a\n  type: foreach\n  input: '.names[] | {name: .}'\n  action: {function: f}\n`,
      `functions:\n- {id: f, type: reusable, image: acme/f}\nstates:\n- id: a\n  type: foreach\n  array: 'jq([.names[] | {name: .}])'\n  action: {function: f}\n`,
    ],
    [
      'lets a condition of v0.5 that was null not hold',
      `states:\n- id: a\n  type: switch\n  conditions:\n  - {condition: .vip, transition: b}\n  - {condition: '.a | .b', transition: b}\n  - {condition: .n > 1, transition: b}\n- {id: b, type: noop}\n`,
      `states:\n- id: a\n  type: switch\n  conditions:\n  - {condition: 'jq(.vip // false)', transition: b}\n  - {condition: 'jq((.a | .b) // false)', transition: b}\n  - {condition: 'jq(.n > 1)', transition: b}\n- {id: b, type: noop}\n`,
    ],
    [
      'moves the retry of a catch into the action, and catches the code of exhausted retries as the error was caught',
      `functions:\n- {id: f, type: subflow, workflow: w}\n${CALL}  catch:\n  - error: bank.busy\n    retry:\n      maxAttempts: 3\n      delay: PT5S\n      multiplier: 2\n    transition: b\n- {id: b, type: noop}\n`,
      `functions:\n- {id: f, type: subflow, workflow: w}\n${CALL.replace('function: f', "retries: {max_attempts: 3, delay: PT5S, multiplier: 2, codes: ['bank.busy']}\n    function: f")}  catch:\n  - {error: service.retries.exceeded, transition: b}\n  - error: bank.busy\n    transition: b\n- {id: b, type: noop}\n`,
    ],
    [
      'moves the retry of a catch of everything',
      `functions:\n- {id: f, type: subflow, workflow: w}\n${CALL}  catch: [{error: '*', retry: {max_attempts: 2}, transition: b}]\n- {id: b, type: noop}\n`,
      `functions:\n- {id: f, type: subflow, workflow: w}\n${CALL.replace('function: f', "retries: {max_attempts: 2, codes: ['.*']}\n    function: f")}  catch: [{error: '*', transition: b}]\n- {id: b, type: noop}\n`,
    ],
    [
      'names services of v0.8, which were files, also those of the system',
      `functions:\n- {id: f, type: knative-system, service: /services/http-request.yaml}\n- id: g\n  type: knative-namespace\n  service: 'svc/My_Python.yml'\n- {id: h, type: knative-namespace, service: plain}\n${CALL}`,
      `functions:\n- {id: f, type: knative-system, service: http-request}\n- id: g\n  type: knative-namespace\n  service: 'my-python'\n- {id: h, type: knative-namespace, service: plain}\n${CALL}`,
    ],
    [
      'corrects the name of a field, and then what is below it',
      `id: say\nfunction:\n- id: f\n  image: acme/f\n${CALL}`,
      `functions:\n- id: f\n  type: knative-workflow\n  image: acme/f\n${CALL}`,
    ],
    [
      'corrects the name of a field with a list of retries below it',
      `functions:\n- {id: f, type: subflow, workflow: w}\n${CALL.replace('action:', 'acton:')}    retries:\n    - {max_attempts: 2, codes: ['x']}\n`,
      `functions:\n- {id: f, type: subflow, workflow: w}\n${CALL.replace('function: f', "retries: { max_attempts: 2, codes: [ 'x' ] }\n    function: f")}`,
    ],
    [
      'corrects the name of a state field whose events have filters',
      'states:\n- id: a\n  type: consumeEvent\n  events:\n    type: t\n    filters: {a: b}\n',
      'states:\n- id: a\n  type: consumeEvent\n  event:\n    type: t\n    context: {a: b}\n',
    ],
    [
      'moves secrets beside an action into it',
      `functions:\n- {id: f, type: subflow, workflow: w}\n${CALL.replace('  action:', '  secrets: [A, B]\n  action:')}`,
      `functions:\n- {id: f, type: subflow, workflow: w}\n${CALL.replace('function: f', 'secrets: [ A, B ]\n    function: f')}`,
    ],
    [
      'moves files and the input beside an action into it, in braces',
      'functions: [{id: f, type: subflow, workflow: w}]\nstates:\n- {id: a, type: action, input: {b: 1}, action: {function: f}, files: [{key: k}]}\n',
      'functions: [{id: f, type: subflow, workflow: w}]\nstates:\n- {id: a, type: action, action: {input: { b: 1 }, files: [ { key: k } ], function: f}}\n',
    ],
    [
      'leaves no retries without codes, which retried nothing',
      `functions:\n- {id: f, type: subflow, workflow: w}\n${CALL}    retries:\n      max_attempts: 3\n  transition: b\n- {id: b, type: noop}\n`,
      `functions:\n- {id: f, type: subflow, workflow: w}\n${CALL}  transition: b\n- {id: b, type: noop}\n`,
    ],
    [
      'leaves no retries without codes in braces, and those with codes',
      'functions: [{id: f, type: subflow, workflow: w}]\nstates:\n- {id: a, type: parallel, actions: [{function: f, retries: {max_attempts: 3}}, {function: f, retries: {max_attempts: 1, codes: [x]}}]}\n',
      'functions: [{id: f, type: subflow, workflow: w}]\nstates:\n- {id: a, type: parallel, actions: [{function: f}, {function: f, retries: {max_attempts: 1, codes: [x]}}]}\n',
    ],
    [
      'leaves no retry of a foreach without codes',
      'functions: [{id: f, type: subflow, workflow: w}]\nstates:\n- id: a\n  type: foreach\n  array: jq(.l)\n  action:\n    retry: [{max_attempts: 3}]\n    function: f\n',
      'functions: [{id: f, type: subflow, workflow: w}]\nstates:\n- id: a\n  type: foreach\n  array: jq(.l)\n  action:\n    function: f\n',
    ],
    [
      'removes the retry of a catch of a state that calls nothing',
      "states:\n- id: a\n  type: noop\n  catch: [{error: '*', retry: {max_attempts: 2}, transition: b}]\n- {id: b, type: noop}\n",
      "states:\n- id: a\n  type: noop\n  catch: [{error: '*', transition: b}]\n- {id: b, type: noop}\n",
    ],
    [
      'gives names the form of the language, with their references',
      `start: {type: default, state: firstState}\nstates:\n- id: firstState\n  type: noop\n  transition: Second State\n- {id: Second State, type: noop}\n`,
      `start: {type: default, state: first-state}\nstates:\n- id: first-state\n  type: noop\n  transition: second-state\n- {id: second-state, type: noop}\n`,
    ],
    ['replaces no-break spaces', 'states:\n- id: a\n  type:\u00a0noop\n', NOOP],
    ['replaces tabs', 'states:\n- id: a\n\ttype: noop\n', NOOP],
    [
      'corrects durations',
      'states:\n- {id: a, type: delay, duration: 5m}\n',
      'states:\n- {id: a, type: delay, duration: PT5M}\n',
    ],
  ])('%s', (_, before, after) => {
    expect(migrated(before)).toBe(after);
  });

  test('renames a state without the function of the same name', () => {
    const text = `functions:\n- {id: send-mail, type: subflow, workflow: w}\nstates:\n- {id: SendMail, type: action, action: {function: send-mail}}\n`;
    expect(migrated(text)).toBe(text.replace('SendMail', 'send-mail'));
  });

  test('puts queries of v0.5 into jq(...)', () => {
    const text = `id: q\nfunctions:\n- {id: f, image: acme/f}\nstates:\n- id: a\n  type: switch\n  conditions:\n  - condition: .age > 18\n    transition: b\n- id: b\n  type: action\n  action:\n    function: f\n    secrets: [TOKEN]\n    input: '{\n      "url": .url,\n      "token": .secrets.TOKEN,\n    }'\n  transition: c\n- id: c\n  type: noop\n  log: "{{ .name }} is done"\n  transform: |\n    del(.return)\n`;
    const after = migrated(text);
    expect(after).toContain("condition: 'jq(.age > 18)'");
    expect(after).toContain('"token": .secrets.TOKEN,\n     })\'');
    expect(after).toContain('log: "jq(.name) is done"');
    expect(after).toContain('transform: |\n    jq(del(.return))\n');
    expect(migrate(after, NAMES)).toMatchObject({ text: after, changes: [], findings: [] });
  });

  test('leaves plain texts of a workflow with scripts', () => {
    const text = `functions:\n- {id: f, type: subflow, workflow: w}\nstates:\n- {id: a, type: action, log: jq(.a), action: {function: f, input: .name}}\n`;
    expect(migrated(text)).toBe(text);
  });

  test.each([
    ['.list', '.list'],
    ['.list[]', '[.list[]]'],
    ['.a, .b', '[.a, .b]'],
    ['[.list[]]', '[.list[]]'],
    ['.list | map({v: .[]})', '.list | map({v: .[]})'],
    ['range(3) | {n: .}', '[range(3) | {n: .}]'],
    ['{v: .list[]}', '[{v: .list[]}]'],
    ['if .x then .l[] else empty end', '[if .x then .l[] else empty end]'],
  ])('makes a list of the query %s of foreach: %s', (before, after) => {
    const text = (query: string) =>
      `functions:\n- {id: f, type: subflow, workflow: w}\nstates:\n- id: a\n  type: foreach\n  array: '${query}'\n  action: {function: f}\n`;
    expect(migrated(text(before))).toBe(text(`jq(${after})`));
  });

  test.each([
    ['.a.b', '.a.b // false'],
    ['.a == null', '.a == null'],
    ['.a // true', '.a // true'],
    ['.a and .b', '.a and .b'],
    ['.a | not', '.a | not'],
    ['has("a")', 'has("a")'],
    ['.a + .b', '(.a + .b) // false'],
    ['.l[] | select(.x)', '(.l[] | select(.x)) // false'],
    ['if .a then true else false end', 'if .a then true else false end'],
    ['if .a then .b else false end', '(if .a then .b else false end) // false'],
  ])('makes the condition %s the script %s', (before, after) => {
    const text = (query: string) =>
      `states:\n- id: a\n  type: switch\n  conditions:\n  - {condition: '${query}', transition: b}\n- {id: b, type: noop}\n`;
    expect(migrated(text(before))).toBe(text(`jq(${after})`));
  });

  test('leaves conditions and arrays that are scripts already', () => {
    const text = `functions:\n- {id: f, type: subflow, workflow: w}\nstates:\n- id: a\n  type: switch\n  conditions:\n  - {condition: jq(.a), transition: b}\n- {id: b, type: foreach, array: 'jq(.l)', action: {function: f}}\n`;
    expect(migrated(text)).toBe(text);
  });

  test('leaves retries of a catch that differ by the error, and reports them', () => {
    const text = `functions:\n- {id: f, type: subflow, workflow: w}\n${CALL}  catch:\n  - {error: x, retry: {max_attempts: 1}}\n  - {error: y, retry: {max_attempts: 2}}\n`;
    const { text: after, findings } = migrate(text, NAMES);
    expect(after).toBe(text);
    expect(findings.map(({ rule, severity }) => `${severity} ${rule}`)).toContain('error unknown-field');
  });

  test.each([
    ['names without extension', 'pay.yaml', 'pay', { nodes: new Set(['pay']) }],
    ['names with extension', '/pay', '/pay.yaml', { nodes: new Set(['pay.yaml']), keepsExtension: true }],
    [
      'a renamed workflow',
      'Pay_All.yaml',
      '/pay-all',
      { nodes: new Set(['pay-all']), moved: new Map([['Pay_All', 'pay-all']]) },
    ],
    [
      'the id of v0.5',
      'pay-order',
      '/billing/pay',
      { nodes: new Set(['billing/pay']), ids: new Map([['pay-order', 'billing/pay']]) },
    ],
    ['a ref', 'pay.yaml:v1', 'pay:v1', { nodes: new Set(['pay']) }],
    ['a folder', '../pay.yml', '../pay', { path: 'a/flow', nodes: new Set(['pay']) }],
  ])('resolves the reference to %s', (_, before, after, names) => {
    const text = (target: string) => `functions:\n- id: f\n  type: subflow\n  workflow: ${target}\n${CALL}`;
    expect(migrated(text(before), names)).toBe(text(after));
  });

  test('reports what it cannot rewrite', () => {
    const { findings, text } = migrate('states:\n- {id: a, type: callback, event: {type: e}}\n', NAMES);
    expect(text).toContain('callback');
    expect(findings).toMatchObject([{ severity: 'error', rule: 'unknown-type', line: 2 }]);
  });
});

test('constructs are counted with what differs, the unsupported ones first', () => {
  const workflow = {
    functions: [
      { id: 'f', image: 'acme/f', patches: [] },
      { id: 'g', workflow: 'w' },
    ],
    states: [
      { id: 'a', type: 'noop', transform: 'jq(.a)' },
      { id: 'b', type: 'callback' },
    ],
  };
  const rows = countConstructs([workflow, { direktiv_api: 'service/v1', image: 'x' }, undefined]);
  expect(rows.map(({ verdict, label, count }) => `${verdict} ${label} ${count}`)).toEqual([
    'unsupported patches 1',
    'unsupported service file 1',
    'unsupported state callback 1',
    'differs container 1',
    'differs jq 1',
    'same start by a request 1',
    'same state noop 1',
    'same subflow 1',
  ]);
});

test('images are listed with the workflows that use them, and with what replaces them', () => {
  const uses = (image: string) => ({ functions: [{ id: 'f', image }] });
  expect(
    inventoryOf(
      new Map([
        ['a', uses('acme/f:1')],
        ['b', uses('acme/mustache:1.0')],
        ['c', uses('acme/f:1')],
      ]),
    ),
  ).toEqual([
    { image: 'acme/f:1', workflows: ['a', 'c'] },
    { image: 'acme/mustache:1.0', workflows: ['b'], use: expect.stringContaining('jq(') },
  ]);
});

const images = [
  ['amazon/aws-cli', 'sigv4'],
  ['gcr.io/direktiv/functions/bash:1.0', 'worker'],
  ['direktiv/karate:1', 'validate'],
  ['gcr.io/direktiv/functions/gcp:1.0', 'http'],
  ['direktiv/sshscp:v2', 'worker'],
  ['gcr.io/direktiv/functions/python@sha256:ab', 'Lambda'],
  ['acme/f', undefined],
] as const;

test.each(images)('weft migrate and weft validate name what takes the place of %s', (image, word) => {
  const functions = [{ id: 'f', type: 'knative-workflow', image }];
  const workflow = { functions, states: [{ id: 'a', type: 'action', action: { function: 'f' } }] };
  const [{ use = '' } = {}] = inventoryOf(new Map([['flow', workflow]]));
  const [line] = functionLines([{ file: 'w.yaml', source: JSON.stringify(workflow), findings: [] }]);
  expect(use).toContain(word ?? '');
  const shown = word === undefined ? image : `${image}: ${use}`;
  expect(line).toBe(`w.yaml: function 'f' needs a container (${shown})`);
});

test.each([
  ['direktiv/http-request:v5', {}, {}, true],
  ['gcr.io/direktiv/functions/mustache:1.0', {}, { files: [{ key: 'x' }] }, true],
  ['direktiv/request:v4', {}, { files: [{ key: 'x' }] }, false],
  ['direktiv/request:v4', { cmd: '/other' }, {}, false],
  ['vorteil/request:v5', {}, {}, false],
  ['direktiv/bash:dev', {}, {}, false],
])(
  '%s, as a function with %j called with %j, is reported as weft validate does: %s',
  (image, more, files, isServed) => {
    const workflow = {
      functions: [{ id: 'f', type: 'knative-workflow', image, ...more }],
      states: [{ id: 'a', type: 'action', action: { function: 'f', ...files } }],
    };
    const file = { file: 'flow.yaml', source: JSON.stringify(workflow), findings: [] };
    const [line = ''] = functionLines([file]);
    const [{ use = '' } = {}] = inventoryOf(new Map([['flow', workflow]]));
    const labels = countConstructs([workflow]).map(({ label }) => label);
    expect([
      line.includes('runs without a container'),
      use.startsWith('runs without a container'),
      labels.includes('image that runs without a container'),
      !labels.includes('container'),
    ]).toEqual([isServed, isServed, isServed, isServed]);
  },
);

test('an image that only some functions can use without a container is reported so', () => {
  const workflow = {
    functions: [
      { id: 'f', image: 'direktiv/request:v4' },
      { id: 'g', image: 'direktiv/request:v4', cmd: '/other' },
    ],
  };
  expect(inventoryOf(new Map([['flow', workflow]]))).toMatchObject([
    { use: expect.stringContaining('except where it has another command') },
  ]);
});
