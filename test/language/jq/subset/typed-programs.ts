import fc, { type Arbitrary, type LetrecTypedTie } from 'fast-check';

import { exactNumber } from './programs.ts';

/** Random programs whose filters mostly get input of the type that they expect, with documents for them. */

const number = fc.oneof(
  { arbitrary: fc.integer({ min: -20, max: 20 }), weight: 6 },
  { arbitrary: fc.constantFrom(0.5, -2.5, 0.1, 1e15, 123456.789, 1e-5, -0), weight: 6 },
  exactNumber,
);
const text = fc.oneof(
  fc.constantFrom(
    '',
    'a',
    'B',
    'a,b',
    ' x ',
    '12',
    '3.50',
    '[1,{"b":1,"a":[]}]',
    '\uffff',
    '\u{1f600}',
    'É',
    '\u007f"',
  ),
  fc.string({ unit: 'grapheme', maxLength: 3 }),
);
const keys = fc.constantFrom('a', 'b', 'c', '10', '9', 'é', '\uffff', '\u{1f600}', '__proto__');
const scalar = fc.oneof(number, text, fc.constantFrom(null, true, false));

const common = {
  a: number,
  b: text,
  c: fc.dictionary(keys, scalar, { maxKeys: 4 }),
  numbers: fc.array(number, { maxLength: 5 }),
  words: fc.array(text, { maxLength: 3 }),
};
const mixed = fc.oneof(scalar, fc.array(scalar, { maxLength: 2 }), fc.dictionary(keys, scalar, { maxKeys: 2 }));

/** Documents. The elements of `list` have the members of the document, so that the same filters suit both. */
export const typedDocument: Arbitrary<unknown> = fc.record({
  ...common,
  list: fc.array(fc.record({ ...common, list: fc.constant([]), mixed: fc.constant([1, 'a']) }), { maxLength: 4 }),
  mixed: fc.array(mixed, { maxLength: 5 }),
});

interface Parts {
  number: string;
  text: string;
  list: string;
  object: string;
  truth: string;
  any: string;
}

type Tie = LetrecTypedTie<Parts>;

/** Replaces each of `N T L O B X` (number, text, list, object, boolean, anything) in a form by a random program. */
function form(tie: Tie, ...forms: [string, ...string[]]): Arbitrary<string> {
  const kinds: Readonly<Record<string, keyof Parts>> = {
    N: 'number',
    T: 'text',
    L: 'list',
    O: 'object',
    B: 'truth',
    X: 'any',
  };
  const each = forms.map((one) => {
    const pieces = one.split(/([NTLOBX])/);
    return fc
      .tuple(...pieces.map((piece) => (kinds[piece] ? tie(kinds[piece]) : fc.constant(piece))))
      .map((p) => p.join(''));
  });
  return fc.oneof(...each);
}

const numbers = (tie: Tie): Arbitrary<string>[] => [
  fc.constantFrom('.a', '.a', '1', '2', '10', '-3', '0.5', '.list[0].a', '.numbers[-1]'),
  form(tie, '(N + N)', '(N - N)', '(N * N)', '(N / N)', '(N % N)', '-N', '(.a // N)', '(L|length)', '(T|length)'),
  form(tie, '(.numbers|add)', '(L|map(N)|add)', '(N|floor)', '(N|ceil)', '(N|round)', '(N|abs)', '(N|fabs|sqrt)'),
  form(
    tie,
    '(T|tonumber)',
    '(.numbers|min)',
    '(.numbers|max)',
    '(T|index(T))',
    '(X|length)',
    '(.words|map(length)|add)',
  ),
];

const texts = (tie: Tie): Arbitrary<string>[] => [
  fc.constantFrom('.b', '.b', '"a"', '","', '"\\u00e9\\n"', '""', '.words[0]', '.list[0].b'),
  form(tie, '(T + T)', '(N|tostring)', '"\\(X)é"', '"\\(N):\\(T)"', '(X|tojson)', '(X|tostring)', '(.words|join(T))'),
  form(
    tie,
    '(T|ascii_downcase)',
    '(T|ascii_upcase)',
    '(T[1:])',
    '(T[N:])',
    '(T[:-1])',
    '(X|type)',
    '(T * 2)',
    '(T|trim)',
  ),
  form(
    tie,
    '(T|ltrimstr(T))',
    '(T|rtrimstr(T))',
    '(.words|add)',
    '(L|map(tostring)|join("-"))',
    '(T|ltrim)',
    '(T|rtrim)',
  ),
];

