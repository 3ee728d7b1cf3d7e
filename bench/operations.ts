import { eventOf, type Send } from './clients/client.ts';
import {
  ASKS,
  BY_EVENT,
  CHILD,
  callOf,
  DELAY,
  EACH,
  FAILING,
  FILE_GETTER,
  GETTER,
  HTTP_EACH,
  httpCalls,
  LONG_DELAY,
  lambdaCall,
  limitedCall,
  MAIL,
  noops,
  ORDERED,
  REFUSED_CALL,
  RETRY,
  SENDING,
  SETTER,
  SLOW_CHILD,
  TASK,
  WAITS,
  WAITS_FOR_ORDER,
  WEBHOOK,
} from './sources.ts';

/** The environment in which operations run. */
export interface Surroundings {
  /** The URL of the HTTP server that workflows call. */
  readonly api: string;
  /** The port of a mail server on loopback. */
  readonly mailPort: number;
  /** Resolves when each run that has begun waits or has ended. */
  readonly idle: () => Promise<void>;
}

/** An operation whose calls are counted. */
export interface Operation {
  readonly name: string;
  /** Workflows to create first; not counted. */
  readonly workflows?: readonly (readonly [path: string, yaml: string])[];
  /** Requests to send first; not counted. */
  readonly before?: (send: Send, around: Surroundings) => Promise<unknown>;
  /** `prepared`: the result of `before`. */
  readonly run: (send: Send, around: Surroundings, prepared: unknown) => Promise<unknown>;
  /** How many requests `run` sends; 1 by default. */
  readonly requests?: number;
  /** True if the operation starts runs with a delay of a second, for whose end the counting waits. */
  readonly hasDelay?: boolean;
}

/** The number of runs that wait for events of one type, each for the event of its own order. */
const CROWD = 100;

/** Placeholders in the input of a run: for the URL of the HTTP server, and for the port of the mail server. */
const API = 'API_URL';
const MAIL_PORT = 'MAIL_PORT';

/** The id and the lease of a task that a poll returned. */
function heldIn(task: object = {}): object {
  const { task: id, lease } = task as { readonly task?: string; readonly lease?: string };
  return { task: id, lease };
}

interface Options {
  /** The input of the run; default `{}`. `API_URL` and `MAIL_PORT` in it are replaced. */
  readonly input?: string;
  /** Other workflows that the run needs. */
  readonly others?: NonNullable<Operation['workflows']>;
  readonly hasDelay?: boolean;
}

function start(op: 'wait' | 'execute', subject: string, yaml: string, options: Options = {}): Operation {
  const { input = '{}', others = [], hasDelay = false } = options;
  const path = `${op}-${subject.replaceAll(' ', '-').toLowerCase()}`;
  return {
    name: op === 'wait' ? `wait on ${subject}` : `execute ${subject}`,
    workflows: [...others, [path, yaml]],
    run: (send, { api, mailPort }) =>
      send('POST', `/tree/${path}?op=${op}`, input.replaceAll(API, api).replaceAll(MAIL_PORT, String(mailPort))),
    hasDelay,
  };
}

interface Whole {
  readonly name: string;
  /** The workflow, and its path. */
  readonly workflow: readonly [path: string, yaml: string];
  /** How many requests `finish` sends. */
  readonly requests: number;
  /** Ends the run, which waits, by its id. */
  readonly finish: (send: Send, instance: string) => Promise<unknown>;
}

/** A run from its start to its end, with the requests that end its wait. */
const whole = ({ name, workflow, requests, finish }: Whole): Operation => ({
  name,
  workflows: [workflow],
  requests: 1 + requests,
  run: async (send, { idle }) => {
    const started = await send('POST', `/tree/${workflow[0]}?op=execute`, '{}');
    await idle();
    await finish(send, instanceIn(started));
  },
});

const instanceIn = (started: unknown): string =>
  (JSON.parse(String(started)) as { readonly instance: string }).instance;

async function work(send: Send): Promise<void> {
  const { tasks } = JSON.parse(await send('POST', '/workers/jobs?op=poll', '{}')) as { readonly tasks: object[] };
  await send('POST', '/workers/jobs?op=complete', JSON.stringify({ ...heldIn(tasks[0]), output: {} }));
}

const decide = (send: Send, instance: string) => send('POST', `/approvals/${instance}`, '{"choice":"yes","by":"Ada"}');

const wait = (subject: string, yaml: string, options?: Options) => start('wait', subject, yaml, options);
const execute = (subject: string, yaml: string, options?: Options) => start('execute', subject, yaml, options);

