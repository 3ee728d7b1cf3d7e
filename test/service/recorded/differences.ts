/** The expected reply in place of the recording; it is compared as strictly. */
export type Instead =
  /** Another status; otherwise as recorded, or a message that begins with the recorded one. */
  | { readonly status: number; readonly says?: string }
  /** The recording of another exchange. */
  | { readonly like: string }
  /** The recording without these names. */
  | { readonly lacks: readonly string[] };

export interface Difference {
  /** Names the document that requires it. */
  readonly reason: string;
  readonly instead: Instead;
}

const inEach = (reason: string, all: Readonly<Record<string, Instead>>): Record<string, Difference> =>
  Object.fromEntries(Object.entries(all).map(([label, instead]) => [label, { reason, instead }]));

const EMPTY: Instead = { status: 200, says: '' };
const NO_SERVICE: Instead = { status: 404, says: 'not found' };
const WATCH: Instead = { status: 200, says: '{"event":"ADDED","revision":{' };
const NO_WATCH: Instead = { status: 200, says: 'event: error\ndata: {"Code":5,' };
const DISABLED: Instead = { status: 500, says: 'cannot execute disabled workflow' };
const BAD_REQUEST: Instead = { status: 400 };

const NOT_FOUND = 'rest-api reference, 6.2: what is missing is 404, as in the version before the recorded one';
const DROPPED = 'specification, Registries and Global services: the recorded version had dropped these routes';
const CRASHED = 'rest-api reference, A.1: the recorded service crashed on a valid workflow';
const AS_IT_CAME = 'rest-api reference, 7.4: an input that is no JSON is shown as it came';
const STREAM = 'specification, Namespace services and Workflow services: the route is an event stream';
const NO_COLLECTOR = 'rest-api reference, 13: nothing collects the numbers from a program, so none is named';

