import * as secrets from '../../../lib/domain/credentials/secrets.ts';
import { ServiceError } from '../../../lib/domain/errors.ts';
import * as instances from '../../../lib/domain/instances/instances.ts';
import * as namespaces from '../../../lib/domain/namespaces/namespaces.ts';
import * as runs from '../../../lib/domain/runs/runs.ts';
import { openByLink } from '../../../lib/engine/approvals/decisions.ts';
import { linksOf, readLink } from '../../../lib/engine/approvals/links.ts';
import { createWorkflow, toggleWorkflow, updateWorkflow } from '../../../lib/engine/changes/publishing.ts';
import { cancel } from '../../../lib/engine/delivery/deliver.ts';
import { receive } from '../../../lib/engine/events/broadcasting.ts';
import { decide } from '../../../lib/engine/requests/deciding.ts';
import { execute, executeAndWait } from '../../../lib/engine/requests/start/start.ts';
import { receiveWebhook } from '../../../lib/engine/requests/webhooks/receiving.ts';
import { completeTask, failTask } from '../../../lib/engine/requests/worker-tasks/ending.ts';
import { pollTasks } from '../../../lib/engine/requests/worker-tasks/taking.ts';
import { MailRefusedError } from '../../../lib/ports/callees/web.ts';
import { type Answer, payloadOf, result } from '../../contract/programmed-lambdas.ts';
import { json, type ProgrammedWeb, type Reply } from '../../contract/programmed-web.ts';
import type { World } from '../world/engine-world.ts';

/** Something that a user does, during which the process may crash. */
export interface Workload {
  readonly name: string;
  /** The workflows that are stored before, by path. */
  readonly sources: Readonly<Record<string, string>>;
  /** The request; it is repeated after a crash, as by a user who got no reply. */
  readonly act: (world: World) => Promise<unknown>;
  /** The preparation before it, without a crash. */
  readonly before?: (world: World) => Promise<unknown>;
  /** Its reply comes after the waits of a run: time passes meanwhile. */
  readonly takesTime?: boolean;
  /** How the servers answer that its workflows call. */
  readonly reply?: () => Reply;
  /** Whether the mail servers accept the mails that its workflows send. */
  readonly accept?: ProgrammedWeb['accept'];
  /** How the functions of Lambda answer that its workflows invoke. */
  readonly answer?: () => Answer;
  /** It is repeated before any time has passed: what it wakes does not wait for ever. */
  readonly isTimely?: boolean;
  /** Where runs wait; by default at states of machines. */
  readonly waits?: 'table';
  /** It has no effect when it is repeated later: a crash before its first durable operation loses it. */
  readonly isNowOrNever?: boolean;
}

const NAP = 'states: [{id: nap, type: delay, duration: PT10S}]\n';
const QUICK = 'states: [{id: a, type: noop, transform: {done: true}}]\n';
const callOf = (path: string) => `functions: [{id: kid, type: subflow, workflow: ${path}}]
states: [{id: go, type: action, action: {function: kid}}]
`;
const eachOf = (path: string, count = 12) => `functions: [{id: kid, type: subflow, workflow: ${path}}]
states: [{id: go, type: foreach, array: 'jq([range(${count}) | {n: .}])', action: {function: kid}}]
`;

/** Calls in a row, one of which depends on the one before; a retry; a loop; a call that the machine makes. */
const HTTP = `functions:
- {id: f, type: http, url: 'https://api.test/jq(.path // "start")', body: {after: jq(.return.body.n // 0)}}
- {id: slow, type: http, url: 'https://api.test/slow', method: DELETE, timeout: PT1M}
states:
- {id: one, type: action, action: {function: f}, transition: two}
- id: two
  type: action
  action: {function: f, retries: {max_attempts: 2, delay: PT5S, codes: [http.status.503]}}
  transition: each
- {id: each, type: foreach, array: 'jq([range(3) | {path: "n\\(.)"}])', action: {function: f}, transition: late}
- {id: late, type: action, action: {function: slow}}
`;

/**
 * Fails the first attempt of the second call, however often it is repeated. Each answer to the first function has a new
 * number, also that to a repeated request: a call that is repeated after its number was used elsewhere would show.
 */
