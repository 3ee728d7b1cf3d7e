import { type Filter, filterQuery } from '../api/client.ts';

/** The filters of the list of runs, as in the address. */
export interface RunFilters {
  readonly status: string;
  readonly workflow: string;
  readonly trigger: string;
  /** `1h`, `24h`, `7d`, or a timestamp. */
  readonly since: string;
  readonly until: string;
  /** `name=value`, or a name for any value. */
  readonly label: string;
  /** A part of the code of the error. */
  readonly error: string;
}

/** The lengths of the named spans, milliseconds. */
export const SPANS: Readonly<Record<string, number>> = {
  '15m': 15 * 60_000,
  '1h': 3_600_000,
  '24h': 24 * 3_600_000,
  '7d': 7 * 24 * 3_600_000,
};

const valueIn = (query: URLSearchParams, name: keyof RunFilters): string => query.get(name) ?? '';

/** Reads the filters of an address. */
export function filtersIn(query: URLSearchParams): RunFilters {
  return {
    status: valueIn(query, 'status'),
    workflow: valueIn(query, 'workflow'),
    trigger: valueIn(query, 'trigger'),
    since: valueIn(query, 'since'),
    until: valueIn(query, 'until'),
    label: valueIn(query, 'label'),
    error: valueIn(query, 'error'),
  };
}

/** The start of a span as a timestamp, rounded down to a minute so that requests stay equal. */
export function startOf(since: string, now: number): string {
  const span = SPANS[since];
  if (span === undefined) return Number.isNaN(Date.parse(since)) ? '' : new Date(since).toISOString();
  return new Date(Math.floor((now - span) / 60_000) * 60_000).toISOString();
}

const endOf = (until: string): string => (Number.isNaN(Date.parse(until)) ? '' : new Date(until).toISOString());

/** The filters of an address as filters of the API. A path with a leading slash selects one workflow. */
export function toListFilters(filters: RunFilters, now: number): Filter[] {
  const { status, workflow, trigger, since, until, label, error } = filters;
  return [
    { field: 'STATUS', type: 'MATCH', val: status },
    { field: 'AS', type: workflow.startsWith('/') ? 'WORKFLOW' : 'CONTAINS', val: workflow },
    { field: 'TRIGGER', type: 'MATCH', val: trigger },
    { field: 'CREATED', type: 'AFTER', val: startOf(since, now) },
    { field: 'CREATED', type: 'BEFORE', val: endOf(until) },
    { field: 'LABEL', type: 'MATCH', val: label },
    { field: 'CODE', type: 'CONTAINS', val: error },
  ];
}

/** Whether the service must search for the runs, page by page. */
export const isSearch = ({ label, error }: RunFilters): boolean => label !== '' || error !== '';

/** The query parameters of the API for filters of an address. */
export const toListQuery = (filters: RunFilters, now: number) => filterQuery(toListFilters(filters, now));
