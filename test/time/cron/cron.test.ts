import { describe, expect, test } from 'vitest';
import { type Cron, type CronTimes, parseCron, ticksInHour } from '../../../lib/time/cron/cron.ts';

function times(text: string): CronTimes {
  const cron = parseCron(text);
  if ('problem' in cron || cron.kind !== 'times') throw new Error(JSON.stringify(cron));
  return cron;
}

function problemOf(text: string): string {
  const cron = parseCron(text);
  return 'problem' in cron ? cron.problem : 'none';
}

const upTo = (least: number, most: number) => Array.from({ length: most - least + 1 }, (_, index) => least + index);

describe('a cron pattern', () => {
  test('has five fields: minute, hour, day of month, month and day of week', () => {
    expect(times('5 8 1 2 3')).toEqual({
      kind: 'times',
      minutes: [5],
      hours: [8],
      monthDays: [1],
      months: [2],
      weekDays: [3],
      timezone: 'UTC',
    });
  });

  test('restricts no days where a day field is * or ?', () => {
    const { minutes, hours, monthDays, months, weekDays } = times('* ? * ? *');
    expect([minutes, hours, monthDays, months, weekDays]).toEqual([
      upTo(0, 59),
      upTo(0, 23),
      undefined,
      upTo(1, 12),
      undefined,
    ]);
  });

  test.each([
    ['0', [0]],
    ['5,1,5', [1, 5]],
    ['1-3,7', [1, 2, 3, 7]],
    ['*/20', [0, 20, 40]],
    ['50/4', [50, 54, 58]],
    ['10-20/5', [10, 15, 20]],
    ['3/99', [3]],
  ])('the minute field %s names the minutes %j', (field, expected) => {
    expect(times(`${field} * * * *`).minutes).toEqual(expected);
  });

  test.each([
    ['jan,DEC', [1, 12]],
    ['Feb-4', [2, 3, 4]],
  ])('the month field %s names the months %j', (field, expected) => {
    expect(times(`0 0 1 ${field} *`).months).toEqual(expected);
  });

  test.each([
    ['mon-fri', [1, 2, 3, 4, 5]],
    ['7', [0]],
    ['fri-7', [0, 5, 6]],
    ['*/2', [0, 2, 4, 6]],
    ['5/1', [5, 6]],
  ])('the day of week field %s names the days %j', (field, expected) => {
    expect(times(`0 0 * * ${field}`).weekDays).toEqual(expected);
  });

  test('restricts the days where * has a step, as a list of days does', () => {
    expect(times('0 0 */10 * *').monthDays).toEqual([1, 11, 21, 31]);
    expect(times('0 0 */1 * *').monthDays).toBeUndefined();
    expect(times('0 0 5,* * *').monthDays).toBeUndefined();
  });

  test.each([
    ['@yearly', '0 0 1 1 *'],
    ['@annually', '0 0 1 1 *'],
    ['@monthly', '0 0 1 * *'],
    ['@weekly', '0 0 * * 0'],
    ['@daily', '0 0 * * *'],
    ['@midnight', '0 0 * * *'],
    ['@hourly', '0 * * * *'],
    ['  0\t0   * * *\n', '0 0 * * *'],
  ])('%j means the same as %s', (text, meaning) => {
    expect(parseCron(text)).toEqual(parseCron(meaning));
  });

  test.each([
    ['CRON_TZ=Europe/Berlin 0 8 * * mon-fri', 'Europe/Berlin'],
    ['TZ=America/New_York @daily', 'America/New_York'],
    ['TZ=Asia/Kolkata  @every 5m', 'Asia/Kolkata'],
    ['TZ= @daily', 'UTC'],
    ['@daily', 'UTC'],
  ])('%s runs in the time zone %s', (text, timezone) => {
    expect(parseCron(text)).toHaveProperty('timezone', timezone);
  });

  test.each([
    ['5m', 300_000],
    ['1h30m', 5_400_000],
    ['1.5h', 5_400_000],
    ['+90s', 90_000],
    ['1h0.5m10s', 3_640_000],
    ['1500ms', 1000],
    ['2s999999999ns', 2000],
    ['.1s900000µs', 1000],
  ])('@every %s is an interval of %i ms', (text, every) => {
    expect(parseCron(`@every ${text}`)).toEqual({ kind: 'interval', every, timezone: 'UTC' });
  });
});

