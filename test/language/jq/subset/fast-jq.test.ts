import type { Jq } from 'jq-wasm/inline';
import { beforeAll, describe, expect, test } from 'vitest';
import { compileFast, UnknownOutcomeError } from '../../../../lib/language/jq/subset/fast-jq.ts';
import { toJson } from '../../../../lib/language/json.ts';
import { loadTranslating, runTranslated } from '../translated.ts';

let jq: Jq;
beforeAll(async () => {
  jq = await loadTranslating();
});

const LEFT_TO_JQ = Symbol('left to jq-wasm');

function runFast(program: string, data: unknown): unknown {
  const compiled = compileFast(program);
  if (compiled === undefined) return LEFT_TO_JQ;
  try {
    return compiled(data);
  } catch (error) {
    if (error instanceof UnknownOutcomeError) return LEFT_TO_JQ;
    throw error;
  }
}

/** Returns the first two outputs of jq-wasm, or its error message. */
function runReal(program: string, data: unknown): unknown {
  const source = program === '' ? '.' : program;
  const frame = (text: string): string => `[limit(2;\n${text}\n)]`;
  const { stdout, stderr, exitCode } = runTranslated(jq, [source], data, frame);
  return exitCode === 0 ? JSON.parse(stdout) : stderr;
}

/** Expects the outputs of the fast evaluator to be those of jq; a program that it leaves to jq-wasm passes. */
function expectAgreement(program: string, data: unknown): void {
  const fast = runFast(program, data);
  if (fast === LEFT_TO_JQ) return;
  expect(toJson(fast), `${program} on ${toJson(data)}`).toBe(toJson(runReal(program, data)));
}

