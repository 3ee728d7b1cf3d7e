import type { Specimen } from './waiting-corpus.ts';

/** Longer than the delays. */
const TIMEOUTS = 'timeouts: {interrupt: P2D, kill: P3D}\n';
/** The states after the delay count their executions, so that a second one would show. */
const COUNT = `- {id: look, type: getter, variables: [{key: n, scope: namespace}], transition: add}
- {id: add, type: setter, variables: [{key: n, scope: namespace, value: 'jq((.var.n // 0) + 1)'}]}
`;
const NAPPER = `${TIMEOUTS}states:
- {id: nap, type: delay, duration: PT2H, transition: look}
${COUNT}`;
const KID = 'functions: [{id: kid, type: subflow, workflow: kid}]\n';

/** Counts its attempts in the namespace, and fails the first two. `wait`: a state between. */
const failingFirst = (wait: string) => `states:
- {id: see, type: getter, variables: [{key: tries, scope: namespace}], transition: tally}
- {id: tally, type: setter, variables: [{key: tries, scope: namespace, value: 'jq((.var.tries // 0) + 1)'}], transition: ${wait === '' ? 'judge' : 'nap'}}
${wait}- {id: judge, type: switch, conditions: [{condition: 'jq((.var.tries // 0) >= 2)'}], defaultTransition: bad}
- {id: bad, type: error, error: not.yet, message: once more}
`;

/** Workflows with delays that timers end. */
export const timedSpecimens: readonly Specimen[] = [
  { name: 'a long delay before a variable', input: '{}', status: 'complete', sources: { main: NAPPER } },
  {
    name: 'a polling loop of long delays, then one that may be skipped, and a variable',
    input: '{"n": 0}',
    status: 'complete',
    sources: {
      main: `${TIMEOUTS}states:
- {id: nap, type: delay, duration: PT5M, transform: 'jq(.n += 1)', transition: choose}
- {id: choose, type: switch, conditions: [{condition: 'jq(.n < 3)', transition: nap}, {condition: 'jq(.n == 3)', transition: short}], defaultTransition: look}
- {id: short, type: delay, duration: PT2S, transition: look}
${COUNT}`,
    },
  },
  {
    name: 'an action on a child with a long delay before a variable',
    input: '{}',
    status: 'complete',
    sources: {
      kid: NAPPER,
      main: `${TIMEOUTS}${KID}states:
- {id: go, type: action, timeout: P1D, action: {function: kid}, transition: nap}
- {id: nap, type: delay, duration: P1D, transition: look}
${COUNT}`,
    },
  },
  {
    name: 'retries with long pauses of a child that waits',
    input: '{}',
    status: 'complete',
    sources: {
      kid: failingFirst('- {id: nap, type: delay, duration: PT1S, transition: judge}\n'),
      main: `${TIMEOUTS}${KID}states:
- id: go
  type: action
  timeout: PT10H
  action: {function: kid, retries: {max_attempts: 3, delay: PT5M, multiplier: 2, codes: ['not.*']}}
  transition: look
${COUNT}`,
    },
  },
  {
    name: 'retries with long pauses of a child that need not wait',
    input: '{}',
    status: 'complete',
    sources: {
      kid: failingFirst(''),
      main: `${TIMEOUTS}${KID}states:
- id: go
  type: action
  timeout: PT10H
  action: {function: kid, retries: {max_attempts: 3, delay: PT5M, multiplier: 2, codes: ['not.*']}}
  transition: look
${COUNT}`,
    },
  },
  {
    name: 'a foreach with retries with long pauses',
    input: '{}',
    status: 'complete',
    sources: {
      kid: failingFirst('- {id: nap, type: delay, duration: PT1S, transition: judge}\n'),
      main: `${TIMEOUTS}${KID}states:
- id: go
  type: foreach
  timeout: PT10H
  array: 'jq([{n: 1}])'
  action: {function: kid, retries: {max_attempts: 3, delay: PT5M, codes: ['not.*']}}
  transition: look
${COUNT}`,
    },
  },
  {
    name: 'retries with long pauses that are used up',
    input: '{}',
    status: 'failed',
    code: 'service.retries.exceeded',
    sources: {
      kid: 'states: [{id: nap, type: delay, duration: PT1S, transition: bad}, {id: bad, type: error, error: not.yet, message: no}]\n',
      main: `${TIMEOUTS}${KID}states:
- id: go
  type: action
  timeout: PT10H
  action: {function: kid, retries: {max_attempts: 2, delay: PT5M, codes: ['not.*']}}
`,
    },
  },
  {
    name: 'a foreach over computed subflows, of which one waits and one is not allowed, then a variable',
    input: '{"list": [{"kid": "kid"}, {"kid": "napper"}, {"kid": "other"}]}',
    status: 'complete',
    sources: {
      kid: 'states: [{id: a, type: noop, transform: {kid: a}}]\n',
      napper: 'states: [{id: nap, type: delay, duration: PT1S}]\n',
      main: `functions: [{id: kid, type: subflow, workflow: jq(.kid), allowed: [kid, n*]}]
states:
- {id: go, type: foreach, array: jq(.list), collect: errors, action: {function: kid}, transition: look}
${COUNT}`,
    },
  },
  {
    name: 'a long delay, then a failure',
    input: '{}',
    status: 'failed',
    code: 'my.error',
    sources: {
      main: `${TIMEOUTS}states:
- {id: nap, type: delay, duration: PT1M, transition: bad}
- {id: bad, type: error, error: my.error, message: no}
`,
    },
  },
];