function countingServer(): Reply {
  let count = 0;
  const answered = new Set<unknown>();
  let refused: string | undefined;
  return ({ method, headers }) => {
    const key = headers['idempotency-key'];
    // A retry has the same key and another span.
    const { traceparent } = headers;
    if (answered.size === 1 && !answered.has(key)) refused ??= traceparent;
    if (refused !== undefined && traceparent === refused) return json({}, 503);
    answered.add(key);
    count += 1;
    return method === 'POST' ? json({ n: count }) : json({});
  };
}

/** A short invocation that is retried, a loop, and a long one, which a machine makes and which is retried too. */
const LAMBDAS = `functions:
- {id: f, type: lambda, function: f}
- {id: slow, type: lambda, function: slow, timeout: PT5M}
states:
- id: one
  type: action
  action: {function: f, input: one, retries: {max_attempts: 2, delay: PT5S, codes: [lambda.Busy]}}
  transition: each
- {id: each, type: foreach, array: 'jq([range(3) | {n: .}])', action: {function: f, input: jq(.n)}, transition: late}
- id: late
  type: action
  action: {function: slow, input: 'jq({after: .return})', retries: {max_attempts: 2, delay: PT5S, codes: [lambda.Busy]}}
`;

/** The functions fail the first attempt of the first call and of the long one, however often it is repeated. */
function failingFirst(): Answer {
  const failed = new Map<unknown, string | undefined>();
  return (invocation) => {
    const { traceparent } = invocation.context;
    const payload = payloadOf(invocation);
    const isFirst = payload === 'one' || invocation.function === 'slow';
    if (isFirst && !failed.has(invocation.function)) failed.set(invocation.function, traceparent);
    // A retry has the same key and another span.
    if (isFirst && failed.get(invocation.function) === traceparent)
      return { error: { type: 'Busy', message: 'later' } };
    return result({ got: payload });
  };
}

/** A mail that is retried and given up, a loop, and one that the machine sends. */
const MAILS = `functions:
- {id: f, type: mail, server: {host: mail.test}, from: shop@test, to: 'jq(.to // "first")@test', subject: 'after jq(.return.messageId)'}
- {id: slow, type: mail, server: {host: mail.test}, from: shop@test, to: slow@test, timeout: PT1M}
states:
- id: one
  type: action
  action: {function: f, retries: {max_attempts: 1, delay: PT5S, codes: [mail.deferred]}}
  catch: [{error: '*', transition: each}]
  transition: each
- {id: each, type: foreach, array: 'jq([range(3) | {to: "n\\(.)"}])', action: {function: f}, transition: late}
- {id: late, type: action, action: {function: slow}}
`;

/** The server defers each attempt of the first mail. */
const deferFirst: ProgrammedWeb['accept'] = async ({ mails: [mail] }) => {
  if (mail?.to[0] === 'first@test') throw new MailRefusedError('451 later', 'deferred');
};

const wait = (world: World) =>
  executeAndWait(world.ports, {
    namespace: world.namespace,
    path: '/main',
    ref: '',
    input: Buffer.from('{}'),
    key: 'the-key',
  });

const start = (world: World) =>
  execute(world.ports, {
    namespace: world.namespace,
    path: '/main',
    ref: '',
    input: Buffer.from('{}'),
    key: 'the-key',
  });

/** A time that has passed in every world. */
const PLANNED = Date.UTC(2020, 0, 1, 8);

const startPlanned = (world: World) =>
  execute(world.ports, {
    namespace: world.namespace,
    path: '/main',
    ref: '',
    input: new Uint8Array(),
    planned: PLANNED,
  });

/** A request that was repeated finds the effect of the first one. */
function unlessExists(error: unknown): void {
  if (!(error instanceof ServiceError && error.code === 'exists')) throw error;
}

const cronOf = (cron: string) => `start: {type: scheduled, cron: '${cron}'}\n${QUICK}`;
const at = (world: World, source: string) => ({ namespace: world.namespace, path: '/main', source });
const create = (source: string) => (world: World) => createWorkflow(world.ports, at(world, source)).catch(unlessExists);
const update = (source: string) => (world: World) => updateWorkflow(world.ports, at(world, source));
const toggle = (live: boolean) => (world: World) => toggleWorkflow(world.ports, world.namespace, '/main', live);
const make = (source: string) => (world: World) => createWorkflow(world.reliable, at(world, source));

