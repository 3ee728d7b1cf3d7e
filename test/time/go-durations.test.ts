import { describe, expect, test } from 'vitest';
import { parseGoDuration } from '../../lib/time/go-durations.ts';

describe('a duration in the notation of Go', () => {
  test.each([
    ['0', 0],
    ['-0', 0],
    ['1h30m', 5_400_000],
    ['1.5h', 5_400_000],
    ['+90s', 90_000],
    ['-1m', -60_000],
    ['.5s', 500],
    ['5.s', 5000],
    ['250us', 0.25],
    ['0.1s900000µs', 1000],
  ])('%s is %f ms', (text, ms) => {
    expect(parseGoDuration(text)).toBe(ms);
  });

  test.each(['', '5', '1d', '1h ', '1 h', '--1s', '1h-5m', '.s', `${'1h'.repeat(600)}`])(
    'cannot be parsed from %j',
    (text) => {
      expect(parseGoDuration(text)).toBeUndefined();
    },
  );
});