describe('a text that is not a cron pattern is rejected with a correction', () => {
  test.each([
    [
      '',
      'a cron pattern has five fields (minute, hour, day of month, month, day of week), this one has 0: for example 0 8 * * mon-fri',
    ],
    [
      '* * * *',
      'a cron pattern has five fields (minute, hour, day of month, month, day of week), this one has 4: for example 0 8 * * mon-fri',
    ],
    [
      '0 * * * * *',
      'a cron pattern has five fields (minute, hour, day of month, month, day of week), this one has 6: leave out the seconds',
    ],
    ['60 * * * *', "the minute field '60': '60' is not a value of this field; use 0-59, lists a,b and steps */n"],
    ['* 1,24 * * *', "the hour field '1,24': '24' is not a value of this field; use 0-23, lists a,b and steps */n"],
    ['* * 0 * *', "the day of month field '0': '0' is not a value of this field; use 1-31, lists a,b and steps */n"],
    [
      '* * * janx *',
      "the month field 'janx': 'janx' is not a value of this field; use 1-12 or jan-dec, lists a,b and steps */n",
    ],
    [
      '* * * * 1-8',
      "the day of week field '1-8': '8' is not a value of this field; use 0-7 or sun-sat, lists a,b and steps */n",
    ],
    [
      '* * * * monday',
      "the day of week field 'monday': 'monday' is not a value of this field; use 0-7 or sun-sat, lists a,b and steps */n",
    ],
    ['*/0 * * * *', "the minute field '*/0': the step '0' is not a positive number"],
    ['*/x * * * *', "the minute field '*/x': the step 'x' is not a positive number"],
    ['1,,2 * * * *', "the minute field '1,,2': '' is not a value; use 0-59, lists a,b and steps */n"],
    ['-5 * * * *', "the minute field '-5': '-5' is not a value; use 0-59, lists a,b and steps */n"],
    ['1-2-3 * * * *', "the minute field '1-2-3': '1-2-3' is not a value; use 0-59, lists a,b and steps */n"],
    ['* 22-6 * * *', "the hour field '22-6': the range '22-6' ends before it begins; use two ranges: 22-23,0-6"],
    [
      '* * * * fri-mon',
      "the day of week field 'fri-mon': the range 'fri-mon' ends before it begins; use two ranges: 5-7,0-1",
    ],
    ['0 0 30 2 *', "the day of month field '30': month 2 does not have such a day"],
    ['0 0 31 feb,apr *', "the day of month field '31': month feb,apr does not have such a day"],
    [
      '@reboot',
      "'@reboot' is not a descriptor; use @yearly, @annually, @monthly, @weekly, @daily, @midnight, @hourly or @every 5m",
    ],
    [
      '@constructor',
      "'@constructor' is not a descriptor; use @yearly, @annually, @monthly, @weekly, @daily, @midnight, @hourly or @every 5m",
    ],
    ['TZ=Mars/Olympus @daily', "'Mars/Olympus' is not a time zone; use an IANA name, as in CRON_TZ=Europe/Berlin"],
    ['TZ=+01:00 @daily', "'+01:00' is not a time zone; use an IANA name, as in CRON_TZ=Europe/Berlin"],
    [
      '@every',
      "'@every' is not a descriptor; use @yearly, @annually, @monthly, @weekly, @daily, @midnight, @hourly or @every 5m",
    ],
    ['@every 5', "@every '5' is not a duration; use one such as 90m or 1h30m"],
    ['@every -5m', "@every '-5m' is shorter than 1s"],
    ['@every 1h x', "@every '1h x' is not a duration; use one such as 90m or 1h30m"],
    ['@every 0s', "@every '0s' is shorter than 1s"],
    ['@every 99999h', "@every '99999h' is longer than five years"],
  ])('%j', (text, problem) => {
    expect(problemOf(text)).toBe(problem);
  });

  test.each([
    ['@every 1s', 3600],
    ['@every 7s', 515],
    ['@every 36h', 1],
    ['*/5 8 * * *', 12],
    ['@hourly', 1],
  ])('%s ticks %i times in its busiest hour', (text, ticks) => {
    expect(ticksInHour(parseCron(text) as Cron)).toBe(ticks);
  });

  test('a very long text is cut in the message, or rejected unread', () => {
    expect(problemOf(`@every ${'9'.repeat(400)}h`)).toBe(`@every '${'9'.repeat(39)}…' is longer than five years`);
    expect(problemOf('1,'.repeat(600))).toBe('the cron pattern is longer than 1000 characters');
  });

  test('a pattern for 31 February or any Monday is accepted, because Mondays exist', () => {
    expect(times('0 0 31 2 mon').weekDays).toEqual([1]);
  });
});
