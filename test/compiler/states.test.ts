import { describe, expect, test } from 'vitest';
import { STATE_TYPES } from '../../lib/compiler/states/index.ts';
import { problemsOf, stateOf } from './texts.ts';

const FUNCTIONS = 'functions: [{id: f, type: subflow, workflow: x}]\nstates:\n';

const workOf = (yaml: string): unknown => stateOf(FUNCTIONS + yaml).work;

describe('the plan of a state', () => {
  const call = { function: 'f', secrets: [], files: [] };
  test.each<[title: string, yaml: string, work: object]>([
    ['of a noop has no work', '- {id: a, type: noop}', { do: 'nothing' }],
    ['of a delay sleeps', '- {id: a, type: delay, duration: PT5S}', { do: 'sleep', duration: 'PT5S' }],
    [
      'of an action calls',
      '- {id: a, type: action, action: {function: f}}',
      { do: 'call', async: false, action: call },
    ],
    [
      'of an action has its input, secrets, retries and files',
      '- {id: a, type: action, async: true, timeout: PT9S, action: {function: f, input: jq(.x), secrets: [S], files: [{key: k, as: n}],' +
        ' retries: {max_attempts: 3, delay: PT1S, multiplier: 1.5, codes: [x]}}}',
      {
        do: 'call',
        async: true,
        timeout: 'PT9S',
        action: {
          function: 'f',
          input: 'jq(.x)',
          secrets: ['S'],
          files: [{ key: 'k', as: 'n' }],
          retries: { maxAttempts: 3, delay: 'PT1S', multiplier: 1.5, codes: ['x'] },
        },
      },
    ],
    [
      'of a foreach may have an empty array; the empty code matches every code; a multiplier is a double',
      "- {id: a, type: foreach, array: [], action: {function: f, retries: {max_attempts: 1, multiplier: 1.3333333333333333333, codes: ['']}}}",
      {
        do: 'each',
        array: [],
        action: { function: 'f', secrets: [], files: [], retries: { maxAttempts: 1, multiplier: 4 / 3, codes: [''] } },
      },
    ],
    [
      'of a foreach calls for each element',
      '- {id: a, type: foreach, array: jq(.l), action: {function: f}}',
      { do: 'each', array: 'jq(.l)', action: call },
    ],
    [
      'of a foreach may limit the calls at once, and collect errors',
      '- {id: a, type: foreach, array: jq(.l), action: {function: f}, width: 3, collect: errors, timeout: PT1M}',
      { do: 'each', array: 'jq(.l)', action: call, width: 3, collect: 'errors', timeout: 'PT1M' },
    ],
    [
      'of a parallel calls all',
      '- {id: a, type: parallel, actions: [{function: f}]}',
      { do: 'all', mode: 'and', actions: [call] },
    ],
    [
      'of a parallel may wait for the first call only',
      '- {id: a, type: parallel, mode: or, actions: [{function: f}]}',
      { do: 'all', mode: 'or', actions: [call] },
    ],
    [
      'of a switch chooses an exit',
      '- {id: a, type: switch, conditions: [{condition: jq(.x), transition: a}, {transform: {n: 1}}], defaultTransform: {m: 2}, defaultTransition: a}',
      {
        do: 'choose',
        conditions: [{ condition: 'jq(.x)', transition: 'a' }, { transform: { n: 1 } }],
        otherwise: { transform: { m: 2 }, transition: 'a' },
      },
    ],
    [
      'of an error raises it',
      '- {id: a, type: error, error: my.code, message: no, args: [jq(.x)]}',
      { do: 'raise', error: 'my.code', message: 'no', args: ['jq(.x)'] },
    ],
    [
      'of a validate has its schema',
      '- {id: a, type: validate, schema: {type: object}, subject: jq(.x)}',
      { do: 'validate', schema: { type: 'object' }, subject: 'jq(.x)' },
    ],
    [
      'of a validate with an empty subject has none',
      "- {id: a, type: validate, schema: {}, subject: ''}",
      { do: 'validate', schema: {} },
    ],
    [
      'of a getter reads',
      '- {id: a, type: getter, variables: [{key: k, scope: system, as: n}]}',
      { do: 'read', variables: [{ key: 'k', scope: 'system', as: 'n' }] },
    ],
    [
      'of a getter may read files of the tree with any path',
      "- {id: a, type: getter, variables: [{key: ../b c, scope: file}, {key: 'jq(.p)', scope: file, as: n}]}",
      {
        do: 'read',
        variables: [
          { key: '../b c', scope: 'file' },
          { key: 'jq(.p)', scope: 'file', as: 'n' },
        ],
      },
    ],
    [
      'of a setter writes, without fields that are not known',
      "- {id: a, type: setter, variables: [{key: k, scope: thread, value: [1], mimeType: '', colour: red}, {key: l, scope: instance}]}",
      {
        do: 'write',
        variables: [
          { key: 'k', scope: 'thread', value: [1], mimeType: '' },
          { key: 'l', scope: 'instance' },
        ],
      },
    ],
    [
      'of a consumeEvent listens, with names of attributes in lower case',
      '- {id: a, type: consumeEvent, timeout: PT1H, event: {type: t, context: {OrderId: jq(.x)}}}',
      { do: 'listen', mode: 'one', timeout: 'PT1H', events: [{ type: 't', context: { orderid: 'jq(.x)' } }] },
    ],
    [
      'of a consumeEvent may have no type, and no timeout if it is not a duration',
      '- {id: a, type: consumeEvent, timeout: soon, event: {}}',
      { do: 'listen', mode: 'one', events: [{ type: '', context: {} }] },
    ],
    [
      'of an eventAnd waits for all events',
      '- {id: a, type: eventAnd, events: [{type: t}]}',
      { do: 'listen', mode: 'all', events: [{ type: 't', context: {} }] },
    ],
    [
      'of an eventXor waits for any event',
      '- {id: a, type: eventXor, events: [{event: {type: t}, transform: {n: 1}, transition: a}]}',
      { do: 'listen-any', events: [{ event: { type: 't', context: {} }, transform: { n: 1 }, transition: 'a' }] },
    ],
    [
      'of a generateEvent emits',
      '- {id: a, type: generateEvent, delay: immediate, event: {type: t, source: s, data: {n: 1}, datacontenttype: text/plain, context: {Ab: 1}}}',
      {
        do: 'emit',
        delay: 'immediate',
        event: { type: 't', source: 's', data: { n: 1 }, datacontenttype: 'text/plain', context: { Ab: 1 } },
      },
    ],
  ])('%s', (_, yaml, work) => {
    expect(workOf(yaml)).toEqual(work);
  });

  test('has what every state has beside the work', () => {
    const yaml =
      '- {id: a, type: eventAnd, events: [{type: t}], log: jq(.), metadata: {n: 1}, transform: {m: 2}, transition: a, catch: [{error: x}, {error: y, transition: a}]}';
    expect(stateOf(FUNCTIONS + yaml)).toMatchObject({
      id: 'a',
      type: 'eventsAnd',
      log: 'jq(.)',
      metadata: { n: 1 },
      catch: [{ error: 'x' }, { error: 'y', transition: 'a' }],
      exit: { transform: { m: 2 }, transition: 'a' },
    });
  });

  test('is the same for null and an absent field, and for names of fields in any case', () => {
    const yaml = '- {id: a, Type: null, type: noop, TRANSFORM: {n: 1}, transition: null, catch: null, log: null}';
    expect(problemsOf(FUNCTIONS + yaml)).toEqual([expect.stringContaining('unknown field "Type"')]);
    expect(stateOf(FUNCTIONS + yaml.replace('Type: null, ', ''))).toEqual({
      id: 'a',
      type: 'noop',
      catch: [],
      work: { do: 'nothing' },
      exit: { transform: { n: 1 } },
    });
  });
});

test('every state type of the language is known by all its names', () => {
  const names = [
    'action',
    'approval',
    'consumeEvent',
    'delay',
    'error',
    'eventAnd',
    'eventXor',
    'eventsAnd',
    'eventsXor',
    'foreach',
  ];
  names.push('generateEvent', 'getter', 'noop', 'parallel', 'setter', 'switch', 'validate');
  expect([...STATE_TYPES.byName.keys()].sort()).toEqual(names);
});
