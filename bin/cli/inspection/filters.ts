import { type Options, UsageError, type ValuesOf } from '../shell/command.ts';

const STATUSES = ['pending', 'queued', 'complete', 'failed', 'crashed', 'cancelled'];

/** The options that select runs. */
export const FILTER_OPTIONS = {
  workflow: { type: 'string', short: 'w', value: 'PATH', help: 'runs of workflows whose path begins with this text' },
  status: { type: 'string', value: 'STATUS', help: `runs with this status: ${STATUSES.join(', ')}` },
  since: { type: 'string', value: 'TIME', help: 'runs started since then, as 2026-01-31T08:00:00Z' },
  until: { type: 'string', value: 'TIME', help: 'runs started until then' },
  'ended-since': { type: 'string', value: 'TIME', help: 'runs that ended since then' },
  'ended-until': { type: 'string', value: 'TIME', help: 'runs that ended until then' },
  'longer-than': { type: 'string', value: 'DURATION', help: 'runs that took longer, as PT30S' },
  label: { type: 'string', multiple: true, value: 'NAME=VALUE', help: 'runs with this label; NAME alone: any value' },
  code: { type: 'string', value: 'TEXT', help: 'runs whose error code contains this text' },
  message: { type: 'string', value: 'TEXT', help: 'runs whose error message contains this text' },
  trigger: {
    type: 'string',
    value: 'KIND',
    help: 'runs started by api, cron, cloudevent, webhook, instance or rerun; top: by no other run',
  },
} as const satisfies Options;

type Values = ValuesOf<typeof FILTER_OPTIONS>;

/** The field, the type and the value of a filter. */
type Filter = readonly [field: string, type: string, value: string];

/** The options that are a filter by a time. */
const TIMES = {
  since: ['CREATED', 'AFTER'],
  until: ['CREATED', 'BEFORE'],
  'ended-since': ['ENDED', 'AFTER'],
  'ended-until': ['ENDED', 'BEFORE'],
} as const;

/** The options that are a filter by their text. */
const TEXTS = {
  status: ['STATUS', 'MATCH'],
  trigger: ['TRIGGER', 'MATCH'],
  code: ['CODE', 'CONTAINS'],
  message: ['MESSAGE', 'CONTAINS'],
  'longer-than': ['DURATION', 'LONGER'],
} as const;

/** The filters by time. Throws UsageError. */
function timeFilters(values: Values): Filter[] {
  return (Object.keys(TIMES) as (keyof typeof TIMES)[]).flatMap((name) => {
    const text = values[name];
    if (text === undefined) return [];
    if (Number.isNaN(Date.parse(text))) {
      throw new UsageError(`--${name} is '${text}'; write it like 2026-01-31T08:00:00Z`);
    }
    return [[...TIMES[name], new Date(text).toISOString()] as const];
  });
}

/** The filters of a list of runs, as parameters of its query (rest-api reference, 2.3). Throws UsageError. */
export function filtersOf(values: Values): (readonly [string, string])[] {
  const { workflow, status, label = [] } = values;
  if (status !== undefined && !STATUSES.includes(status)) {
    throw new UsageError(`--status is '${status}'; it must be one of ${STATUSES.join(', ')}`);
  }
  const texts = (Object.keys(TEXTS) as (keyof typeof TEXTS)[]).flatMap((name): Filter[] => {
    const text = values[name];
    return text === undefined ? [] : [[...TEXTS[name], text]];
  });
  const filters: Filter[] = [
    ...(workflow === undefined ? [] : [['AS', 'WORKFLOW', workflow.replace(/^\/+/, '')] as const]),
    ...texts,
    ...timeFilters(values),
    ...label.map((text): Filter => ['LABEL', 'MATCH', text]),
  ];
  return filters.flatMap(([field, type, value]) => [
    ['filter.field', field] as const,
    ['filter.type', type] as const,
    ['filter.val', value] as const,
  ]);
}
