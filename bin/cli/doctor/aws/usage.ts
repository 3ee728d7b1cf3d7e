import { at, listAt, textAt } from '../../client/replies.ts';
import { CommandFailedError } from '../../shell/command.ts';
import type { Metric, Quota, Use } from './quotas.ts';
import { type Account, askAws } from './requests.ts';

/** How many days are read. CloudWatch keeps values by the minute for 15. */
export const DAYS = 7;
const DAY_MS = 24 * 60 * 60_000;

/** Seconds in one value. Only a rate needs each minute. */
const PERIODS = { rate: 60, level: 3600, throttled: 3600 } as const;
type Kind = keyof typeof PERIODS;
const STATISTICS = { rate: 'Sum', level: 'Maximum', throttled: 'Sum' } as const satisfies Record<Kind, string>;

/** What was counted for a quota in the last days; undefined: AWS has no values. */
export interface Usage {
  /** The busiest minute by the second for a rate, and the highest value for a level. */
  readonly peak: number | undefined;
  /** How often AWS refused or delayed something. */
  readonly throttled: number | undefined;
}

/** A quota and where its use is read. */
export interface Counted {
  readonly quota: Quota;
  readonly use: Use | undefined;
}

function toQuery(Id: string, kind: Kind, metric: Metric) {
  const [Period, Stat] = [PERIODS[kind], STATISTICS[kind]];
  if ('search' in metric)
    return { Id, Expression: `${metric.of}(SEARCH('${metric.search}', '${Stat}', ${Period}))`, Period };
  const Dimensions = Object.entries(metric.dimensions ?? {}).map(([Name, Value]) => ({ Name, Value }));
  return {
    Id,
    MetricStat: { Metric: { Namespace: metric.namespace, MetricName: metric.name, Dimensions }, Period, Stat },
  };
}

const queriesOf = ({ quota, use }: Counted, index: number) => [
  ...(use?.metrics ?? []).map((metric, nth) => toQuery(`use${index}_${nth}`, use?.kind ?? 'level', metric)),
  ...(quota.throttled === undefined ? [] : [toQuery(`throttled${index}`, 'throttled', quota.throttled)]),
];

const numbersAt = (value: unknown, name: string): readonly number[] =>
  listAt(value, name).filter((one) => typeof one === 'number');

/** The values of each query, from all pages. */
async function valuesOf(queries: readonly unknown[], now: number, account: Account): Promise<Map<string, number[]>> {
  const found = new Map<string, number[]>();
  const [StartTime, EndTime] = [now - DAYS * DAY_MS, now].map((ms) => Math.floor(ms / 60_000) * 60);
  let NextToken: string | undefined;
  do {
    const input = { MetricDataQueries: queries, StartTime, EndTime, ...(NextToken === undefined ? {} : { NextToken }) };
    const page = await askAws('metrics', 'GetMetricData', input, account);
    for (const one of listAt(page, 'MetricDataResults')) {
      const [id, status] = [textAt(one, 'Id'), textAt(one, 'StatusCode')];
      if (status === 'Forbidden' || status === 'InternalError') {
        throw new CommandFailedError(`CloudWatch does not read ${id}: ${status}; repeat the command`);
      }
      found.set(id, [...(found.get(id) ?? []), ...numbersAt(one, 'Values')]);
    }
    const next = at(page, 'NextToken');
    NextToken = typeof next === 'string' && next !== '' ? next : undefined;
  } while (NextToken !== undefined);
  return found;
}

const highest = (values: readonly number[]): number => values.reduce((most, one) => Math.max(most, one), 0);

/**
 * What was used of each quota in the last days, in their order, from CloudWatch. Throws AwsRefusalError, and
 * CommandFailedError when CloudWatch cannot be reached.
 */
export async function readUsage(all: readonly Counted[], now: number, account: Account): Promise<readonly Usage[]> {
  const found = await valuesOf(all.flatMap(queriesOf), now, account);
  return all.map(({ use }, index) => {
    const used = (use?.metrics ?? []).flatMap((_, nth) => found.get(`use${index}_${nth}`) ?? []);
    const throttled = found.get(`throttled${index}`) ?? [];
    const most = highest(used);
    return {
      peak: used.length === 0 ? undefined : use?.kind === 'rate' ? most / PERIODS.rate : most,
      throttled: throttled.length === 0 ? undefined : throttled.reduce((sum, one) => sum + one, 0),
    };
  });
}
