import { readFileSync } from 'node:fs';
import { type Client, rowsOf } from '../../service/access/client.ts';

const example = (path: string): string => readFileSync(new URL(`../../../examples/${path}`, import.meta.url), 'utf8');

/** A namespace with at least one item of each kind. */
export interface Space {
  readonly namespace: string;
  /** Runs, by how they stand. */
  readonly complete: string;
  readonly failed: string;
  readonly waiting: string;
  readonly event: string;
  /** A run that waits for a decision. */
  readonly asking: string;
}

const WORKFLOWS: Readonly<Record<string, string>> = {
  'hello.yaml': 'hello/workflow.yaml',
  'orders/saga.yaml': 'order-saga/workflow.yaml',
  'orders/bank': 'order-saga/flows/bank.yaml',
  'orders/carrier': 'order-saga/flows/carrier.yaml',
  'orders/stock': 'order-saga/flows/stock.yaml',
  'orders/payment.yaml': 'order-payment/workflow.yaml',
  'orders/validation.yaml': 'order-validation/workflow.yaml',
  'reports/sum.yaml': 'sum-by-loop/workflow.yaml',
};

/** Sends a request and returns its JSON. Throws when it is refused. */
export async function ask(client: Client, method: string, path: string, body?: unknown) {
  const isText = typeof body === 'string';
  const answer = await client.call(method, path, body === undefined ? {} : isText ? { body } : { json: body });
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
  return answer.text === '' ? undefined : answer.json();
}

/** Starts a workflow and returns the id of its run. */
export async function started(client: Client, namespace: string, path: string, input: unknown): Promise<string> {
  const url = `/api/namespaces/${namespace}/tree/${path}?op=execute`;
  return String((await ask(client, 'POST', url, input))?.['instance']);
}

