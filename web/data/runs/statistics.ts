import type { InstanceRecord } from '../../../clients/api/operations.ts';
import { call, filterQuery } from '../api/client.ts';
import { instantOf } from '../format/time.ts';
import { isOver, statusOf, triggerOf } from './status.ts';

/** Runs that began in a span of time, the newest first. */
export interface RunSample {
  readonly from: number;
  readonly to: number;
  readonly runs: readonly InstanceRecord[];
  /** The number of runs in the span; more than `runs` if not all were read. */
  readonly total: number;
}

const PAGE = 1000;
/** Of more runs, only the newest are read. */
const MOST = 5000;

/** Reads the runs that began in a span, at most 5,000. Throws ApiError. */
export async function readSample(namespace: string, from: number, to: number): Promise<RunSample> {
  const filters = [
    { field: 'CREATED', type: 'AFTER', val: new Date(from).toISOString() },
    { field: 'CREATED', type: 'BEFORE', val: new Date(to).toISOString() },
  ];
  const runs: InstanceRecord[] = [];
  let total = 0;
  do {
    const query = { ...filterQuery(filters), limit: PAGE, offset: runs.length };
    const { instances } = await call('listInstances', { namespace }, { query });
    total = instances.pageInfo.total;
    if (instances.results.length === 0) break;
    runs.push(...instances.results);
  } while (runs.length < Math.min(total, MOST));
  return { from, to, runs, total };
}

/** The numbers and durations of runs in one step of the span. */
export interface Bucket {
  readonly from: number;
  readonly to: number;
  readonly started: number;
  readonly complete: number;
  readonly failed: number;
  readonly open: number;
  /** Quantiles of the durations of ended runs, milliseconds; undefined without such runs. */
  readonly p50: number | undefined;
  readonly p95: number | undefined;
}

const isFailed = (run: InstanceRecord): boolean => ['failed', 'crashed', 'timedout'].includes(statusOf(run));
const timeOf = (run: InstanceRecord): number => instantOf(run.updatedAt) - instantOf(run.createdAt);

/** The quantile of values, by the nearest rank; undefined without values. */
export function quantile(values: readonly number[], part: number): number | undefined {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(part * sorted.length) - 1))];
}

/** Counts and times of a set of runs. */
export interface Summary {
  readonly started: number;
  readonly complete: number;
  readonly failed: number;
  readonly open: number;
  readonly p50: number | undefined;
  readonly p95: number | undefined;
}

/** Counts and times of runs. */
export function summaryOf(runs: readonly InstanceRecord[]): Summary {
  const times = runs.filter(isOver).map(timeOf);
  return {
    started: runs.length,
    complete: runs.filter(({ status }) => status === 'complete').length,
    failed: runs.filter(isFailed).length,
    open: runs.filter((run) => !isOver(run)).length,
    p50: quantile(times, 0.5),
    p95: quantile(times, 0.95),
  };
}

/** The sample in buckets of equal length, milliseconds. */
export function bucketsOf({ from, to, runs }: RunSample, step: number): readonly Bucket[] {
  const count = Math.ceil((to - from) / step);
  const groups = Array.from({ length: count }, (): InstanceRecord[] => []);
  for (const run of runs) groups[Math.floor((instantOf(run.createdAt) - from) / step)]?.push(run);
  return groups.map((group, index) => ({
    from: from + index * step,
    to: from + (index + 1) * step,
    ...summaryOf(group),
  }));
}

/** Runs grouped by a property, the largest group first. */
export function groupsOf(
  runs: readonly InstanceRecord[],
  nameOf: (run: InstanceRecord) => string,
): readonly (Summary & { readonly name: string; readonly newest: InstanceRecord })[] {
  const groups = Object.entries(Object.groupBy(runs, nameOf));
  return groups
    .flatMap(([name, group = []]) => {
      const [newest] = group;
      return newest === undefined ? [] : [{ name, newest, ...summaryOf(group) }];
    })
    .toSorted((a, b) => b.started - a.started);
}

/** The runs of a sample that no other run called: the failure of a called run counts once, as that of its caller. */
export function topLevelOf(sample: RunSample): RunSample {
  const runs = sample.runs.filter(({ invoker }) => triggerOf(invoker).kind !== 'instance');
  // Of the runs that were not read, the part at the top level is not known.
  return { ...sample, runs, total: runs.length < sample.runs.length ? runs.length : sample.total };
}

/** The failed runs by error code, the most frequent first. */
export const failuresOf = ({ runs }: RunSample) =>
  groupsOf(runs.filter(isFailed), ({ errorCode }) => errorCode || 'no error code');
