import { ownMember } from '../../language/own-members.ts';
import { PAGING, type QueryName } from '../registry/queries.ts';
import type { Route } from '../registry/route.ts';
import { type BytesId, type ParamName, type RouteId, routes } from '../registry/routes/index.ts';
import type { InputName } from '../registry/shapes/inputs.ts';

const WORKFLOW = `states:
- id: greet
  type: noop
  transform:
    greeting: jq("Hello, " + .name)
`;

const INSTANCE = '0197b0c6-8f1e-7a64-9f0b-3d2c1e5a7b48';
const REVISION = '0197b0c5-2c40-7d13-8a55-6f0e9d4b1a27';

const LEASE = '0197b0c7-1a2b-7c3d-8e4f-5a6b7c8d9e0f';

/** A value for each path parameter. */
export const paramExamples: Readonly<Record<string, string>> = {
  namespace: 'demo',
  node: 'greet',
  instance: INSTANCE,
  variable: 'salutation',
  secret: 'token',
  service: 'resize',
  revision: '00001',
  pod: 'resize-00001-1',
  event: 'b1f0a7d4',
  filter: 'drop-tests',
  delivery: INSTANCE,
  key: 'k-7f3a',
  queue: 'labelling',
  step: '1',
  hook: 'demo/greet',
} satisfies Readonly<Record<ParamName, string>>;

/** A value for each query parameter. */
export const queryExamples: Readonly<Record<QueryName, string>> = {
  limit: '10',
  offset: '20',
  first: '10',
  after: 'MTA=',
  last: '10',
  before: 'MjA=',
  'order.field': 'NAME',
  'order.direction': 'ASC',
  'filter.field': 'NAME',
  'filter.type': 'CONTAINS',
  'filter.val': 'gre',
  recursive: 'true',
  from: 'greet',
  revision: 'latest',
  ref: 'latest',
  scheduled: '2026-01-15T08:00:00Z',
  tag: 'v1',
  var: 'salutation',
  svn: 'resize',
  version: '1',
  rev: '00001',
  ctype: 'text/plain',
  field: 'greeting',
  'raw-output': 'true',
  'input.*': 'World',
  labels: 'true',
  'label.*': 'shop',
  since: '24h',
  term: 'tok',
  workflow: 'refund',
  path: 'greet',
  assignee: 'ada',
  namespace: 'demo',
  actor: 'deployment',
  start: '2026-01-15T00:00:00Z',
  end: '2026-01-16T00:00:00Z',
  job: INSTANCE,
  cursor: 'MDAwMTc2ODQzNTIwMDAwMA',
  reference: 'false',
  cache: 'PT5M',
  force: 'true',
};

/** A JSON body for each shape of input. */
export const inputExamples: Readonly<Record<InputName, unknown>> = {
  mirror: { url: 'https://git.example.com/flows.git', ref: 'main' },
  config: { broadcast: { 'workflow.create': true } },
  rerunMany: { dryRun: true, limit: 20 },
  job: { action: 'cancel' },
  rerun: { patch: [{ op: 'add', path: '/name', value: 'World' }] },
  decision: { choice: 'approve', by: 'Ada', form: { comment: 'ok' } },
  toggle: { live: false },
  eventLogging: { logger: 'audit' },
  attributes: { attributes: ['nightly'] },
  rename: { new: 'archive/greet' },
  tag: { tag: 'v1' },
  router: {
    live: true,
    route: [
      { ref: 'latest', weight: 20 },
      { ref: 'v1', weight: 80 },
    ],
  },
  registry: { reg: 'https://registry.example.com', data: 'user:token' },
  registryName: { reg: 'https://registry.example.com' },
  registryTest: { url: 'https://registry.example.com', username: 'user', password: 'token' },
  service: { name: 'resize', image: 'registry.example.com/resize:1', cmd: '', size: 1, minScale: 0 },
  serviceRevision: { image: 'registry.example.com/resize:2', cmd: '', size: 1, minScale: 0, trafficPercent: 20 },
  traffic: {
    values: [
      { revision: 'global-resize-00001', percent: 80 },
      { revision: 'global-resize-00002', percent: 20 },
    ],
  },
  poll: { worker: 'laptop-1', max: 5, wait: 'PT20S' },
  taskOutput: { task: INSTANCE, lease: LEASE, output: { label: 'cat' } },
  taskFailure: { task: INSTANCE, lease: LEASE, code: 'image.unreadable', message: 'no image' },
  taskLease: { task: INSTANCE, lease: LEASE, duration: 'PT5M' },
  jq: { query: '.a', data: 'eyJhIjoxfQ==' },
  signIn: {
    code: 'SplxlOBeZQQYbYS6WxSbIA',
    verifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
    redirectUri: 'https://flows.example.com/ui/',
    nonce: 'n-0S6_WzA2Mj',
  },
  key: { name: 'ci', permission: 'run', namespaces: ['demo'] },
};

