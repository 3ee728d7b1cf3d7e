import {
  type Cron,
  type CronInterval,
  type CronProblem,
  type CronTimes,
  FORMS,
  parseField,
  shorten,
} from './fields.ts';
import { isTimezone } from './zones.ts';

export { toSchedulerExpressions } from './expressions.ts';
export type { Cron, CronInterval, CronProblem, CronTimes } from './fields.ts';
export { nextTick } from './ticks.ts';

const DESCRIPTORS: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};

/** No pattern of sense is longer. */
const LONGEST = 1000;

const ZONE = /^(?:CRON_)?TZ=(\S*)\s+/;

/**
 * Reads the cron pattern of a scheduled workflow: five fields, a descriptor such as `@daily`, or `@every 5m`, after
 * `CRON_TZ=<zone>` if wanted; without it the zone is UTC (workflow-language 3). The problem names the field and how to
 * mend it. A pattern that can never come, such as a 30 February, is a problem too.
 */
export function parseCron(text: string): Cron | CronProblem {
  if (text.length > LONGEST) return { problem: `the cron pattern is longer than ${LONGEST} characters` };
  const prefix = ZONE.exec(text.trimStart());
  const timezone = prefix?.[1] || 'UTC';
  if (!isTimezone(timezone)) {
    return { problem: `'${shorten(timezone)}' is no time zone; write an IANA name such as CRON_TZ=Europe/Berlin` };
  }
  const pattern = text
    .trimStart()
    .slice(prefix?.[0].length ?? 0)
    .trim();
  if (!pattern.startsWith('@')) return parseTimes(pattern, timezone);
  const interval = /^@every\s+(.*)$/s.exec(pattern)?.[1];
  if (interval !== undefined) return parseInterval(interval, timezone);
  const meaning = Object.hasOwn(DESCRIPTORS, pattern) ? DESCRIPTORS[pattern] : undefined;
  if (meaning !== undefined) return parseTimes(meaning, timezone);
  const known = `${Object.keys(DESCRIPTORS).join(', ')} or @every 5m`;
  return { problem: `'${shorten(pattern)}' is no descriptor; write ${known}` };
}

function parseTimes(pattern: string, timezone: string): CronTimes | CronProblem {
  const texts = pattern.split(/\s+/).filter((field) => field !== '');
  if (texts.length !== 5) return { problem: countProblem(texts.length) };
  const [minute = '', hour = '', monthDay = '', month = '', weekDay = ''] = texts;
  const minutes = parseField(minute, FORMS.minutes);
  if ('problem' in minutes) return minutes;
  const hours = parseField(hour, FORMS.hours);
  if ('problem' in hours) return hours;
  const monthDays = parseField(monthDay, FORMS.monthDays);
  if ('problem' in monthDays) return monthDays;
  const months = parseField(month, FORMS.months);
  if ('problem' in months) return months;
  const weekDays = parseField(weekDay, FORMS.weekDays);
  if ('problem' in weekDays) return weekDays;
  const times: CronTimes = {
    kind: 'times',
    minutes: minutes.values,
    hours: hours.values,
    months: months.values,
    monthDays: monthDays.isOpen ? undefined : monthDays.values,
    weekDays: weekDays.isOpen ? undefined : weekDays.values,
    timezone,
  };
  return canCome(times)
    ? times
    : { problem: `the day of month field '${shorten(monthDay)}': month ${month} has no such day` };
}

function countProblem(count: number): string {
  const what = 'a cron pattern has five fields: minute, hour, day of month, month, day of week';
  const mend = count === 6 ? '; leave out the seconds' : ', for example 0 8 * * mon-fri';
  return `${what}; here are ${count}${mend}`;
}

const MOST_DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function canCome({ months, monthDays, weekDays }: CronTimes): boolean {
  const first = monthDays?.[0];
  return first === undefined || weekDays !== undefined || months.some((month) => first <= (MOST_DAYS[month - 1] ?? 0));
}

/** Units of Go's durations, in nanoseconds. */
const UNITS: Readonly<Record<string, number>> = {
  ns: 1,
  us: 1e3,
  µs: 1e3,
  μs: 1e3,
  ms: 1e6,
  s: 1e9,
  m: 6e10,
  h: 3.6e12,
};

const AMOUNT = /(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)/y;

/** No tick is looked for further ahead. */
const LONGEST_INTERVAL = 5 * 366 * 24 * 3_600_000;

/** A Go duration: `1h30m`. As in the original, fractions of a second are dropped. */
function parseInterval(text: string, timezone: string): CronInterval | CronProblem {
  let sum = 0;
  let end = text.startsWith('+') ? 1 : 0;
  while (end < text.length) {
    AMOUNT.lastIndex = end;
    const [whole, amount, unit = ''] = AMOUNT.exec(text) ?? [];
    if (whole === undefined)
      return { problem: `@every '${shorten(text)}' is no duration; write one such as 90m or 1h30m` };
    sum += Math.round(Number(amount) * (UNITS[unit] ?? 0));
    end += whole.length;
  }
  const every = Math.floor(sum / 1e9) * 1000;
  if (every < 1000) return { problem: `@every '${shorten(text)}' must be at least 1s` };
  if (every > LONGEST_INTERVAL) return { problem: `@every '${shorten(text)}' is longer than five years` };
  return { kind: 'interval', every, timezone };
}
