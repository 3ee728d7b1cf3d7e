/** A mistake that is typical of workflow texts. */
export interface Mistake {
  readonly rule: string;
  /** The text; `▸` stands before the place of the finding. */
  readonly text: string;
  /** A part of the text after the correction that the finding offers. */
  readonly mended?: string;
  /** The text as a person may correct it, where the correction by rule is one of several. */
  readonly right?: string;
  /** A part of the hint, if it is checked. */
  readonly hint?: string;
}

const FUNCTION = 'functions:\n- {id: pay, type: subflow, workflow: pay}\n';
const END = '- {id: done, type: noop}\n';

/** A workflow whose only state sets the field x. */
const query = (text: string): string => `states:\n- id: a\n  type: noop\n  transform:\n    x: ${text}\n`;

/** A workflow with a switch, whose condition goes to the last state. */
const condition = (text: string): string =>
  `states:\n- id: a\n  type: switch\n  conditions:\n  - condition: ${text}\n    transition: done\n${END}`;

/** A workflow whose only state calls the function pay. */
const call = (action: string, rest = ''): string =>
  `${FUNCTION}states:\n- id: a\n  type: action\n  action:\n    function: pay\n${action}${rest}`;

const state = (fields: string): string => `states:\n- id: a\n${fields}`;

/** Mistakes of the frame: YAML, fields, types, names. */
const FRAME: readonly Mistake[] = [
  {
    rule: 'yaml',
    text: 'states:\n- id: a\n   type▸: noop\n',
    mended: '- id: a\n  type: noop',
    hint: 'indented by 3 spaces',
  },
  { rule: 'yaml', text: 'states:\n- id: a\n▸\ttype: noop\n', mended: '\n  type: noop', hint: 'tabs' },
  { rule: 'yaml', text: query('jq({a▸: .b} | {c: .a})'), mended: "x: 'jq({a: .b} | {c: .a})'", hint: 'quotes' },
  { rule: 'yaml', text: 'states:\n- {id: a, type: noo▸p\n', mended: 'noop}' },
  {
    rule: 'yaml',
    text: 'description: order▸: paid\nstates:\n- {id: a, type: noop}\n',
    mended: "description: 'order: paid'",
  },
  {
    rule: 'yaml',
    text: 'states:\n- id: a\n  type: noop\n  ▸type: delay\n',
    right: state('  type: noop\n'),
    hint: 'leave one',
  },
  {
    rule: 'not-a-workflow',
    text: 'direktiv_api: ▸endpoint/v1\nmethods: [GET]\npath: /x\n',
    right: state('  type: noop\n'),
    hint: 'by its own route',
  },
  { rule: 'unknown-field', text: state('  type: noop\n  ▸transistion: done\n') + END, mended: '  transition: done' },
  { rule: 'unknown-field', text: call('    ▸retry: {max_attempts: 1, codes: [x]}\n'), mended: '    retries: {' },
  {
    rule: 'unknown-field',
    text: `▸id: flow\nstates:\n${END}`,
    mended: 'states:',
    hint: 'a workflow has no such field',
  },
  { rule: 'unknown-field', text: call('    retries: {▸max-attempts: 1, codes: [x]}\n'), mended: 'max_attempts: 1' },
  { rule: 'unknown-type', text: state('  type: ▸nop\n'), mended: 'type: noop' },
  {
    rule: 'unknown-type',
    text: `${FUNCTION}${state('  type: ▸foreach-parallel\n  array: jq(.l)\n  action: {function: pay}\n')}`,
    mended: 'type: foreach\n',
    hint: 'known types',
  },
  { rule: 'unknown-type', text: state('  type: ▸sleep\n  duration: PT1S\n'), mended: 'type: delay' },
  {
    rule: 'unknown-type',
    text: `start: {type: ▸schedule, cron: '0 0 * * *'}\nstates:\n${END}`,
    mended: 'type: scheduled',
  },
  { rule: 'wrong-type', text: state('  type: error\n  error: ▸404\n  message: gone\n'), mended: "error: '404'" },
  { rule: 'wrong-type', text: call('    secrets: ▸TOKEN\n'), mended: 'secrets: [TOKEN]' },
  { rule: 'wrong-type', text: `catch: ▸done\nstates:\n${END}`, mended: "catch: [{error: '*', transition: done}]" },
  { rule: 'wrong-type', text: call('', '  async: ▸yes\n'), mended: 'async: true' },
  { rule: 'wrong-type', text: call('', "  async: ▸'no'\n"), mended: 'async: false' },
  { rule: 'unknown-state', text: state('  type: noop\n  transition: ▸dnoe\n') + END, mended: 'transition: done' },
  { rule: 'unknown-state', text: `start: {type: default, state: ▸Done}\nstates:\n${END}`, mended: 'state: done' },
  {
    rule: 'unknown-function',
    text: `${FUNCTION}states:\n- {id: a, type: action, action: {function: ▸payy}}\n`,
    mended: 'function: pay',
  },
  {
    rule: 'duplicate-id',
    text: `states:\n${END}- {id: ▸done, type: noop}\n`,
    right: `states:\n${END}`,
    hint: 'line 2',
  },
  {
    rule: 'duplicate-id',
    text: `states:\n- id: done\n  type: noop\n- id: ▸done\n  type: delay\n  duration: PT1S\n`,
    mended: '- transition: done-2\n  id: done\n  type: noop\n- id: done-2',
  },
  {
    rule: 'duplicate-id',
    text: `states:\n- {id: done, type: noop, transition: done}\n- {id: ▸done, type: noop}\n`,
    mended: 'transition: done-2}\n- {id: done-2',
  },
  {
    rule: 'invalid-id',
    text: 'states:\n- {id: first, type: noop, transition: Second Step}\n- {id: ▸Second Step, type: noop}\n',
    mended: 'transition: second-step}\n- {id: second-step,',
  },
  { rule: 'invalid-duration', text: state('  type: delay\n  duration: ▸5m\n'), mended: 'duration: PT5M' },
  { rule: 'invalid-duration', text: state('  type: delay\n  duration: ▸P30S\n'), mended: 'duration: PT30S' },
  { rule: 'invalid-duration', text: state('  type: delay\n  duration: ▸pt10s\n'), mended: 'duration: PT10S' },
  { rule: 'invalid-duration', text: call('', '  timeout: ▸2m30s\n'), mended: 'timeout: PT2M30S' },
  { rule: 'invalid-duration', text: state('  type: delay\n  duration: ▸2 minutes\n'), mended: 'duration: PT2M' },
  {
    rule: 'invalid-value',
    text: state('  type: getter\n  variables:\n  - {key: a, scope: ▸global}\n'),
    right: state('  type: getter\n  variables:\n  - {key: a, scope: namespace}\n'),
    hint: 'known scopes',
  },
  {
    rule: 'missing-value',
    text: 'states:\n- ▸id: a\n  type: delay\n',
    right: 'states:\n- id: a\n  type: delay\n  duration: PT1S\n',
  },
];