/** The operations of bench/calls.json, in its order. Each runs in the namespace that the first one creates. */
export const OPERATIONS: readonly Operation[] = [
  { name: 'create a namespace', run: (send) => send('PUT', '') },
  { name: 'create a workflow', run: (send) => send('PUT', '/tree/first?op=create-workflow', noops(1)) },
  { name: 'read a workflow', run: (send) => send('GET', '/tree/first') },
  { name: 'list the tree', run: (send) => send('GET', '/tree') },
  { name: 'execute a noop', run: (send) => send('POST', '/tree/first?op=execute', '{}') },
  wait('1 noop', noops(1)),
  wait('10 noops', noops(10)),
  wait('100 noops', noops(100)),
  wait('a setter', SETTER, { input: '{"v":5}' }),
  wait('a getter', GETTER),
  wait('a getter of a file', FILE_GETTER, { others: [['read', noops(10)]] }),
  execute('10 noops', noops(10)),
  execute('a delay of 1 s', DELAY, { hasDelay: true }),
  execute('a delay of 1 h', LONG_DELAY, { hasDelay: true }),
  execute('a wait for an event', WAITS.replace('wake', 'never')),
  execute('an action on a subflow that does not wait', callOf('child'), { others: [['child', CHILD]] }),
  execute('an action on a subflow that waits', callOf('slow'), { others: [['slow', SLOW_CHILD]], hasDelay: true }),
  execute('a foreach over 100 subflows that do not wait', EACH),
  wait('an HTTP call', httpCalls(1), { input: `{"api":"${API}"}` }),
  wait('3 HTTP calls', httpCalls(3), { input: `{"api":"${API}"}` }),
  execute('an HTTP call', httpCalls(1), { input: `{"api":"${API}"}` }),
  execute('a foreach over 100 HTTP calls', HTTP_EACH, { input: `{"api":"${API}"}` }),
  execute('a Lambda function', lambdaCall()),
  execute('a long Lambda function', lambdaCall(', timeout: PT5M'), { hasDelay: true }),
  execute('a catch after a retry', RETRY, { others: [['failing', FAILING]], hasDelay: true }),
  {
    name: 'a task that a worker takes and completes',
    requests: 2,
    workflows: [['task', TASK]],
    before: (send) => send('POST', '/tree/task?op=execute', '{}'),
    run: work,
  },
  {
    name: 'an event that starts a run',
    workflows: [['by-event', BY_EVENT]],
    run: (send) => send('POST', '/broadcast', eventOf('go')),
  },
  {
    name: 'an event that wakes a run',
    workflows: [['waits', WAITS]],
    before: (send) => send('POST', '/tree/waits?op=execute', '{}'),
    run: (send) => send('POST', '/broadcast', eventOf('wake')),
  },
  {
    name: 'a webhook that starts a run',
    workflows: [['webhook', WEBHOOK]],
    // The URL of a webhook is not below that of the namespace.
    run: (send) => send('POST', '/../../hooks/bench/webhook', '{}'),
  },
  {
    name: 'a webhook that wakes a run',
    workflows: [
      ['sending', SENDING],
      ['waits-for-webhook', WAITS.replace('wake', 'received')],
    ],
    before: (send) => send('POST', '/tree/waits-for-webhook?op=execute', '{}'),
    run: (send) => send('POST', '/../../hooks/bench/sending', '{}'),
  },
  {
    name: 'a decision of an approval that wakes a run',
    workflows: [['asks', ASKS]],
    before: (send) => send('POST', '/tree/asks?op=execute', '{}'),
    run: (send, _around, started) => decide(send, instanceIn(started)),
  },
  whole({ name: 'a run with the task of a worker', workflow: ['whole-task', TASK], requests: 2, finish: work }),
  whole({ name: 'a run with an approval', workflow: ['whole-approval', ASKS], requests: 1, finish: decide }),
  whole({
    name: 'a run with a wait for an event',
    workflow: ['whole-wait', ORDERED],
    requests: 1,
    finish: (send) => send('POST', '/broadcast', eventOf('ordered')),
  }),
  execute('a mail', MAIL, {
    hasDelay: true,
    input: `{"server":"127.0.0.1","port":${MAIL_PORT},"from":"a@b.test","to":"c@d.test","subject":"s","message":"m"}`,
  }),
  { name: 'list instances', run: (send) => send('GET', '/instances?limit=10') },
  {
    name: `an event that wakes one of ${CROWD} runs`,
    workflows: [['waits-for-order', WAITS_FOR_ORDER]],
    async before(send) {
      for (let order = 1; order <= CROWD; order += 1) {
        await send('POST', '/tree/waits-for-order?op=execute', JSON.stringify({ order: `order-${order}` }));
      }
    },
    run: (send) => send('POST', '/broadcast', eventOf('arrived', 'arrived', { order: 'order-17' })),
  },
  wait('1 noop with a limit', `concurrency: {limit: 1}\n${noops(1)}`),
  execute('a delay of 1 s with a limit', `concurrency: {limit: 1}\n${DELAY}`, { hasDelay: true }),
  wait('1 noop with a rate', `rate: {limit: 1000, per: PT1S}\n${noops(1)}`),
  execute('an HTTP call with a limit', limitedCall('concurrency: {limit: 1000}'), { input: `{"api":"${API}"}` }),
  execute('an HTTP call with a rate', limitedCall('rate: {limit: 1000, per: PT1S}'), { input: `{"api":"${API}"}` }),
  {
    ...execute('an HTTP call that a rate refuses', REFUSED_CALL, { input: `{"api":"${API}"}` }),
    before: (send, { api }) =>
      send('POST', `/tree/execute-an-http-call-that-a-rate-refuses?op=wait`, `{"api":"${api}"}`),
  },
  execute('a computed subflow', callOf('jq("child")', ', allowed: [child]')),
  {
    ...execute('a mail function', MAIL.replace(/type.*'/, 'type: mail, to: c@d.test, subject: s, text: m')),
    before: (send, { mailPort: port }) =>
      send('PATCH', '/config', JSON.stringify({ mail: { host: '127.0.0.1', port, from: 'a@b.test' } })),
  },
];
