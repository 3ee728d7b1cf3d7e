import { describe, expect, test } from 'vitest';
import { matchesGlob } from '../../lib/events/glob.ts';
import { explainMatch, matches } from '../../lib/events/matching.ts';
import fc from '../fast-check.ts';

const EVENT = {
  specversion: '1.0',
  id: 'e-1',
  source: '/shop/7',
  type: 'order',
  subject: 'abcdef',
  kind: 'foobar',
  num: 5,
  yes: true,
};

const takes = (context: Record<string, unknown>, event = EVENT) => matches({ type: 'order', context }, event);

describe('a filter by value', () => {
  const takesValue = (context: Record<string, unknown>) => matches({ type: 'order', context, isByValue: true }, EVENT);

  test.each([[{ num: 5 }], [{ num: '5' }], [{ num: '5*' }], [{ yes: true }], [{ yes: 'true' }], [{ kind: 'foo*' }]])(
    'matches by %j',
    (context) => {
      expect(takesValue(context)).toBe(true);
    },
  );

  test.each([[{ num: 6 }], [{ num: '6' }], [{ yes: false }], [{ kind: 5 }], [{ kind: null }], [{ absent: 5 }]])(
    'does not match by %j',
    (context) => {
      expect(takesValue(context)).toBe(false);
    },
  );
});

describe('a filter', () => {
  test('matches an event of exactly its type', () => {
    expect(takes({})).toBe(true);
    expect(matches({ type: 'ord*', context: {} }, EVENT)).toBe(false);
    expect(explainMatch({ type: 'x', context: {} }, EVENT)).toEqual({
      matches: false,
      failed: { attribute: 'type', expected: 'x', found: 'order' },
    });
  });

  test.each([
    [{ kind: 'foobar' }],
    [{ kind: 'foo*' }],
    [{ KIND: 'foo*' }],
    [{ source: '/shop/*' }],
    [{ subject: 'abc*' }],
    [{ id: 'e-*', type: 'order' }],
    [{ kind: 5 }],
    [{ num: '6' }],
    [{ num: 6 }],
    [{ yes: '' }],
    [{ kind: null }],
  ])('matches with %j', (context) => {
    expect(explainMatch({ type: 'order', context }, EVENT)).toEqual({ matches: true });
  });

  test.each([
    [{ kind: 'foo' }, 'kind', 'foobar'],
    [{ kind: '' }, 'kind', 'foobar'],
    [{ kind: 'foo*', other: 'x' }, 'other', undefined],
    [{ Subject: 'ABC*' }, 'subject', 'abcdef'],
    [{ time: '*' }, 'time', undefined],
    [{ constructor: '*' }, 'constructor', undefined],
    [{ tostring: 1 }, 'tostring', undefined],
    [{ specversion: '*' }, 'specversion', undefined],
    [{ data: '*' }, 'data', undefined],
  ])('does not match with %j, and returns the attribute', (context, attribute, found) => {
    const result = explainMatch({ type: 'order', context: context as Record<string, unknown> }, EVENT);
    expect(result).toMatchObject({ matches: false, failed: { attribute } });
    expect(result.failed?.found).toBe(found);
  });

  test('matches an attribute with the name of an inherited member', () => {
    expect(takes({ constructor: 'c*' }, Object.assign({}, EVENT, { constructor: 'cat' }))).toBe(true);
  });

  test('does not match an attribute that is null', () => {
    expect(takes({ kind: 1 }, Object.assign({}, EVENT, { kind: null }))).toBe(false);
  });
});

describe('a glob', () => {
  test.each([
    ['', '', true],
    ['', 'a', false],
    ['*', '', true],
    ['**', 'a\nb', true],
    ['a*a', 'a', false],
    ['a*a', 'aa', true],
    ['*aab*', 'aaaab', true],
    ['a*b*c', 'abc', true],
    ['a*b*c', 'acb', false],
    ['?', 'a', false],
    ['[a]', 'a', false],
    ['.*', 'a', false],
    ['x*ab*ab', 'xab', false],
  ])('%j against %j: %s', (pattern, text, expected) => {
    expect(matchesGlob(pattern, text)).toBe(expected);
  });

  test('matches like the equivalent regular expression', () => {
    const letters = fc.array(fc.constantFrom('a', 'b'), { maxLength: 14 }).map((all) => all.join(''));
    const patterns = fc.array(fc.constantFrom('a', 'b', '*'), { maxLength: 8 }).map((all) => all.join(''));
    fc.assert(
      fc.property(patterns, letters, (pattern, text) => {
        expect(matchesGlob(pattern, text)).toBe(new RegExp(`^${pattern.replaceAll('*', '.*')}$`, 's').test(text));
      }),
      { numRuns: 5000 },
    );
  });

  test('takes linear time for patterns that make other algorithms quadratic', () => {
    const text = 'a'.repeat(1_000_000);
    expect(matchesGlob(`*${'a'.repeat(300_000)}b*`, text)).toBe(false);
    expect(matchesGlob(`${'*a'.repeat(20_000)}*b`, text)).toBe(false);
    expect(matchesGlob(`*b${'a'.repeat(300_000)}*`, text)).toBe(false);
  });
});
