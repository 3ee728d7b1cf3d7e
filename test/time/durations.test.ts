import { describe, expect, test } from 'vitest';
import { addDuration, isDuration, parseDuration } from '../../lib/time/durations.ts';

const at = (iso: string) => Date.parse(iso);

function after(from: string, text: string): string {
  const duration = parseDuration(text);
  if (duration === undefined) return 'not a duration';
  return new Date(addDuration(at(from), duration)).toISOString();
}

describe('a duration', () => {
  test.each([
    ['PT5S', '2026-01-31T00:00:05.000Z'],
    ['P', '2026-01-31T00:00:00.000Z'],
    ['PT', '2026-01-31T00:00:00.000Z'],
    ['P1DT2H3M4S', '2026-02-01T02:03:04.000Z'],
    ['P2W', '2026-02-14T00:00:00.000Z'],
    ['P1M', '2026-03-03T00:00:00.000Z'],
    ['P1Y1M', '2027-03-03T00:00:00.000Z'],
    ['PT90M', '2026-01-31T01:30:00.000Z'],
    ['P1Y2M3W4DT5H6M7S', '2027-04-25T05:06:07.000Z'],
  ])('%s after 31 January 2026 is %s', (text, expected) => {
    expect(after('2026-01-31T00:00:00Z', text)).toBe(expected);
  });

  test.each(['', 'P1', '1D', 'PT0.5S', '-PT1S', 'P-1D', 'pt1s', 'P1S', 'PT1D', 'P1D2H', 'PT1S ', 'PT1S\n', 'P1W1Y'])(
    'cannot be parsed from %j',
    (text) => {
      expect(parseDuration(text)).toBeUndefined();
      expect(isDuration(text)).toBe(false);
    },
  );

  test('counts as a hundred years if it is longer', () => {
    expect(after('2026-01-31T00:00:00Z', 'P101Y')).toBe('2126-01-31T00:00:00.000Z');
    expect(after('2026-01-31T00:00:00Z', `PT${'9'.repeat(400)}S`)).toBe('2126-01-31T00:00:00.000Z');
    expect(after('2026-01-31T00:00:00Z', `P${'9'.repeat(400)}D`)).toBe('2126-01-31T00:00:00.000Z');
  });

  test('adds calendar units in UTC, whatever the time zone of the machine', () => {
    expect(after('2026-03-28T12:00:00Z', 'P1D')).toBe('2026-03-29T12:00:00.000Z');
  });
});