describe('the fast evaluator', () => {
  const order = { id: 'o-1', total: 9.5, lines: [{ sku: 'x', n: 2 }], ok: false, none: null, 'a b': { c: 1 } };

  test.each([
    ['', order],
    ['.id', 'o-1'],
    ['.missing.deeper', null],
    ['.lines[0].n', 2],
    ['.lines[-1].sku', 'x'],
    ['.lines[9]', null],
    ['."a b".c', 1],
    ['.["a b"]["c"]', 1],
    ['.lines[1:]', []],
    ['.id[2:]', '1'],
    ['.id.x?', undefined],
    ['.total > 9 and (.ok | not)', true],
    ['.lines == [{n: 2, sku: "x"}]', true],
    ['.missing // .total + 1', 10.5],
    ['{id, sum: .total, list: [.id, .none]}', { id: 'o-1', sum: 9.5, list: ['o-1', null] }],
    ['.id + "/" + .lines[0].sku', 'o-1/x'],
    ['"order \\(.id), \\(.lines | length) line, \\(.total)"', 'order o-1, 1 line, 9.5'],
    ['.lines | map(.n * 3) | add', 6],
    ['[.lines[] | select(.n > 1) | .sku] | join(",")', 'x'],
    ['if .ok then "yes" elif .total > 9 then "much" else "no" end', 'much'],
    ['.id as $id | [.lines[] | {$id, sku}]', [{ id: 'o-1', sku: 'x' }]],
    ['.a.b = .id | .a', { b: 'o-1' }],
    ['.lines |= map(.n += 1) | .lines[0].n', 3],
    ['(.lines[] | select(.sku == "x")).n *= 5 | .lines[0].n', 10],
    ['del(.lines, .none, .id, .ok)', { 'a b': { c: 1 }, total: 9.5 }],
    ['with_entries(select(.key | startswith("i")))', { id: 'o-1' }],
    ['[to_entries[].key]', ['a b', 'id', 'lines', 'none', 'ok', 'total']],
    ['.id, .total', 'o-1'],
    ['empty', undefined],
  ])('evaluates %s', (source, expected) => {
    expect(runFast(source, order)).toSatisfy((outputs: unknown) => Array.isArray(outputs));
    expect((runFast(source, order) as unknown[])[0]).toEqual(expected);
    expectAgreement(source, order);
  });

  test('returns at most two outputs and runs no further', () => {
    expect(runFast('.[]', [1, 2, 3, 4])).toEqual([1, 2]);
    expect(runFast('1, 2, .a.b.c', { a: 1 })).toEqual([1, 2]);
  });

  test.each([
    '..',
    '.a?//1',
    '1 < 2 < 3',
    '9007199254740993',
    '1.0',
    '# comment',
    '$ENV',
    '$__loc__',
    '@json',
    'test("a")',
    'reduce .[] as $x (0; . + $x)',
    'def f: 1; f',
    'try error("x") catch .',
    '. as [$a] | $a',
    'now',
    'input',
    'limit(1; .[])',
    '1 + 2 as $x | $x',
    '-1 as $x | [$x]',
    '{a: 1 as $x | $x}',
    '.[1:] as [$x] | $x',
    '.[1:] = []',
    '"\\u{1f600}"',
  ])('leaves the program %s to jq-wasm', (source) => {
    expect(compileFast(source)).toBeUndefined();
  });

  test('leaves a program that is nested too deeply for the call stack to jq-wasm', () => {
    expect(compileFast('('.repeat(50_000))).toBeUndefined();
    expect(compileFast(`${'['.repeat(190)}${']'.repeat(190)}`)?.({})).toBeDefined();
    expect(compileFast('('.repeat(990))).toBeUndefined();
  });

  test.each([
    ['.id.x', 'a path through a string'],
    ['.lines.x', 'a key of an array'],
    ['.id + 1', 'a sum of a string and a number'],
    ['.total / 0', 'a division by zero'],
    ['.ok | length', 'a length of a boolean'],
    ['[.a[]?] | add | keys', 'the keys of null'],
    ['1000000 * 1000000000 | tostring', 'a large number as a string'],
    ['0.00001 | tostring', 'a small number as a string'],
    ['"1.50" | tonumber', 'a number in another notation than it is printed'],
    ['.id * 0', 'a string repeated zero times'],
    ['[range(1e9)]', 'more work than the limit'],
    ['[range(1000000000)]', 'more work than the limit'],
    ['"0123456789" * 1000000', 'a string that is too long'],
    [`.id | ${'. + . | '.repeat(100)} length`, 'a string doubled again and again'],
    [`[.] ${'| [., .]'.repeat(60)}`, 'an array that contains its predecessor twice, again and again'],
    [`[.] ${'| [., .]'.repeat(60)} | tojson`, 'such an array as a string'],
    [`[.] ${'| . + .'.repeat(60)}`, 'an array doubled again and again'],
    ['("0123456789" * 50000) as $x | [range(500) | "\\($x)\\(.)"] | sort', 'many long strings'],
    [`[${'(1, 2) | '.repeat(60)} 3]`, 'outputs doubled again and again'],
  ])('leaves %s (%s) to jq-wasm', (source) => {
    expect(runFast(source, order)).toBe(LEFT_TO_JQ);
  });

  const astral = { '\u{1f600}': 1, '\uffff': 2, b: 3, B: 4, é: 5, '10': 6, '9': 7 };
  const list = [3, 'a', null, { b: 1 }, [2], true, 1.5, { a: 9 }, [1, 9], false, 'B', -0, {}];

  test.each([
    ['keys', astral],
    ['to_entries', astral],
    ['[.[]]', astral],
    ['tojson', astral],
    ['keys', { z: 1, a: 2 }],
    ['[.[] | . + 1]', { z: 1, a: 2 }],
    ['with_entries(.value += 1) | tojson', { z: 1, a: 2 }],
    ['{z: 1} + . | tojson', { z: 3, a: 2 }],
    ['. + {a: 1, "0": 2} | keys_unsorted', { z: 3, a: 2 }],
    ['.a = 5 | .y = 1 | del(.a) | .a = 2 | tojson', { z: 3, a: 2 }],
    ['{b: 1, a: 2} | tojson, tostring, "\\(.)"', null],
    ['{a: {b: 1}, c: 1} * {a: {d: 2}, c: {e: 1}}', null],
    ['"ab" * 3, 2 * "x"', null],
    ['"ab" * 0', null],
    ['"ab" * -1', null],
    ['"ab" * 1.5', null],
    ['"a,b" / ",", "" / ","', null],
    ['"é\u{1f600}" / ""', null],
    ['null + 1, null + null', null],
    ['null - 1', null],
    ['[1, 2, 1] - [1]', null],
    ['.[2:1], .[-3:-1]', [1, 2, 3, 4]],
    ['.[-9:2], .[3:99]', [1, 2, 3, 4]],
    ['.[-1], .[-9]', [1, 2]],
    ['.[1:], .[-1:]', 'é\u{1f600}a'],
    ['.[0.5], .[1.7]', [1, 2]],
    ['tostring', Number.MAX_VALUE],
    ['map(tostring)', [1e17, 1e-5, 0.0001, 1e15, 123456789012345, -0]],
    ['.[0] + .[1] | tostring', [0.1, 0.2]],
    ['"\\(.[0] + .[1])"', [0.1, 0.2]],
    ['-0, -(0)', null],
    ['-., . * -1', 0],
    ['[-., . + 0, . * 1]', -0],
    ['[.[] | floor, ceil, round]', [-0.4, 0.5, -2.5, 2.5, 1e300]],
    ['5 % 3, -5 % 3', null],
    ['5.9 % 3.2, -6 % 3', null],
    ['1 / 3, 1e3', null],
    ['1 % 0', null],
    ['infinite, nan', null],
    ['nan < nan, [nan] == [nan]', null],
    ['[nan, 1, null] | sort', null],
    ['sort', list],
    ['unique', [...list, ...list]],
    ['min, max', list],
    ['group_by(type)', list],
    ['sort_by(.a, -.b)', [{ a: 1, b: 1 }, { a: 1, b: 2 }, { b: 0 }]],
    [
      'min_by(.a), max_by(.a)',
      [
        { a: 1, n: 1 },
        { a: 1, n: 2 },
      ],
    ],
    ['sort', ['\u{1f600}', '\uffff', 'a', 'Z', 'é', '']],
    ['(.a.b)?, 1', { a: 5 }],
    ['[.[] | .a?]', [{ a: 1 }, 2, 'x', null]],
    ['[(.[] | .a)?]', [{ a: 1 }, 2, { a: 3 }]],
    ['.a // error("x")', { a: 1 }],
    ['[.[] // 3]', [null, false]],
    ['map_values(empty)', { a: 1 }],
    ['.[] |= empty', [1, 2, 3]],
    ['del(.[0, 2], .[0])', [1, 2, 3]],
    ['del(.)', [1]],
    ['.a += (1, 2)', {}],
    ['(.a, .b) = (1, 2)', {}],
    ['[(1, 2) + (10, 20)], [(true, false) or (false, true)]', null],
    ['[{a: (1, 2), b: (3, 4)} | tojson], ["\\(1, 2)-\\(3, 4)"]', null],
    [
      '[.[0, 1][0, 1]], [.[(0, 1):(1, 2)]]',
      [
        [1, 2],
        [3, 4],
      ],
    ],
    ['any, all', [null, 1]],
    ['any(.a), add', [{ a: 1 }, 5]],
    ['add, (.[0] | add)', [[1], [2]]],
    ['add', []],
    ['flatten, flatten(1)', [1, [2, [3]]]],
    [
      'from_entries',
      [
        { key: 'a', value: null },
        { key: 'b', value: false },
      ],
    ],
    ['from_entries', [{ name: 'a', value: 1 }, { key: 'b' }]],
    ['join("-")', ['a', 1, null, true, 0.5]],
    ['ltrimstr("a"), rtrimstr("a")', 'aXa'],
    ['rtrimstr(""), ltrimstr("aXa")', 'aXa'],
    ['ascii_upcase, ascii_downcase', 'aéÉZ'],
    ['trim', '\u00a0a '],
    ['tojson', '\u007f\u0001\u2028</"\\'],
    ['fromjson', '{"b":[1.5,"x"],"a":null}'],
    ['fromjson | tojson', ' {"b": 1, "a": 2}'],
    ['fromjson', '[1.0]'],
    ['fromjson', 'nan'],
    ['contains({a: ["x"]}), contains({a: []})', { a: ['xy'], b: 1 }],
    ['index("x"), index("")', 'é\u{1f600}x'],
    ['[range(0, 1; 3, 4)], [range(2.5)]', null],
    ['first(.[]), [first(empty)]', [1, 2]],
    ['. as $x | 1 as $y | [$x, $y, (2 as $x | $x), $x]', 0],
    ['{a: 1,}, (.k | 1 # a comment\n), [.k[]?.a], (.k[].a)?', { k: 'z' }],
    ['"k" as $x | {$x: 5}, {"x\\(1)"}, 1 + (2 as $x | $x), -(2 as $x | $x)', {}],
    ['[(.[] | .a)?], [.[].a?], [(.[].a)?]', [{ a: 1 }, 2, { a: 3 }]],
    ['{"a b": 1, (.k): 2, "x\\(1)": 3, if: 4} | tojson', { k: 'z' }],
    ['{(.k): 1}', { k: 1 }],
    ['length, utf8bytelength', 'é\u{1f600}'],
    ['.a[2] = 1, .a[-1] = 1', {}],
    ['has(0, 2), has(-1)', [1, 2]],
  ])('gives the outputs of jq for %s, or none (%#)', (source, value) => {
    expectAgreement(source, value);
  });

  test('leaves an overflow and halves of surrogate pairs to jq-wasm', () => {
    expect(runFast('.a + .a', { a: 1e308 })).toBe(LEFT_TO_JQ);
    expect(runFast('.a + .b', { a: '\ud83d', b: '\ude00' })).toBe(LEFT_TO_JQ);
    expect(runFast('keys', { '\ud83d': 1 })).toBe(LEFT_TO_JQ);
    expect(runFast('.[.k]', { '\ud83d': 1, k: '\ufffd' })).toBe(LEFT_TO_JQ);
  });

  test('leaves values that are nested too deeply for the call stack to jq-wasm', () => {
    let deep: unknown = 1;
    for (let depth = 0; depth < 50_000; depth += 1) deep = [deep];
    for (const source of ['tojson', '. == [.]', 'flatten', '[.]', 'sort'])
      expect(runFast(source, deep)).toSatisfy(Boolean);
    expect(runFast('tojson', deep)).toBe(LEFT_TO_JQ);
    expect(runFast('flatten', deep)).toBe(LEFT_TO_JQ);
  });

  test('sorts the keys of an object that another program constructed', () => {
    const made = (runFast('{z: 1, a: {y: 1, b: 2}}', null) as unknown[])[0];
    expect(runFast('tojson', made)).toEqual(['{"a":{"b":2,"y":1},"z":1}']);
    expect(runFast('keys_unsorted', made)).toEqual([['a', 'z']]);
  });

  test('treats names of the object prototype as ordinary names', () => {
    expect(runFast('.constructor', {})).toEqual([null]);
    expect(runFast('.__proto__', {})).toEqual([null]);
    expect(toJson(runFast('.__proto__ = 1', {}))).toBe('[{"__proto__":1}]');
    expect(toJson(runFast('.__proto__.constructor.x = 1', {}))).toBe('[{"__proto__":{"constructor":{"x":1}}}]');
    expect(compileFast('constructor')).toBeUndefined();
    expect(compileFast('toString')).toBeUndefined();
  });

  test('never changes the input', () => {
    const frozen = Object.freeze({ a: Object.freeze({ b: 1 }), l: Object.freeze([3, 1]) });
    expect(runFast('.a.b = 2 | .a.b', frozen)).toEqual([2]);
    expect(runFast('.l += [2] | .l', frozen)).toEqual([[3, 1, 2]]);
    expect(runFast('.l[] += 1 | .l', frozen)).toEqual([[4, 2]]);
    expect(runFast('.l |= sort | .l', frozen)).toEqual([[1, 3]]);
    expect(runFast('(.l | reverse), (.l | del(.[0]))', frozen)).toEqual([[1, 3], [1]]);
    expect(runFast('del(.a.b) | .a', frozen)).toEqual([{}]);
    expect(runFast('.x = .a | .x.b = 5 | [.a, .x]', frozen)).toEqual([[{ b: 1 }, { b: 5 }]]);
    expect(frozen).toEqual({ a: { b: 1 }, l: [3, 1] });
  });
});
