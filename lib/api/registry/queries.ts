/** A query parameter. One that repeats is a list in the given order. */
export interface QueryParameter {
  readonly type: 'string' | 'integer' | 'boolean';
  readonly repeats?: true;
  /** The audit log contains it: it identifies what a request changes. */
  readonly audited?: true;
  readonly about: string;
}

/** Every query parameter except `op`, which is part of a route. `input.*` is any name that begins with `input.`, and `label.*` one that begins with `label.`. */
export const queries = {
  limit: { type: 'integer', about: 'Maximum number of entries; 0, the default, returns all.' },
  offset: { type: 'integer', about: 'Number of entries to skip.' },
  first: { type: 'integer', about: 'Maximum number of entries after the cursor `after` (older clients).' },
  after: { type: 'string', about: 'Cursor: return the entries after it (older clients).' },
  last: { type: 'integer', about: 'Maximum number of entries before the cursor `before` (older clients).' },
  before: { type: 'string', about: 'Cursor: return the entries before it (older clients).' },
  'order.field': { type: 'string', repeats: true, about: 'Field to order by.' },
  'order.direction': { type: 'string', repeats: true, about: '`ASC` or `DESC`, one for each `order.field`.' },
  'filter.field': {
    type: 'string',
    repeats: true,
    audited: true,
    about: 'Field to filter by; entries must match all filters.',
  },
  'filter.type': { type: 'string', repeats: true, audited: true, about: 'Comparison, one for each `filter.field`.' },
  'filter.val': {
    type: 'string',
    repeats: true,
    audited: true,
    about: 'Value to compare with, one for each `filter.field`.',
  },
  recursive: { type: 'boolean', audited: true, about: 'Also delete the contents.' },
  from: { type: 'string', audited: true, about: 'The state at which the new run begins; by default at the first one.' },
  revision: {
    type: 'string',
    audited: true,
    about: '`pinned`, the default: the revision that ran; `latest`: the newest one.',
  },
  ref: { type: 'string', audited: true, about: 'A revision, a tag, or `latest`.' },
  scheduled: {
    type: 'string',
    about:
      'A planned time of a workflow that the clock starts (RFC 3339): starts the run of that time, unless it exists.',
  },
  tag: { type: 'string', audited: true, about: 'Name of the tag, if it is not in the body.' },
  var: { type: 'string', audited: true, about: 'Name of the variable.' },
  svn: { type: 'string', audited: true, about: 'Name of the service.' },
  version: { type: 'string', audited: true, about: 'Version of the service, as in the list of services.' },
  rev: { type: 'string', audited: true, about: 'Generation of the revision, for example `00001`.' },
  ctype: { type: 'string', about: 'Content type of the reply; by default it is detected.' },
  field: { type: 'string', about: 'Return only this top-level field of the output.' },
  'raw-output': {
    type: 'boolean',
    about: 'Return a string as plain text or, if it is base64, as its bytes; return null as an empty body.',
  },
  'input.*': { type: 'string', repeats: true, about: 'Top-level field of the input, if there is no body.' },
  labels: { type: 'boolean', about: 'Also return the labels of each run, of at most 200 runs.' },
  'label.*': { type: 'string', about: 'Label of the run: `label.team=x`.' },
  since: { type: 'string', about: 'Period to look back, as a Go duration: `24h`, `90m`.' },
  term: { type: 'string', about: 'Text to search for.' },
  workflow: { type: 'string', about: 'Only entries of this workflow.' },
  path: { type: 'string', repeats: true, about: 'Path of a workflow; up to 50.' },
  assignee: { type: 'string', about: 'Only entries with this text in an assignee.' },
  namespace: { type: 'string', about: 'Only entries of the namespace with this name.' },
  actor: { type: 'string', about: 'Only entries of the key with this name or id.' },
  start: { type: 'string', about: 'Only entries from this time on (RFC 3339).' },
  end: { type: 'string', about: 'Only entries until this time (RFC 3339).' },
  job: { type: 'string', audited: true, about: 'Id of the job.' },
  cursor: { type: 'string', about: 'The `next` of the page before: return the page after it.' },
  reference: {
    type: 'boolean',
    audited: true,
    about: 'The body is a reference to a secret that is stored elsewhere, such as `aws-sm:orders/db#password`.',
  },
  cache: {
    type: 'string',
    audited: true,
    about: 'How long a process uses a value that it has read: an ISO 8601 duration up to `P1D`; `PT5M` by default.',
  },
  force: { type: 'boolean', audited: true, about: 'Synchronize even if nothing has changed.' },
} as const satisfies Record<string, QueryParameter>;

export type QueryName = keyof typeof queries;

/** The query parameters of every list (rest-api reference, 2.2 and 2.4). */
export const PAGING = [
  'limit',
  'offset',
  'order.field',
  'order.direction',
  'filter.field',
  'filter.type',
  'filter.val',
  'first',
  'after',
  'last',
  'before',
] as const satisfies readonly QueryName[];
