/** A query parameter. One that repeats is a list, read in the order given. */
export interface QueryParameter {
  readonly type: 'string' | 'integer' | 'boolean';
  readonly repeats?: true;
  readonly about: string;
}

/** Every query parameter beside `op`, which is part of a route. `input.*` stands for any name after `input.`. */
export const queries = {
  limit: { type: 'integer', about: 'Most entries to return; 0, the default, is all of them.' },
  offset: { type: 'integer', about: 'Entries to leave out at the beginning.' },
  first: { type: 'integer', about: 'Most entries to return after the cursor `after` (older clients).' },
  after: { type: 'string', about: 'Cursor: return what follows it (older clients).' },
  last: { type: 'integer', about: 'Most entries to return before the cursor `before` (older clients).' },
  before: { type: 'string', about: 'Cursor: return what precedes it (older clients).' },
  'order.field': { type: 'string', repeats: true, about: 'Field to order by.' },
  'order.direction': { type: 'string', repeats: true, about: '`ASC` or `DESC`, one for each `order.field`.' },
  'filter.field': { type: 'string', repeats: true, about: 'Field to filter by; several filters must all hold.' },
  'filter.type': { type: 'string', repeats: true, about: 'How to compare, one for each `filter.field`.' },
  'filter.val': { type: 'string', repeats: true, about: 'Value to compare with, one for each `filter.field`.' },
  recursive: { type: 'boolean', about: 'Also remove what lies inside.' },
  ref: { type: 'string', about: 'A revision, a tag, or `latest`.' },
  tag: { type: 'string', about: 'Name of the tag, where the body does not give it.' },
  var: { type: 'string', about: 'Name of the variable.' },
  svn: { type: 'string', about: 'Name of the service.' },
  version: { type: 'string', about: 'Version of the service, as the list of services names it.' },
  rev: { type: 'string', about: 'Generation of the revision, for example `00001`.' },
  ctype: { type: 'string', about: 'Content type of the reply, in place of the detected one.' },
  field: { type: 'string', about: 'Return this top-level field of the output alone.' },
  'raw-output': {
    type: 'boolean',
    about: 'Return a string as its bare text or, if it is base64, as the bytes it stands for; null as nothing.',
  },
  'input.*': { type: 'string', repeats: true, about: 'Top-level field of the input; read when there is no body.' },
  since: { type: 'string', about: 'How far to look back, as a Go duration: `24h`, `90m`.' },
  term: { type: 'string', about: 'Text to look for.' },
  force: { type: 'boolean', about: 'Also when nothing has changed.' },
} as const satisfies Record<string, QueryParameter>;

export type QueryName = keyof typeof queries;

/** What every list understands (rest-api reference, 2.2 and 2.4). */
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
