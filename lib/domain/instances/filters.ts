import type { TextCondition, Where } from '../../ports/table.ts';
import { addDuration, isDuration, parseDuration } from '../../time/durations.ts';
import { ServiceError } from '../errors.ts';
import { isCancelledCode, isQueued } from '../runs/run.ts';
import type * as runs from '../runs/runs.ts';
import type { ListRequest } from '../storage/list-requests.ts';
import { filterTimes, filterValues } from '../storage/lists.ts';
import type { Period } from './rows.ts';

type Filter = ListRequest['filter'][number];
type Test = (head: runs.Head, value: string) => boolean;

const CANCELLED_STATUS = 'cancelled';
const QUEUED_STATUS = 'queued';

function statusOf(head: runs.Head): string {
  if (isQueued(head)) return QUEUED_STATUS;
  return isCancelledCode(head.code) ? CANCELLED_STATUS : head.status;
}
const pathOf = (text: string): string => text.replace(/^\//, '');

/** The causes of runs that no other run called, and that of those that one did. An id may follow after a colon. */
const TOP_CAUSES = ['api', 'cron', 'cloudevent', 'webhook', 'rerun', 'alert'] as const;
const CALLED = 'instance';
/** As a value of `TRIGGER`: every cause but a call of another run. */
const TOP_LEVEL = 'top';

/** The filters of the list (rest-api reference, 2.3); AFTER and BEFORE include the instant itself. */
const ORIGINAL_FILTERS = {
  'AS/CONTAINS': (head, value) => head.as.includes(value),
  'AS/WORKFLOW': (head, value) => pathOf(head.as).startsWith(pathOf(value)),
  'CREATED/AFTER': (head, value) => head.created >= Date.parse(value),
  'CREATED/BEFORE': (head, value) => head.created <= Date.parse(value),
  'STATUS/MATCH': (head, value) => head.status === value || statusOf(head) === value,
  'STATUS/CONTAINS': (head, value) => head.status.includes(value) || statusOf(head).includes(value),
  'TRIGGER/MATCH': (head, value) =>
    value === TOP_LEVEL
      ? !head.invoker.startsWith(`${CALLED}:`)
      : head.invoker === value || head.invoker.startsWith(`${value}:`),
  'TRIGGER/CONTAINS': (head, value) => head.invoker.includes(value),
} as const satisfies Readonly<Record<string, Test>>;

const hasEnded = ({ status }: runs.Head): boolean => status !== 'pending';

function afterDuration(from: number, text: string): number {
  const duration = parseDuration(text);
  return duration === undefined ? from : addDuration(from, duration);
}

/** The filters that only Weft has. Labels are compared by `find`. */
const WEFT_FILTERS = {
  'CODE/MATCH': (head, value) => head.code === value,
  'CODE/CONTAINS': (head, value) => head.code.includes(value),
  'MESSAGE/CONTAINS': (head, value) => head.message.toLowerCase().includes(value.toLowerCase()),
  'ENDED/AFTER': (head, value) => hasEnded(head) && head.updated >= Date.parse(value),
  'ENDED/BEFORE': (head, value) => hasEnded(head) && head.updated <= Date.parse(value),
  'DURATION/LONGER': (head, value) => hasEnded(head) && head.updated > afterDuration(head.created, value),
  'LABEL/MATCH': () => true,
} as const satisfies Readonly<Record<string, Test>>;

export const FILTERS: Readonly<Record<string, Test>> = { ...ORIGINAL_FILTERS, ...WEFT_FILTERS };

const nameOf = ({ field, type }: Filter): string => `${field}/${type}`;

/** Whether the list is a search: it has a filter that only Weft has. */
export function isSearch(request: ListRequest): boolean {
  return request.filter.some((one) => Object.hasOwn(WEFT_FILTERS, nameOf(one)));
}

/** Throws `malformed` for a filter that is unknown. */
export function needKnown({ filter }: ListRequest): void {
  const unknown = filter.find((one) => !isKnown(one));
  if (unknown === undefined) return;
  const text = `unknown filter '${nameOf(unknown)}'; the filters are ${Object.keys(FILTERS).join(', ')}`;
  throw new ServiceError('malformed', text);
}

/** Throws `malformed` for a malformed time or duration. */
function needValues(request: ListRequest): void {
  for (const type of ['AFTER', 'BEFORE']) filterTimes(request, 'ENDED', type, 'malformed');
  const wrong = filterValues(request, 'DURATION', 'LONGER').find((text) => !isDuration(text));
  if (wrong === undefined) return;
  throw new ServiceError('malformed', `'${wrong.slice(0, 60)}' is no duration: write it like PT30S or PT2H`);
}

/** The labels that a request wants: a name with its value, or without one for any value. */
export function wantedLabels(request: ListRequest): readonly { readonly name: string; readonly value?: string }[] {
  return filterValues(request, 'LABEL', 'MATCH').map((text) => {
    const at = text.indexOf('=');
    return at < 0 ? { name: text } : { name: text.slice(0, at), value: text.slice(at + 1) };
  });
}

const isText = (attribute: string, is: TextCondition['is'], text: string): TextCondition => ({ attribute, is, text });

/**
 * The conditions of the filters, for the table. Each instance that passes the filter meets the condition; with `isExact`, no
 * other one does.
 */
const CONDITIONS: Readonly<
  Record<string, (value: string) => { readonly anyOf: readonly TextCondition[]; readonly isExact: boolean }>
> = {
  'AS/CONTAINS': (value) => ({ anyOf: [isText('as', 'containing', value)], isExact: true }),
  'AS/WORKFLOW': (value) => {
    const path = pathOf(value);
    const texts = path === '' ? [] : [path, `/${path}`];
    return { anyOf: texts.map((text) => isText('as', 'beginning with', text)), isExact: true };
  },
  'STATUS/MATCH': (value) => {
    if (value === CANCELLED_STATUS) return { anyOf: [isText('code', 'containing', '.cancels.')], isExact: false };
    // A cancelled run has the status `failed`, a queued one `pending`: the lists of these show them too.
    const stored = value === 'pending' ? [value, QUEUED_STATUS] : [value];
    return { anyOf: stored.map((text) => isText('status', 'equal to', text)), isExact: true };
  },
  'TRIGGER/MATCH': (value) => ({
    anyOf: (value === TOP_LEVEL ? TOP_CAUSES : [value]).flatMap((cause) => [
      isText('invoker', 'equal to', cause),
      isText('invoker', 'beginning with', `${cause}:`),
    ]),
    isExact: true,
  }),
  'TRIGGER/CONTAINS': (value) => ({ anyOf: [isText('invoker', 'containing', value)], isExact: true }),
};

/** An expression of DynamoDB has at most 4 KB and 300 operators; a condition takes up to 60 bytes of it. */
const MAX_CONDITIONS = 50;

/** The conditions of a request for the table, and whether its rows need no further filter. */
export function whereOf({ filter }: ListRequest): { readonly where: Where; readonly isExact: boolean } {
  const used = filter.filter((one) => one.val !== '' && !isTime(one) && isKnown(one));
  const conditions = used.map(({ field, type, val }) => CONDITIONS[`${field}/${type}`]?.(val));
  const where = conditions.flatMap((one) => (one === undefined || one.anyOf.length === 0 ? [] : [one.anyOf]));
  return {
    where: where.slice(0, MAX_CONDITIONS),
    isExact: where.length <= MAX_CONDITIONS && conditions.every((one) => one?.isExact),
  };
}

/** Whether a filter is by the time of the start. */
export const isTime = ({ field, type }: Filter): boolean =>
  field === 'CREATED' && (type === 'AFTER' || type === 'BEFORE');
/** Whether there is a filter of this field and type. */
export const isKnown = (one: Filter): boolean => Object.hasOwn(FILTERS, nameOf(one));

/** The period that the filters by time leave. Throws `refused` for a malformed time, even if the list is empty. */
export function periodOf(request: ListRequest): Period {
  needValues(request);
  const timesOf = (type: string) => filterTimes(request, 'CREATED', type, 'refused');
  const [after, before] = [timesOf('AFTER'), timesOf('BEFORE')];
  return {
    from: after.length === 0 ? undefined : Math.max(...after),
    to: before.length === 0 ? undefined : Math.min(...before),
  };
}