/** Mistakes in queries, which the original stores. */
const QUERIES: readonly Mistake[] = [
  { rule: 'jq-syntax', text: query("'jq(.a ▸&& .b)'"), mended: '.a and .b' },
  { rule: 'jq-syntax', text: query("'jq(.a |▸| .b)'"), mended: '.a or .b' },
  { rule: 'jq-syntax', text: condition("'jq(.a ==▸= 1)'"), mended: '.a == 1' },
  { rule: 'jq-syntax', text: condition("jq(.a == ▸'x')"), mended: 'jq(.a == "x")' },
  { rule: 'jq-syntax', text: query("'jq(if .a the▸n)'"), right: query("'jq(if .a then 1 else 2 end)'") },
  { rule: 'jq-syntax', text: query("'jq(.items▸[)'"), right: query("'jq(.items[0])'") },
  { rule: 'jq-syntax', text: query('\'jq({"a" ▸= 1})\''), right: query('\'jq({"a": 1})\'') },
  {
    rule: 'jq-syntax',
    text: query('\'jq(.a | test("▸\\d"))\''.replace('▸\\', '▸\\')),
    right: query('\'jq(.a | test("\\\\d"))\''),
    hint: 'written twice',
  },
  {
    rule: 'jq-syntax',
    text: 'states:\n- id: a\n  type: noop\n  transform: |\n    jq({\n      a: .b,\n      c: .d ▸.e.f[ | .g\n    })\n'.replace(
      '▸.e.f[ ',
      '.e.f[ ▸',
    ),
    right: 'states:\n- id: a\n  type: noop\n  transform: |\n    jq({\n      a: .b,\n      c: .d.e.f | .g\n    })\n',
  },
  { rule: 'script-unclosed', text: query("'▸jq(.a | map(.b)'"), mended: 'map(.b))' },
  { rule: 'script-unclosed', text: query('"▸jq(.a + \\":(\\")"'), right: query('jq(.a)'), hint: 'brackets in strings' },
  { rule: 'script-unclosed', text: query('▸js(return data.a'), mended: 'data.a)' },
  { rule: 'jq-differs', text: query("'jq(.a // ▸error(null))'"), mended: '.a // empty' },
  { rule: 'jq-differs', text: query("'jq(▸.a[:1.5])'"), mended: '.a[:1]' },
  { rule: 'jq-differs', text: query('\'jq(.a | ▸endswith(""))\''), mended: '.a | false' },
  {
    rule: 'jq-differs',
    text: query('\'jq(.a | ▸test("(?<n>a)|(?<n>b)"))\''),
    right: query('\'jq(.a | test("(?<n>a)|(?<m>b)"))\''),
  },
  { rule: 'jq-unknown-name', text: query("'jq(.items | ▸lenght)'"), mended: '.items | length' },
  { rule: 'jq-unknown-name', text: query("'jq(.a | ▸toLower)'"), mended: 'ascii_downcase' },
  { rule: 'jq-unknown-name', text: query("'jq(.a as $x | ▸$y)'"), right: query("'jq(.a as $x | $x)'") },
  {
    rule: 'jq-unknown-name',
    text: query('\'jq(.a | ▸sub("a", "b"))\''),
    right: query('\'jq(.a | sub("a"; "b"))\''),
    hint: "';'",
  },
  { rule: 'jq-unknown-name', text: query('\'jq(.a | ▸startwith("x"))\''), mended: 'startswith("x")' },
  {
    rule: 'jq-unknown-name',
    text: query("'jq(.a == ▸open)'"),
    right: query('\'jq(.a == "open")\''),
    hint: 'for a text "open"',
  },
  { rule: 'js-syntax', text: query("'js(return {a: 1, b▸;})'"), right: query("'js(return {a: 1, b: 2})'") },
  { rule: 'js-syntax', text: query("'js(const ▸if = 1; return 2)'"), right: query("'js(const i = 1; return i)'") },
  { rule: 'js-without-result', text: query("'js(▸data.a + 1)'"), mended: 'js(return data.a + 1)' },
  { rule: 'js-without-result', text: query("'js(▸console.log(data); return 1)'"), right: query("'js(return 1)'") },
  { rule: 'query-several-results', text: query("'jq(▸.a, .b)'"), mended: 'jq([.a, .b])' },
  { rule: 'query-several-results', text: query("'jq(▸empty)'"), right: query("'jq(.a)'") },
  {
    rule: 'query-several-results',
    text: `${FUNCTION}states:\n- {id: a, type: foreach, array: 'jq(▸.items[])', action: {function: pay}}\n`,
    mended: 'jq([.items[]])',
  },
  {
    rule: 'transform-not-object',
    text: state('  type: noop\n  transform: ▸jq(.a | length)\n'),
    mended: 'jq(. + {result:(.a | length)})',
  },
  {
    rule: 'transform-not-object',
    text: state('  type: noop\n  transform: ▸.order\n'),
    right: state('  type: noop\n  transform: jq(.order)\n'),
  },
  { rule: 'condition-constant', text: condition('▸.amount > 5'), mended: "condition: 'jq(.amount > 5)'" },
  { rule: 'condition-constant', text: condition("▸'.paid'"), mended: "condition: 'jq(.paid)'" },
  {
    rule: 'condition-constant',
    text: condition('▸jq(.amount) > 5'),
    right: condition('jq(.amount > 5)'),
    hint: 'into one jq',
  },
  { rule: 'condition-constant', text: condition('\'jq(.country ▸= "CH")\''), mended: '.country == "CH"' },
  { rule: 'condition-constant', text: condition('▸"false"'), right: condition('jq(.ok)') },
  { rule: 'query-without-script', text: query('▸.order.id'), mended: 'x: jq(.order.id)' },
  { rule: 'query-without-script', text: query("'▸jq (.order.id)'"), mended: "x: 'jq(.order.id)'" },
  { rule: 'query-without-script', text: query("'Dear ▸{{ .name }}'"), mended: "x: 'Dear jq(.name)'" },
  {
    rule: 'script-not-evaluated',
    text: state('  type: error\n  error: ▸jq(.code)\n  message: m\n'),
    right: state('  type: error\n  error: x\n  message: m\n'),
  },
  {
    rule: 'number-imprecise',
    text: query("'jq(.n * -▸9007199254740993)'"),
    right: query("'jq(.n == 9007199254740993)'"),
    hint: 'BigInts',
  },
  {
    rule: 'message-arguments',
    text: state("  type: error\n  error: e\n  message: ▸'%s of %s'\n  args: [jq(.a)]\n"),
    right: state("  type: error\n  error: e\n  message: '%s'\n  args: [jq(.a)]\n"),
  },
];

