import fc from 'fast-check';
import { type Jq, loadJq } from 'jq-wasm/inline';
import { beforeAll, describe, expect, test } from 'vitest';
import { compileFast, Unsure } from '../../lib/language/fast-jq.ts';
import { toJson } from '../../lib/language/json.ts';

let jq: Jq;
beforeAll(async () => {
  jq = await loadJq();
});

const UNSURE = Symbol('left to jq');

function runFast(program: string, data: unknown): unknown {
  const compiled = compileFast(program);
  if (compiled === undefined) return UNSURE;
  try {
    return compiled(data);
  } catch (error) {
    if (error instanceof Unsure) return UNSURE;
    throw error;
  }
}

/** All that jq puts out, as values; what it complains of, as text. */
function runReal(program: string, data: unknown): unknown {
  const { stdout, stderr, exitCode } = jq.raw(toJson(data), `(\n${program === '' ? '.' : program}\n)`, ['-c']);
  return exitCode === 0 ? stdout.split('\n').map((line) => JSON.parse(line)) : stderr;
}

/** Whatever the fast one dares to say is the one output of jq. Returns true when it said something. */
function agrees(program: string, data: unknown): boolean {
  const fast = runFast(program, data);
  if (fast === UNSURE) return false;
  expect(runReal(program, data), `${program} on ${toJson(data)}`).toEqual([JSON.parse(toJson(fast))]);
  return true;
}

