import type { Specimen } from './waiting-corpus.ts';

/** Longer than the delays. */
const TIMEOUTS = 'timeouts: {interrupt: P2D, kill: P3D}\n';
/** What follows the delay would show if it were done twice. */
const COUNT = `- {id: look, type: getter, variables: [{key: n, scope: namespace}], transition: add}
- {id: add, type: setter, variables: [{key: n, scope: namespace, value: 'jq((.var.n // 0) + 1)'}]}
`;
const NAPPER = `${TIMEOUTS}states:
- {id: nap, type: delay, duration: PT2H, transition: look}
${COUNT}`;
const KID = 'functions: [{id: kid, type: subflow, workflow: kid}]\n';

/** Workflows with delays that timers end. */
export const timedSpecimens: readonly Specimen[] = [
  { name: 'a long delay', input: '{}', status: 'complete', sources: { main: NAPPER } },
  {
    name: 'a polling loop of long delays, then one that may be skipped',
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
    name: 'an action on a child with a long delay',
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