const ON_EVENT = `start: {type: event, event: {type: go}}\n${NAP}`;
const UNTIL_EVENT = 'states: [{id: until, type: consumeEvent, event: {type: go}}]\n';

/** Waits for an event, a delay that a timer ends, a short one, a child, and an event that does not come. */
const ON_AND_ON = `functions: [{id: kid, type: subflow, workflow: kid}]
states:
- {id: until, type: consumeEvent, event: {type: go}, transition: long}
- {id: long, type: delay, duration: PT2M, transition: short}
- {id: short, type: delay, duration: PT5S, transition: call}
- {id: call, type: action, action: {function: kid}, transition: never}
- {id: never, type: consumeEvent, event: {type: never}, timeout: PT20S, catch: [{error: '*', transition: end}]}
- {id: end, type: noop}
`;

async function send(world: World): Promise<void> {
  const namespace = await namespaces.need(world.ports, world.namespace);
  const event = { specversion: '1.0', id: 'e1', source: 's', type: 'go' } as const;
  await receive(world.ports, namespace, event).catch(unlessExists);
}

const CANCELLED = `cancelOn: {type: go}
functions: [{id: kid, type: subflow, workflow: kid}]
states: [{id: go, type: action, action: {function: kid}}]
`;
/** The handlers wait, so that each goes on in a machine, and call a subflow. */
const HANDLED = `cancelOn: {type: go, transition: undo}
onFailure: alert
finally: release
functions: [{id: kid, type: subflow, workflow: kid}, {id: nap, type: subflow, workflow: nap}]
states:
- {id: go, type: action, action: {function: kid}}
- {id: alert, type: delay, duration: PT2S}
- {id: undo, type: action, action: {function: nap}}
- {id: release, type: delay, duration: PT3S}
`;
const FAILING = `onFailure: alert
finally: release
states:
- {id: nap, type: delay, duration: PT2S, transition: last}
- {id: last, type: noop, transform: {paid: 1}}
- {id: alert, type: delay, duration: PT2S}
- {id: release, type: noop}
`;
const UNFIT_OUTPUT = `output: {properties: {paid: {type: boolean}}}\n${FAILING}`;
const UNFIT_INPUT = `start: {type: event, event: {type: go}}\ninput: {required: [order]}\n${FAILING}`;
const ENDLESS = 'states: [{id: until, type: consumeEvent, event: {type: never}, timeout: P1D}]\n';

const EVERY = { limit: 0, offset: 0, order: [], filter: [] };

const WEBHOOK = 'start: {type: webhook, verify: {url: {secret: HOOK, delivery: X-Delivery}}, reply: wait}\n';
const SENDING = `start:
  type: webhook
  verify: {url: {secret: HOOK, delivery: X-Delivery}}
  event: {type: go}
states: [{id: unused, type: noop}]
`;

const storeSecret = async (world: World): Promise<void> => {
  const namespace = await namespaces.need(world.reliable, world.namespace);
  await secrets.set(world.reliable, namespace, 'HOOK', Buffer.from('hidden'));
};

/** A delivery to the webhook at a path, which its sender repeats until it gets a reply. */
const deliver = (path: string) => (world: World) => {
  const headers = { 'x-delivery': 'd-1' };
  const request = { method: 'POST', headers, query: { secret: ['hidden'] }, body: Buffer.from('{}') };
  return receiveWebhook(world.ports, { namespace: world.namespace, path }, request, Number.POSITIVE_INFINITY);
};

const APPROVAL = `functions: [{id: tell, type: subflow, workflow: tell}]
states:
- id: ask
  type: approval
  subject: Pay
  choices: {yes: paid}
  notify: {function: tell, input: {n: jq(.links | length)}}
  remind: {after: PT1S}
  transform: 'jq({by: .return.by})'
- {id: paid, type: noop}
`;

