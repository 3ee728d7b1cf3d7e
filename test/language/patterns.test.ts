import { describe, expect, test } from 'vitest';
import { matchesCode, patternProblem } from '../../lib/language/patterns.ts';

describe('a pattern of error codes', () => {
  test.each([
    ['*', 'anything', true],
    ['.*', 'anything', true],
    ['service.jq.*', 'service.jq.badCommand', true],
    ['jq', 'service.jq.badCommand', true],
    ['kid', 'kidding', true],
    ['^jq', 'service.jq.notObject', false],
    ['^service\\.jq\\.notObject$', 'service.jq.notObject', true],
    ['service.jq.notobject', 'service.jq.notObject', false],
    ['direktiv.jq.*', 'service.jq.badCommand', true],
    ['service.jq.*', 'direktiv.jq.badCommand', true],
    ['^direktiv\\.', 'my.service.code', false],
    ['direktiv.x', 'servicex.x', false],
    ['(', '(', false],
    ['a**', 'aa', false],
    ['(?=a)', 'a', false],
    ['', 'anything', true],
  ])('%s matches %s: %s', (pattern, code, expected) => {
    expect(matchesCode(pattern, code)).toBe(expected);
  });

  test('matches a code with the brand of the installation too', () => {
    expect(matchesCode('^acme\\.jq', 'service.jq.badCommand', 'acme')).toBe(true);
    expect(matchesCode('^direktiv\\.jq', 'acme.jq.badCommand', 'acme')).toBe(true);
    expect(matchesCode('^acme\\.jq', 'service.jq.badCommand')).toBe(false);
  });

  test('that does not compile has a problem with the reason', () => {
    expect(patternProblem('*')).toBeUndefined();
    expect(patternProblem('service.*')).toBeUndefined();
    expect(patternProblem('(a')).toMatch(/missing closing \)/);
  });

  test('takes linear time on every code', () => {
    expect(matchesCode('^(a+)+$', `${'a'.repeat(50_000)}!`)).toBe(false);
  });
});
