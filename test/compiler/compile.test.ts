import { describe, expect, test } from 'vitest';
import { compile } from '../../lib/compiler/compile.ts';
import { emit } from '../../lib/compiler/emit/emit.ts';
import { hintsOf, planOf, problemsOf } from './texts.ts';

const STATES = 'states: [{id: a, type: noop}, {id: b, type: noop}]';

describe('the retries of a workflow', () => {
  const RETRIES = { maxAttempts: 2, delay: 'PT1S', multiplier: 0, codes: ['x'] };
  const AT_TOP = `retries: {max_attempts: 2, delay: PT1S, codes: [x]}\nfunctions: [{id: f, type: subflow, workflow: w}]\n`;
  const retriesIn = (state: string): unknown => {
    const { work } = planOf(`${AT_TOP}states: [{id: a, ${state}}]`).states['a'] ?? {};
    if (work?.do === 'all') return work.actions.map(({ retries }) => retries);
    return work?.do === 'each' || work?.do === 'call' ? work.action.retries : work?.do === 'approve' && work.notify;
  };

  test.each([
    ['of an action', 'type: action, action: {function: f}', RETRIES],
    ['of each call of a loop', "type: foreach, array: 'jq(.a)', action: {function: f}", RETRIES],
    [
      'of branches, unless they have their own',
      "type: parallel, actions: [{function: f}, {function: f, retries: {max_attempts: 1, codes: ['^$']}}]",
      [RETRIES, { maxAttempts: 1, multiplier: 0, codes: ['^$'] }],
    ],
    ['of no call that nothing waits for', 'type: action, async: true, action: {function: f}', undefined],
    [
      'of no notification',
      'type: approval, subject: s, choices: {yes: null}, notify: {function: f}',
      { function: 'f', secrets: [], files: [] },
    ],
  ])('are those %s', (_name, state, expected) => {
    expect(retriesIn(state)).toEqual(expected);
  });

  test('have the fields of those of an action', () => {
    expect(problemsOf(`retries: {max_attempts: 2}\n${STATES}`)).toEqual([
      expect.stringContaining('retry policy requires at least one defined code'),
    ]);
    expect(planOf(`${AT_TOP}${STATES}`)).not.toHaveProperty('retries');
  });
});

describe('the plan of a workflow', () => {
  test('begins with the first state and has the default start if the workflow has none', () => {
    expect(planOf(STATES)).toMatchObject({
      version: 1,
      start: { type: 'default' },
      entry: 'a',
      timeouts: {},
      functions: {},
    });
  });

  test('has the timeouts, without empty ones, and no descriptions', () => {
    const plan = planOf(
      `direktiv_api: workflow/v1\ndescription: d\nurl: u\ntimeouts: {interrupt: PT1H, kill: ''}\n${STATES}`,
    );
    expect(plan.timeouts).toEqual({ interrupt: 'PT1H' });
  });

  test.each([
    ['{type: default, state: b}', { type: 'default' }],
    ["{type: scheduled, cron: '* * * * *', state: b}", { type: 'scheduled', cron: '* * * * *' }],
    ["{type: scheduled, cron: '@daily', missed: all, state: b}", { type: 'scheduled', cron: '@daily', missed: 'all' }],
    ['{type: scheduled, state: b}', { type: 'scheduled', cron: '' }],
    [
      '{type: event, event: {type: t, context: {Shop: n*}}, state: b}',
      { type: 'event', events: [{ type: 't', context: { shop: 'n*' } }] },
    ],
    [
      '{type: eventsXor, events: [{type: t}, {}], state: b}',
      {
        type: 'eventsXor',
        events: [
          { type: 't', context: {} },
          { type: '', context: {} },
        ],
      },
    ],
    [
      '{type: eventsAnd, lifespan: PT1M, events: [{type: t}], state: b}',
      { type: 'eventsAnd', lifespan: 'PT1M', events: [{ type: 't', context: {} }] },
    ],
  ])('has the start %s', (written, start) => {
    expect(planOf(`start: ${written}\n${STATES}`)).toMatchObject({ start, entry: 'b' });
  });

  test.each([
    ['{type: subflow, workflow: ../x}', { type: 'subflow', workflow: '../x' }],
    ['{type: knative-namespace, service: s}', { type: 'knative-namespace', service: 's' }],
    ['{type: knative-global, service: s}', { type: 'knative-global', service: 's' }],
    [
      '{type: reusable, image: i}',
      { type: 'knative-workflow', image: 'i', size: 'small', cmd: '', scale: 0, envs: {} },
    ],
    [
      '{type: knative-workflow, image: i, size: large, cmd: c, scale: 2, envs: [{name: N, value: v}]}',
      { type: 'knative-workflow', image: 'i', size: 'large', cmd: 'c', scale: 2, envs: { N: 'v' } },
    ],
  ])('has the function %s', (written, declared) => {
    expect(planOf(`functions: [{id: f, ${written.slice(1)}]\n${STATES}`).functions).toEqual({ f: declared });
  });

  test('may have states with names of the object prototype', () => {
    const plan = planOf('states: [{id: constructor, type: noop, transform: {__proto__: {x: 1}}}]');
    expect(Object.keys(plan.states)).toEqual(['constructor']);
    expect(JSON.stringify(Object.values(plan.states)[0]?.exit)).toBe('{"transform":{"__proto__":{"x":1}}}');
  });
});

