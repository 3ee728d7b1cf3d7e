import fc, { type Arbitrary } from 'fast-check';
import { ExactNumber } from '../../../../lib/language/json-numbers.ts';

/** Random programs and documents for the comparison of the two evaluators; most of the programs do not fail. */

const KEYS = ['a', 'b', 'c', 'list', 'x y', 'é', '10', '9', '__proto__', 'constructor', '\u{1f600}', '\uffff'];

const text = fc.oneof(
  fc.constantFrom(
    '',
    'a',
    'b',
    'ab',
    'abab',
    'a,b',
    ' a ',
    'Z',
    'É',
    '12',
    '-1.5',
    '{"a":1}',
    '[1, 2]',
    'null',
    '\u007f',
  ),
  fc.constantFrom('\u{1f600}', '\uffff', '\u00a0a', 'a"b', 'a\\b', 'a\nb'),
  fc.string({ unit: 'grapheme', maxLength: 4 }),
);

/** Numbers that a double would change. */
export const exactNumber = fc.constantFrom(
  ...['9007199254740993', '-9223372036854775808', '18446744073709551615', '0.1000000000000000055', '1E-400'].map(
    (text) => new ExactNumber(text),
  ),
);

const number = fc.oneof(
  { arbitrary: fc.integer({ min: -3, max: 12 }), weight: 6 },
  fc.constantFrom(-0, 0.5, -0.5, 2.5, 0.1, 0.2, 1e15, 123456789012345, 1e17, 1e21, 1e-4, 1e-5, 5e-324, 2 ** 53),
  fc.constantFrom(1.7976931348623157e308, -1e300, 0.30000000000000004, 99999.5),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  exactNumber,
);

const scalar = fc.oneof(fc.constantFrom(null, false, true), number, text);

function objects<T>(member: Arbitrary<T>): Arbitrary<Record<string, T>> {
  return fc.dictionary(fc.constantFrom(...KEYS), member, { maxKeys: 4 });
}

const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    scalar,
    fc.array(tie('value'), { maxLength: 4 }),
    objects(tie('value')),
  ),
}));

/** Documents: objects like the data of workflows, arrays, and any JSON value. */
export const document: Arbitrary<unknown> = fc.oneof(
  value,
  fc.array(number, { maxLength: 5 }),
  fc.array(text, { maxLength: 5 }),
  fc.record({
    a: fc.oneof(number, value),
    b: fc.oneof(text, value),
    c: fc.oneof(objects(scalar), value),
    list: fc.array(fc.oneof(fc.record({ a: number, b: text }), scalar), { maxLength: 4 }),
  }),
);

const blank = fc.constantFrom('', '', '', ' ', '\n', '\t ');

const quoted = fc.constantFrom(
  ...KEYS.map((key) => `"${key}"`),
  '"\\u00e9"',
  '"a\\nb"',
  '","',
  '""',
  '"ab"',
  '"a"',
  '" "',
);

const literal = fc.oneof(
  quoted,
  fc.constantFrom('0', '1', '2', '3', '-1', '-2', '2.5', '0.1', '10', '100000000000000', '-0', '1.0', '1e3', '0.0001'),
  fc.constantFrom('true', 'false', 'null', '[]', '{}', '[1,2,1]', '{a:1}', '{b:2,a:[1]}', '{"10":1,"9":2}'),
);

const FIELDS = [
  '.a',
  '.b',
  '.c',
  '.list',
  '.constructor',
  '.__proto__',
  '."x y"',
  '.["a"]',
  '.list[0]',
  '.["10"]',
  '.é',
];
const path = fc.oneof(
  { arbitrary: fc.constantFrom('.', '.', ...FIELDS.slice(0, -1)), weight: 4 },
  fc.constantFrom('.[0]', '.[-1]', '.[1]', '.[7]', '.[]', '.[]?', '.a?', '.list[]', '.c[]', '.list[].a', '.list[].a?'),
  fc.constantFrom(
    '.[1:]',
    '.[:2]',
    '.[-2:]',
    '.[1:-1]',
    '.list[:1]',
    '.b[1:]',
    '.b[-1:]?',
    '.a.b?',
    '.c.a.b',
    '.["a","b"]',
  ),
);

const NULLARY =
  'not length keys keys_unsorted type add any all tostring tojson tonumber fromjson to_entries from_entries reverse ' +
  'flatten sort unique min max ascii_downcase ascii_upcase trim ltrim rtrim floor ceil round sqrt fabs abs values ' +
  'nulls booleans numbers strings arrays objects iterables scalars empty first last utf8bytelength';
const UNARY =
  'map map_values select sort_by group_by unique_by min_by max_by any all with_entries first last add range has in ' +
  'contains inside index join split startswith endswith ltrimstr rtrimstr flatten';

