/** A workflow for crash and redelivery tests; `main` is started. */
export interface Specimen {
  readonly name: string;
  readonly sources: Readonly<Record<string, string>>;
  readonly input: string;
  readonly status: 'complete' | 'failed' | 'crashed';
  readonly code?: string;
}

const KID = 'functions: [{id: kid, type: subflow, workflow: kid}]\n';

/** Waits, then returns its input. */
const SLEEPER = `states:
- {id: nap, type: delay, duration: PT3S, transition: done}
- {id: done, type: noop, transform: 'jq({slept: .n})'}
`;

/** Adds one to a count of the namespace; fails until it is 3. `wait`: a state between. */
const counting = (wait: string) => `states:
- {id: look, type: getter, variables: [{key: tries, scope: namespace}], transition: add}
- {id: add, type: setter, variables: [{key: tries, scope: namespace, value: 'jq((.var.tries // 0) + 1)'}], transition: ${wait === '' ? 'judge' : 'nap'}}
${wait}- id: judge
  type: switch
  conditions: [{condition: 'jq((.var.tries // 0) >= 2)', transform: 'jq({tries: .var.tries})'}]
  defaultTransition: bad
- {id: bad, type: error, error: not.yet, message: once more}
`;

/** Workflows with every kind of wait. */
export const waitingSpecimens: readonly Specimen[] = [
  {
    name: 'a chain with a delay and variables of all scopes',
    input: '{}',
    status: 'complete',
    sources: {
      main: `states:
- id: set
  type: setter
  variables:
  - {key: a, scope: instance, value: 1}
  - {key: b, scope: thread, value: 2}
  - {key: c, scope: workflow, value: 3}
  - {key: d, scope: namespace, value: 4}
  transition: nap
- {id: nap, type: delay, duration: PT5S, transition: get}
- {id: get, type: getter, variables: [{key: a, scope: instance}, {key: b, scope: thread}, {key: c, scope: workflow}, {key: d, scope: namespace}], transition: again}
- {id: again, type: setter, variables: [{key: d, scope: namespace, value: 'jq(.var.d + 1)'}]}
`,
    },
  },
  {
    name: 'a polling loop',
    input: '{"n": 0}',
    status: 'complete',
    sources: {
      main: `states:
- {id: nap, type: delay, duration: PT2S, transform: 'jq(.n += 1)', transition: look}
- {id: look, type: switch, conditions: [{condition: 'jq(.n < 4)', transition: nap}]}
`,
    },
  },
  {
    name: 'an action with a waiting child',
    input: '{}',
    status: 'complete',
    sources: { kid: SLEEPER, main: `${KID}states: [{id: go, type: action, action: {function: kid, input: {n: 7}}}]\n` },
  },
  {
    name: 'retries of a child that need not wait',
    input: '{}',
    status: 'complete',
    sources: {
      kid: counting(''),
      main: `${KID}states:
- id: go
  type: action
  action: {function: kid, retries: {max_attempts: 5, delay: PT2S, multiplier: 2, codes: ['not.*']}}
`,
    },
  },
  {
    name: 'retries of a child that waits',
    input: '{}',
    status: 'complete',
    sources: {
      kid: counting('- {id: nap, type: delay, duration: PT1S, transition: judge}\n'),
      main: `${KID}states:
- id: go
  type: action
  action: {function: kid, retries: {max_attempts: 5, delay: PT2S, multiplier: 2, codes: ['not.*']}}
`,
    },
  },
  {
    name: 'retries that are used up in a foreach',
    input: '{"list": [{"n": 1}, {"n": 2}]}',
    status: 'complete',
    sources: {
      kid: `states:
- {id: which, type: switch, conditions: [{condition: 'jq(.n == 1)', transition: bad}], defaultTransition: nap}
- {id: nap, type: delay, duration: PT9M}
- {id: bad, type: error, error: kid.bad, message: no}
`,
      main: `${KID}states:
- id: go
  type: foreach
  array: jq(.list)
  action: {function: kid, retries: {max_attempts: 1, delay: PT1S, multiplier: 1, codes: ['.*']}}
  catch: [{error: 'service.retries.exceeded', transition: fine}]
- {id: fine, type: noop}
`,
    },
  },
  {
    name: 'a foreach over waiting children',
    input: '{"list": [{"n": 1}, {"n": 2}, {"n": 3}]}',
    status: 'complete',
    sources: {
      kid: SLEEPER,
      main: `${KID}states: [{id: go, type: foreach, array: jq(.list), action: {function: kid}}]\n`,
    },
  },
  {
    name: 'an approval that reminds and is not decided',
    input: '{}',
    status: 'complete',
    sources: {
      kid: 'states: [{id: a, type: setter, variables: [{key: told, scope: namespace, value: 1}]}]\n',
      main: `${KID}states:
- id: ask
  type: approval
  subject: Pay
  choices: {yes: null}
  notify: {function: kid, input: {n: 1}}
  remind: {after: PT2S}
  timeout: PT4S
  catch: [{error: 'service.approval.timeout', transition: late}]
- {id: late, type: noop}
`,
    },
  },
  {
    name: 'a foreach of width two',
    input: '{"list": [{"n": 1}, {"n": 2}, {"n": 3}]}',
    status: 'complete',
    sources: {
      kid: SLEEPER,
      main: `${KID}states: [{id: go, type: foreach, array: jq(.list), action: {function: kid}, width: 2}]\n`,
    },
  },
  {
    name: 'a foreach that collects errors',
    input: '{"list": [{"n": 1}, {"n": 2, "bad": true}, {"n": 3, "bad": true, "late": true}]}',
    status: 'complete',
    sources: {
      kid: `states:
- {id: look, type: switch, conditions: [{condition: 'jq(.late == true)', transition: nap}, {condition: 'jq(.bad == true)', transition: fail}], defaultTransition: nap}
- {id: nap, type: delay, duration: PT3S, transition: judge}
- {id: judge, type: switch, conditions: [{condition: 'jq(.bad == true)', transition: fail}]}
- {id: fail, type: error, error: kid.bad, message: bad}
`,
      main: `${KID}states:
- id: go
  type: foreach
  array: jq(.list)
  action: {function: kid, retries: {max_attempts: 1, delay: PT2S, codes: ['kid.*']}}
  collect: errors
`,
    },
  },
  {
    name: 'a foreach of which some wait and one fails',
    input: '{"list": [{"n": 5}, {"n": 1}, {"n": 8}]}',
    status: 'complete',
    sources: {
      kid: `states:
- id: which
  type: switch
  conditions: [{condition: 'jq(.n == 1)', transition: short}]
  defaultTransition: long
- {id: short, type: delay, duration: PT1S, transition: bad}
- {id: bad, type: error, error: kid.bad, message: no}
- {id: long, type: delay, duration: PT50S}
`,
      main: `${KID}states:
- {id: go, type: foreach, array: jq(.list), action: {function: kid}, catch: [{error: kid.bad, transition: fine}]}
- {id: fine, type: noop}
`,
    },
  },
  {
    name: 'a parallel and of waiting and wait-free children',
    input: '{}',
    status: 'complete',
    sources: {
      kid: SLEEPER,
      quick: 'states: [{id: q, type: noop, transform: {quick: true}}]\n',
      main: `functions: [{id: kid, type: subflow, workflow: kid}, {id: quick, type: subflow, workflow: quick}]
states:
- {id: go, type: parallel, actions: [{function: kid, input: {n: 1}}, {function: quick}, {function: kid, input: {n: 2}}]}
`,
    },
  },
  {
    name: 'a parallel or with a winner while the other runs on',
    input: '{}',
    status: 'complete',
    sources: {
      kid: SLEEPER,
      slow: 'states: [{id: long, type: delay, duration: PT9S, transition: mark}, {id: mark, type: setter, variables: [{key: slow, scope: namespace, value: 1}]}]\n',
      main: `functions: [{id: kid, type: subflow, workflow: kid}, {id: slow, type: subflow, workflow: slow}]
states:
- {id: go, type: parallel, mode: or, actions: [{function: slow}, {function: kid, input: {n: 2}}]}
`,
    },
  },
  {
    name: 'a parallel or of which all fail',
    input: '{}',
    status: 'failed',
    code: 'service.parallel.allFailed',
    sources: {
      kid: `states:
- {id: nap, type: delay, duration: PT1S, transition: bad}
- {id: bad, type: error, error: kid.bad, message: no}
`,
      main: `${KID}states: [{id: go, type: parallel, mode: or, actions: [{function: kid, input: {a: 1}}, {function: kid, input: {a: 2}}]}]\n`,
    },
  },
  {
    name: 'an async child that waits and outlives its caller',
    input: '{}',
    status: 'complete',
    sources: {
      kid: SLEEPER,
      main: `${KID}states:
- {id: set, type: setter, variables: [{key: seen, scope: namespace, value: 1}], transition: go}
- {id: go, type: action, async: true, action: {function: kid, input: {n: 1}}, transition: on}
- {id: on, type: noop}
`,
    },
  },
  {
    name: 'three deep with waits and thread variables',
    input: '{}',
    status: 'complete',
    sources: {
      leaf: `states:
- {id: nap, type: delay, duration: PT1S, transition: get}
- {id: get, type: getter, variables: [{key: t, scope: thread}], transition: set}
- {id: set, type: setter, variables: [{key: leaf, scope: namespace, value: 'jq(.var.t)'}]}
`,
      mid: `functions: [{id: leaf, type: subflow, workflow: leaf}]
states: [{id: go, type: action, action: {function: leaf, input: {deep: 2}}}]
`,
      main: `functions: [{id: mid, type: subflow, workflow: mid}]
states:
- {id: set, type: setter, variables: [{key: t, scope: thread, value: 5}], transition: go}
- {id: go, type: action, action: {function: mid, input: {deep: 1}}, transition: more}
- {id: more, type: foreach, array: 'jq([{n: 1}])', action: {function: mid}}
`,
    },
  },
  {
    name: 'three deep without waits',
    input: '{}',
    status: 'complete',
    sources: {
      leaf: "states: [{id: set, type: setter, variables: [{key: 'jq(keys[0] + (.[keys[0]] | tostring))', scope: workflow, value: jq(.)}]}]\n",
      mid: `functions: [{id: leaf, type: subflow, workflow: leaf}]
states: [{id: go, type: foreach, array: 'jq([{a: .n}, {b: .n}])', action: {function: leaf}}]
`,
      main: `functions: [{id: mid, type: subflow, workflow: mid}]
states: [{id: go, type: foreach, array: 'jq([{n: 1}, {n: 2}])', action: {function: mid}}]
`,
    },
  },
  {
    name: 'a soft timeout that is caught, then a hard one',
    input: '{}',
    status: 'failed',
    code: 'service.cancels.timeout.hard',
    sources: {
      main: `timeouts: {interrupt: PT30M, kill: PT60M}
states:
- {id: long, type: delay, duration: PT9H, catch: [{error: 'service.cancels.timeout.soft', transition: longer}]}
- {id: longer, type: delay, duration: PT9H, catch: [{error: '.*', transition: long}]}
`,
    },
  },
  {
    name: 'an action whose state timeout ends the child',
    input: '{}',
    status: 'complete',
    sources: {
      kid: 'states: [{id: nap, type: delay, duration: PT1H}]\n',
      main: `${KID}states:
- {id: go, type: action, timeout: PT40S, action: {function: kid}, catch: [{error: 'service.cancels.timeout.soft', transition: fine}]}
- {id: fine, type: noop}
`,
    },
  },
];