describe('problems', () => {
  test.each<[yaml: string, problems: string[]]>([
    ['', ['1:1 workflow has no defined states']],
    ['description: x', ['1:1 states required']],
    ['states:', ['1:1 invalid type for states']],
    ['states: []', ['1:1 workflow has no defined states']],
    [`functions: {}\n${STATES}`, ['1:1 invalid type for functions']],
    [`start:\n${STATES}`, ['1:6 bad start: invalid']],
    [`start: {}\n${STATES}`, ["1:8 bad start: missing 'type' field"]],
    [
      `start: {type: often}\n${STATES}`,
      ['1:15 start: type unrecognized(scheduled, event, eventsXor, eventsAnd, default)'],
    ],
    [`start: {type: event}\n${STATES}`, ['1:8 start invalid: event required']],
    [`start: {type: eventsXor, events: []}\n${STATES}`, ['1:26 start invalid: events required']],
    [`start: {type: default, cron: x}\n${STATES}`, ['1:24 failed to decode start: unknown field "cron"']],
    [
      `start: {type: scheduled, cron: '@daily', missed: often}\n${STATES}`,
      ["1:50 failed to decode start: unknown missed 'often' (must be one of [latest all none])"],
    ],
    [`start: {type: default, state: z}\n${STATES}`, ['1:31 start targets state that does not exist']],
    [
      `timeouts: {interrupt: 5m, kill: soon}\n${STATES}`,
      ['1:23 interrupt is not a ISO8601 string', '1:33 kill is not a ISO8601 string'],
    ],
    [
      `functions: [{type: subflow}]\n${STATES}`,
      ['1:13 function[0]: id required', '1:13 function[0]: workflow required'],
    ],
    [
      `functions: [{id: f, type: reusable, size: ''}]\n${STATES}`,
      ['1:43 failed to decode function[0]: size must be one of [small medium large]'],
    ],
    [
      `functions: [{id: f, type: reusable, size: null}]\n${STATES}`,
      ['1:43 failed to decode function[0]: size must be one of [small medium large]'],
    ],
    [`functions: [{id: f, type: knative-namespace}]\n${STATES}`, ['1:13 function[0]: service required']],
    [`functions: [{id: f, type: reusable}]\n${STATES}`, ['1:13 function[0]: image required']],
  ])('of %j have these messages', (yaml, problems) => {
    expect(problemsOf(yaml)).toEqual(problems);
  });

  test('are returned all at once, with their positions, in the order in which the original checks', () => {
    const yaml = [
      'timeouts: {kill: never}',
      'version: 1',
      'states:',
      '- {id: a, type: noop, transition: z}',
      '- {id: a, type: delay, duration: x}',
      '- {id: b, type: delay, durationn: PT1S}',
      'functions:',
      '- {id: f, type: subflow}',
      'start: {type: default, state: y}',
    ].join('\n');
    expect(problemsOf(yaml)).toEqual([
      '2:1 failed to decode workflow: unknown field "version"',
      '5:34 state[1]: duration is not a ISO8601 string',
      '6:24 failed to decode state[2]: unknown field "durationn"',
      '8:3 function[0]: workflow required',
      "5:8 state id 'a' is used in more than one state",
      '9:31 start targets state that does not exist',
      "4:35 workflow state[0] 'transition' transition 'z' does not exist",
      '1:18 kill is not a ISO8601 string',
    ]);
  });

  test('do not include references to a state that could not be decoded', () => {
    const yaml = 'states: [{id: a, type: noop, transition: b}, {id: b, type: dance}]';
    expect(problemsOf(yaml)).toEqual([expect.stringContaining('state[1]: type unrecognized')]);
  });

  test('are a hundred at most', () => {
    expect(problemsOf(`states:\n${'- {id: a, type: noop, x: 1}\n'.repeat(500)}`)).toHaveLength(100);
  });

  test.each([
    ['states: [{id: a, type: noop, transitoin: b}]', "did you mean 'transition'?"],
    ['states: [{id: a, type: nop}]', "did you mean 'noop'?"],
    ['states: [{id: first, type: noop, transition: frist}]', "did you mean 'first'?"],
    ['states: [{id: a, type: noop, transition: zebra}]', 'known: a'],
    [
      'states: [{id: a, type: action, action: {function: f}}]',
      "the workflow has no functions: declare it under 'functions'",
    ],
    [
      'states: [{id: a, type: action, action: {}}]',
      "write 'function: ' and the id of a function declared under 'functions'",
    ],
    [
      'functions: [{id: f, type: subflow, workflow: w}]\nstates: [{id: a, type: action, action: {function: f, retries: {codes: [x]}}}]',
      'write max_attempts: 3 for three retries',
    ],
    [
      'states: [{id: a, type: noop, colour: red}]',
      'known fields: type, id, log, metadata, catch, transform, transition',
    ],
    ['states: [{id: a, type: action, retries: {}, action: {}}]', "it belongs into 'action'"],
    ['states: [{id: a, type: action, action: {functoin: f}}]', "did you mean 'function'?"],
    ['states: [{id: a, type: action, action: {retry: {}}}]', "did you mean 'retries'?"],
    [`name: x\n${STATES}`, 'a workflow has no such field: its path in the tree is its name'],
    [
      `functions: [{id: f, type: knative-workflow, image: i, patches: []}]\n${STATES}`,
      'patches are for Kubernetes, which Weft does not use: remove the field',
    ],
    [
      `functions: [{id: f, type: subflow, workflow: w, concurrency: {limit: 1}}]\n${STATES}`,
      "a subflow is limited by the 'concurrency' and the 'rate' at the top of its own workflow",
    ],
    [
      `functions: [{id: f, type: subflow, workflow: jq(.w)}]\n${STATES}`,
      'list the paths that the query may give, for example allowed: [tools/search, tools/*]',
    ],
    [
      `functions: [{id: f, type: subflow, workflow: w, allowed: [w]}]\n${STATES}`,
      "remove it, or compute the path, for example workflow: 'tools/jq(.tool)'",
    ],
    [
      `functions: [{id: f, type: subflow, workflow: jq(.w), allowed: ['a/**']}]\n${STATES}`,
      'for example tools/search, or tools/*',
    ],
    [
      `functions: [{id: f, type: subflow, workflow: jq(.w), allowed: [jq(.a)]}]\n${STATES}`,
      'for example tools/search, or tools/*',
    ],
    [
      `functions: [{id: f, type: worker, queue: q, rate: {limit: 1, per: PT1S}}]\n${STATES}`,
      'the number of its workers limits the tasks of a queue at work',
    ],
    [`functions: [{id: f, type: http, url: 'https://a.test', scope: a b}]\n${STATES}`, 'for example bank-api'],
    [
      `functions: [{id: f, type: http, url: 'https://a.test', concurrency: {limit: 1, places: 1}}]\n${STATES}`,
      'known fields: limit, key, whenFull',
    ],
    [`${STATES}\ndescription: 5`, 'put the value in quotes'],
    [`${STATES}\ntimeouts: {kill: 5m}`, 'write it like PT30S, PT15M or P1DT12H'],
  ])('have a hint: %s', (yaml, hint) => {
    expect(hintsOf(yaml)).toEqual([hint]);
  });
});