const called = fc.constantFrom(...NULLARY.split(' '));
const applied = fc.constantFrom(...UNARY.split(' '));
const infix = fc.constantFrom(
  ...['+', '-', '*', '/', '%', '==', '!=', '<', '<=', '>', '>=', ' and ', ' or ', '//', '|', '|', '|', ','],
);
const update = fc.constantFrom('=', '|=', '+=', '-=', '*=', '/=', '%=', '//=');
const name = fc.constantFrom('a', 'b', 'if', '"x y"', '"10"', '"9"', '"__proto__"', '"\\(.a)"', '(.b)', '"k\\(1,2)"');

const joined = (...parts: Arbitrary<string>[]): Arbitrary<string> => fc.tuple(...parts).map((texts) => texts.join(''));
const just = (...texts: [string, ...string[]]): Arbitrary<string> => fc.constantFrom(...texts);
const separated = (part: Arbitrary<string>, by: string, minLength = 0): Arbitrary<string> =>
  fc.array(part, { minLength, maxLength: 3 }).map((texts) => texts.join(by));

type Tie = (key: 'program') => Arbitrary<string>;

const lookups = (tie: Tie): Arbitrary<string>[] => [
  joined(just('('), tie('program'), just(')', ')?', ')[]', ').a', ')[0]', ')[1:]')),
  joined(
    just('.list|', '.c|', '.[]|', '.list[]|', '.list|map(', '[.[]|').map((head) => `(${head}`),
    tie('program'),
    just(''),
  ).map(
    (one) =>
      `${one}${one.includes('map(') && one.startsWith('(.list|map(') ? ')' : ''}${one.startsWith('([') ? ']' : ''})`,
  ),
  joined(path, just('['), tie('program'), just(']', ']?')),
  joined(path, just('[('), tie('program'), just('):('), tie('program'), just(')]', ')]?')),
];

const constructions = (tie: Tie): Arbitrary<string>[] => [
  joined(just('['), separated(tie('program'), ', '), just(']')),
  fc
    .array(fc.tuple(name, tie('program')), { maxLength: 3 })
    .map((members) => `{${members.map(([key, part]) => `${key}: (${part})`).join(', ')}}`),
  joined(just('{'), separated(just('a', 'b', '"x y"', 'and', '"c"', 'a:1', 'b:.a', 'c:-1', 'a:1|2'), ','), just('}')),
  joined(
    just('"'),
    separated(joined(just('a', '', ' '), just('\\('), tie('program'), just(')')), 'é'),
    just('"', '\\t"'),
  ),
];

const controls = (tie: Tie): Arbitrary<string>[] => [
  joined(just('if '), tie('program'), just(' then '), tie('program'), just(' end')),
  joined(just('if '), tie('program'), just(' then '), tie('program'), just(' else '), tie('program'), just(' end')),
  joined(just('if .a then 1 elif '), tie('program'), just(' then '), tie('program'), just(' else 2 end')),
  joined(
    just('('),
    path,
    just(' as $x | '),
    tie('program'),
    just(' | ', ','),
    just('$x', '[$x,.]', '{$x}', '"\\($x)"'),
    just(')'),
  ),
  joined(just('(('), tie('program'), just(') as $y | ($y) as $x | '), tie('program'), just(' | $x + $y)')),
];

const changes = (tie: Tie): Arbitrary<string>[] => [
  joined(just('('), path, update, blank, tie('program'), just(')')),
  joined(just('(('), tie('program'), just(')'), update, tie('program'), just(')')),
  joined(just('del('), separated(path, ', ', 1), just(')')),
  joined(just('del('), tie('program'), just(')')),
  joined(path, just(' |= '), just('empty', 'select(.)', '.+1', 'tostring', '(.,1)', '[.]', 'length')),
];

/** Programs of the whole subset and a little beyond. */
export const program: Arbitrary<string> = fc.letrec<{ program: string }>((tie) => ({
  program: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    { arbitrary: path, weight: 3 },
    literal,
    called,
    joined(path, just('|', ' | '), called),
    ...lookups(tie),
    joined(tie('program'), blank, infix, blank, tie('program')),
    joined(tie('program'), infix, tie('program')),
    joined(just('-'), tie('program')),
    joined(applied, just('('), tie('program'), just(')')),
    joined(path, just('|'), applied, just('('), fc.oneof(path, literal, tie('program')), just(')')),
    joined(just('.[]|'), tie('program')),
    joined(just('range('), tie('program'), just(';'), tie('program'), just(')')),
    ...constructions(tie),
    ...controls(tie),
    ...changes(tie),
  ),
})).program;

const TOKENS =
  '. .a .. | , [ ] ( ) { } a : 0 1 "a" - + * / % = == < // |= += //= ? not and or length null del map( if then else ' +
  'elif end as $x $y "\\( ) " \\ # $ @ .5 1. ; ?// :: 1.0 $ENV $__loc__ "x\\(.a)y" reduce try .[ .a[ range( first';

/** jq's tokens in any order. */
export const tokens: Arbitrary<string> = fc
  .array(fc.tuple(fc.constantFrom(...TOKENS.split(' ')), fc.constantFrom('', '', ' ', '\n')), {
    minLength: 1,
    maxLength: 8,
  })
  .map((parts) => parts.flat().join(''));
