import { MINUTE_MS } from '../units.ts';
import { type Cron, type CronProblem, type CronTimes, FIELDS } from './fields.ts';

/** A cron schedule in the form that EventBridge Scheduler accepts. */
export interface SchedulerExpressions {
  /** One expression, or two where a match of either day field is enough; both then tick on a day that matches both. */
  readonly expressions: readonly string[];
  /** An IANA name. */
  readonly timezone: string;
}

/** The longest expression that EventBridge Scheduler accepts, in characters. */
const MAX_CHARACTERS = 256;

/**
 * Translates a schedule into the syntax of EventBridge Scheduler: six fields with the year, `?` in one of the day
 * fields, days of the week from 1 (Sunday) to 7; or a rate of whole minutes. Around a clock change the Scheduler ticks
 * once for a time that is repeated and not at all for a time that is skipped. Returns a problem for an interval that is
 * not whole minutes and for an expression that would be too long.
 */
export function toSchedulerExpressions(cron: Cron): SchedulerExpressions | CronProblem {
  const { timezone } = cron;
  if (cron.kind === 'times') {
    const expressions = dayFieldsOf(cron).map((days) => expressionOf(cron, days));
    return expressions.some(({ length }) => length > MAX_CHARACTERS)
      ? { problem: 'the cron pattern lists too many single values; use ranges a-b and steps */n' }
      : { expressions, timezone };
  }
  const minutes = cron.every / MINUTE_MS;
  if (!Number.isInteger(minutes)) {
    const seconds = cron.every / 1000;
    return {
      problem: `@every ${seconds}s is not a whole number of minutes, the unit of a schedule; use @every ${Math.ceil(minutes)}m`,
    };
  }
  return { expressions: [`rate(${minutes} ${minutes === 1 ? 'minute' : 'minutes'})`], timezone };
}

interface DayFields {
  readonly monthDays: string;
  readonly weekDays: string;
}

/** Where both day fields are restricted and one of them names every day, the schedule runs every day. */
function dayFieldsOf({ monthDays, weekDays }: CronTimes): DayFields[] {
  const byMonth = { monthDays: fieldText(monthDays, FIELDS.monthDays.max), weekDays: '?' };
  if (weekDays === undefined || monthDays?.length === FIELDS.monthDays.max) return [byMonth];
  // The Scheduler counts the days of the week from 1.
  const numbers = weekDays.map((day) => day + 1);
  const byWeek = { monthDays: '?', weekDays: fieldText(numbers, 7) };
  return monthDays === undefined || weekDays.length === 7 ? [byWeek] : [byMonth, byWeek];
}

function expressionOf({ minutes, hours, months }: CronTimes, days: DayFields): string {
  const fields = [fieldText(minutes, 60), fieldText(hours, 24), days.monthDays, fieldText(months, 12), days.weekDays];
  return `cron(${fields.join(' ')} *)`;
}

/** Returns `*` for all `count` values of a field, a range for consecutive ones, else a list. */
function fieldText(values: readonly number[] | undefined, count: number): string {
  if (values === undefined || values.length === count) return '*';
  const first = values[0] ?? 0;
  const last = values.at(-1) ?? first;
  const isConsecutive = values.length > 2 && last - first === values.length - 1;
  return isConsecutive ? `${first}-${last}` : values.join(',');
}
