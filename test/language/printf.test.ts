import { describe, expect, test } from 'vitest';
import { ExactNumber } from '../../lib/language/json-numbers.ts';
import { formatText } from '../../lib/language/printf.ts';

const LONG = new ExactNumber('9007199254740993');

describe('a printf format', () => {
  test.each<[format: string, args: unknown[], text: string]>([
    ['%s of %v', ['a', { b: 1 }], 'a of {"b":1}'],
    ['%d items, %d left', [3, 2.9], '3 items, 2 left'],
    ['%.2f euro', [12.345], '12.35 euro'],
    ['%f', [1.5], '1.500000'],
    ['%e and %.1E', [1234.5, 0.00012], '1.234500e+03 and 1.2E-04'],
    ['[%5s|%-5s|%.2s]', ['a', 'b', 'abc'], '[    a|b    |ab]'],
    ['[%05d|%+d|%+06.1f]', [-42, 7, 2.25], '[-0042|+7|+002.3]'],
    ['%x %X %x %b %o', [255, 255, 'hi', 5, 8], 'ff FF 6869 101 10'],
    ['%q %q %t', ['a "b"', 5, true], '"a \\"b\\"" 5 true'],
    ['%d %f', ['five', null], 'five null'],
    [
      '%d %+x %.1f %020d %v',
      Array(5).fill(LONG),
      '9007199254740993 +20000000000001 9007199254740992.0 00009007199254740993 9007199254740993',
    ],
    ['100%% of %s', ['it'], '100% of it'],
    ['%s and %s', ['one'], 'one and %!s(MISSING)'],
    ['%s', ['one', 'two'], 'one'],
    ['%!', ['one'], '%!'],
    ['%999999999s', ['a'], 'a'.padStart(100)],
  ])('%j with %j is %j', (format, args, text) => {
    expect(formatText(format, args)).toBe(text);
  });
});