const KEYS = ['a', 'b', 'and', 'x y', 'é', '__proto__', 'constructor'];
const text = fc.oneof(
  fc.constantFrom('', 'a', 'b', 'Z', '\u{1f600}', '\uffff', '0'),
  fc.string({ unit: 'grapheme', maxLength: 4 }),
);
const scalar = fc.oneof(
  fc.constantFrom(null, false, true, 0, -0, 1, -1, 1e21, 5e-324, 1.7976931348623157e308, 2 ** 53),
  fc.integer({ min: -3, max: 3 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  text,
);
const { data } = fc.letrec<{ data: unknown }>((tie) => ({
  data: fc.oneof(
    { depthSize: 'medium', withCrossShrink: true },
    scalar,
    fc.array(tie('data'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...KEYS), tie('data'), { maxKeys: 4 }),
  ),
}));

const blank = fc.constantFrom('', '', '', ' ', '\n', '\t ');
const quoted = fc.constantFrom(...KEYS.map((key) => `"${key}"`), '"é"', '"\u{1f600}"');
const step = fc.oneof(
  fc.constantFrom(
    '.a',
    '.b',
    '.and',
    '.constructor',
    '.__proto__',
    '["a"]',
    '."x y"',
    '.["b"]',
    '[0]',
    '[1]',
    '.[7]',
    '?',
  ),
  quoted.map((key) => `.${key}`),
);
const path = fc.tuple(fc.constantFrom('.', '.a', '.b'), fc.array(step, { maxLength: 3 })).map(([head, steps]) => {
  const rest = steps.join('');
  // `..` is another program: the dot of the head goes where a dot follows.
  return head === '.' && rest.startsWith('.') ? rest : head + rest;
});
const literal = fc.oneof(
  quoted,
  fc.constantFrom(
    'true',
    'false',
    'null',
    '0',
    '1',
    '2.5',
    '10',
    '100000000000000',
    '0.1',
    '[]',
    '{}',
    '-1',
    '-0',
    '1.0',
    '1e3',
  ),
);
const infix = fc.constantFrom(
  ...['==', '!=', '<', '<=', '>', '>=', '+', '-', 'and', 'or', '//', '|', '=', '+=', '-=', '|=', '*', '/', ',', '?//'],
);

const { program } = fc.letrec<{ program: string }>((tie) => ({
  program: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    path,
    literal,
    fc.tuple(tie('program'), blank, infix, blank, tie('program')).map(([a, b, op, c, d]) => {
      const isWord = /\w/.test(op);
      return isWord ? `${a} ${op} ${d}` : a + b + op + c + d;
    }),
    fc.tuple(blank, tie('program'), blank).map(([a, b, c]) => `(${a}${b}${c})`),
    fc.array(tie('program'), { maxLength: 3 }).map((parts) => `[${parts.join(', ')}]`),
    fc
      .array(fc.tuple(fc.constantFrom('a', 'b', 'if', '"x y"', '"__proto__"'), tie('program')), { maxLength: 3 })
      .map((parts) => `{${parts.map(([key, value]) => `${key}: ${value}`).join(', ')}}`),
    fc.constantFrom('not', 'length', '{a}', '{a, "x y"}', '{and}'),
    path.map((way) => `del(${way})`),
    fc.tuple(tie('program'), fc.constantFrom('|not', ' | length')).map((parts) => parts.join('')),
  ),
}));

describe('simple jq without jq', () => {
  test('agrees with jq on every program it takes', () => {
    let told = 0;
    fc.assert(
      fc.property(program, data, (source, value) => {
        if (agrees(source, value)) told += 1;
      }),
      { numRuns: 1500 },
    );
    expect(told).toBeGreaterThan(300);
  });

  test('agrees with jq on texts of jq tokens in any order', () => {
    const tokens = fc.array(
      fc.constantFrom(
        ...[
          '.',
          '.a',
          '..',
          '|',
          ',',
          '[',
          ']',
          '(',
          ')',
          '{',
          '}',
          'a',
          ':',
          '0',
          '1',
          '"a"',
          '-',
          '+',
          '=',
          '==',
          '<',
        ],
        ...[
          '//',
          '?',
          'not',
          'and',
          'length',
          'null',
          'del',
          ' ',
          '\n',
          '#',
          '$',
          '@',
          '\\',
          '.5',
          '1.',
          ';',
          '%',
          'as',
        ],
      ),
      { minLength: 1, maxLength: 7 },
    );
    fc.assert(
      fc.property(tokens, data, (parts, value) => {
        agrees(parts.join(''), value);
      }),
      { numRuns: 20_000 },
    );
  });

  const order = { id: 'o-1', total: 9.5, lines: [{ sku: 'x', n: 2 }], ok: false, none: null, 'a b': { c: 1 } };

  test.each([
    ['', order],
    ['.', order],
    ['.id', 'o-1'],
    ['.missing.deeper', null],
    ['.lines[0].n', 2],
    ['.lines[9]', null],
    ['."a b".c', 1],
    ['.["a b"]["c"]', 1],
    ['.total > 9 and (.ok | not)', true],
    ['.id == "o-1"', true],
    ['.ok // "other"', 'other'],
    ['.missing // .total + 1', 10.5],
    ['{id, sum: .total, list: [.id, .none]}', { id: 'o-1', sum: 9.5, list: ['o-1', null] }],
    ['.id + "/" + .lines[0].sku', 'o-1/x'],
    ['.lines + [1] | length', 2],
    ['.a.b = .id | .a', { b: 'o-1' }],
    ['.total += 0.5 | .total', 10],
    ['del(.lines) | length', 5],
  ])('%s is evaluated without an engine', (source, expected) => {
    expect(runFast(source, order)).toEqual(expected);
    agrees(source, order);
  });

  test.each([
    '.[]',
    '..',
    '.a, .b',
    'map(.a)',
    '.a as $x | $x',
    '"\\(.a)"',
    '.a?//1',
    '1 < 2 < 3',
    '[.a, .b | .c]',
    '.a |= 1',
    '(.a, .b) = 1',
    '9007199254740993',
    '1.0',
    '# comment',
    '$ENV',
    '.a[1:2]',
    '.a[-1]',
    '@json',
    '"a\\n"',
  ])('%s is left to jq', (source) => {
    expect(compileFast(source)).toBeUndefined();
  });

  test('a program nested deeper than the call stack reaches is left to jq', () => {
    expect(compileFast('('.repeat(50_000))).toBeUndefined();
    expect(compileFast(`${'['.repeat(480)}${']'.repeat(480)}`)?.({})).toBeDefined();
  });

  test.each([
    ['.id.x', 'a path through a text'],
    ['.lines.x', 'a name in a list'],
    ['.id + 1', 'a sum of a text and a number'],
    ['.lines == .lines', 'a comparison of lists'],
    ['.total + 1.7976931348623157', 'a number that is not written as it is printed'],
    ['.ok | length', 'a length of a boolean'],
  ])('%s (%s) is left to jq', (source) => {
    expect(runFast(source, order)).toBe(UNSURE);
  });

  test('a sum that no double can hold, and halves of surrogate pairs, are left to jq', () => {
    expect(runFast('.a + .a', { a: 1e308 })).toBe(UNSURE);
    expect(runFast('.a + .b', { a: '\ud83d', b: '\ude00' })).toBe(UNSURE);
  });

  test('names of the prototype are ordinary names', () => {
    expect(runFast('.constructor', {})).toBeNull();
    expect(runFast('.__proto__', {})).toBeNull();
    expect(toJson(runFast('.__proto__ = 1', {}))).toBe('{"__proto__":1}');
    expect(toJson(runFast('.__proto__.constructor.x = 1', {}))).toBe('{"__proto__":{"constructor":{"x":1}}}');
  });

  test('data is never changed', () => {
    const frozen = Object.freeze({ a: Object.freeze({ b: 1 }), l: Object.freeze([1]) });
    expect(runFast('.a.b = 2 | .a.b', frozen)).toBe(2);
    expect(runFast('.l += [2] | .l', frozen)).toEqual([1, 2]);
    expect(runFast('del(.a.b) | .a', frozen)).toEqual({});
    expect(frozen).toEqual({ a: { b: 1 }, l: [1] });
  });
});
