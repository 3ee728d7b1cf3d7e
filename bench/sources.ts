/** A workflow of `count` noop states in a row. */
export function noops(count: number): string {
  const states = Array.from({ length: count }, (_, index) => {
    const next = index + 1 < count ? `\n  transition: s${index + 1}` : '';
    return `- id: s${index}\n  type: noop${next}`;
  });
  return `states:\n${states.join('\n')}\n`;
}

export const SETTER = `states:
- {id: set, type: setter, variables: [{key: k, scope: namespace, value: jq(.v)}]}
`;
export const GETTER = `states:
- {id: get, type: getter, variables: [{key: k, scope: namespace}]}
`;
export const FILE_GETTER = `states:
- {id: get, type: getter, variables: [{key: /read, scope: file}]}
`;

export const CHILD = noops(1);
export const SLOW_CHILD = `states:
- {id: rest, type: delay, duration: PT1S}
`;
export const DELAY = `states:
- {id: rest, type: delay, duration: PT1S, transition: end}
- {id: end, type: noop}
`;
export const LONG_DELAY = `timeouts: {interrupt: P1D}
states:
- {id: rest, type: delay, duration: PT1H, transition: end}
- {id: end, type: noop}
`;
/** A workflow that calls another one. */
export const callOf = (workflow: string, fields = ''): string => `functions:
- {id: f, type: subflow, workflow: ${workflow}${fields}}
states:
- {id: call, type: action, action: {function: f}}
`;
export const EACH = `functions:
- {id: f, type: subflow, workflow: child}
states:
- {id: each, type: foreach, array: 'jq([range(100) | {n: .}])', action: {function: f}}
`;
export const RETRY = `functions:
- {id: f, type: subflow, workflow: failing}
states:
- id: call
  type: action
  action: {function: f, retries: {max_attempts: 1, delay: PT1S, codes: [child]}}
  catch: [{error: '*', transition: end}]
- {id: end, type: noop}
`;
export const FAILING = `states:
- {id: fail, type: error, error: child.failed, message: no}
`;
export const BY_EVENT = `start: {type: event, event: {type: go}}
states:
- {id: one, type: noop}
`;
/** Calls in a row: each depends on the effect of the one before it. */
export const httpCalls = (count: number): string => `functions:
- {id: f, type: http, url: jq(.api)}
states:
${Array.from({ length: count }, (_, n) => httpCall(n, count)).join('\n')}
`;
/** One call of a function with limits. */
export const limitedCall = (limits: string): string => httpCalls(1).replace('jq(.api)', `jq(.api), ${limits}`);
const httpCall = (n: number, count: number): string =>
  `- {id: request${n}, type: action, action: {function: f}${n + 1 < count ? `, transition: request${n + 1}` : ''}}`;
/** Its rate refuses all calls of a day but the first one. */
export const REFUSED_CALL = `${limitedCall('rate: {limit: 1, per: P1D, whenFull: refuse}').trimEnd().slice(0, -1)}, catch: [{error: service.flow.refused, transition: end}]}
- {id: end, type: noop}
`;
export const HTTP_EACH = `functions:
- {id: f, type: http, url: 'jq(.)'}
states:
- {id: each, type: foreach, array: 'jq([range(100) as $n | .api])', action: {function: f}}
`;
export const WEBHOOK = `start: {type: webhook, verify: {none: true}}
states:
- {id: one, type: noop}
`;
/** Invokes the function `score` within the step; with a long timeout, a machine makes the invocation. */
export const lambdaCall = (fields = ''): string => `functions: [{id: f, type: lambda, function: score${fields}}]
states: [{id: call, type: action, action: {function: f}}]
`;
export const SENDING = `start: {type: webhook, verify: {none: true}, event: {type: received}}
states:
- {id: one, type: noop}
`;
export const ASKS = `states:
- {id: ask, type: approval, subject: Pay the invoice of the carrier, choices: {yes: paid}}
- {id: paid, type: noop}
`;

export const TASK = `functions: [{id: f, type: worker, queue: jobs}]
states: [{id: call, type: action, action: {function: f}}]
`;
export const WAITS = `states:
- {id: wait, type: consumeEvent, event: {type: wake}}
`;
export const WAITS_FOR_ORDER = `states:
- {id: wait, type: consumeEvent, event: {type: arrived, context: {order: jq(.order)}}}
`;
export const ORDERED = `states:
- {id: wait, type: consumeEvent, event: {type: ordered}}
`;
export const MAIL = `functions: [{id: f, type: knative-workflow, image: 'direktiv/smtp:v1'}]
states: [{id: send, type: action, action: {function: f}}]
`;
