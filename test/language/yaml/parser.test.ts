import { describe, expect, test } from 'vitest';
import { type Node, parseYaml } from '../../../lib/language/yaml/parser.ts';
import fc from '../../fast-check.ts';

function rootOf(source: string): Node {
  const read = parseYaml(source);
  if ('root' in read) return read.root;
  throw new Error(read.problems.map(({ message }) => message).join('\n'));
}

const meaningOf = (source: string): unknown => rootOf(source).value;

/** Returns every problem as `line:column message`; none if the text can be parsed. */
function problemsOf(source: string): string[] {
  const read = parseYaml(source);
  return 'root' in read ? [] : read.problems.map(({ line, column, message }) => `${line}:${column} ${message}`);
}

describe('the parser', () => {
  test.each([
    ['yes', 'yes'],
    ['on', 'on'],
    ['true', true],
    ['False', false],
    ['~', null],
    ['', null],
    ['0x1F', 31],
    ['0o14', 12],
    ['014', 12],
    ['0b11', 3],
    ['1_000', 1000],
    ['1e3', 1000],
    ['-0', 0],
    ['08', 8],
    ['1:30', '1:30'],
    ['2020-01-01', '2020-01-01T00:00:00Z'],
    ['2020-01-01 10:00:00.5', '2020-01-01T10:00:00.5Z'],
    ['2020-02-30', '2020-02-30'],
    ["'5'", '5'],
    ['"\\u00e9"', 'é'],
    ['!!str 5', '5'],
    ['!!float 5', 5],
    ['!!binary aGk=', 'hi'],
    ['|\n  x\n  y\n', 'x\ny\n'],
    ['>-\n  x\n  y\n', 'x y'],
    ['[1, {b: 2}]', [1, { b: 2 }]],
  ])('resolves the scalar %j to %j', (written, value) => {
    expect(meaningOf(`a: ${written}`)).toEqual({ a: value });
  });

  test('gives an alias the value of its anchor', () => {
    expect(meaningOf('a: &x {p: 1}\nb: *x')).toEqual({ a: { p: 1 }, b: { p: 1 } });
  });

  test('adds the entries of merged maps that a map does not have; the first merged map has precedence', () => {
    expect(meaningOf('a: &x {p: 1, q: 1}\nb: {<<: *x, q: 2}')).toEqual({ a: { p: 1, q: 1 }, b: { p: 1, q: 2 } });
    expect(meaningOf('a: &x {p: 1}\nb: {<<: [*x, {p: 2, q: 2}]}')).toMatchObject({ b: { p: 1, q: 2 } });
    expect(meaningOf('"<<": {p: 1}')).toEqual({ '<<': { p: 1 } });
  });

  test('parses the first document only, even if the second is broken', () => {
    expect(meaningOf('a: 1\n---\nb: [')).toEqual({ a: 1 });
    expect(meaningOf('---\na: 1\n...\n: : :')).toEqual({ a: 1 });
  });

  test('accepts a bracket that is closed below its key', () => {
    expect(meaningOf('a: {\nb: 1\n}\nc: [\n2,\n]')).toEqual({ a: { b: 1 }, c: [2] });
  });

  test.each([
    ['in a nested map', 'a:\n  b:\n    c: {\n      d: 1\n    }\n    e: 2\n', { a: { b: { c: { d: 1 }, e: 2 } } }],
    ['behind a comment', 'a: # x\n\n  # y\n  c: [\n    1\n  ]\n', { a: { c: [1] } }],
    ['in a list', "a:\n- b:\n    c: '{\n      d\n    }'\n", { a: [{ b: { c: '{ d }' } }] }],
    [
      'beside a text of several lines',
      'a:\n  some\n  {text\nb:\n  c: {\n    d: 1\n  }\n',
      { a: 'some {text', b: { c: { d: 1 } } },
    ],
  ])('accepts a bracket that is closed below its key %s', (_, text, value) => {
    expect(meaningOf(text)).toEqual(value);
  });

  test.each([
    ['{id: a,\ttype: noop}', { id: 'a', type: 'noop' }],
    ['{\tb: [\t1,\t2\t]\t}', { b: [1, 2] }],
    ['{b:\t"c\td",\te: f\tg}', { b: 'c\td', e: 'f\tg' }],
    ['{a: &x\t1,\tb: *x}', { a: 1, b: 1 }],
  ])('takes tabs between the tokens of a flow collection for blanks, but not those of a text: %j', (text, value) => {
    expect(meaningOf(`k: ${text}`)).toEqual({ k: value });
  });

  test.each([
    ['"x\u2028y"', 'x\u2028y'],
    ['"x \u2028\t y"', 'x\u2028y'],
    ["'it''s\u2029 x'", "it's\u2029x"],
    ['"x\u0085y \\"z"', 'x y "z'],
  ])('folds the line breaks of YAML 1.1 in a quoted text: %j', (text, value) => {
    expect(meaningOf(`k: ${text}`)).toEqual({ k: value });
  });

  test('finds the first document behind a comment with a line separator', () => {
    expect(meaningOf('# a\u2028b\n---\na: 1')).toEqual({ a: 1 });
  });

  test("takes a scalar with an application's own tag for a text", () => {
    expect(meaningOf('a: !own 12\nb: !!own x\nc: !own {d: 1}')).toEqual({ a: '12', b: 'x', c: { d: 1 } });
  });

  test('resolves an empty document to null', () => {
    expect([meaningOf(''), meaningOf('# nothing\n'), meaningOf('---\n')]).toEqual([null, null, null]);
  });

  test('treats a key named __proto__ as an ordinary key', () => {
    const value = meaningOf('__proto__: {x: 1}') as object;
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(JSON.stringify(value)).toBe('{"__proto__":{"x":1}}');
  });

  test('gives every node its position, for every kind of line break', () => {
    for (const lineBreak of ['\n', '\r\n', '\r']) {
      const root = rootOf(['a:', '- b:   "x"', "  'c': |", '    y', ''].join(lineBreak));
      const list = root.kind === 'map' ? root.entries.get('a')?.node : undefined;
      const map = list?.kind === 'list' ? list.items[0] : undefined;
      const entries = map?.kind === 'map' ? [...map.entries.values()] : [];
      expect(entries.map(({ key, line, column }) => [key, line, column])).toEqual([
        ['b', 2, 3],
        ['c', 3, 3],
      ]);
      expect(entries[0]?.node).toMatchObject({ line: 2, column: 8, value: 'x' });
    }
  });

  test('reports positions in the original text, also where lines had to be indented', () => {
    const root = rootOf('a: {\nb: 1\n}\nc: 2');
    const map = root.kind === 'map' ? root.entries.get('a')?.node : undefined;
    expect(map?.kind === 'map' ? map.entries.get('b') : undefined).toMatchObject({ line: 2, column: 1 });
  });
});

