import { type Behaviour, body, bytes, failed } from '../engine/world/programmed-containers.ts';

/** A workflow that shows one clause of the workflow language. */
export interface ClauseExample {
  /** The number of the clause in the reference. */
  readonly clause: string;
  readonly says: string;
  readonly states: string;
  readonly kid?: string;
  readonly input?: unknown;
  readonly act?: Behaviour;
  readonly status?: 'complete' | 'failed' | 'crashed';
  readonly code?: string;
  readonly message?: string;
  /** Members of the data at the end; their whole values are compared. */
  readonly data?: Readonly<Record<string, unknown>>;
  /** Lines that the log contains, in this order. */
  readonly log?: readonly string[];
}

const fails: Behaviour = () => failed('no.luck', 'no');

const caught = "catch: [{error: '.*'}]";

/** `setter` and then `getter` of two variables. */
const stored = (variables: string): string => `
- {id: a, type: setter, variables: [${variables}], catch: [{error: '.*', transition: b}], transition: b}
- {id: b, type: getter, variables: [{key: x, scope: instance}, {key: y, scope: instance}]}`;

const raised = (next: string): string => `
- {id: a, type: error, error: first, message: m, transition: b}
- {id: b, ${next}}`;

/** Clauses that one run can show, by their numbers. The recorded workflows beside this file show others. */
export const CLAUSE_EXAMPLES: readonly ClauseExample[] = [
  {
    clause: '2.1',
    says: 'two files of one name fail the run, and the failure is not caught',
    states: `- {id: a, type: action, action: {function: f, files: [{key: a, as: x}, {key: b, as: x}]}, ${caught}}`,
    status: 'failed',
    code: 'service.internal.error',
    message: 'multiple files with same name: x',
  },
  {
    clause: '2.1',
    says: 'the scope of a file is a query',
    states: `- {id: a, type: action, action: {function: f, files: [{key: a, scope: jq(.s)}]}, ${caught}}`,
    input: { s: 'bogus' },
    data: {
      error: {
        code: 'service.var.invalidScope',
        msg: "invalid scope 'bogus': choose instance, workflow, namespace, thread, file",
      },
    },
  },
  {
    clause: '2.1',
    says: 'a file whose key is empty is an invalid key',
    states: `- {id: a, type: action, action: {function: f, files: [{key: 'jq("")', as: x}]}}`,
    status: 'failed',
    code: 'service.var.invalidKey',
  },
  {
    clause: '4',
    says: 'data of a run that is no object is its member `input`',
    states: '- {id: a, type: action, action: {function: kid, input: 5}}',
    kid: 'states: [{id: x, type: noop}]',
    data: { return: { input: 5 } },
  },
  {
    clause: '5.2',
    says: 'pieces are joined as compact JSON with sorted keys and escaped signs',
    states: "- {id: a, type: noop, transform: {x: ' v jq(.o) ', y: jq(.n)jq(.n)}}",
    input: { n: 1, o: { b: '<&>', a: 1e21 } },
    data: { x: 'v {"a":1e+21,"b":"\\u003c\\u0026\\u003e"}', y: '11' },
  },
  {
    clause: '5.3',
    says: 'a first output of null is no result, and two outputs are too many',
    states: `- {id: a, type: noop, transform: {x: 'jq(null, 2)'}, catch: [{error: badCommand, transition: b}]}
- {id: b, type: noop, transform: {x: 'jq(1, 2)', y: jq(.error.msg)}}`,
    status: 'failed',
    code: 'service.jq.badCommand',
    message:
      "unable to apply transform: failed to evaluate jq/js: error in 'x': jq query produced multiple outputs: 1, 2",
  },
  {
    clause: '5.4',
    says: 'dates, sets and maps have values in JSON, and what a script assigns is a copy',
    states:
      "- {id: a, type: noop, log: 'js(data.n = 9; return 1)', transform: {d: js(return new Date(0)), s: 'js(return new Set([1]))', m: 'js(return new Map([[1, 2]]))', n: jq(.n)}}",
    input: { n: 5 },
    data: { d: '1970-01-01T00:00:00Z', s: [1], m: [[1, 2]], n: 5 },
  },
  {
    clause: '6',
    says: 'the log of a state is indented JSON',
    states: '- {id: a, type: noop, log: {n: jq(.n)}}',
    input: { n: 1 },
    log: ['Running state logic (step:1) -- a', '{\n  "n": 1\n}', 'Workflow completed.'],
  },
  {
    clause: '6.4',
    says: 'a secret that is missing fails the run, and the failure is not caught',
    states: `- {id: a, type: action, action: {function: f, secrets: [NONE]}, ${caught}}`,
    status: 'failed',
    code: 'service.secrets.notFound',
  },
  {
    clause: '7.3',
    says: 'a pattern that does not compile is logged and skipped, and * matches every code',
    states: "- {id: a, type: noop, transform: jq(.x), catch: [{error: '(('}, {error: '*'}]}",
    log: [
      'Error catching regex failed to compile: error parsing regexp: missing closing ): `((`',
      'Error caught by error definition 1: *',
    ],
  },
  {
    clause: '7.5',
    says: 'negative attempts are exhausted at once',
    states: "- {id: a, type: action, action: {function: f, retries: {max_attempts: -1, codes: ['*']}}}",
    act: fails,
    status: 'failed',
    code: 'service.retries.exceeded',
  },
  {
    clause: '7.5',
    says: 'the delay grows by the multiplier',
    states:
      "- {id: a, type: action, action: {function: f, retries: {max_attempts: 2, delay: PT1S, multiplier: 1.5, codes: ['*']}}}",
    act: fails,
    status: 'failed',
    code: 'service.retries.exceeded',
    log: ['Scheduling retry attempt in: 1s.', 'Scheduling retry attempt in: 1.5s.'],
  },
  {
    clause: '9',
    says: 'a subflow that does not exist fails an asynchronous call too',
    states: `- {id: a, type: action, async: true, action: {function: kid}, ${caught}}`,
    status: 'failed',
    code: 'service.workflow.notfound',
  },
  {
    clause: '10.3',
    says: 'a result that is not JSON is base64',
    states: '- {id: a, type: action, action: {function: f}}',
    act: () => bytes(Buffer.from([0xff, 1])),
    data: { return: '/wE=' },
  },
  {
    clause: '10.3',
    says: 'an empty result is the empty text',
    states: '- {id: a, type: action, action: {function: f}}',
    act: () => bytes(new Uint8Array()),
    data: { return: '' },
  },
  {
    clause: '10.4',
    says: 'without elements `return` stays as it was',
    states: "- {id: a, type: foreach, array: 'jq([])', action: {function: f}}",
    input: { return: 'old' },
    data: { return: 'old' },
  },
  {
    clause: '10.4',
    says: 'an element that is null is no result, and one that is no object is refused',
    states: `- {id: a, type: foreach, array: 'jq([null])', action: {function: f}, catch: [{error: badCommand, transition: b}]}
- {id: b, type: foreach, array: 'jq(["x"])', action: {function: f}}`,
    status: 'failed',
    code: 'service.jq.notObject',
  },
  {
    clause: '10.4',
    says: 'the element is all that its call sees',
    states:
      "- {id: a, type: foreach, array: 'jq([{n: 1}, {n: 2}])', action: {function: f, input: {n: jq(.n), all: jq(keys)}}}",
    input: { hidden: true },
    data: {
      return: [
        { n: 1, all: ['n'] },
        { n: 2, all: ['n'] },
      ],
    },
  },
  {
    clause: '10.5',
    says: 'of mode `or` the first success counts, by its position',
    states: '- {id: a, type: parallel, mode: or, actions: [{function: f}, {function: g}]}',
    act: (made, hang) => (made.image === 'example/f' ? fails(made, hang) : body(1)),
    data: { return: [null, 1] },
  },
  {
    clause: '10.5',
    says: 'of mode `or` the state fails when all have failed',
    states: '- {id: a, type: parallel, mode: or, actions: [{function: f}, {function: g}]}',
    act: fails,
    status: 'failed',
    code: 'service.parallel.allFailed',
  },
  {
    clause: '10.6',
    says: 'every text that is not empty is true',
    states: `- {id: a, type: switch, conditions: [{condition: 'false', transform: {n: 1}}], defaultTransform: {n: 2}}`,
    data: { n: 1 },
  },
  {
    clause: '10.6',
    says: 'a number that a double would change is true',
    states: `- {id: a, type: switch, conditions: [{condition: 9007199254740993, transform: {n: 1}}], defaultTransform: {n: 2}}`,
    data: { n: 1 },
  },
  {
    clause: '10.7',
    says: 'the message is a printf format of its arguments',
    states: "- {id: a, type: error, error: e, message: '%s owes %.2f', args: [jq(.who), jq(.sum)]}",
    input: { who: 'Ann', sum: 12.345 },
    status: 'failed',
    code: 'e',
    message: 'Ann owes 12.35',
  },
  {
    clause: '10.7',
    says: 'the transform follows, and a later failure that is caught does not replace the code',
    states: raised('type: noop, transform: {x: jq(.none)}, catch: [{error: badCommand}]'),
    status: 'failed',
    code: 'first',
    message: 'm',
  },
  {
    clause: '10.7',
    says: 'a later crash replaces the code',
    states: raised('type: getter, variables: [{key: none, scope: system}]'),
    status: 'crashed',
    code: 'service.internal.error',
  },
  {
    clause: '10.8',
    says: 'an absent or empty subject is the whole data, and a boolean is a schema',
    states: `- {id: a, type: validate, schema: {required: [n]}, subject: '', transition: b}
- {id: b, type: validate, schema: false}`,
    input: { n: 1 },
    status: 'failed',
    code: 'service.schema.failed',
    log: ['Running state logic (step:2) -- b', 'Schema validation error: (root): nothing is allowed'],
  },
  {
    clause: '10.10',
    says: 'all variables of a state are set in one transaction: none, when one fails',
    states: stored('{key: x, scope: instance, value: 1}, {key: y, scope: instance, value: jq(.none)}'),
    data: { var: { x: null, y: null } },
  },
  {
    clause: '10.10',
    says: 'a type that cannot be evaluated sets no variable',
    states: stored('{key: x, scope: instance, value: 1}, {key: y, scope: instance, value: 2, mimeType: jq(.none)}'),
    data: { var: { x: null, y: null } },
  },
  {
    clause: '10.10',
    says: 'a later variable of a state replaces an earlier one of the same name',
    states: stored('{key: x, scope: instance, value: 1}, {key: x, scope: instance, value: 2}'),
    data: { var: { x: 2, y: null } },
  },
  {
    clause: '10.10',
    says: 'an absent value is the whole data, and deleting what does not exist is no error',
    states: stored('{key: x, scope: instance}, {key: y, scope: instance, value: {}}'),
    input: { n: 1 },
    data: { var: { x: { n: 1 }, y: null } },
  },
  {
    clause: '10.10',
    says: 'bytes that are not base64 crash the run',
    states: stored("{key: x, scope: instance, mimeType: application/octet-stream, value: '%%'}"),
    status: 'crashed',
    code: 'service.internal.error',
  },
];