/** Waits until a run has the status. Throws when it has ended otherwise. */
export async function untilStatus(client: Client, namespace: string, id: string, status: string): Promise<void> {
  for (;;) {
    const reply = await ask(client, 'GET', `/api/namespaces/${namespace}/instances/${id}`);
    const { status: found, errorCode, errorMessage } = reply?.['instance'] ?? {};
    if (String(found) === status) return;
    if (String(found) !== 'pending') throw new Error(`${id} is ${found}: ${errorCode} ${errorMessage}`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

/** Waits until a run listens to an event. */
export async function untilListening(client: Client, namespace: string, id: string): Promise<void> {
  for (;;) {
    const reply = await ask(client, 'GET', `/api/namespaces/${namespace}/event-listeners`);
    if (rowsOf(reply?.['results']).some(({ instance }) => String(instance) === id)) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

/** Stores workflows in a namespace, made with it. */
export async function makeNamespace(client: Client, namespace: string, workflows = WORKFLOWS): Promise<void> {
  const base = `/api/namespaces/${namespace}`;
  await ask(client, 'PUT', base);
  for (const folder of ['orders', 'reports']) await ask(client, 'PUT', `${base}/tree/${folder}?op=create-directory`);
  for (const [path, file] of Object.entries(workflows)) {
    await ask(client, 'PUT', `${base}/tree/${path}?op=create-workflow`, example(file));
  }
}

async function addData(client: Client, base: string): Promise<void> {
  await client.call('PUT', `${base}/vars/rates`, {
    body: '{"EUR":1}',
    headers: { 'Content-Type': 'application/json' },
  });
  await client.call('PUT', `${base}/vars/note`, { body: 'noon', headers: { 'Content-Type': 'text/plain' } });
  await client.call('PUT', `${base}/secrets/token`, { body: 'x' });
  await client.call('POST', `/api/functions/registries${base.replace('/api', '')}`, {
    json: { reg: 'https://registry.example.com', data: 'user:token' },
  });
  await client.call('POST', `${base}/eventfilter/drop-tests`, { body: 'return event' });
  await ask(client, 'PATCH', `${base}/config`, { mail: { host: 'smtp.example.com', from: 'shop@example.com' } });
  await ask(client, 'PUT', `${base}/tree/hello.yaml?op=create-node-attributes`, { attributes: ['nightly'] });
}

/** A workflow that asks two people, one whose task no worker has fetched, and one with a webhook. */
export const OUTSIDE: Readonly<Record<string, string>> = {
  refund: `timeouts: {interrupt: P3D, kill: P4D}
labels: {team: shop}
states:
- id: sign-off
  type: approval
  subject: jq("Refund of " + (.amount | tostring))
  text: The parcel was lost.
  assignees: [Ada, finance]
  choices: {approve: paid, refuse: refused}
  form:
    type: object
    required: [comment]
    properties: {comment: {type: string, title: Comment}}
  timeout: P2D
- {id: paid, type: noop, transform: 'jq({paid: true, why: .return.form.comment})'}
- {id: refused, type: noop, transform: {paid: false}}
`,
  label: `functions:
- {id: label, type: worker, queue: labelling}
states:
- {id: approve, type: action, action: {function: label, input: {image: jq(.image)}}, timeout: PT1H}
`,
  push: `start: {type: webhook, verify: {github: HOOK_SECRET}}
states:
- {id: pushed, type: noop, transform: 'jq({branch: .body.ref})'}
`,
};

/** Stores these workflows and starts those that wait. Returns the run that waits for a decision. */
async function addOutside(client: Client, namespace: string): Promise<string> {
  for (const [path, source] of Object.entries(OUTSIDE)) {
    await ask(client, 'PUT', `/api/namespaces/${namespace}/tree/${path}?op=create-workflow`, source);
  }
  const asking = await started(client, namespace, 'refund', { amount: 40 });
  const labelling = await started(client, namespace, 'label', { image: 'https://example.com/a.png' });
  await untilListening(client, namespace, asking);
  await untilTaskOf(client, namespace, labelling);
  return asking;
}

/** Two runs of a workflow that has one place. */
async function addQueue(client: Client, namespace: string): Promise<void> {
  const source = 'concurrency: {limit: 1, key: jq(.shop)}\nstates: [{id: wait, type: delay, duration: PT10M}]\n';
  await ask(client, 'PUT', `/api/namespaces/${namespace}/tree/sync?op=create-workflow`, source);
  for (let run = 0; run < 2; run += 1) await started(client, namespace, 'sync', { shop: 'north' });
}

/** Waits until a run waits for a worker. */
export async function untilTaskOf(client: Client, namespace: string, id: string): Promise<void> {
  for (;;) {
    const reply = await ask(client, 'GET', `/api/namespaces/${namespace}/instances/${id}/waiting`);
    const [open] = rowsOf(reply?.['waiting']?.['for']?.['calls']?.['open'] ?? ([] as never));
    if (open?.['worker'] !== undefined) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

/** Makes a namespace with workflows, runs of every kind, events, variables and secrets. */
export async function makeSpace(client: Client, namespace: string): Promise<Space> {
  const base = `/api/namespaces/${namespace}`;
  await makeNamespace(client, namespace);
  const complete = await started(client, namespace, 'orders/saga.yaml', { quantity: 3, card: 'visa', country: 'XX' });
  const failed = await started(client, namespace, 'orders/saga.yaml', { card: 1 });
  const waiting = await started(client, namespace, 'orders/payment.yaml', { id: 'o-1', cents: 950 });
  await started(client, namespace, 'hello.yaml', { name: 'Ada' });
  await addData(client, base);
  const asking = await addOutside(client, namespace);
  await addQueue(client, namespace);
  await untilStatus(client, namespace, complete, 'complete');
  await untilStatus(client, namespace, failed, 'failed');
  await untilListening(client, namespace, waiting);
  const event = {
    specversion: '1.0',
    id: 'e-1',
    type: 'payment.received',
    source: 'bank',
    order: 'O-1',
    data: { cents: 1 },
  };
  await client.call('POST', `${base}/broadcast`, {
    json: event,
    headers: { 'Content-Type': 'application/cloudevents+json' },
  });
  return { namespace, complete, failed, waiting, event: 'e-1', asking };
}

/** Every page of the console, in a namespace with at least one item of each kind. */
export function pagesOf({
  namespace: ns,
  complete,
  failed,
  waiting,
  event,
  asking,
}: Space): Readonly<Record<string, string>> {
  return {
    namespaces: '',
    overview: `n/${ns}`,
    folder: `n/${ns}/tree/orders`,
    source: `n/${ns}/tree/orders/saga.yaml`,
    'workflow runs': `n/${ns}/tree/orders/saga.yaml?tab=runs`,
    revisions: `n/${ns}/tree/orders/saga.yaml?tab=revisions`,
    'workflow metrics': `n/${ns}/tree/orders/saga.yaml?tab=metrics`,
    'workflow variables': `n/${ns}/tree/orders/saga.yaml?tab=variables`,
    'workflow services': `n/${ns}/tree/orders/saga.yaml?tab=services`,
    'workflow log': `n/${ns}/tree/orders/saga.yaml?tab=log`,
    'workflow settings': `n/${ns}/tree/hello.yaml?tab=settings`,
    runs: `n/${ns}/runs`,
    'run complete': `n/${ns}/runs/${complete}`,
    'run failed': `n/${ns}/runs/${failed}?tab=source`,
    'run waiting': `n/${ns}/runs/${waiting}?tab=data`,
    'run step': `n/${ns}/runs/${failed}?tab=step&step=1`,
    'run to repeat': `n/${ns}/runs/${failed}?repeat=1`,
    'runs to repeat': `n/${ns}/runs?status=failed&bulk=rerun`,
    'runs to cancel': `n/${ns}/runs?status=pending&bulk=cancel`,
    'run children': `n/${ns}/runs/${complete}?tab=children`,
    events: `n/${ns}/events`,
    event: `n/${ns}/events/${event}`,
    'event to send': `n/${ns}/events?send=payment.received`,
    listeners: `n/${ns}/events?view=waiting`,
    'failed deliveries': `n/${ns}/events?view=failed`,
    'event filters': `n/${ns}/events?view=filters`,
    approvals: `n/${ns}/approvals`,
    approval: `n/${ns}/approvals?run=${asking}`,
    'run asking': `n/${ns}/runs/${asking}`,
    'runs by label': `n/${ns}/runs?label=team%3Dshop`,
    workers: `n/${ns}/workers`,
    queue: `n/${ns}/workers?queue=labelling`,
    webhooks: `n/${ns}/webhooks`,
    webhook: `n/${ns}/webhooks?workflow=%2Fpush`,
    'queued runs': `n/${ns}/queue`,
    schedules: `n/${ns}/schedules`,
    failures: `n/${ns}/failures`,
    metrics: `n/${ns}/metrics`,
    log: `n/${ns}/log`,
    variables: `n/${ns}/variables?name=rates`,
    secrets: `n/${ns}/secrets`,
    services: `n/${ns}/services`,
    registries: `n/${ns}/registries`,
    settings: `n/${ns}/settings`,
    keys: 'keys',
    audit: 'audit',
    server: 'server',
    'server services': 'server?view=services',
    playground: 'playground',
  };
}