/** Mistakes in the flow, in errors, time and events, which the original stores. */
const FLOW: readonly Mistake[] = [
  { rule: 'pattern-syntax', text: call('', "  catch:\n  - {error: ▸'*.timeout'}\n"), mended: "error: '.*.timeout'" },
  {
    rule: 'pattern-syntax',
    text: call('', "  catch:\n  - {error: ▸'pay.(busy'}\n"),
    right: call('', '  catch:\n  - {error: pay.busy}\n'),
  },
  {
    rule: 'pattern-syntax',
    text: `retries: {max_attempts: 1, codes: [▸'*.busy']}\n${call('')}`,
    mended: "codes: ['.*.busy']",
  },
  {
    rule: 'retry-unawaited',
    text: call("    retries: ▸{max_attempts: 1, codes: ['.*']}\n", '  async: true\n'),
    mended: 'function: pay\n  async: true',
  },
  {
    rule: 'retry-unawaited',
    text: `${FUNCTION}states:\n- id: a\n  type: approval\n  subject: s\n  choices: {yes: null}\n  notify:\n    function: pay\n    retries: ▸{max_attempts: 1, codes: [x]}\n`,
    mended: 'function: pay',
  },
  {
    rule: 'catch-without-cause',
    text: call('', '  catch:\n  - {error: ▸service.cancels.timout.soft}\n'),
    right: call('', '  catch:\n  - {error: service.cancels.timeout.soft}\n'),
  },
  {
    rule: 'catch-without-cause',
    text: state('  type: validate\n  schema: {type: object}\n  catch:\n  - {error: ▸schema.faild}\n'),
    mended: 'service.schema.failed',
  },
  {
    rule: 'catch-without-cause',
    text: state('  type: noop\n  catch:\n  - {error: ▸direktiv.schema.failed}\n'),
    right: state('  type: noop\n'),
    hint: 'this state raises',
  },
  {
    rule: 'catch-without-cause',
    text: call('    retries: {max_attempts: 1, codes: [▸service.cancel.timeout.soft]}\n'),
    mended: '[service.cancels.timeout.soft]',
  },
  {
    rule: 'catch-shadowed',
    text: call('', "  catch:\n  - {error: '.*'}\n  - {error: ▸pay.busy}\n"),
    mended: "- {error: pay.busy}\n  - {error: '.*'}",
  },
  {
    rule: 'cron-never',
    text: `start:\n  type: scheduled\n  cron: ▸'0 0 30 2 *'\nstates:\n${END}`,
    right: `start:\n  type: scheduled\n  cron: '0 0 28 2 *'\nstates:\n${END}`,
  },
  {
    rule: 'cron-never',
    text: `start:\n  type: scheduled\n  cron: ▸'0 0 8 * * 1'\nstates:\n${END}`,
    mended: "cron: '0 8 * * 1'",
  },
  {
    rule: 'cron-never',
    text: `start:\n  type: scheduled\n  cron: ▸every day\nstates:\n${END}`,
    right: `start:\n  type: scheduled\n  cron: '@daily'\nstates:\n${END}`,
  },
  {
    rule: 'state-unreachable',
    text: 'states:\n- id: a\n  type: noop\n- id: ▸b\n  type: noop\n',
    mended: '- transition: b\n  id: a',
  },
  {
    rule: 'state-unreachable',
    text: 'states:\n- {id: a, type: noop}\n- {id: ▸b, type: noop}\n',
    mended: '- {transition: b, id: a',
  },
  {
    rule: 'loop-without-wait',
    text: 'states:\n- {id: ▸a, type: noop, transition: b}\n- {id: b, type: noop, transition: a}\n',
    right: `states:\n- {id: a, type: noop, transition: b}\n- {id: b, type: delay, duration: PT1S, transition: a}\n`,
  },
  {
    rule: 'loop-without-wait',
    text: 'states:\n- {id: ▸a, type: noop, transition: a}\n',
    right: `states:\n- {id: a, type: noop}\n`,
  },
  {
    rule: 'wait-outlives-timeout',
    text: state('  type: delay\n  duration: ▸PT1H\n'),
    mended: 'timeouts: {interrupt: PT2H}\nstates:',
  },
  {
    rule: 'wait-outlives-timeout',
    text: `timeouts: {interrupt: PT5M}\n${state('  type: consumeEvent\n  timeout: ▸P2D\n  event: {type: e}\n')}`,
    mended: 'interrupt: P4D',
  },
  {
    rule: 'wait-outlives-timeout',
    text: `timeouts: {interrupt: PT5M, kill: ▸PT1M}\nstates:\n${END}`,
    right: `timeouts: {interrupt: PT5M, kill: PT6M}\nstates:\n${END}`,
  },
  {
    rule: 'expected-never-late',
    text: `expected: {within: ▸PT1H}\nstates:\n${END}`,
    mended: 'timeouts: {interrupt: PT2H}\nstates:',
    hint: '{interrupt: PT2H}',
  },
  {
    rule: 'expected-never-late',
    text: `timeouts: {interrupt: PT5M}\nexpected: {within: ▸PT5M}\nstates:\n${END}`,
    mended: 'interrupt: PT10M',
  },
  {
    rule: 'foreach-not-objects',
    text: `${FUNCTION}states:\n- id: a\n  type: foreach\n  array: [▸1, 2]\n  action: {function: pay}\n`,
    mended: '[{value: 1}, {value: 2}]',
  },
  {
    rule: 'foreach-not-objects',
    text: `${FUNCTION}states:\n- id: a\n  type: foreach\n  array: 'jq(▸[range(3)])'\n  action: {function: pay}\n`,
    mended: 'jq([([range(3)])[] | {value:.}])',
  },
  {
    rule: 'foreach-not-objects',
    text: `${FUNCTION}states:\n- id: a\n  type: foreach\n  array: ▸.items\n  action: {function: pay}\n`,
    right: call(''),
  },
  {
    rule: 'secret-undeclared',
    text: call('    secrets: [TOKEN]\n    input: {k: jq(.secrets.▸TOKN)}\n'),
    mended: 'jq(.secrets.TOKEN)',
  },
  {
    rule: 'secret-undeclared',
    text: call('    secrets: [TOKEN]\n    input: {k: jq(.secrets.TOKEN), l: jq(.secrets.▸PASSWORD)}\n'),
    mended: '[TOKEN, PASSWORD]',
  },
  {
    rule: 'secret-undeclared',
    text: state('  type: noop\n  log: jq(.secrets.▸TOKEN)\n'),
    right: state('  type: noop\n  log: jq(.a)\n'),
  },
  {
    rule: 'secret-unused',
    text: call('    secrets: [▸TOKEN]\n    input: {a: 1}\n'),
    right: call('    input: {a: 1}\n'),
  },
  {
    rule: 'function-unused',
    text: `functions:\n- {id: pay, type: subflow, workflow: p}\n- {id: ▸other, type: subflow, workflow: o}\n${call('').slice(FUNCTION.length)}`,
    mended: 'workflow: p}\nstates:',
  },
  {
    rule: 'member-missing',
    text: `start: {type: event, event: {type: e}, batch: {size: 9, for: PT5S}}\n${state('  type: noop\n  log: jq(.▸evnts)\n')}`,
    mended: 'log: jq(.events)',
  },
  {
    rule: 'limits-of-scope',
    text: "functions: [{id: f, type: http, url: 'https://a.test', scope: ▸api}]\nstates: [{id: a, type: action, action: {function: f}}]\n",
  },
  {
    rule: 'limits-of-scope',
    text: "functions:\n- {id: f, type: http, url: 'https://a.test', rate: {limit: 1, per: PT1S}}\n- {id: g, type: http, url: 'https://a.test', scope: f, rate: ▸{limit: 2, per: PT1S}}\nstates: [{id: a, type: action, action: {function: f}, transition: b}, {id: b, type: action, action: {function: g}}]\n",
  },
  {
    rule: 'priority-without-queue',
    text: `concurrency: {limit: 1, whenFull: refuse}\npriority: ▸5\nstates: [{id: a, type: noop}]\n`,
  },
  {
    rule: 'retry-without-codes',
    text: `${FUNCTION}states:\n- id: a\n  type: foreach\n  array: jq(.l)\n  action: {function: pay, retries: ▸{max_attempts: 3}}\n`,
    mended: "max_attempts: 3, codes: ['.*']",
  },
  {
    rule: 'variable-never-written',
    text: `states:\n- id: a\n  type: setter\n  variables: [{key: count, scope: workflow}]\n  transition: b\n- id: b\n  type: getter\n  variables: [{key: ▸conut, scope: workflow}]\n`,
    mended: '[{key: count, scope: workflow}]\n  transition: b\n- id: b\n  type: getter\n  variables: [{key: count,',
  },
  {
    rule: 'duration-unchecked',
    text: state('  type: consumeEvent\n  timeout: ▸30s\n  event: {type: e}\n'),
    mended: 'timeout: PT30S',
  },
  { rule: 'odd-space', text: 'states:\n- id: a\n  type:▸\u00a0noop\n', mended: 'type: noop' },
  { rule: 'odd-space', text: query("'jq(.a ▸\u00a0| .b)'"), mended: 'jq(.a  | .b)' },
  {
    rule: 'context-not-text',
    text: 'start: {type: event, event: {type: e, context: {v: ▸2}}}\nstates:\n- {id: a, type: noop}\n',
    mended: "context: {v: '2'}",
    hint: "quote it: '2'",
  },
  {
    rule: 'context-not-text',
    text: state('  type: consumeEvent\n  event:\n    type: e\n    context:\n      paid: ▸true\n'),
    mended: "paid: 'true'",
    hint: 'quote it',
  },
  {
    rule: 'context-not-text',
    text: state('  type: eventsAnd\n  events:\n  - {type: e, context: {items: ▸jq(.items | length)}}\n'),
    mended: 'jq(.items | length | tostring)',
    hint: 'make it a text',
  },
  {
    rule: 'context-not-text',
    text: state(
      '  type: eventsXor\n  events:\n  - event: {type: e, context: {n: ▸0x10}}\n    transition: b\n- {id: b, type: noop}\n',
    ),
    mended: "{n: '0x10'}",
  },
  {
    rule: 'event-never-sent',
    text: `start: {type: event, event: {type: ▸order_created}}\nstates:\n- {id: a, type: generateEvent, event: {type: order.created, source: s}}\n`,
    mended: 'event: {type: order.created}}',
  },
];

