import { describe, expect, test } from 'vitest';
import { syntaxProblem } from '../../lib/events/json-syntax.ts';
import fc from '../fast-check.ts';

const problemOf = (text: string) => syntaxProblem(new TextEncoder().encode(text));

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe('the syntax error of a text that is not JSON', () => {
  test.each([
    ['', 'unexpected end of JSON input'],
    ['{"a":', 'unexpected end of JSON input'],
    ['"a\\u00', 'unexpected end of JSON input'],
    ['-', 'unexpected end of JSON input'],
    ['tru', 'unexpected end of JSON input'],
    ['nope', "invalid character 'o' in literal null (expecting 'u')"],
    ['{nope', "invalid character 'n' looking for beginning of object key string"],
    ['{"a":1,}', "invalid character '}' looking for beginning of object key string"],
    ['{"a" 1}', "invalid character '1' after object key"],
    ['{"a":1 "b"', "invalid character '\"' after object key:value pair"],
    ['[1 2]', "invalid character '2' after array element"],
    ['[1,]', "invalid character ']' looking for beginning of value"],
    ['{} x', "invalid character 'x' after top-level value"],
    ['"a\nb"', "invalid character '\\n' in string literal"],
    ['"\\x"', "invalid character 'x' in string escape code"],
    ['"\\u00g0"', "invalid character 'g' in \\u hexadecimal character escape"],
    ['-a', "invalid character 'a' in numeric literal"],
    ['1.x', "invalid character 'x' after decimal point in numeric literal"],
    ['1e+x', "invalid character 'x' in exponent of numeric literal"],
    ['01', "invalid character '1' after top-level value"],
    ["'a'", "invalid character '\\'' looking for beginning of value"],
    ['\u0000', "invalid character '\\x00' looking for beginning of value"],
    ['é', "invalid character 'Ã' looking for beginning of value"],
    ['\ufeff1', "invalid character 'ï' looking for beginning of value"],
    ['\u00a0', "invalid character 'Â' looking for beginning of value"],
  ])('%j: %s', (text, expected) => {
    expect(problemOf(text)).toBe(expected);
  });

  test('exists exactly if JSON.parse throws', () => {
    const pieces = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"a"',
      '"\\n"',
      '1',
      '-0.5e+3',
      '0',
      'true',
      'null',
      ' ',
      '\\',
      'x',
      '"',
    );
    const texts = fc.oneof(
      fc.array(pieces).map((all) => all.join('')),
      fc.json(),
      fc.string(),
    );
    fc.assert(
      fc.property(texts, (text) => {
        expect(problemOf(text) === undefined).toBe(isJson(text));
      }),
      { numRuns: 2000 },
    );
  });
});
