import { type Cron, type CronProblem, type CronTimes, FORMS } from './fields.ts';

export interface SchedulerExpressions {
  /** One, or two where either of two day fields is enough; both then tick where both fit. */
  readonly expressions: readonly string[];
  /** An IANA name. */
  readonly timezone: string;
}

/** What EventBridge Scheduler takes as an expression, in characters. */
const LONGEST = 256;

/**
 * The schedule in the syntax of EventBridge Scheduler: six fields with the year, `?` in one day field, days of the
 * week 1 (Sunday) to 7, or a rate of whole minutes. Around a clock change the Scheduler ticks once where the clock is
 * set back, not at all for a time left out.
 */
export function toSchedulerExpressions(cron: Cron): SchedulerExpressions | CronProblem {
  const { timezone } = cron;
  if (cron.kind === 'times') {
    const expressions = dayFieldsOf(cron).map((days) => expressionOf(cron, days));
    const isLong = expressions.some((expression) => expression.length > LONGEST);
    return isLong
      ? { problem: 'the cron pattern names too many single values; use ranges and steps' }
      : { expressions, timezone };
  }
  const minutes = cron.every / 60_000;
  if (!Number.isInteger(minutes)) {
    const mend = `write @every ${Math.ceil(minutes)}m`;
    return { problem: `@every of ${cron.every / 1000} seconds: a schedule ticks in whole minutes; ${mend}` };
  }
  return { expressions: [`rate(${minutes} ${minutes === 1 ? 'minute' : 'minutes'})`], timezone };
}

interface DayFields {
  readonly monthDays: string;
  readonly weekDays: string;
}

/** A field that names all days, although it is not open, makes either-is-enough every day. */
function dayFieldsOf({ monthDays, weekDays }: CronTimes): DayFields[] {
  const byMonth = { monthDays: fieldOf(monthDays, FORMS.monthDays.most), weekDays: '?' };
  if (weekDays === undefined || monthDays?.length === FORMS.monthDays.most) return [byMonth];
  // The Scheduler counts the days of the week from 1.
  const numbers = weekDays.map((day) => day + 1);
  const byWeek = { monthDays: '?', weekDays: fieldOf(numbers, 7) };
  return monthDays === undefined || weekDays.length === 7 ? [byWeek] : [byMonth, byWeek];
}

function expressionOf({ minutes, hours, months }: CronTimes, days: DayFields): string {
  const fields = [fieldOf(minutes, 60), fieldOf(hours, 24), days.monthDays, fieldOf(months, 12), days.weekDays, '*'];
  return `cron(${fields.join(' ')})`;
}

/** `*` for all values there are, a range for a run of them, else a list: every form that is sure to be understood. */
function fieldOf(values: readonly number[] | undefined, count: number): string {
  if (values === undefined || values.length === count) return '*';
  const first = values[0] ?? 0;
  const last = values.at(-1) ?? first;
  const isRun = values.length > 2 && last - first === values.length - 1;
  return isRun ? `${first}-${last}` : values.join(',');
}