describe('a text that is rejected', () => {
  test.each<[source: string, ...problems: string[]]>([
    ['a: 1\na: 2', '2:1 yaml: unmarshal errors:\n  line 2: mapping key "a" already defined at line 1'],
    ['a:\n\tb: 1', '2:1 yaml: line 2: found character that cannot start any token'],
    ['a: &a [*a]', "1:8 yaml: anchor 'a' value contains itself"],
    ['a: *b', "1:4 yaml: unknown anchor 'b' referenced"],
    ['a: [b', '1:5 yaml: line 1: did not find expected node content'],
    ['a: "x', '1:5 yaml: line 1: found unexpected end of stream'],
    ['a: b: c', '1:5 yaml: line 1: mapping values are not allowed in this context'],
    ['a: 1\nb', "2:1 yaml: line 2: could not find expected ':'"],
    ['a: \u0001', '1:4 yaml: line 1: control characters are not allowed'],
    ['a: {1: x}', '1:5 yaml: line 1: mapping key `1` is not text'],
    ['a: {? [b] : c}', '1:7 yaml: line 1: mapping key a list is not text'],
    ['a: .nan', '1:4 yaml: line 1: .nan is not a number in JSON'],
    ['a: !!int x', '1:10 yaml: cannot decode !!str `x` as a !!int'],
    ['a: {<<: 5}', '1:5 yaml: map merge requires map or sequence of maps as the value'],
    ['hello', '1:1 yaml: unmarshal errors:\n  line 1: cannot unmarshal !!str `hello` into map[string]interface {}'],
    ['- a', '1:1 yaml: unmarshal errors:\n  line 1: cannot unmarshal !!seq into map[string]interface {}'],
    [
      'a: {b: 1, b: 2}\nc: *d',
      '1:11 yaml: unmarshal errors:\n  line 1: mapping key "b" already defined at line 1',
      "2:4 yaml: unknown anchor 'd' referenced",
    ],
  ])('%j has its problems at their positions', (source, ...problems) => {
    expect(problemsOf(source)).toEqual(problems);
  });

  test('has a hint to quote a query that needs quotes', () => {
    const read = parseYaml('a: jq({x: .a})');
    expect('problems' in read ? read.problems[0]?.hint : '').toMatch(/quote a query/);
  });
});