/** The differences between Weft and the recordings, by label. */
export const LISTED: Readonly<Record<string, Difference>> = {
  ...inEach(
    'docs/decisions/032: git mirrors are not supported; a namespace that looks like a mirror would stay empty',
    {
      'ns-create-mirror-badurl': { status: 406, says: 'git mirrors are not supported' },
    },
  ),
  ...inEach('rest-api reference, 8.2: a variable that was set is read; the recorded service answered EOF', {
    'inst-var-get': { status: 200, says: 'hello2' },
    'inst-var-get-json': { status: 200, says: '{"x":1}' },
  }),
  ...inEach(NO_COLLECTOR, {
    'ns-metrics-invoked': { lacks: ['instance', 'job'] },
    'ns-metrics-successful': { lacks: ['instance', 'job'] },
    'ns-metrics-failed': { lacks: ['instance', 'job'] },
    'wf-metrics-invoked': { lacks: ['instance', 'job'] },
  }),
  ...inEach(NOT_FOUND, {
    'exec-ref-bad': { status: 404, says: 'ref not found' },
    'exec-404': { status: 404, says: "inode not found at '/nope'" },
    'exec-ns-404': { status: 404, says: 'namespace not found' },
    'wait-404': { status: 404, says: "inode not found at '/nope'" },
  }),
  ...inEach('rest-api reference, 6.2: a directory is there, and no workflow', {
    'wait-dir': { status: 500, says: 'not a workflow' },
  }),
  ...inEach('ui-calls: v0.8 allows capitals in the tree (decision 32)', {
    'wf-create-name[W]': { like: 'wf-create-name[w]' },
  }),
  ...inEach(AS_IT_CAME, {
    'inst-input[nobody]': { like: 'inst-output[array]' },
    'inst-input[badjson]': { like: 'inst-output[array]' },
    'inst-input[query]': { like: 'inst-output[array]' },
    'inst-input[ref]': { like: 'inst-output[array]' },
  }),
  ...inEach('specification, States: a disabled workflow cannot be invoked', {
    'exec-disabled': DISABLED,
    'wait-disabled': DISABLED,
  }),
  ...inEach(CRASHED, {
    'wf-validate-ref(crashes server v0.6.7)': {
      status: 200,
      says: '{"namespace":"demo","path":"/wf1","ref":"latest",',
    },
    'wf-validate-router(crash?)': { status: 200, says: '{"namespace":"demo","path":"/wf1","invalid":false,' },
  }),
  ...inEach('specification, Errors: an invalid request of the jq playground is 400', {
    'jq-wrapped': BAD_REQUEST,
    'jq-multi': BAD_REQUEST,
    'jq-multi-wrapped': BAD_REQUEST,
    'jq-string': BAD_REQUEST,
    'jq-null': BAD_REQUEST,
    'jq-badquery-plain': BAD_REQUEST,
    'jq-js': BAD_REQUEST,
    'jq-embedded': BAD_REQUEST,
    'jq-badjson': BAD_REQUEST,
    'jq-empty': BAD_REQUEST,
    'jq-unknown-field': BAD_REQUEST,
    'jq-nodata': BAD_REQUEST,
    'jq-env': BAD_REQUEST,
    'jq-error': BAD_REQUEST,
    'jq-dataobj': BAD_REQUEST,
  }),
  ...inEach(DROPPED, {
    'fn-reg-create[global]': { like: 'fn-reg-create[namespaces/demo]' },
    'fn-reg-create-badjson[global]': { like: 'fn-reg-create-badjson[namespaces/demo]' },
    'fn-reg-list[global]': { like: 'fn-reg-list[namespaces/demo]' },
    'fn-reg-delete[global]': EMPTY,
    'fn-reg-list-empty[private]': { like: 'fn-reg-list-empty[namespaces/demo]' },
    'fn-reg-create[private]': { like: 'fn-reg-create[namespaces/demo]' },
    'fn-reg-create-bad[private]': { status: 500, says: 'invalid username/token format' },
    'fn-reg-create-unk[private]': { like: 'fn-reg-create-unk[namespaces/demo]' },
    'fn-reg-create-badjson[private]': { like: 'fn-reg-create-badjson[namespaces/demo]' },
    'fn-reg-list[private]': { like: 'fn-reg-list[namespaces/demo]' },
    'fn-reg-delete[private]': EMPTY,
    'fn-list-empty[global]': { like: 'fn-list-empty[ns]' },
    'fn-create[global]': { like: 'fn-create-int-size[ns]' },
    'fn-create-badname[global]': { like: 'fn-create-badname[ns]' },
    'fn-create-badjson[global]': { like: 'fn-create-badjson[ns]' },
    'fn-get[global]': { like: 'fn-get[ns]' },
    'fn-get-404[global]': { like: 'fn-get[ns]' },
    'fn-rev-create[global]': { like: 'fn-rev-create[ns]' },
    'fn-get-2revs[global]': { like: 'fn-get-2revs[ns]' },
    'fn-traffic[global]': NO_SERVICE,
    'fn-traffic-unknown[global]': NO_SERVICE,
    'fn-get-traffic[global]': { like: 'fn-get-traffic[ns]' },
    'fn-rev-delete-traffic[global]': NO_SERVICE,
    'fn-rev-delete[global]': NO_SERVICE,
    'fn-pods[global]': { like: 'fn-pods[ns]' },
    'fn-revs-nosse[global]': NO_WATCH,
    'fn-delete-404[global]': EMPTY,
  }),
  ...inEach('specification, Service create body: size is a string, and minScale may be quoted', {
    'fn-create[ns]': { like: 'fn-create-int-size[ns]' },
    'fn-create-quoted[ns]': { like: 'fn-create-int-size[ns]' },
  }),
  ...inEach('rest-api reference, 11.4: what is missing is 404; the recorded text is of the cluster', {
    'fn-rev-delete-traffic[ns]': NO_SERVICE,
    'fn-rev-delete[ns]': NO_SERVICE,
  }),
  ...inEach(STREAM, {
    'fn-revs-nosse[ns]': WATCH,
    'fn-revs-sse[ns]': WATCH,
    'fn-wf[function&svn=x&version=1]': NO_SERVICE,
  }),
  ...inEach('specification, Workflow services: pods are asked for by svn and rev, without a version', {
    'fn-wf[pods&svn=x&rev=00001]': { like: 'fn-pods[ns]' },
  }),
};
