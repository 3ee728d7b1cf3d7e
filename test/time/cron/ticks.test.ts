import { describe, expect, test } from 'vitest';
import { nextTick, parseCron } from '../../../lib/time/cron/cron.ts';
import { DAY_MS, MINUTE_MS } from '../../../lib/time/units.ts';
import fc from '../../fast-check.ts';
import { matches, patterns, textOf, type WallTime } from './patterns.ts';

function tickAfter(text: string, after: number): number | undefined {
  const cron = parseCron(text);
  if ('problem' in cron) throw new Error(cron.problem);
  return nextTick(cron, after);
}

function ticks(text: string, from: string, count: number): string[] {
  const found: string[] = [];
  for (let at = tickAfter(text, Date.parse(from)); at !== undefined && found.length < count; at = tickAfter(text, at)) {
    found.push(new Date(at).toISOString().replace(':00.000Z', 'Z'));
  }
  return found;
}

describe('the next tick', () => {
  test.each([
    ['*/15 * * * *', '2026-01-01T00:00:00Z', ['2026-01-01T00:15Z', '2026-01-01T00:30Z']],
    ['*/15 * * * *', '2025-12-31T23:59:59.999Z', ['2026-01-01T00:00Z', '2026-01-01T00:15Z']],
    ['0 0 29 2 *', '2026-01-01T00:00:00Z', ['2028-02-29T00:00Z', '2032-02-29T00:00Z']],
    ['0 12 31 * *', '2026-01-31T12:00:00Z', ['2026-03-31T12:00Z', '2026-05-31T12:00Z']],
    ['0 0 13 * fri', '2026-03-01T00:00:00Z', ['2026-03-06T00:00Z', '2026-03-13T00:00Z']],
    ['0 0 1,20 * mon', '2026-11-14T00:00:00Z', ['2026-11-16T00:00Z', '2026-11-20T00:00Z', '2026-11-23T00:00Z']],
    ['@every 90m', '2026-01-01T00:00:00Z', ['2026-01-01T01:30Z', '2026-01-01T03:00Z']],
    ['@every 7m', '1970-01-01T00:06:59Z', ['1970-01-01T00:07Z', '1970-01-01T00:14Z']],
    ['TZ=Asia/Kathmandu 0 6 * * *', '2026-01-01T00:00:00Z', ['2026-01-01T00:15Z', '2026-01-02T00:15Z']],
    // Central Europe sets its clock forward at 2:00 on 29 March, back at 3:00 on 25 October.
    ['TZ=Europe/Berlin 30 2 * * *', '2026-03-28T00:00:00Z', ['2026-03-28T01:30Z', '2026-03-30T00:30Z']],
    ['TZ=Europe/Berlin 0 3 * * *', '2026-03-28T12:00:00Z', ['2026-03-29T01:00Z', '2026-03-30T01:00Z']],
    ['TZ=Europe/Berlin 30 2 * * *', '2026-10-24T12:00:00Z', ['2026-10-25T00:30Z', '2026-10-26T01:30Z']],
    [
      'TZ=Europe/Berlin 30 * * * *',
      '2026-10-24T23:30:00Z',
      ['2026-10-25T00:30Z', '2026-10-25T01:30Z', '2026-10-25T02:30Z'],
    ],
    // Lord Howe changes its clock by half an hour; Samoa skipped 30 December 2011.
    ['TZ=Australia/Lord_Howe 45 1 * * *', '2026-04-03T20:00:00Z', ['2026-04-04T14:45Z', '2026-04-05T15:15Z']],
    ['TZ=Pacific/Apia 0 12 * * *', '2011-12-29T12:00:00Z', ['2011-12-29T22:00Z', '2011-12-30T22:00Z']],
    ['TZ=Pacific/Apia 0 12 30 12 *', '2011-12-01T00:00:00Z', ['2012-12-29T22:00Z']],
  ])('of %s after %s is %j', (text, from, expected) => {
    expect(ticks(text, from, expected.length)).toEqual(expected);
  });

  test('does not exist when the pattern has no time within five years', () => {
    expect(tickAfter('0 0 29 2 *', Date.parse('2096-03-01T00:00:00Z'))).toBeUndefined();
    expect(tickAfter('TZ=Europe/Berlin 0 0 29 2 *', Date.parse('2096-03-01T00:00:00Z'))).toBeUndefined();
  });
});