describe('the machine of a workflow that calls a container', () => {
  const functions =
    'functions:\n- {id: f, type: knative-namespace, service: s}\n- {id: sub, type: subflow, workflow: w}\n';
  const tierOf = (states: string): string => {
    const compiled = compile(`${functions}states:\n${states}`);
    if (!('plan' in compiled)) throw new Error(compiled.problems[0]?.message);
    return emit(compiled.plan).tier;
  };

  test('is of the tier STANDARD, because the call waits', () => {
    expect(tierOf('- {id: a, type: action, action: {function: f}}')).toBe('STANDARD');
    expect(tierOf('- {id: a, type: parallel, actions: [{function: sub}, {function: f}]}')).toBe('STANDARD');
    expect(tierOf('- {id: a, type: action, action: {function: sub}}')).toBe('EXPRESS');
  });

  test('is of the tier EXPRESS if the call is async', () => {
    expect(tierOf('- {id: a, type: action, async: true, action: {function: f}}')).toBe('EXPRESS');
  });
});

describe('a function that sends mails', () => {
  const mail = (fields: string) => `functions: [{id: f, type: mail, ${fields}}]\n${STATES}`;

  test('has its server and the fields of its mails in the plan', () => {
    const server = '{host: smtp.test, port: 465, user: USER, password: PASSWORD}';
    const fields = `server: ${server}, from: a@test, to: ['jq(.to)', 'Bob <b@test>'], attachments: [{name: jq(.n)}]`;
    expect(planOf(mail(`${fields}, rate: {limit: 5, per: PT1M}`)).functions['f']).toEqual({
      type: 'mail',
      server: { host: 'smtp.test', port: 465, user: 'USER', password: 'PASSWORD' },
      mail: { from: 'a@test', to: ['jq(.to)', 'Bob <b@test>'], attachments: [{ name: 'jq(.n)' }] },
      limits: { scope: 'f', rate: { limit: 5, per: 'PT1M' } },
    });
    expect(planOf(mail('to: b@test')).functions['f']).toEqual({ type: 'mail', mail: { to: 'b@test' } });
  });

  test.each([
    ['to: bob', 'to must be an address, or a list of addresses'],
    ["cc: [b@test, 'c@test, d@test']", 'cc must be an address, or a list of addresses'],
    ['from: [a@test]', 'from must be an address'],
    ['text: 5', 'text must be a text'],
    ['attachments: [{key: a}]', 'attachments must be a list of variables, each with name, scope and as'],
    ['server: {host: a b}', 'host must be the name or the address of a server'],
    ['server: {host: smtp.test, port: 99999}', 'port must be a number from 1 to 65535'],
    ['server: {host: smtp.test, user: USER}', 'password required beside user: both are names of secrets'],
    ['server: {port: 25}', 'host required'],
  ])('is refused with %s', (fields, problem) => {
    expect(problemsOf(mail(fields)).map((one) => one.replace(/^.*?: /, ''))).toEqual([problem]);
  });
});

