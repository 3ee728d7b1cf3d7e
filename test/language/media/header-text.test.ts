import { describe, expect, test } from 'vitest';
import { fromHeader, toHeader } from '../../../lib/language/media/header-text.ts';
import fc from '../../fast-check.ts';

const bytes = (text: string, encoding: 'utf8' | 'latin1' = 'utf8') => Buffer.from(text, encoding).toString('latin1');

describe('the value of a header', () => {
  test.each(['Köln', '東京', '😀', 'a b', '', 'naïve café'])('that is %j in UTF-8 is this text', (text) => {
    expect(fromHeader(bytes(text))).toBe(text);
    expect(toHeader(text)).toBe(bytes(text));
  });

  test('that is not UTF-8 is ISO 8859-1', () => {
    expect(fromHeader(bytes('Köln', 'latin1'))).toBe('Köln');
  });

  test('that a gateway has decoded already stays as it is', () => {
    expect(fromHeader('Köln ☃')).toBe('Köln ☃');
  });

  test('is the same text after it was sent and read', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(fromHeader(toHeader(text.toWellFormed()))).toBe(text.toWellFormed());
      }),
    );
  });
});
