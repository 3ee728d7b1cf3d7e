import { describe, expect, test } from 'vitest';
import { parseCron, toSchedulerExpressions } from '../../../lib/time/cron/cron.ts';
import fc from '../../fast-check.ts';
import { matches, patterns, textOf, type WallTime } from './patterns.ts';

function translate(text: string) {
  const cron = parseCron(text);
  return 'problem' in cron ? cron : toSchedulerExpressions(cron);
}

describe('the translation into the syntax of EventBridge Scheduler', () => {
  test.each([
    ['* * * * *', ['cron(* * * * ? *)']],
    ['0 8 * * mon-fri', ['cron(0 8 ? * 2-6 *)']],
    ['0 8 * * 7', ['cron(0 8 ? * 1 *)']],
    ['0 8 * * 5-7', ['cron(0 8 ? * 1,6,7 *)']],
    ['0 8 * * 0-6', ['cron(0 8 ? * * *)']],
    ['30 6 1 jan *', ['cron(30 6 1 1 ? *)']],
    ['*/20 9-17 */10 * *', ['cron(0,20,40 9-17 1,11,21,31 * ? *)']],
    ['0 0 1,15 * mon', ['cron(0 0 1,15 * ? *)', 'cron(0 0 ? * 2 *)']],
    ['0 0 1-31 * mon', ['cron(0 0 * * ? *)']],
    ['0 0 1 * 0-6', ['cron(0 0 ? * * *)']],
    ['@hourly', ['cron(0 * * * ? *)']],
    ['@every 1m', ['rate(1 minute)']],
    ['@every 1h30m', ['rate(90 minutes)']],
    ['@every 60s', ['rate(1 minute)']],
  ])('of %s is %j', (text, expressions) => {
    expect(translate(text)).toEqual({ expressions, timezone: 'UTC' });
  });

  test('keeps the time zone of the pattern', () => {
    expect(translate('CRON_TZ=Europe/Berlin @daily')).toEqual({
      expressions: ['cron(0 0 * * ? *)'],
      timezone: 'Europe/Berlin',
    });
  });

  test.each([
    ['@every 30s', '@every 30s is not a whole number of minutes, the unit of a schedule; use @every 1m'],
    ['@every 90s', '@every 90s is not a whole number of minutes, the unit of a schedule; use @every 2m'],
  ])('does not exist for %s', (text, problem) => {
    expect(translate(text)).toEqual({ problem });
  });

  test('is rejected when an expression would be longer than 256 characters', () => {
    const minutes = Array.from({ length: 59 }, (_, index) => index + 1)
      .filter((value) => value !== 30)
      .join(',');
    const result = translate(`${minutes} 0-10,12-23 1-15,17-31 1-5,7-12 *`);
    expect(result).toEqual({ problem: 'the cron pattern lists too many single values; use ranges a-b and steps */n' });
  });
});

/** The Scheduler's rules for the part of its syntax that the translation uses, implemented without it. */
function fires(expression: string, wall: WallTime): boolean {
  const fields = /^cron\((.*)\)$/.exec(expression)?.[1]?.split(' ') ?? [];
  expect(fields).toHaveLength(6);
  expect(fields.filter((field) => field === '?')).toHaveLength(1);
  const clock = [wall.minute, wall.hour, wall.monthDay, wall.month, wall.weekDay + 1];
  return clock.every((value, index) => {
    const field = fields[index] ?? '';
    if (field === '*' || field === '?') return true;
    return field.split(',').some((part) => {
      const [from = 0, to = from] = part.split('-').map(Number);
      return value >= from && value <= to;
    });
  });
}

test('the expressions of a pattern fire at the times that the pattern names', () => {
  const moments = fc
    .integer({ min: 0, max: 60 * 24 * 366 * 4 })
    .map((minutes) => new Date(Date.UTC(2026, 0, 1, 0, minutes)));
  fc.assert(
    fc.property(patterns, fc.array(moments, { minLength: 20, maxLength: 20 }), (pattern, dates) => {
      const translated = translate(textOf(pattern));
      fc.pre('expressions' in translated);
      for (const date of dates) {
        const hint = [...pattern.minute.values][0] ?? 0;
        const wall = {
          minute: hint,
          hour: [...pattern.hour.values][0] ?? 0,
          monthDay: date.getUTCDate(),
          month: date.getUTCMonth() + 1,
          weekDay: date.getUTCDay(),
        };
        for (const one of [wall, { ...wall, minute: date.getUTCMinutes() }, { ...wall, hour: date.getUTCHours() }]) {
          expect(translated.expressions.some((expression) => fires(expression, one))).toBe(matches(pattern, one));
        }
      }
    }),
    { numRuns: 200 },
  );
});