describe('the limits of a function', () => {
  const limitsOf = (fields: string) => planOf(`functions: [{id: f, ${fields}}]\n${STATES}`).functions['f']?.limits;

  test('have its id as their scope by default', () => {
    const http = "type: http, url: 'https://a.test'";
    expect(limitsOf(`${http}, concurrency: {limit: 5, key: jq(.k)}`)).toEqual({
      scope: 'f',
      concurrency: { limit: 5, key: 'jq(.k)' },
    });
    expect(limitsOf(`${http}, scope: api, rate: {limit: 5, per: PT1S}`)).toEqual({
      scope: 'api',
      rate: { limit: 5, per: 'PT1S' },
    });
    expect(limitsOf(http)).toBeUndefined();
  });

  test.each(['type: lambda, function: g', 'type: knative-workflow, image: i', 'type: knative-namespace, service: s'])(
    'are in the plan of %s',
    (fields) => {
      expect(limitsOf(`${fields}, concurrency: {limit: 5}`)).toEqual({ scope: 'f', concurrency: { limit: 5 } });
    },
  );

  test('are numbers from 1 to 1000, and periods from a second', () => {
    const http = "functions: [{id: f, type: http, url: 'https://a.test'";
    expect(problemsOf(`${http}, concurrency: {limit: 2000}, rate: {limit: 1, per: P301D}}]\n${STATES}`)).toEqual([
      '1:77 function[0]: limit must be at most 1000',
      '1:106 function[0]: per must be from 1 second to 300 days',
    ]);
  });
});
