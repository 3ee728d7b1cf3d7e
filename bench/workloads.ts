import { eventOf, type Send } from './clients/client.ts';
import { noops } from './sources.ts';

/** A kind of request whose rate is measured. */
export interface Workload {
  readonly name: string;
  /** Its namespace; `bench` by default. */
  readonly namespace?: string;
  /** Creates the objects that the requests need. */
  readonly prepare?: (send: Send) => Promise<unknown>;
  /** The request of this number; each number is used once. */
  readonly run: (send: Send, n: number) => Promise<unknown>;
}

const create = (path: string, yaml: string) => (send: Send) => send('PUT', `/tree/${path}?op=create-workflow`, yaml);

/** The number of subflows of a foreach. */
const SUBFLOWS = 20;

const EACH = `functions:
- {id: f, type: subflow, workflow: noop}
states:
- {id: each, type: foreach, array: 'jq([range(${SUBFLOWS}) | {n: .}])', action: {function: f}}
`;
const FAILING = `states:
- {id: fail, type: error, error: bench.failed, message: failed}
`;

/** A workflow that an event of the type starts, if its attribute `n` has the value. */
const startedBy = (type: string, n: string): string => `start: {type: event, event: {type: ${type}, context: {n: ${n}}}}
states:
- {id: one, type: noop}
`;

const WAITING = `states:
- {id: wait, type: consumeEvent, event: {type: crowded, context: {n: jq(.n)}}}
`;

/** The listeners of the type that do not match. */
const CROWD = 999;

/** Half of the crowd are workflows that an event starts, half are runs that wait for one. */
async function prepareCrowd(send: Send): Promise<void> {
  await create('crowded', startedBy('crowded', 'go'))(send);
  await create('waiting', WAITING)(send);
  for (let n = 0; n < CROWD; n += 1) {
    if (n % 2 === 0) await create(`crowd-${n}`, startedBy('crowded', `other-${n}`))(send);
    else await send('POST', '/tree/waiting?op=execute', JSON.stringify({ n: `other-${n}` }));
  }
}

const broadcast = (type: string) => (send: Send, n: number) =>
  send('POST', '/broadcast', eventOf(type, `${type}-${n}`, { n: 'go' }));

const VALUE = JSON.stringify({ value: 'x'.repeat(100) });

const waitForNoop = (send: Send) => send('POST', '/tree/noop?op=wait', '{}');

/** A namespace whose runs keep no record of their states. */
async function prepareUnrecorded(send: Send): Promise<void> {
  await send('PUT', '');
  await send('PATCH', '/config', JSON.stringify({ record: 'none' }));
  await create('noop', noops(1))(send);
}

/** The rows of the table of speed, in its order. */
export const WORKLOADS: readonly Workload[] = [
  { name: 'op=wait noop', run: waitForNoop },
  { name: 'the same, record: none', namespace: 'unrecorded', prepare: prepareUnrecorded, run: waitForNoop },
  {
    name: 'op=wait 10-noop chain',
    prepare: create('chain', noops(10)),
    run: (send) => send('POST', '/tree/chain?op=wait', '{}'),
  },
  {
    name: `foreach over ${SUBFLOWS} subflows`,
    prepare: create('each', EACH),
    run: (send) => send('POST', '/tree/each?op=wait', '{}'),
  },
  { name: 'execute noop', run: (send) => send('POST', '/tree/noop?op=execute', '{}') },
  {
    name: 'variable get',
    prepare: (send) => send('PUT', '/vars/read', VALUE),
    run: (send) => send('GET', '/vars/read'),
  },
  { name: 'variable set', run: (send, n) => send('PUT', `/vars/written-${n % 100}`, VALUE) },
  { name: 'event without listener', run: broadcast('unheard') },
  { name: 'event starts one run', prepare: create('started', startedBy('start', 'go')), run: broadcast('start') },
  { name: 'the same, 1,000 listeners', prepare: prepareCrowd, run: broadcast('crowded') },
];

/** Whether the environment variable BENCH_ROWS, a regular expression, selects the row; without it every row is wanted. */
export const isWanted = (name: string): boolean => new RegExp(process.env['BENCH_ROWS'] ?? '').test(name);

/** The rows that BENCH_ROWS selects. */
export const wantedRows = (): Workload[] => WORKLOADS.filter(({ name }) => isWanted(name));

/** The namespace of most rows. */
export const NAMESPACE = 'bench';

/** Creates the namespaces, and the workflows that several rows use. */
export async function prepareAll(sendTo: (namespace: string) => Send): Promise<void> {
  const send = sendTo(NAMESPACE);
  await send('PUT', '');
  await create('noop', noops(1))(send);
  await create('failing', FAILING)(send);
  for (const { prepare, namespace = NAMESPACE } of WORKLOADS) await prepare?.(sendTo(namespace));
}

/** The lists and logs of which a page is measured at 100,000 runs: their names and paths. */
export const PAGES: Readonly<Record<string, string>> = {
  instances: '/api/namespaces/bench/instances?limit=10',
  'instances, offset 50,000': '/api/namespaces/bench/instances?limit=10&offset=50000',
  'instances, STATUS=failed':
    '/api/namespaces/bench/instances?limit=10&filter.field=STATUS&filter.type=MATCH&filter.val=failed',
  'instances, STATUS=pending':
    '/api/namespaces/bench/instances?limit=10&filter.field=STATUS&filter.type=MATCH&filter.val=pending',
  'instances, STATUS=complete':
    '/api/namespaces/bench/instances?limit=10&filter.field=STATUS&filter.type=MATCH&filter.val=complete',
  'instances, AS=/failing':
    '/api/namespaces/bench/instances?limit=10&filter.field=AS&filter.type=WORKFLOW&filter.val=failing',
  'instances, TRIGGER=cloudevent':
    '/api/namespaces/bench/instances?limit=10&filter.field=TRIGGER&filter.type=MATCH&filter.val=cloudevent',
  'namespace logs': '/api/namespaces/bench/logs?limit=10',
  'namespace logs, offset 50,000': '/api/namespaces/bench/logs?limit=10&offset=50000',
  'workflow logs': '/api/namespaces/bench/tree/noop?op=logs&limit=10',
  'server logs': '/api/logs?limit=10',
  events: '/api/namespaces/bench/events?limit=10',
  listeners: '/api/namespaces/bench/event-listeners?limit=10',
  variables: '/api/namespaces/bench/vars?limit=10',
  tree: '/api/namespaces/bench/tree?limit=10',
  metrics: '/api/namespaces/bench/metrics/invoked',
};