/** Decides by the link that was sent, until there is a reply. */
async function approve(world: World): Promise<void> {
  const { results } = await instances.list(world.reliable, world.namespace, EVERY);
  const id = results.find(({ as }) => as === '/main')?.id ?? '';
  const key = (await runs.find(world.reliable, id))?.wait?.approval?.key ?? '';
  const { yes = '' } = linksOf(world.ports, { run: id, key }, [{ name: 'yes' }]);
  const link = readLink(yes.replace('/api/hooks/', ''));
  const asked = link && (await openByLink(world.ports, link));
  if (asked !== undefined) await decide(world.ports, asked, { by: 'Ada', form: {}, from: '' });
}

const begin = (seconds: number) => async (world: World) => {
  await world.execute('main', '{}');
  await world.pass(world.time.clock.now() + seconds * 1000);
};

async function cancelMain(world: World): Promise<void> {
  const { results } = await instances.list(world.reliable, world.namespace, EVERY);
  const main = results.find(({ as }) => as === '/main');
  await cancel(world.ports, await instances.need(world.ports, world.namespace, main?.id ?? ''));
}

/** One run at a time: each ends by an event that comes more than a second after its begin, or after an hour. */
const ONE_BY_ONE = `concurrency: {limit: 1}
states:
- {id: pause, type: delay, duration: PT1S, transition: until}
- {id: until, type: consumeEvent, event: {type: go}, timeout: PT1H, catch: [{error: '*', transition: late}]}
- {id: late, type: noop}
`;

/** A function that has one call at work, and begins two in five seconds. */
const LIMITED = `functions:
- {id: bank, type: http, url: 'https://bank.test/', concurrency: {limit: 1}, rate: {limit: 2, per: PT5S}}
`;
const EACH_OF_BANK = "states: [{id: go, type: foreach, array: 'jq([range(4) | {n: .}])', action: {function: bank}}]\n";
const BUSY = 'retries: {max_attempts: 1, delay: PT1S, codes: [http.status.503]}';

/** Starts three runs, of which two are queued. */
async function queueRuns(world: World): Promise<void> {
  for (let count = 0; count < 3; count += 1) await begin(1)(world);
}

async function cancelHolder(world: World): Promise<void> {
  const { results } = await instances.list(world.reliable, world.namespace, EVERY);
  const holder = results.find(({ queued, status }) => queued === undefined && status === 'pending');
  await cancel(world.ports, await instances.need(world.ports, world.namespace, holder?.id ?? ''));
}

/** A call of a worker that is retried, a loop over workers, and one whose task its worker gives back. */
const TASKS = `functions: [{id: work, type: worker, queue: jobs, lease: PT30S}]
states:
- id: one
  type: action
  action: {function: work, input: one, retries: {max_attempts: 2, delay: PT5S, codes: [busy]}}
  transition: each
- {id: each, type: foreach, array: 'jq([range(3) | {n: .}])', action: {function: work, input: jq(.n)}, transition: last}
- {id: last, type: action, action: {function: work, input: last}}
`;

/** A worker outside, which repeats a report until it is answered, and polls until the run has ended. */
async function serveJobs(world: World): Promise<void> {
  const namespace = await namespaces.need(world.reliable, world.namespace);
  const hasEnded = async () => {
    const request = { limit: 0, offset: 0, order: [], filter: [] };
    const { results } = await instances.list(world.reliable, world.namespace, request);
    return results.every(({ status }) => status !== 'pending');
  };
  for (let polls = 0; polls < 40 && !(await hasEnded()); polls += 1) {
    const poll = { worker: 'w', max: 2, wait: 'PT0S', deadline: Number.POSITIVE_INFINITY };
    for (const { task, lease, input, attempt, taken } of await pollTasks(world.ports, namespace, 'jobs', poll)) {
      const holding = { namespace, queue: 'jobs', task, lease };
      const failing = { code: 'busy', message: 'later', ...(input === 'last' ? { retry: 'PT2S' } : {}) };
      const mustFail = (input === 'one' && attempt === 0) || (input === 'last' && taken === 1);
      if (mustFail) await failTask(world.ports, holding, failing);
      else await completeTask(world.ports, holding, { did: input });
    }
    await world.pass(world.time.clock.now() + 6_000);
    // A delay that a worker asked for, and a lease that a crashed process left, end by the clock alone.
    if (world.process.hasCrashed) return;
    world.time.advance(6_000);
  }
}

