import { describe, expect, test } from 'vitest';
import { hintsOf, problemsOf } from './texts.ts';

const FUNCTIONS = 'functions: [{id: f, type: subflow, workflow: x}]\nstates:\n';

const messagesOf = (yaml: string): string[] =>
  problemsOf(FUNCTIONS + yaml).map((text) => text.replace(/^\d+:\d+ /, ''));

describe('an invalid state', () => {
  test.each<[yaml: string, ...messages: string[]]>([
    ['- 5', 'state[0]: invalid'],
    ['- {id: a}', "state[0]: missing 'type' field"],
    ['- {id: a, type: 5}', "state[0]: bad data-format for 'type' field"],
    ['- {type: noop}', 'state[0]: id required'],
    ['- {id: a, type: noop, catch: [{}]}', 'state[0]: error required'],
    [
      '- {id: a, type: noop, catch: [{error: 404}]}',
      'failed to decode state[0]: field "error" must be text, not the number 404',
    ],
    ['- {id: a, type: noop, transition: b}', "workflow state[0] 'transition' transition 'b' does not exist"],
    [
      '- {id: a, type: noop, catch: [{error: x, transition: b}]}',
      "workflow state[0] 'errors[0]' transition 'b' does not exist",
    ],
    ['- {id: a, type: noop, ID: b}', 'failed to decode state[0]: field "id" is given twice'],
    ['- {id: a, type: delay}', 'state[0]: duration required'],
    ['- {id: a, type: delay, duration: 5s}', 'state[0]: duration is not a ISO8601 string'],
    ['- {id: a, type: action}', 'state[0]: action required'],
    ['- {id: a, type: action, action: {}}', 'state[0]: must define at least one function or workflow'],
    ['- {id: a, type: action, action: {function: g}}', "workflow state[0] actions function 'g' does not exist"],
    [
      "- {id: a, type: action, async: 'yes', action: {function: f}}",
      'failed to decode state[0]: field "async" must be true or false, not text',
    ],
    [
      '- {id: a, type: action, action: {function: f, secrets: foo}}',
      'failed to decode state[0]: field "secrets" must be a list, not text',
    ],
    ['- {id: a, type: foreach, array: jq(.l), action: {function: f}, width: 0}', 'state[0]: width must be at least 1'],
    [
      '- {id: a, type: foreach, array: jq(.l), action: {function: f}, width: 1.5}',
      'failed to decode state[0]: field "width" must be a whole number, not the number 1.5',
    ],
    [
      '- {id: a, type: foreach, array: jq(.l), action: {function: f}, collect: all}',
      "failed to decode state[0]: unknown collect 'all' (must be one of [errors])",
    ],
    ['- {id: a, type: action, timeout: 5m, action: {function: f}}', 'state[0]: timeout is not a ISO8601 string'],
    [
      '- {id: a, type: action, action: {function: f, retries: {delay: 5s}}}',
      'state[0]: maxAttempts required to be more than 0',
      'state[0]: delay is not a ISO8601 string',
      'state[0]: retry policy requires at least one defined code',
    ],
    [
      '- {id: a, type: action, action: {function: f, retries: {max_attempts: 1.5, codes: [x]}}}',
      'failed to decode state[0]: field "max_attempts" must be a whole number, not the number 1.5',
    ],
    [
      '- {id: a, type: parallel, actions: [{function: f}], mode: null}',
      'failed to decode state[0]: mode must be one of [and or]',
    ],
    ['- {id: a, type: foreach}', 'state[0]: array required', 'state[0]: action required'],
    [
      '- {id: a, type: foreach, array: jq(.l), action: {function: g}}',
      "workflow state[0] actions function 'g' does not exist",
    ],
    ['- {id: a, type: parallel, actions: []}', 'state[0]: actions required'],
    [
      "- {id: a, type: parallel, mode: '', actions: [{function: f}]}",
      'failed to decode state[0]: mode must be one of [and or]',
    ],
    [
      '- {id: a, type: parallel, mode: xor, actions: [{function: f}]}',
      "failed to decode state[0]: unknown mode 'xor' (must be one of [and or])",
    ],
    [
      '- {id: a, type: parallel, actions: [{}]}',
      'state[0]: actions[0] is invalid: must define at least one function or workflow',
    ],
    ['- {id: a, type: switch}', 'state[0]: conditions required'],
    [
      "- {id: a, type: switch, conditions: [{}, {condition: ''}]}",
      'state[0]: conditions[1] is invalid: condition required',
    ],
    [
      '- {id: a, type: switch, conditions: [{transition: b}], defaultTransition: c}',
      "workflow state[0] 'conditions[0]' transition 'b' does not exist",
      "workflow state[0] 'defaultTransition' transition 'c' does not exist",
    ],
    [
      '- {id: a, type: switch, conditions: [{}], transition: a}',
      'failed to decode state[0]: unknown field "transition"',
    ],
    ['- {id: a, type: error}', 'state[0]: error required', 'state[0]: message required'],
    ['- {id: a, type: validate}', 'state[0]: schema required'],
    [
      '- {id: a, type: validate, schema: {}, subject: 5}',
      'failed to decode state[0]: field "subject" must be text, not the number 5',
    ],
    ['- {id: a, type: getter}', 'state[0]: variables required'],
    [
      '- {id: a, type: getter, variables: [{key: k}]}',
      "state[0]: variables[0] is invalid: bad scope (choose 'namespace', 'workflow', 'thread' or 'instance')",
    ],
    ['- {id: a, type: getter, variables: [{scope: instance}]}', 'state[0]: variables[0] is invalid: key required'],
    [
      "- {id: a, type: getter, variables: [{scope: instance, key: ''}]}",
      'state[0]: variables[0] is invalid: key required',
    ],
    [
      "- {id: a, type: setter, variables: [{scope: instance, key: '', value: 1}]}",
      'state[0]: variables[0] is invalid: key required',
    ],
    ["- {id: a, type: foreach, array: '', action: {function: f}}", 'state[0]: array required'],
    [
      '- {id: a, type: action, action: {function: f, files: [{key: k}, {as: q}]}}',
      'state[0]: files[1] is invalid: key required',
    ],
    [
      "- {id: a, type: parallel, actions: [{function: f, files: [{key: ''}]}]}",
      'state[0]: actions[0] is invalid: files[0] is invalid: key required',
    ],
    [
      '- {id: a, type: setter, variables: [{key: k, scope: system}]}',
      "state[0]: variables[0] is invalid: bad scope (choose 'namespace', 'workflow', 'thread' or 'instance')",
    ],
    [
      "- {id: a, type: setter, variables: [{key: k, scope: instance, value: ''}]}",
      'state[0]: variables[0] is invalid: value required',
    ],
    ['- {id: a, type: consumeEvent}', 'state[0]: event required'],
    ['- {id: a, type: eventsAnd, events: [{}]}', 'state[0]: event[0] is invalid: type required'],
    [
      '- {id: a, type: eventsXor, events: [{event: {type: t}, transition: b}]}',
      "workflow state[0] 'events[0]' transition 'b' does not exist",
    ],
    [
      '- {id: a, type: eventsXor, events: [{event: {type: t}}], transition: a}',
      'failed to decode state[0]: unknown field "transition"',
    ],
    ['- {id: a, type: generateEvent, event: {source: s}}', 'state[0]: event is invalid: type required'],
    [
      '- {id: a, type: generateEvent, delay: soon, event: {type: t, source: s}}',
      'state[0]: delay is not a ISO8601 string',
    ],
  ])('has its messages: %s', (yaml, ...messages) => {
    expect(messagesOf(yaml)).toEqual(messages);
  });

  test('has a message for an invalid schema, and for schemas that are too large together', () => {
    expect(messagesOf('- {id: a, type: validate, schema: {type: bogus}}')).toEqual([
      expect.stringContaining('invalid schema: '),
    ]);
    expect(messagesOf('- {id: a, type: validate, schema: 5}')).toEqual([expect.stringContaining('invalid schema: ')]);
    const words = Array.from({ length: 11_000 }, (_, index) => `w${index}`).join(', ');
    expect(messagesOf(`- {id: a, type: validate, schema: {enum: [${words}]}}`)).toEqual([
      expect.stringContaining('more than 10000 parts'),
    ]);
    const many = Array.from({ length: 2000 }, (_, at) => `- {id: a${at}, type: validate, schema: {maximum: ${at}}}`);
    expect(messagesOf(many.join('\n'))).toContainEqual(expect.stringContaining('more than 10000 parts'));
  });
});