const event = (fields: string, rest: string): string =>
  `start: {type: event, event: {type: order.new}}\nstates:\n- id: a\n  type: noop\n  transform: {${fields}}\n  transition: b\n- id: b\n${rest}`;

const TYPED = 'input: {properties: {order: {type: object, properties: {number: {}}}, express: {default: false}}}\n';

const mail = (input: string, fields = 'from: a@test'): string =>
  `functions:\n- {id: f, type: mail, ${fields}}\nstates:\n- id: a\n  type: action\n  action:\n    function: f\n${input}`;

/** Mails that cannot be sent. */
const MAILS: readonly Mistake[] = [
  {
    rule: 'input-fields',
    text: mail('    input: {to: b@test, ▸subjct: Hi}\n'),
    mended: '{to: b@test, subject: Hi}',
    hint: "did you mean 'subject'?",
  },
  {
    rule: 'mail-fields',
    text: mail('    input:\n      to: ▸b@test, c@test\n'),
    mended: 'to: [b@test, c@test]',
    hint: 'several as a list',
  },
  {
    rule: 'mail-fields',
    text: mail('    input: ▸{subject: Hi}\n'),
    mended: '{subject: Hi, to: jq(.to)}',
    hint: "write 'to', 'cc' or 'bcc'",
  },
];