const EVENT = '{"specversion":"1.0","type":"order.placed","source":"shop","data":{"order":7}}';
const SCRIPT = 'if (event["type"] == "test") return null; return event';

/** A body for each route that takes bytes. */
export const byteExamples: Readonly<Partial<Record<RouteId, string>>> = {
  createWorkflow: WORKFLOW,
  updateWorkflow: WORKFLOW,
  validateWorkflow: WORKFLOW,
  executeWorkflow: '{"name":"World"}',
  waitWorkflowWithBody: '{"name":"World"}',
  setNamespaceVariable: 'Hello',
  setWorkflowVariable: 'Hello',
  setInstanceVariable: 'Hello',
  createSecret: 's3cret',
  overwriteSecret: 's3cret',
  broadcastEvent: EVENT,
  broadcastEventThroughFilter: EVENT,
  receiveWebhook: '{"action":"opened"}',
  receiveWebhookByPut: '{"action":"opened"}',
  createEventFilter: SCRIPT,
  updateEventFilter: SCRIPT,
} satisfies Readonly<Record<BytesId, string>>;

/** Values for routes where the usual ones would make no sense. */
const OVERRIDES: Readonly<Partial<Record<RouteId, Readonly<Record<string, string>>>>> = {
  createDirectory: { node: 'flows' },
  deleteRevision: { ref: REVISION },
  untagRevision: { ref: 'v1' },
  tagRevision: { ref: REVISION },
  retagRevision: { ref: REVISION },
  listSecretFolder: { secret: 'prod' },
};

/** Rarely used parameters, and those that the example of the body already contains: not part of an example. */
const OMITTED: ReadonlySet<string> = new Set<QueryName>([
  ...PAGING,
  'ctype',
  'raw-output',
  'scheduled',
  'tag',
  'label.*',
]);

function searchOf({ op, body, query = [] }: Route, given: Readonly<Record<string, string>>): string {
  const search = new URLSearchParams(op === undefined ? {} : { op });
  const isShown = (name: QueryName): boolean => !OMITTED.has(name) && (name !== 'input.*' || body === undefined);
  for (const name of query.filter(isShown)) {
    search.append(name.replace('*', 'name'), given[name] ?? queryExamples[name]);
  }
  return search.size === 0 ? '' : `?${search}`;
}

/** An example request of a route: path from `/api` on with query, and the body if the route has one. */
export function exampleOf(id: RouteId): { readonly path: string; readonly body?: string } {
  const route: Route = routes[id];
  const given = OVERRIDES[id] ?? {};
  const path = route.path.replaceAll(
    /\{(\w+)\+?\}/g,
    (_, name: string) => ownMember(given, name) ?? ownMember(paramExamples, name) ?? '',
  );
  const body = route.input ? JSON.stringify(inputExamples[route.input]) : byteExamples[id];
  return { path: `/api${path}${searchOf(route, given)}`, ...(body === undefined ? {} : { body }) };
}
