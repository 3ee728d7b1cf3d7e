/**
 * The requests of the recording session that the recording does not contain, so that the exchanges after them can be
 * replayed.
 */
interface Step {
  readonly method: string;
  readonly path: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The id, in the recording, of the instance that it starts. */
  readonly instance?: string;
}

const DEMO = '/api/namespaces/demo';
const tree = (path: string, op: string): string => `${DEMO}/tree/${path}?op=${op}`;
const instance = (body: string, id: string): Step => ({
  method: 'POST',
  path: tree('wf1', 'execute'),
  body,
  instance: id,
});

const LOOP = 'states:\n- id: a\n  type: noop\n  transition: b\n- id: b\n  type: noop\n  transition: a\n';
const ERROR = 'states:\n- id: a\n  type: error\n  error: my.code\n  message: "bad thing %s"\n  args: [jq(.x)]\n';
const UPDATED = 'description: updated noop\nstates:\n- id: a\n  type: noop\n  transform:\n    result: jq(.)\n';
const STARTED_BY_EVENT =
  'start:\n  type: event\n  event:\n    type: com.test.start\n    context:\n      subject: abc*\nstates:\n- id: a\n  type: noop\n';
const DELAYED = 'f3be289b-7fd4-450c-a3b6-cc3c849fd964';

const broadcast = (event: object): Step => ({
  method: 'POST',
  path: `${DEMO}/broadcast`,
  headers: { 'Content-Type': 'application/cloudevents+json' },
  body: JSON.stringify({ specversion: '1.0', ...event }),
});
const tell = (key: string, value: boolean): Step => ({
  method: 'PATCH',
  path: `${DEMO}/config`,
  body: JSON.stringify({ broadcast: { [key]: value } }),
});
const SERVICES = '/api/functions/namespaces/demo';

/** Waits until no instance is pending, or until the pending one has entered its first state. */
type Pause = 'settled' | 'begun';

/** By the label of the exchange that they precede. */
export const BEFORE: Readonly<Record<string, readonly (Step | Pause)[]>> = {
  'ns-create-dup': [{ method: 'PUT', path: DEMO }],
  'ns-list-filter': [{ method: 'PUT', path: '/api/namespaces/demo-two' }],
  'ns-delete-again': [{ method: 'DELETE', path: '/api/namespaces/demo-two' }],
  'ns-delete-recursive-empty': [{ method: 'PUT', path: '/api/namespaces/ssens' }],
  'dir-create-dup': [{ method: 'PUT', path: tree('d1', 'create-directory') }],
  'wf-update-same': [{ method: 'POST', path: tree('wf1', 'update-workflow'), body: UPDATED }],
  'inst-get[nobody]': [
    instance('[1, 2]', '054f59a0-d06c-4f12-8e3b-629a9dc3675a'),
    instance('{broken', 'b3c525d6-4d93-4051-8a40-a39f957bd1c2'),
    instance('', '58c58b39-626b-499c-8dc4-2f386d7a5fb5'),
    'settled',
  ],
  'exec-delay': [{ method: 'PUT', path: tree('delaywf', 'create-workflow'), body: LOOP }],
  'inst-get-pending': ['begun'],
  'inst-get-cancelled': [{ method: 'POST', path: `${DEMO}/instances/${DELAYED}/cancel` }],
  'wait-err': [{ method: 'PUT', path: tree('errwf', 'create-workflow'), body: ERROR }],
  'inst-output-failed': [
    {
      method: 'POST',
      path: tree('errwf', 'execute'),
      body: '{"x":"foo"}',
      instance: 'ed353483-1210-4659-ab02-73b2b9ac638b',
    },
    'settled',
  ],
  'wait-enabled': [{ method: 'POST', path: tree('wf1', 'toggle'), body: '{"live":true}' }],
  // The namespace broadcasts the creation of workflows from here on; the recording does not contain the request for it.
  'wf-create-ident': [tell('workflow.create', true)],
  'events-after-evlog': [tell('workflow.create', false)],
  'bc-structured-dup-id': [broadcast({ type: 'com.test.a', source: '/src', id: 'e-1' })],
  'event-listeners': [{ method: 'PUT', path: tree('evstart', 'create-workflow'), body: STARTED_BY_EVENT }],
  'event-replay': [broadcast({ type: 'com.test.start', source: 'x', id: 'st-2', subject: 'other' })],
  // The stand-in for a cluster listed this service, and replied from here on as if there were none.
  'fn-get[ns]': [{ method: 'DELETE', path: `${SERVICES}/function/svc2` }],
  'fn-revs-nosse[ns]': [{ method: 'POST', path: SERVICES, body: '{"name":"svc2","image":"direktiv/request:v1"}' }],
  'ns-delete-with-wf': [
    {
      method: 'PUT',
      path: '/api/namespaces/todelete/tree/wf?op=create-workflow',
      body: 'states:\n- id: a\n  type: noop\n',
    },
  ],
};
