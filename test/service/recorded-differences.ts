/** What the recording session did and the recording does not show, so that what follows can be replayed. */
interface Step {
  readonly method: string;
  readonly path: string;
  readonly body?: string;
  /** The id that the recording has of the instance it starts. */
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
const DELAYED = 'f3be289b-7fd4-450c-a3b6-cc3c849fd964';

/** Waiting until no instance is pending, or until the one that is has entered its first state. */
type Pause = 'settled' | 'begun';

/** By the label of the exchange they go before. */
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
  'ns-delete-with-wf': [
    {
      method: 'PUT',
      path: '/api/namespaces/todelete/tree/wf?op=create-workflow',
      body: 'states:\n- id: a\n  type: noop\n',
    },
  ],
};
const NOT_FOUND = 'what is missing is 404, as in the version before the recorded one and everywhere else';
const DISABLED = 'a disabled workflow cannot be invoked (specification, States)';
const INPUT_AS_IT_CAME = 'an input that is no JSON is shown as it came, not refused (rest-api reference, 7.4)';
const JQ_INVALID = 'an invalid request is 400 (specification, Errors)';
const NO_GO_TYPES = 'the field is named without the type of a program in Go';
const VERDICT = 'the recorded service crashed on a valid workflow (rest-api reference, A.1)';
const LABELS = 'the labels carry the brand, and nothing of the program that collected them there (instance, job)';
const CUT_OFF = 'the recording ends in the middle of the body';

const UNSEEN = 'it depends on an exchange that the recording does not show';
const BAD_BATCH =
  "a bad element is the sender's mistake, 406 as for other invalid events, and does not take the good ones along";

const DROPPED = 'the recorded version had dropped these routes; the specification has them';
const TWO_REPLIES = 'the recorded service went on after a bad body and wrote a second reply behind the first';

const QUOTED = 'size is text and minScale may be quoted (specification, Schemas); numbers are taken too';
const STAND_IN = 'the stand-in behind the recording did not find what it had created';
const ALWAYS_STREAM = 'a route that is an event stream is one whatever the client accepts (rest-api reference, D)';

/** Where Weft answers otherwise than the recording, by label, each with the reason. */
export const LISTED: Readonly<Record<string, string>> = {
  'inst-var-get': UNSEEN,
  'inst-var-get-json': UNSEEN,
  'events-after-evlog': UNSEEN,
  'bc-structured-dup-id': UNSEEN,
  'event-listeners': UNSEEN,
  'event-replay': UNSEEN,
  'bc-batch-bad': BAD_BATCH,
  'bc-batch-notarray': BAD_BATCH,
  'ns-create-mirror-badurl': 'no git repository is followed: a namespace that looks like a mirror would never fill',
  'ns-config-patch-badtype': NO_GO_TYPES,
  'ns-metrics-invoked': LABELS,
  'ns-metrics-successful': LABELS,
  'ns-metrics-failed': LABELS,
  'wf-metrics-invoked': LABELS,
  'tree-root-order': CUT_OFF,
  'server-logs-sse': CUT_OFF,
  'tree-root-order-type': CUT_OFF,
  'exec-ref-bad': NOT_FOUND,
  'exec-404': NOT_FOUND,
  'exec-ns-404': NOT_FOUND,
  'inst-input[nobody]': INPUT_AS_IT_CAME,
  'inst-input[badjson]': INPUT_AS_IT_CAME,
  'inst-input[query]': INPUT_AS_IT_CAME,
  'inst-input[ref]': INPUT_AS_IT_CAME,
  'wait-404': NOT_FOUND,
  'wait-dir': 'a directory is there, and no workflow: the text of the version before the recorded one',
  'exec-disabled': DISABLED,
  'wait-disabled': DISABLED,
  'toggle-nobool': NO_GO_TYPES,
  'wf-validate-ref(crashes server v0.6.7)': VERDICT,
  'wf-validate-router(crash?)': VERDICT,
  'jq-wrapped': JQ_INVALID,
  'jq-multi': JQ_INVALID,
  'jq-multi-wrapped': JQ_INVALID,
  'jq-string': JQ_INVALID,
  'jq-null': JQ_INVALID,
  'jq-badquery-plain': JQ_INVALID,
  'jq-js': JQ_INVALID,
  'jq-embedded': JQ_INVALID,
  'jq-badjson': JQ_INVALID,
  'jq-empty': JQ_INVALID,
  'jq-unknown-field': JQ_INVALID,
  'jq-nodata': JQ_INVALID,
  'jq-env': JQ_INVALID,
  'jq-error': JQ_INVALID,
  'jq-dataobj': JQ_INVALID,
  'fn-reg-create[global]': DROPPED,
  'fn-reg-create-badjson[global]': DROPPED,
  'fn-reg-list[global]': DROPPED,
  'fn-reg-delete[global]': DROPPED,
  'fn-reg-list-empty[private]': DROPPED,
  'fn-reg-create[private]': DROPPED,
  'fn-reg-create-bad[private]': DROPPED,
  'fn-reg-create-unk[private]': DROPPED,
  'fn-reg-create-badjson[private]': DROPPED,
  'fn-reg-list[private]': DROPPED,
  'fn-reg-delete[private]': DROPPED,
  'fn-reg-create-unk[namespaces/demo]': TWO_REPLIES,
  'fn-reg-create-badjson[namespaces/demo]': TWO_REPLIES,
  'fn-list-empty[global]': DROPPED,
  'fn-create[global]': DROPPED,
  'fn-create-badname[global]': DROPPED,
  'fn-create-badjson[global]': DROPPED,
  'fn-get[global]': DROPPED,
  'fn-get-404[global]': DROPPED,
  'fn-rev-create[global]': DROPPED,
  'fn-get-2revs[global]': DROPPED,
  'fn-traffic[global]': DROPPED,
  'fn-traffic-unknown[global]': DROPPED,
  'fn-get-traffic[global]': DROPPED,
  'fn-rev-delete-traffic[global]': DROPPED,
  'fn-rev-delete[global]': DROPPED,
  'fn-pods[global]': DROPPED,
  'fn-revs-nosse[global]': DROPPED,
  'fn-delete-404[global]': DROPPED,
  'fn-create[ns]': QUOTED,
  'fn-create-quoted[ns]': QUOTED,
  'fn-get[ns]': STAND_IN,
  'fn-rev-create[ns]': STAND_IN,
  'fn-get-2revs[ns]': STAND_IN,
  'fn-get-traffic[ns]': STAND_IN,
  'fn-rev-delete-traffic[ns]': STAND_IN,
  'fn-rev-delete[ns]': STAND_IN,
  'fn-revs-nosse[ns]': ALWAYS_STREAM,
  'fn-revs-sse[ns]': 'the stand-in behind the recording could not watch',
  'fn-wf[function&svn=x&version=1]': ALWAYS_STREAM,
  'fn-wf[pods&svn=x&rev=00001]': 'without a version it is the newest service of the name (rest-api reference, 11.7)',
};