const aliases = (count: number): string => `x: &a 1\ny: [${'*a,'.repeat(count)}]`;
const laughs = Array.from({ length: 30 }, (_, at) => `a${at + 1}: &a${at + 1} [${`*a${at},`.repeat(9)}]`);
const wide = Array.from({ length: 2000 }, (_, index) => `k${index}: 1`);

describe('a hostile text', () => {
  test.each([
    ['20 000 open lists', '['.repeat(20_000), /max depth/],
    ['20 000 nested lists', `a: ${'['.repeat(20_000)}${']'.repeat(20_000)}`, /max depth/],
    ['20 000 nested maps', '{a: '.repeat(20_000), /max depth/],
    ['nested lists, one per blank', '- '.repeat(20_000), /max depth/],
    [
      'nested maps, one per line',
      Array.from({ length: 1400 }, (_, at) => `${' '.repeat(at)}a:`).join('\n'),
      /max depth/,
    ],
    [
      'nesting by aliases',
      Array.from(
        { length: 3 },
        (_, at) => `a${at + 1}: &a${at + 1} ${'['.repeat(90)}${at ? `*a${at}` : 1}${']'.repeat(90)}`,
      ).join('\n'),
      /max depth/,
    ],
    ['10 000 aliases', aliases(10_000), /excessive aliasing/],
    ['lists of lists of aliases', ['a0: &a0 [1]', ...laughs].join('\n'), /excessive aliasing/],
    ['a long text with many aliases', `a: &a ${'x'.repeat(100_000)}\nb: [${'*a,'.repeat(100)}]`, /excessive aliasing/],
    [
      'a map with many keys, merged many times',
      `a: &a {${wide.join(', ')}}\nb: [${'{<<: *a},'.repeat(200)}]`,
      /excessive merging/,
    ],
    ['a document that is too long', `a: ${'x'.repeat(2 ** 20)}`, /longer than/],
  ])('is rejected: %s', (_, source, message) => {
    expect(problemsOf(source)).toContainEqual(expect.stringMatching(message));
  });

  test('gets messages of limited length, although they quote long names', () => {
    const anchors = Array.from({ length: 20 }, (_, at) => `k${at}: &${'a'.repeat(40_000)}${at} 1\n`);
    const read = parseYaml(`${anchors.join('')}x: [${'*b,'.repeat(1000)}]`);
    const problems = 'problems' in read ? read.problems : [];
    expect(problems).toHaveLength(100);
    expect(JSON.stringify(problems).length).toBeLessThan(200_000);
  });

  test('is not one with a hundred aliases', () => {
    expect(problemsOf(aliases(100))).toEqual([]);
  });

  test.each([
    'a:',
    'a: ',
    '"',
    "'",
    '? ',
    '&a ',
    '!a ',
    '---\n',
    '%a\n',
    ' ',
    '\t',
    '\r',
    '|',
    'a: [\n]\n',
    '"": ',
    '[{',
    '#',
    ' #',
  ])('of a megabyte of %j gets an answer', (piece) => {
    const read = parseYaml(piece.repeat(Math.floor(2 ** 20 / piece.length)));
    expect('root' in read || read.problems.length > 0).toBe(true);
  });
});

test('JSON is parsed as YAML with the same value', () => {
  const object = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 5 }));
  fc.assert(
    fc.property(object, fc.constantFrom(0, 2), (value, indent) => {
      const json = JSON.stringify(value, undefined, indent);
      expect(JSON.stringify(meaningOf(json))).toBe(JSON.stringify(JSON.parse(json)));
    }),
  );
});
