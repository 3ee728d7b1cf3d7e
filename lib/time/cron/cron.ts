import { parseGoDuration } from '../go-durations.ts';
import { HOUR_MS } from '../units.ts';
import {
  type Cron,
  type CronInterval,
  type CronProblem,
  type CronTimes,
  FIELDS,
  parseField,
  shorten,
} from './fields.ts';
import { SEARCH_LIMIT_MS } from './ticks.ts';
import { isTimezone } from './time-zones.ts';

export type { Cron, CronInterval, CronProblem, CronTimes } from './fields.ts';
export { toSchedulerExpressions } from './scheduler-expressions.ts';
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

/** A longer pattern is rejected before it is parsed. */
const MAX_CHARACTERS = 1000;

const ZONE = /^(?:CRON_)?TZ=(\S*)\s+/;

/**
 * Parses the cron pattern of a scheduled workflow: five fields, a descriptor such as `@daily`, or `@every 5m`, after an
 * optional `CRON_TZ=<zone>`; the default zone is UTC (workflow-language 3). Returns a problem that names the field and
 * the correction. A pattern that never ticks, such as 30 February, is a problem too. Never throws.
 */
export function parseCron(text: string): Cron | CronProblem {
  if (text.length > MAX_CHARACTERS) return { problem: `the cron pattern is longer than ${MAX_CHARACTERS} characters` };
  const prefix = ZONE.exec(text.trimStart());
  const timezone = prefix?.[1] || 'UTC';
  if (!isTimezone(timezone)) {
    return { problem: `'${shorten(timezone)}' is not a time zone; use an IANA name, as in CRON_TZ=Europe/Berlin` };
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
  return { problem: `'${shorten(pattern)}' is not a descriptor; use ${known}` };
}

function parseTimes(pattern: string, timezone: string): CronTimes | CronProblem {
  const texts = pattern.split(/\s+/).filter((field) => field !== '');
  if (texts.length !== 5) return { problem: countProblem(texts.length) };
  const [minute = '', hour = '', monthDay = '', month = '', weekDay = ''] = texts;
  const minutes = parseField(minute, FIELDS.minutes);
  if ('problem' in minutes) return minutes;
  const hours = parseField(hour, FIELDS.hours);
  if ('problem' in hours) return hours;
  const monthDays = parseField(monthDay, FIELDS.monthDays);
  if ('problem' in monthDays) return monthDays;
  const months = parseField(month, FIELDS.months);
  if ('problem' in months) return months;
  const weekDays = parseField(weekDay, FIELDS.weekDays);
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
  return canTick(times)
    ? times
    : { problem: `the day of month field '${shorten(monthDay)}': month ${month} does not have such a day` };
}

function countProblem(count: number): string {
  const rule = 'a cron pattern has five fields (minute, hour, day of month, month, day of week)';
  const correction = count === 6 ? 'leave out the seconds' : 'for example 0 8 * * mon-fri';
  return `${rule}, this one has ${count}: ${correction}`;
}

/** How often a pattern ticks in its busiest hour, rounded up. */
export const ticksInHour = (cron: Cron): number =>
  cron.kind === 'interval' ? Math.ceil(HOUR_MS / cron.every) : cron.minutes.length;

/** The days of each month, of February in a leap year. */
const MONTH_LENGTHS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function canTick({ months, monthDays, weekDays }: CronTimes): boolean {
  const first = monthDays?.[0];
  return (
    first === undefined || weekDays !== undefined || months.some((month) => first <= (MONTH_LENGTHS[month - 1] ?? 0))
  );
}

/** An interval in Go's notation: `1h30m`. As in the original, fractions of a second are dropped. */
function parseInterval(text: string, timezone: string): CronInterval | CronProblem {
  const ms = parseGoDuration(text);
  if (ms === undefined) return { problem: `@every '${shorten(text)}' is not a duration; use one such as 90m or 1h30m` };
  const every = Math.floor(ms / 1000) * 1000;
  if (every < 1000) return { problem: `@every '${shorten(text)}' is shorter than 1s` };
  if (every > SEARCH_LIMIT_MS) return { problem: `@every '${shorten(text)}' is longer than five years` };
  return { kind: 'interval', every, timezone };
}