const lists = (tie: Tie): Arbitrary<string>[] => [
  fc.constantFrom('.list', '.list', '.numbers', '.words', '.mixed', '[]', '[1,2,1]', '.list[:2]', '.mixed[1:]'),
  form(
    tie,
    '[X]',
    '[X, X]',
    '(L + L)',
    '(L - L)',
    '(L|map(X))',
    '(L|reverse)',
    '(.mixed|sort)',
    '(.mixed|unique)',
    '(L|flatten)',
  ),
  form(
    tie,
    '(.list|sort_by(X))',
    '(.list|group_by(X))',
    '(.list|unique_by(X))',
    '(.list|sort_by(-.a, .b))',
    '(L|flatten(1))',
  ),
  form(
    tie,
    '(T / T)',
    '(T|split(","))',
    '(O|keys)',
    '(O|keys_unsorted)',
    '(O|to_entries)',
    '(.list|map(select(B)))',
    '[L[]]',
  ),
  form(
    tie,
    '[range(5)]',
    '[range(N;5)]',
    '[L[]|X]',
    '(L[N:N])',
    '(L|.[0] = X)',
    '(L|map_values(X))',
    '(.list|map(.a += N))',
  ),
  form(
    tie,
    '[.list[]|select(B)|X]',
    '(L|del(.[0]))',
    '(L|del(.[]|select(. == X)))',
    '[L[]?, X]',
    '(L|.[1] |= X)',
    '[O[]]',
  ),
];

const objects = (tie: Tie): Arbitrary<string>[] => [
  fc.constantFrom('.c', '.c', '{}', '{b: 1, a: 2}', '.', '.list[0]', '{a, b}', '{"10": 1, "9": 2}'),
  form(
    tie,
    '{b: X, a: X}',
    '{a: X, (T): X}',
    '(O + O)',
    '(O * O)',
    '(O|with_entries(.value = X))',
    '(O|map_values(X))',
  ),
  form(
    tie,
    '(O|.a = X)',
    '(O|.z.y = X)',
    '(O|del(.a))',
    '(O|.a += N)',
    '(O|.b |= X)',
    '(O|.a //= X)',
    '(O|del(.a, .b))',
  ),
  form(
    tie,
    '(O|to_entries|from_entries)',
    '(.list[]|{a, c: X})',
    '(.list|max_by(X))',
    '(.list|min_by(.a))',
    '(O|.c.b = X)',
  ),
  form(
    tie,
    '(O|with_entries(select(.key != T)))',
    '(.list |= map(X))',
    '(.list[].a |= X)',
    '(.numbers[] += N)',
    '(.a, .b) = X',
  ),
  form(tie, '(O|tojson|fromjson)', '(.list |= map(select(B)))', '(.list[] |= (.x = X))', '((.list[]|select(B)).b = X)'),
];

const truths = (tie: Tie): Arbitrary<string>[] => [
  form(
    tie,
    '(N > N)',
    '(N <= N)',
    '(T == T)',
    '(X < X)',
    '(X == X)',
    '(X != X)',
    '(X >= X)',
    '(B and B)',
    '(B or B)',
    '(X|not)',
  ),
  form(
    tie,
    '(O|has(T))',
    '(L|any(B))',
    '(L|all(B))',
    '(T|startswith(T))',
    '(T|endswith(T))',
    '(T|contains(T))',
    '(L|any)',
  ),
  form(
    tie,
    '(L|contains(L))',
    '(O|contains(O))',
    '(T|in(O))',
    '(L|inside(L))',
    '(T|test("a"))',
    '(O|all)',
    '(L|has(N))',
  ),
];

const anything = (tie: Tie): Arbitrary<string>[] => [
  form(tie, 'N', 'T', 'L', 'O', 'B', 'N', 'T', 'L', 'O', '(X // X)', '(.zz // X)', '(if B then X else X end)'),
  form(
    tie,
    '(if B then X elif B then X else X end)',
    '(X as $x | [$x, X])',
    '(X as $x | {$x, a: X} | tojson)',
    '(if B then X end)',
  ),
  form(
    tie,
    '(L[0])',
    '(L[-1])',
    '(O|.a)',
    '(O[T])',
    '(L|first)',
    '(L|last)',
    '(L|min)',
    '(L|max)',
    '(X|values)',
    '(X, X)',
    '(L[]?)',
  ),
  form(
    tie,
    '(O|add)',
    'first(L[])',
    'last(L[])',
    '(X|strings)',
    '(X|scalars)',
    '(X|.a?)',
    '(X)?',
    'null',
    '(O[])',
    '(X|empty)',
  ),
];

/** Programs of any result type. */
export const typedProgram: Arbitrary<string> = fc.letrec<Parts>((tie) => {
  const of = (parts: Arbitrary<string>[]): Arbitrary<string> =>
    fc.oneof({ depthSize: 'small', withCrossShrink: true }, ...parts);
  return {
    number: of(numbers(tie)),
    text: of(texts(tie)),
    list: of(lists(tie)),
    object: of(objects(tie)),
    truth: of(truths(tie)),
    any: of(anything(tie)),
  };
}).any;