describe('a setter of a file', () => {
  test('is rejected at its scope, with a hint of the known scopes', () => {
    const yaml = `states:
- id: a
  type: setter
  variables:
  - key: notes
    scope: file
    value: 1
`;
    const text =
      "state[0]: variables[0] is invalid: bad scope (choose 'namespace', 'workflow', 'thread' or 'instance')";
    expect(problemsOf(yaml)).toEqual([`6:12 ${text}`]);
    expect(hintsOf(yaml)).toEqual(['known scopes: instance, workflow, namespace, thread']);
  });
});

describe('a mistake that the original reports at run time only', () => {
  test.each([
    [
      'a catch of an error state with an unknown transition',
      '- {id: a, type: error, error: x, message: m, catch: [{error: y, transition: nowhere}]}',
    ],
    [
      'wrong retries of a foreach',
      '- {id: a, type: foreach, array: jq(.l), action: {function: f, retries: {delay: soon}}}',
    ],
    ['a foreach without a function', '- {id: a, type: foreach, array: jq(.l), action: {input: 1}}'],
    ['a pattern that does not compile', "- {id: a, type: noop, catch: [{error: '('}]}"],
    ['a query that does not compile', "- {id: a, type: noop, transform: 'jq(.[)'}"],
    ['negative attempts', '- {id: a, type: action, action: {function: f, retries: {max_attempts: -1, codes: [x]}}}'],
    ['a state that is never reached, and a loop', '- {id: a, type: noop, transition: a}\n- {id: b, type: noop}'],
    ['an empty duration', '- {id: a, type: delay, duration: PT}'],
  ])('is accepted: %s', (_, yaml) => {
    expect(messagesOf(yaml)).toEqual([]);
  });
});