const called = (fields: string, input: string): string =>
  `functions:\n- {id: f, ${fields}}\nstates:\n- id: a\n  type: action\n  action:\n    function: f\n    input: ${input}\n`;

/** Fields that a function does not know. */
const INPUTS: readonly Mistake[] = [
  {
    rule: 'input-fields',
    text: called("type: http, url: 'https://a.test'", '{method: POST, ▸boddy: jq(.)}'),
    mended: '{method: POST, body: jq(.)}',
    hint: "did you mean 'body'?",
  },
  {
    rule: 'input-fields',
    text: called('type: knative-workflow, image: direktiv/http-request', '{url: a, ▸header: {A: b}}'),
    mended: '{url: a, headers: {A: b}}',
    hint: "did you mean 'headers'?",
  },
  {
    rule: 'input-fields',
    text: called("type: http, url: 'https://a.test'", '{▸constructor: 1}'),
    hint: 'has url, method, path',
  },
];

/** Members that the data never has. */
const MEMBERS: readonly Mistake[] = [
  {
    rule: 'member-missing',
    text: event('order: 1', '  type: noop\n  log: jq(.▸ordr)\n'),
    mended: 'log: jq(.order)',
    hint: "did you mean '.order'?",
  },
  {
    rule: 'member-missing',
    text: event('order: {number: 1}', '  type: noop\n  log: jq(.order.▸nubmer)\n'),
    mended: 'log: jq(.order.number)',
  },
  {
    rule: 'member-missing',
    text: event('order: {id: 1}', '  type: noop\n  log: jq(.▸customer.name)\n'),
    right: event('order: {id: 1}', '  type: noop\n  log: jq(.order.id)\n'),
    hint: 'what exists here: order',
  },
  {
    rule: 'member-missing',
    text: 'start: {type: event, event: {type: order}}\nstates:\n- id: a\n  type: noop\n  log: jq(.▸data.id)\n',
    right: 'start: {type: event, event: {type: order}}\nstates:\n- id: a\n  type: noop\n  log: jq(.order.data.id)\n',
    hint: "did you mean '.order.data'?",
  },
  {
    rule: 'member-missing',
    text: 'start: {type: event, event: {type: order}}\nstates:\n- id: a\n  type: noop\n  log: jq(.order.▸dta.id)\n',
    mended: '.order.data.id',
  },
  {
    rule: 'member-missing',
    text: call('', "  catch:\n  - {error: '*', transition: b}\n- id: b\n  type: noop\n  log: jq(.error.▸message)\n"),
    right: call('', "  catch:\n  - {error: '*', transition: b}\n- id: b\n  type: noop\n  log: jq(.error.msg)\n"),
    hint: "did you mean '.msg'?",
  },
  {
    rule: 'member-missing',
    text: 'states:\n- id: a\n  type: getter\n  variables: [{key: total, scope: workflow}]\n  transform:\n    t: jq(.var.▸toal)\n',
    mended: 'jq(.var.total)',
  },
  {
    rule: 'member-missing',
    text: 'states:\n- id: a\n  type: validate\n  schema: {type: object, properties: {customer: {type: string}}}\n  transform:\n    c: jq(.▸cutomer)\n',
    mended: 'jq(.customer)',
  },
  {
    rule: 'member-missing',
    text: `${TYPED}states:\n- {id: a, type: noop, log: jq(.▸customer)}\n`,
    right: `${TYPED}states:\n- {id: a, type: noop, log: jq(.order)}\n`,
    hint: 'the schema has: order, express',
  },
  {
    rule: 'member-missing',
    text: `${TYPED}states:\n- {id: a, type: noop, log: jq(.order.▸nubmer)}\n`,
    mended: 'jq(.order.number)',
  },
  {
    rule: 'member-missing',
    text: `${TYPED}cancelOn: {type: x, context: {order: jq(.▸ordr)}}\nstates:\n- {id: a, type: noop}\n`,
    mended: 'jq(.order)',
  },
  {
    rule: 'member-missing',
    text: `${TYPED}labels: {order: jq(.▸ordr)}\nstates:\n- {id: a, type: noop}\n`,
    mended: 'jq(.order)',
  },
  {
    rule: 'member-missing',
    text: event('total: 1, items: [{price: 1}]', '  type: noop\n  log: jq(.items | map(.▸prise) | add)\n'),
    mended: 'map(.price)',
  },
  {
    rule: 'member-missing',
    text: event('total: 1', '  type: noop\n  log: js(return data.▸totl * 2)\n'),
    mended: 'data.total * 2',
  },
];

/** All mistakes. */
export const MISTAKES: readonly Mistake[] = [...FRAME, ...QUERIES, ...FLOW, ...MAILS, ...INPUTS, ...MEMBERS];
