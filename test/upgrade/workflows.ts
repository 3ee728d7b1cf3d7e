/** Workflows with every kind of wait, most of them for decades, and the output of each run after it continues. */
export interface Case {
  readonly source: string;
  readonly input: object;
  readonly output: object;
}

const CHILD = `
timeouts: {interrupt: P30Y, kill: P30Y}
states:
- id: rest
  type: delay
  duration: PT2S
  transform: 'jq({doubled: (.n * 2)})'
`;

export const CHILDREN: Readonly<Record<string, string>> = { child: CHILD };

/** By path. A run that waits for an event waits for one of the type \`paid\` with the attribute \`order: o-1\`. */
export const CASES: Readonly<Record<string, Case>> = {
  delay: {
    source:
      "timeouts: {interrupt: P30Y, kill: P30Y}\nstates:\n- id: a\n  type: delay\n  duration: PT2S\n  transform: 'jq({n: .n, late: true})'\n",
    input: { n: 1 },
    output: { n: 1, late: true },
  },
  event: {
    source: `
timeouts: {interrupt: P30Y, kill: P30Y}
states:
- id: a
  type: consumeEvent
  timeout: P30Y
  event: {type: paid, context: {order: 'jq(.order)'}}
  transform: 'jq({order: .order, sum: .paid.data.sum})'
`,
    input: { order: 'o-1' },
    output: { order: 'o-1', sum: 12 },
  },
  both: {
    source: `
timeouts: {interrupt: P30Y, kill: P30Y}
states:
- id: a
  type: eventsAnd
  timeout: P30Y
  events: [{type: paid}, {type: sent}]
  transform: 'jq({sum: .paid.data.sum, by: .sent.data.by})'
`,
    input: {},
    output: { sum: 12, by: 'post' },
  },
  call: {
    source: `
timeouts: {interrupt: P30Y, kill: P30Y}
functions: [{id: child, type: subflow, workflow: child}]
states:
- id: a
  type: action
  timeout: P30Y
  action: {function: child, input: {n: 'jq(.n)'}}
  transform: 'jq(.return)'
`,
    input: { n: 4 },
    output: { doubled: 8 },
  },
  each: {
    source: `
timeouts: {interrupt: P30Y, kill: P30Y}
functions: [{id: child, type: subflow, workflow: child}]
states:
- id: a
  type: foreach
  timeout: P30Y
  array: 'jq(.items | map({n: .}))'
  action: {function: child, input: 'jq(.)'}
  transform: 'jq({all: [.return[].doubled]})'
`,
    input: { items: [1, 2, 3] },
    output: { all: [2, 4, 6] },
  },
  retried: {
    source: `
timeouts: {interrupt: P30Y, kill: P30Y}
functions: [{id: gone, type: subflow, workflow: fails}]
states:
- id: a
  type: action
  timeout: P30Y
  action:
    function: gone
    retries: {max_attempts: 2, delay: PT2S, multiplier: 1, codes: ['.*']}
  catch:
  - error: '.*'
    transition: b
- id: b
  type: noop
  transform: 'jq({code: .error.code})'
`,
    input: {},
    output: { code: 'service.retries.exceeded' },
  },
  counted: {
    source: `
timeouts: {interrupt: P30Y, kill: P30Y}
states:
- id: a
  type: setter
  variables: [{key: count, scope: workflow, value: 'jq(.n)'}]
  transition: b
- id: b
  type: delay
  duration: PT2S
  transition: c
- id: c
  type: getter
  variables: [{key: count, scope: workflow}]
  transform: 'jq({count: .var.count})'
`,
    input: { n: 7 },
    output: { count: 7 },
  },
  parallel: {
    source: `
timeouts: {interrupt: P30Y, kill: P30Y}
functions: [{id: child, type: subflow, workflow: child}]
states:
- id: a
  type: parallel
  timeout: P30Y
  actions: [{function: child, input: {n: 1}}, {function: child, input: {n: 2}}]
  transform: 'jq({both: [.return[].doubled]})'
`,
    input: {},
    output: { both: [2, 4] },
  },
  // Its event was sent by LATER, and is delayed.
  late: {
    source: `
timeouts: {interrupt: P30Y, kill: P30Y}
states:
- id: a
  type: consumeEvent
  timeout: P30Y
  event: {type: late}
  transform: 'jq({by: .late.data.by})'
`,
    input: {},
    output: { by: 'later' },
  },
};

export const FAILS = 'states:\n- id: a\n  type: error\n  error: out.of.luck\n  message: no luck\n';

/** Sends a delayed event. */
export const LATER = `
states:
- id: a
  type: generateEvent
  delay: PT10S
  event: {type: late, source: test, data: {by: later}}
`;

/** Workflows that are started by events or by the clock, by path. */
export const STARTS: Readonly<Record<string, string>> = {
  ticking: "start: {type: scheduled, cron: '* * * * *'}\nstates: [{id: a, type: noop}]\n",
  begun:
    "start: {type: event, event: {type: begin}}\nstates: [{id: a, type: noop, transform: 'jq({by: .begin.data.by})'}]\n",
  // One of the two events has arrived.
  pair: `
start: {type: eventsAnd, events: [{type: left}, {type: right}]}
states: [{id: a, type: noop, transform: 'jq({both: [.left.data.n, .right.data.n]})'}]
`,
};

const said = (text: string): string => `states: [{id: a, type: noop, transform: 'jq({said: "${text}"})'}]\n`;

/** Two revisions of one workflow, tagged \`v1\` and \`v2\`; its router directs all requests to the first. */
export const ROUTED = [said('one'), said('two')] as const;

/** A text that is too long for an item. */
export const LONG = 'warp and weft '.repeat(2000);

export const CONFIG = { events: { lookback: 'PT1H' } };

const eventOf = (type: string, data: object) => ({ specversion: '1.0', id: `${type}-1`, source: 'test', type, data });

/** The first of the two start events of \`pair\`. */
export const LEFT = eventOf('left', { n: 1 });
/** The other start events of STARTS, and the outputs of their runs. */
export const BEGINNINGS = [eventOf('right', { n: 2 }), eventOf('begin', { by: 'test' })];
export const BEGUN: Readonly<Record<string, object>> = { pair: { both: [1, 2] }, begun: { by: 'test' } };

/** The events for which runs wait. */
export const EVENTS = [
  { specversion: '1.0', id: 'paid-1', source: 'bank', type: 'paid', order: 'o-1', data: { sum: 12 } },
  { specversion: '1.0', id: 'sent-1', source: 'shop', type: 'sent', data: { by: 'post' } },
];