/** Time zones with the first of four days; in most of them the clock changes within the four days. */
const PLACES = [
  ['UTC', '2026-02-26T00:00:00Z'],
  ['Asia/Kathmandu', '2026-12-30T00:00:00Z'],
  ['Europe/Berlin', '2026-03-27T00:00:00Z'],
  ['Europe/Berlin', '2026-10-23T00:00:00Z'],
  ['America/New_York', '2028-03-10T00:00:00Z'],
  ['America/New_York', '2026-10-30T00:00:00Z'],
  ['Australia/Lord_Howe', '2026-04-03T00:00:00Z'],
  ['America/Sao_Paulo', '2018-11-02T00:00:00Z'],
  ['Africa/Casablanca', '2026-02-13T00:00:00Z'],
  ['Pacific/Apia', '2011-12-28T00:00:00Z'],
] as const;

interface Minute {
  readonly at: number;
  readonly wall: WallTime;
  /** The wall clock showed the same time before. */
  readonly isRepeated: boolean;
}

function minutesOf(timezone: string, from: string): Minute[] {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone: timezone, dateStyle: 'short', timeStyle: 'short' });
  const shown = new Set<string>();
  return Array.from({ length: 4 * 1440 }, (_, index) => {
    const at = Date.parse(from) + index * MINUTE_MS;
    const text = format.format(at);
    const [, year = 0, month = 0, monthDay = 0, hour = 0, minute = 0] =
      /(\d+)-(\d+)-(\d+) (\d+):(\d+)/.exec(text)?.map(Number) ?? [];
    const weekDay = new Date(Date.UTC(year, month - 1, monthDay)).getUTCDay();
    const isRepeated = shown.has(text);
    shown.add(text);
    return { at, wall: { minute, hour, monthDay, month, weekDay }, isRepeated };
  });
}

describe('a search of the wall clock, minute by minute,', () => {
  const after = fc.integer({ min: DAY_MS, max: 3 * DAY_MS });

  test.each(PLACES)('finds the same next tick in %s from %s on', (timezone, from) => {
    const minutes = minutesOf(timezone, from);
    const start = Date.parse(from);
    fc.assert(
      fc.property(patterns, after, (pattern, later) => {
        const cron = parseCron(`TZ=${timezone} ${textOf(pattern)}`);
        fc.pre(!('problem' in cron));
        const isHourly = pattern.hour.values.size === 24;
        const seen = minutes.find(
          ({ at, wall, isRepeated }) => at > start + later && (isHourly || !isRepeated) && matches(pattern, wall),
        );
        const found = nextTick(cron, start + later);
        if (seen !== undefined) expect(found).toBe(seen.at);
        else expect(found ?? Number.POSITIVE_INFINITY).toBeGreaterThanOrEqual(start + 4 * DAY_MS);
      }),
      { numRuns: 300 },
    );
  });
});

test('any text is parsed or rejected, and the next tick is later than the given moment', () => {
  const pieces = fc.constantFrom(
    '*',
    '/',
    '-',
    ',',
    ' ',
    '0',
    '7',
    '31',
    'mon',
    'jan',
    '?',
    '@every ',
    'TZ=',
    'UTC ',
    'h',
  );
  const texts = fc.oneof(
    fc.string(),
    fc.array(pieces, { maxLength: 30 }).map((all) => all.join('')),
    patterns.map(textOf),
  );
  fc.assert(
    fc.property(texts, fc.integer({ min: 0, max: 4e12 }), (text, now) => {
      const cron = parseCron(text);
      if ('problem' in cron) expect(cron.problem).not.toBe('');
      else expect(nextTick(cron, now) ?? Number.POSITIVE_INFINITY).toBeGreaterThan(now);
    }),
    { numRuns: 2000 },
  );
});