async function startAndServe(world: World): Promise<void> {
  await start(world);
  await world.pass(world.time.clock.now() + 1_000);
  await serveJobs(world);
}

/** The workloads whose every crash point is tried. */
export const workloads: readonly Workload[] = [
  {
    name: 'a request that waits for a run that waits',
    sources: { kid: NAP, main: callOf('kid') },
    act: wait,
    takesTime: true,
  },
  {
    name: 'a request that waits for a run that waits three deep',
    sources: { leaf: NAP, kid: callOf('leaf'), main: callOf('kid') },
    act: wait,
    takesTime: true,
  },
  {
    name: 'a request that waits for a loop over subflows',
    sources: { kid: QUICK, main: eachOf('kid') },
    act: wait,
    takesTime: true,
  },
  {
    name: 'a request that waits for a loop over subflows that call',
    sources: { leaf: QUICK, kid: callOf('leaf'), main: eachOf('kid') },
    act: wait,
    takesTime: true,
  },
  { name: 'a request that starts a run with a key', sources: { kid: NAP, main: callOf('kid') }, act: start },
  {
    name: 'a run with labels that waits',
    sources: { main: `labels: {team: a, size: jq(.n // 1)}\n${NAP}` },
    act: start,
  },
  {
    name: 'a request that starts the run of a planned time',
    sources: {},
    before: make(`start: {type: scheduled, cron: '0 8 * * *'}\n${NAP}`),
    act: startPlanned,
  },
  { name: 'a scheduled workflow that is stored', sources: {}, act: create(cronOf('0 8 * * *')) },
  {
    name: 'a workflow whose schedule is changed',
    sources: {},
    before: make(cronOf('0 8 * * *')),
    act: update(cronOf('30 9 * * *')),
  },
  {
    name: 'a scheduled workflow that becomes another',
    sources: {},
    before: make(cronOf('0 8 * * *')),
    act: update(QUICK),
  },
  {
    name: 'a workflow that becomes a scheduled one',
    sources: {},
    before: make(QUICK),
    act: update(cronOf('0 8 * * *')),
  },
  {
    name: 'a scheduled workflow that is disabled',
    sources: {},
    before: make(cronOf('0 8 * * *')),
    act: toggle(false),
  },
  {
    name: 'a scheduled workflow that is enabled',
    sources: {},
    before: async (world) => {
      await make(cronOf('0 8 * * *'))(world);
      await toggleWorkflow(world.reliable, world.namespace, '/main', false);
    },
    act: toggle(true),
  },
  {
    name: 'an event that cancels a run with its subflow',
    sources: { kid: ENDLESS, main: CANCELLED },
    before: begin(1),
    act: send,
    isTimely: true,
  },
  {
    name: 'an event that cancels a run, after which its handlers run',
    sources: { kid: ENDLESS, nap: NAP, main: HANDLED },
    before: begin(1),
    act: send,
    isNowOrNever: true,
  },
  {
    name: 'a request that starts a run which fails, after which its handlers run',
    sources: { kid: 'states: [{id: no, type: error, error: no.stock, message: none}]\n', nap: NAP, main: HANDLED },
    act: start,
  },
  {
    name: 'a run that calls over HTTP',
    sources: { main: HTTP },
    act: start,
    reply: countingServer,
  },
  {
    name: 'a request that waits for calls over HTTP',
    sources: { main: HTTP },
    act: wait,
    takesTime: true,
    reply: countingServer,
  },
  { name: 'a run that sends mails', sources: { main: MAILS }, act: start, accept: deferFirst },
  {
    name: 'a request that waits for mails',
    sources: { main: MAILS },
    act: wait,
    takesTime: true,
    accept: deferFirst,
  },
  {
    name: 'a run that invokes functions of Lambda',
    sources: { main: LAMBDAS },
    act: start,
    answer: failingFirst,
  },
  {
    name: 'a request that waits for functions of Lambda',
    sources: { main: LAMBDAS },
    act: wait,
    takesTime: true,
    answer: failingFirst,
  },
  {
    name: 'a delivery to a webhook, whose sender waits for the run',
    sources: { kid: NAP, main: WEBHOOK + callOf('kid') },
    before: storeSecret,
    act: deliver('/main'),
    takesTime: true,
  },
  {
    name: 'a delivery to a webhook that wakes a run',
    // The event's source and id have the name of the namespace.
    sources: { main: UNTIL_EVENT.replace('{type: go}', "{type: go}, transform: 'jq({})'"), hook: SENDING },
    before: async (world) => {
      await storeSecret(world);
      await begin(2)(world);
    },
    act: deliver('/hook'),
    isTimely: true,
  },
  {
    name: 'a decision of an approval',
    sources: { tell: QUICK, main: APPROVAL },
    before: begin(3),
    act: approve,
    isNowOrNever: true,
  },
  { name: 'a run whose calls workers serve', sources: { main: TASKS }, act: startAndServe, takesTime: true },
  {
    name: 'a request that starts a run whose output does not fit, after which its handlers run',
    sources: { main: UNFIT_OUTPUT },
    act: start,
  },
  {
    name: 'an event that starts a workflow whose input does not fit',
    sources: { main: UNFIT_INPUT },
    act: send,
  },
  { name: 'an event that starts a workflow', sources: { main: ON_EVENT }, act: send },
  {
    name: 'an event that wakes a run, which waits for more',
    sources: { kid: NAP, main: ON_AND_ON },
    before: begin(2),
    act: send,
    isTimely: true,
  },
  {
    name: 'a request that starts a run, which waits again and again',
    sources: { kid: NAP, main: ON_AND_ON.replace('until, type: consumeEvent, event: {type: go}', 'until, type: noop') },
    act: start,
  },
  { name: 'an event that wakes a run', sources: { main: UNTIL_EVENT }, before: begin(2), act: send, isTimely: true },
  {
    name: 'a run that is cancelled while it waits for others',
    sources: { leaf: NAP, kid: callOf('leaf'), main: eachOf('kid', 3) },
    before: begin(2),
    act: cancelMain,
    isNowOrNever: true,
  },
  {
    name: 'an event that ends a run, after which the next one of a queue begins',
    sources: { main: ONE_BY_ONE },
    before: queueRuns,
    act: send,
    isTimely: true,
  },
  {
    name: 'a run that is cancelled, after which the next one of a queue begins',
    sources: { main: ONE_BY_ONE },
    before: queueRuns,
    act: cancelHolder,
    isNowOrNever: true,
  },
  {
    name: 'runs that the rate of their workflow holds back',
    sources: { main: `rate: {limit: 1, per: PT10S}\n${QUICK}` },
    before: begin(0),
    act: start,
  },
  {
    name: 'a run whose subflows are held back, and then queued',
    sources: { kid: `rate: {limit: 2, per: PT5S}\nconcurrency: {limit: 1}\n${NAP}`, main: eachOf('kid', 3) },
    act: start,
  },
  {
    name: 'a run that is debounced, held back by its rate, and then queued',
    sources: { main: `debounce: {for: PT2S}\nrate: {limit: 1, per: PT5S}\nconcurrency: {limit: 1}\n${NAP}` },
    before: begin(3),
    act: start,
  },
  {
    name: 'a run whose subflows are queued',
    sources: { kid: `concurrency: {limit: 1}\n${NAP}`, main: eachOf('kid', 3) },
    act: start,
  },
  {
    name: 'a run that the rate counts when it gets a place',
    sources: { main: `concurrency: {limit: 1}\nrate: {limit: 1, per: PT15S}\n${NAP}` },
    before: begin(2),
    act: start,
  },
  {
    name: 'a run whose calls wait for the limits of their function',
    sources: { main: `${LIMITED}${EACH_OF_BANK}` },
    act: start,
    reply: () => () => json({}),
  },
  {
    name: 'runs whose calls are repeated, and wait for the places of one function',
    sources: { main: `${LIMITED}states: [{id: go, type: action, action: {function: bank, ${BUSY}}}]\n` },
    before: begin(2),
    act: start,
    reply: () => () => json({}, 503),
  },
];
