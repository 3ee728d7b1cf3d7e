/** Programs, and the inputs on which each of them runs. */
export interface Group {
  readonly inputs: readonly unknown[];
  readonly programs: readonly string[];
}

const words = (text: string): string[] => text.trim().split(/\s+/);
const lines = (text: string): string[] => text.trim().split(/\n\s*/);
const across = (templates: readonly string[], values: readonly string[]): string[] =>
  templates.flatMap((template) => values.map((value) => template.replaceAll('§', value)));

/** Values of every type, with those at the edges. */
const VALUES = [
  null,
  false,
  true,
  0,
  -1,
  2.5,
  7,
  '',
  'abc',
  'aé😀b a',
  '12',
  ' 1.5e2 ',
  '{"b":[1],"a":null}',
  [],
  [0, 1],
  [3, 1, 2, 1],
  ['a', 'bc', null],
  [[1, 2], [3]],
  [
    { key: 'b', value: 1 },
    { name: 'a', Value: false },
  ],
  [{ a: 2, b: 'x' }, { a: 1 }],
  {},
  { a: 1 },
  { b: 'x', a: [1, { c: null }] },
  { z: { y: 1, x: 2 }, a: false },
];

/** Arguments of every type. */
const ARGUMENTS = ['null', 'true', '0', '1', '-1', '1.7', '""', '"a"', '"bc"', '[]', '[1]', '["a"]', '{}', '{"a":1}'];

const NULLARY = words(`
  not length utf8bytelength keys add any all tonumber tostring type reverse explode implode tojson fromjson
  to_entries from_entries recurse flatten min max sort unique arrays objects iterables booleans numbers finites normals
  strings nulls values scalars leaf_paths combinations ascii_downcase ascii_upcase transpose first last tostream paths
  todate fromdate todateiso8601 fromdateiso8601 gmtime mktime localtime isfinite isinfinite isnan isnormal floor round
  nearbyint rint ceil trunc significand fabs sqrt cbrt exp exp2 exp10 frexp modf log log2 log10 logb empty error
  sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh expm1 log1p gamma lgamma tgamma pow10 j0 j1 y0 y1`);

const WITH_VALUE = words(`
  has contains inside split join startswith endswith ltrimstr rtrimstr index rindex indices flatten nth getpath format
  bsearch in range strftime strptime splits test match capture scan`);

const WITH_FILTER = words(`
  map select sort_by group_by unique_by min_by max_by map_values with_entries recurse path paths del walk any all first
  last isempty todate? INDEX IN add`).filter((name) => !name.endsWith('?') && name !== 'add');

const FILTERS = ['.', '.[]?', '.a?', 'empty', 'type', '.[0]?', '(.[]?, .)', 'length?', '.key?', '.. == 1', 'tojson'];

const FUNCTIONS: Group = {
  inputs: VALUES,
  programs: [
    ...NULLARY,
    ...WITH_VALUE.flatMap((name) => across([`${name}(§)`], ARGUMENTS)),
    ...WITH_FILTER.flatMap((name) =>
      (name === 'recurse' ? FILTERS.slice(1, 6) : FILTERS).map((arg) => `${name}(${arg})`),
    ),
  ],
};

const OPERATORS: Group = {
  inputs: VALUES,
  programs: across(
    words('+ - * / % == < <= // and').flatMap((operator) => [`. ${operator} §`, `§ ${operator} .`]),
    ['null', 'false', '0', '2', '-1.5', '""', '"a"', '[1]', '{"a":{"c":1}}'],
  ),
};

const ACCESSES: Group = {
  inputs: VALUES,
  programs: [
    ...across(['.[§]', '.[§]?', 'try .[§] catch "no"', '.[§:]', '.[:§]', 'path(.[§])'], [...ARGUMENTS, 'nan']),
    ...across(
      ['.[§] = 5', '.[§] |= 5', 'del(.[§])', '.[§] += 1', '.[§] //= 7', 'to_entries[§]?'],
      ['0', '-1', '1', '"a"'],
    ),
    ...lines(`
      .a
      .a.b?
      .a[0]
      .[]
      .[]?
      .[].a?
      ..
      [..]
      .. |= (numbers |= . + 1)
      .[1:] = ["x"]
      .[:1] |= map(5)
      del(.[0,1]?)
      del(.[:1])
      del(.[]?)
      del(..|select(. == 1)?)
      delpaths([["a"],["b",0]])
      [paths]
      [paths(type == "number")]
      [leaf_paths]
      path(..)
      [.[]?] | length
      .[]? += 1
      .[] = 0
      .a.b.c = 1
      .a[2] = 1
      .[-5] = 1
      to_entries
      with_entries(.value |= tojson)
      with_entries(select(.key > "a"))
      with_entries(.key |= ascii_upcase)
      map_values(empty)
      map_values(., .)
      .[]? |= empty
      (.a, .b)? = 3
      getpath(["a", 0, "c"])
      [getpath(["a"], ["b"])?]
      setpath(["a"]; 1)
      setpath([0]; 1)
      setpath([]; 1)
      setpath(["b", "c"]; 1)
      try setpath("a"; 1) catch "no"
      to_entries | from_entries
      tostream
      [tostream] | fromstream(.[])
      fromstream(1 | truncate_stream([[0], 1], [[1, 0], 2], [[1, 0]], [[1]]))
      [.[]?] | .[1:] | first
      input_line_number?
      .["a", "b"]?
      ."a"?
      ."a"."b"?
      .[.[0]?]?
      .["a"][0]?
      first(.[]?)
      [limit(-1; .[]?)]
      [limit(0; .[]?)]
      [limit(1; .[]?)]
      [limit(2; .[]?, 7)]
      nth(1; .[]?)
      nth(0; 5, 6)
      nth(-1; 5, 6)
      [first(empty)]
      [until(. >= 3 or (type != "number"); . + 1)?] | length
      [range(3)]
      [range(2; 4)]
      [range(0; 10; 3)]
      [range(5; 0; -2)]
      [range(0; 1; 0)]
      [range(0, 1; 3, 4)]
      [range(1.5)]
      [range(-1)]
      [.[]? as $x | $x]
      . as [$a, $b] | [$a, $b]
      . as {a: $x} | $x
      . as {$a, b: [$c]} | [$a, $c]
      . as [$a] ?// {a: $a} | [$a]
      [.[]? as [$a] ?// $a | $a]
      reduce .[]? as $x (0; . + 1)
      reduce .[]? as $x (null; . + $x)
      reduce empty as $x (3; 4)
      reduce (1, 2) as $x (0; empty)
      reduce (1, 2) as $x (0; ., 5)
      [foreach .[]? as $x (0; . + 1)]
      [foreach (1, 2, 3) as $x (0; . + $x; [$x, .])]
      [foreach (1, 2) as $x (0; empty; .)]
      [label $out | .[]? | if . == 1 then break $out else . end]
      def f: . + 1; try f catch "no"
      def f(g): [g]; f(.[]?)
      def f($x; $y): $x + $y; f(1; 2)
      def f($a): $a | g; 1
      def f: def g: 3; g; f
      def r: if type == "array" then map(r) else 1 end; r
      [recurse(if type == "array" then .[] else empty end; . != null)]
      [recurse(.[]?; . != 1)]
      if . then 1 else 2 end
      if . then 1 end
      if (true, false) then 1 else 2 end
      if .a? then 1 elif .[0]? then 2 else 3 end
      [.[]? // 9]
      (false, null, 1) // 42
      [(false, null) // (3, 4)]
      first(.a?, 5) // 6
      try error("x") catch .
      try error({a: 1}) catch .a
      try error(null) catch .
      try error catch .
      (try error("x")) // 5
      [.[]? | try tonumber catch "no"]
      [(1, error("x"), 2)?]
      try (1, error("x"), 2) catch .
      error("x")?
      .a? // "d"
      isempty(empty), isempty(1, error("x")), isempty(error("x"))?
      all(.[]?; . == 1), any(.[]?; . == 1)
      all(empty; .), any(empty; .)
      any(true, error("x"); .)
      [splits("a")?]
      [combinations(2)?]
      [.[]? | select(type == "number")] | add
      [walk(if type == "object" then del(.a) else . end)]
      walk(if type == "array" then sort else . end)
      [while(type == "number" and . < 3 and . > -5; . + 1)]
      [repeat(.; 1)?]
      [limit(3; repeat(1))]
      env | type
      $ENV | type
      @text
      @json
      @html
      @uri
      @csv
      @tsv
      @sh
      @base64
      @base64d
      @json "v\\(.)"
      @html "<\\(.)>"
      @uri "?q=\\(.)"
      @sh "echo \\(.)"
      @csv "\\([.])"
      @tsv "\\([.])"
      @base64 "\\(.)"
      "a\\(.)b\\(1, 2)c\\(3, 4)"
      "\\(1 + 2)"
      [.[]? | tostring]
      splits("b"; null)
      ascii
      @base32
      $__loc__
      input_filename
      ltrimstr(.)
      rtrimstr(.)
      ltrimstr("a", "b")
      indices(1)
      indices([1])
      indices("")
      indices([])
      .[[1]]?
      .[[]]?
      inside("abcd")
      inside([1, 2, 3])
      contains("b")
      contains(["b"])
      contains({a: [1]})
      index("a"), rindex("a")
      index(","; 1)?
      implode?
      tojson | fromjson
      ascii_downcase?
      min_by(.a)?, max_by(.a)?
      group_by(.a)?
      unique_by(length)?
      sort_by(.a, .b)?
      sort_by(-.a)?
      INDEX(.a)?
      INDEX(.[]?; .a?)
      [JOIN({"1": "x"}; .a? | tostring)]?
      [.[]? | IN(1, 2)]
      IN(.[]?; 1, 2)
      splits(1)?
      limit(1; error("x"))?
      getpath(["a","b"])?
      ltrimstr(1)
      significand?
      [.[]?] | min, max
      add // "none"
      join(",")?
      join(", "; 1)?
      flatten(0)?
      flatten(-1)?
      tojson == tojson
      halt_error?
      getpath(1)?
      paths(..)?
      ((.[]?) |= 1) | tojson
      tostream | tojson
      to_entries | tojson
      {(.[]? | strings): 1}
      {a: .[]?}
      {a: (1, 2), b: (3, 4)}
      {"a b"}?
      {"x": 1, "y\\(1)": 2} | keys
      {a, b}?
      {"a": 1, @base64 "x": 2}
      {$__loc__}
      . as $x | {$x, y: 1}
      . as $a | {$a: 1}?
      {if: 1, then: 2}
      {(1, "a"): 2}?
      [.] | tojson
      -.
      -(1, 2)
      -.a?
      [.[]?, .] | sort
      [[.[]?], {a: .}, .] | unique
      . == .
      [., null, false, true, 0, "", [], {}] | sort
      [., 1] < [., 2]
      {a: .} < {b: .}
      {a: 1, b: .} == {b: ., a: 1}
      not, (not | not)
      1, 2 | . + 1
      reduce range(5) as $i ([]; [$i] + .)
      try (reduce .[] as [$a, $b] (0; . + $a)) catch "no"
      ([.[]?] | length) as $n | $n * 2
      . * 2 | tojson
      limit(3; .[]?)
      tojson | length
      .. | numbers
      [.. | scalars]
      ([..] | length), ([recurse] | length)
      first, last
      nth(0), nth(-1), nth(5)
      type, (type | type)
      . and true, . or false
      (.a? | not), (.b? | type)
      any, all
      any(. == 1), all(. != null)
      ascii_downcase, ascii_upcase
      "\\u00e9\\ud83d\\ude00" | length, utf8bytelength, explode
      splits("a", "b")
      getpath(paths)
      [paths(..)]
      tojson, tostring
      [.[]? | length?]
      to_entries?, keys?
      with_entries(.)?
      del(.a?, .b?)
      del(.[length - 1]?)
      delpaths([paths])
      path(.a[0]?), path(.[]?)
      path(first(.[]?)), path(last(.[]?))
      path(select(.a?)), path(if .a? then .a else . end), path(.a? // .b?)
      path(getpath(["x", "y"]))
      try path(1) catch "no"
      try path(tojson | .a) catch "no"
      (.a?, .b?) |= 1
      .a += (1, 2)
      .a = (1, 2)
      .a |= (1, 2)
      .a //= 3
      .a -= 1
      .a *= 2
      .a /= 2
      .a %= 2
      (.. | select(type == "number")) |= . + 1
      limit(1; .a) = 3
      first(.[]?) |= 9
      .[1:][0]? = 4
      (.a | .[0]) = 4
      try ((1, 2) |= 3) catch "no"
      try (.a.b |= error("x")) catch .
      truncate_stream(1; [[0], 1])?
      [1 | truncate_stream([[0], 1], [[1, 0], 2], [[1, 0]], [[1]])]
      getpath(["a"]) = 3
      ((.b, .a)? | select(type == "string")) |= length`),
  ],
};

const ORDER: Group = {
  inputs: [null, { b: 1, a: 2 }, { '10': 1, '9': 2, é: 3, Z: 4, 'a b': 5 }],
  programs: across(
    lines(`
      § | tojson
      § | tostring
      § | [.[]]
      § | keys
      § | to_entries
      § | with_entries(.) | tojson
      § | [paths]
      § | [..]
      § | map(.)
      § | map_values(tojson) | tojson
      § | "\\(.)"
      § | @json
      § | @text
      § | @html
      § | @base64
      § | @uri
      § | @json "x\\(.)"
      § | add?
      § | [tostream] | tojson
      § | first(.[]), first
      § | [.[] as $x | $x]
      § | [limit(2; .[])]
      § | reduce .[] as $x (""; . + ($x | tostring))
      § | [foreach .[] as $x (0; . + 1; [., $x])]
      § | walk(.) | tojson
      § | del(.a) | tojson
      § | .[] |= tojson | tojson
      § | [path(.[])]
      § | [getpath(paths)]
      § | any(.[]; . == 2), all(.[]; . == 1)
      § | [.[] | select(. != null)] | join(",")?
      § | (tojson | fromjson | tojson)
      § | [., {a: 1}] | add | tojson
      § | . + {aa: 1} | tojson
      § | . * {aa: {c: 1, b: 2}} | tojson
      § | .aa = 1 | [.[]]
      § | [.] | tojson
      § | [recurse(.[]?)] | tojson
      § | flatten?
      § | to_entries | from_entries | tojson
      § | error? // 5
      § | try error catch tojson
      § | . as $x | "a" | ltrimstr($x), ($x | tojson)
      § | [leaf_paths]
      § | [paths(type == "number")]
      § | INDEX(.[]; .) | tojson
      § | @sh "\\([.[] | tojson])"
      § | setpath(["b0"]; 1) | tojson
      § | ascii_downcase? // tojson
      § | [splits("a")?]
      § | isempty(.[])
      § | nth(0; .[])
      § | [.[]?] == [to_entries[].value]
      § | sort_by(.)? // [.[]]`),
    [
      '.',
      '{b: 1, a: 2}',
      '{b: {d: 1, c: [{z: 1, y: 2}]}, a: null}',
      '({a: 1} + {B: 0})',
      '({} | .z = 1 | .b.y = 2 | .b.x = 3)',
    ],
  ),
};

const NUMBERS: Group = {
  inputs: [0],
  programs: [
    ...across(
      ['[nan § nan, nan § 1, 1 § nan, nan § null, "a" § nan, [nan] § [nan], {a: nan} § {a: 1}]'],
      words('< <= > >= == != + - * //'),
    ),
    ...across(
      ['"ab" * §', '§ * "ab"', '"" * §', '[.[]?, "x" * §]'],
      words('0 -1 0.5 0.99 1 1.5 2 2.7 3 nan null true'),
    ),
    ...across(['5 % §', '-5 % §', '§ % 3', '§ % -3', '5.9 % §'], words('2 -2 2.9 0.5 -0.5 1 -7.9 1e3 0 nan infinite')),
    ...across(['§ / 0', '0 / §', '§ / 2', '1 / §'], words('0 1 -1 nan infinite "a" [] null')),
    ...across(
      ['§ | tojson', '§ | tostring', '§ | floor', '§ | round', '§ | tonumber', '[§] | tojson', '§ | length'],
      words(
        '0 -0 1 1.0 1.50 1e3 1E-3 0.1 100000 1e17 1e-5 1e-7 123456789012 3.14159 nan infinite (-infinite) 1e300 5e-324 0.000001 1e21 1e20',
      ),
    ),
    ...lines(`
      [nan] | sort, min, max, unique
      [nan, 1] | sort
      [1, nan] | sort
      [nan, 1, nan] | sort
      [nan, 1] | min, max
      [1, nan] | min, max
      [nan, nan] | unique | length
      [nan, 1, 2] | index(nan), contains([nan])
      [nan] | group_by(.)
      [nan] == [nan]
      nan | isnan, not, type
      [1, nan] - [nan]
      nan | tojson, tostring
      infinite | tojson, floor, tostring
      [infinite, -infinite] | sort
      infinite - infinite | isnan
      infinite == infinite, infinite > 1e300
      [limit(3; range(0; infinite))]
      pow(2; 10), pow(0; 0), pow(2; 0.5), pow(-8; 1)
      [1.1, 2.5, -2.5, -1.1] | map(floor), map(ceil), map(round), map(trunc), map(rint), map(nearbyint)
      [1, 2.5] | map(frexp), map(modf), map(significand), map(logb)
      atan2(1; 2), fmin(1; 2), fmax(1; 2), fmod(5; 3), hypot(3; 4)?, ldexp(1; 3), scalb(1; 3), scalbln(1; 3)
      copysign(1; -2), fdim(5; 3), nextafter(1; 2), nexttoward(1; 2), remainder(5; 3)?, drem(5; 3)
      fma(2; 3; 4), jn(1; 2)?, yn(1; 2)?
      fmin(nan; 1), fmax(nan; 1)
      "nan" | try tonumber catch "no"
      "0x10" | try tonumber catch "no"
      "1_000" | try tonumber catch "no"
      ".5" | try tonumber catch "no"
      "5." | try tonumber catch "no"
      "+5" | try tonumber catch "no"
      "1e1000" | try tonumber catch "no"
      "" | try tonumber catch "no"
      "-" | try tonumber catch "no"
      "Infinity" | try tonumber catch "no"
      "[1,2" | try fromjson catch "no"
      "nan" | try fromjson catch "no"
      "NaN" | try fromjson catch "no"
      "1 2" | try fromjson catch "no"
      "" | try fromjson catch "no"
      "'a'" | try fromjson catch "no"
      "{a:1}" | try fromjson catch "no"
      " [1] " | try fromjson catch "no"
      "[1,]" | try fromjson catch "no"
      "01" | try fromjson catch "no"
      1 as $x | 2 as $y | [$x, $y, $x + $y]
      .1 + .2
      1.0, 1.5e3, 1e2
      3 - 1 - 1, 12 / 3 / 2, 2 + 3 * 4, -1 + 2, 10 % 4 * 2
      [.[]?] | add
      isinfinite, isnan, isnormal, isfinite
      [1, 1.0, 1.00] | unique
      1 == 1.0, 0 == -0
      [-0, 0 * -1] | tojson
      infinite % 3, 5 % infinite, -5 % infinite
      (1, null) as $x | [$x] | tojson
      1e1000 | tojson
      -1e1000 | tojson
      splits("a")?
      [range(0; 1; 0.3)]
      [range(3; 0)]
      [.1, .2] | add
      1000000000000000, 123456789.5 | tojson
      now | type
      "x" * 3 | length
      {} * 2
      [1] * 2
      {a: {b: 1}} * {a: {c: 2}} | tojson
      {a: 1} * {a: {c: 2}}
      {a: {b: 1}} * {a: null}
      "a,b, c" / ", "
      "abc" / ""
      "" / ""
      "" / "a"
      "a" / "b"
      [1, 2, 1] - [1]
      [1, 2] - [[1]]
      [] - [1]
      null - 1
      null + null, null + 1, 1 + null, {} + null`),
  ],
};

const PATTERNS = [
  ...lines(String.raw`
    a
    (a)|(b)
    (?P<n>[0-9]+)
    (?<n>[0-9]+)
    (?P<x>a)?(?P<y>b)?
    (?P<n>a)|(?P<n>b)
    (?U)a+
    (?U)a+?
    (?i)É
    (?i)k
    (?s).
    (?m)^.
    (?-s).
    (?i:A)b
    ^a$
    ^
    $
    \Aab
    b\z
    b\Z
    \d+
    \D+
    \w+
    \W+
    \s+
    \S+
    \bé
    \Bb
    \pL+
    \p{Lu}
    \p{Greek}+
    \PL
    \p{^L}
    [[:alpha:]]+
    [[:^digit:]]
    [\d\s]
    [^a-z]
    [a-\d]
    \x41
    \x{1F600}
    \Qa.b\E
    \h
    \R
    \K
    \G
    a{2}
    a{,2}
    a{2,}
    a{1001}
    a*+
    a++
    (?>a)
    a(?=b)
    (?<=a)b
    (?!a)
    (?#c)a
    (a)\1
    \k<n>
    (?<n>a)\g<n>
    (a*)*
    (a|b)*
    (a*)+b
    (|a)+
    ()
    x*
    .
    .*
    .+?
    [
    (
    *
    \
    a**
    é
    😀
    [é😀]
    \C
    \a\t\n\r\f\v
    \123
    \0
    \e
    \cA
    [\w]
    (?x) a
    (?i)straße
    (?i)ſ
    \u0041
    \N
    \X
    .a.
    a|
    (?:a|ab)(?:c|bcd)?
    a.c
    (?P<n>)
    (?'n'a)
    (?P<1>a)
    [a&&b]
    [[:word:]]
    [[:foo:]]
    \p{Foo}
    a$b
    (?m)a$
    (?m)^$
    \/
    \-
    \é
    \_
    \"
    \y`),
];

const quoted = (text: string): string => JSON.stringify(text);

const REGEXES: Group = {
  inputs: ['', 'ab', 'aab1 2\nb3', 'aé😀 ÉÀ٣ x', 'AB kK straße', 'a.b [x]'],
  programs: [
    ...PATTERNS.map(
      (pattern) =>
        `[match(${quoted(pattern)}; "g") | [.offset, .length, .string, (.captures | map(.name, .string, .offset))]]`,
    ),
    ...across(
      lines(String.raw`
        test(§)
        [match(§)]
        capture(§)
        [scan(§)]
        sub(§; "<\(.)>")
        gsub(§; "_")
        gsub(§; "\(.n)-")?
        [splits(§)]
        split(§; null)
        split(§; "g")
        test(§; "i")
        [match(§; "gi").offset]
        [match(§; "gx").offset]
        [match(§; "n") | .string]
        test(§; "q")
        [scan(§; "i")]
        sub(§; "x"; "g")
        gsub(§; "a", "b")
        [capture(§; "g")]`),
      ['a', '(?<n>[ab])(?P<m>x)?', '(?i)A', '', 'b*', '[', '\\d+|\\s', '^.', '(?m)^.', '.'].map(quoted),
    ),
    ...lines(String.raw`
      test(["a", "i"])
      [match(["a", "g"]).offset]
      test("a"; null)
      test("a"; 1)
      test(1)
      test("A"; "i"), test("a.b"; "s"), test("a.b"; "m"), test("b$"; "l"), test("a b"; "x"), test("A"; "gi")
      split("a"; "gi")
      split("A"; "i")
      split(1)
      split(", ", "b")
      [.[]?]
      . as $x | "a" as $p | test($p + "b?")
      gsub("(?<x>[a-z])"; "\(.x | ascii_upcase)")
      gsub("(?<x>[a-z])(?<y>.)?"; "[\(.x):\(.y)]")
      gsub("^"; ">")
      gsub("$"; "<")
      gsub("\\s+"; " ")
      gsub("[^a-z]"; "")
      sub("(?<all>.*)"; "\(.all)!")
      sub("b"; "1", "2")
      gsub("b"; "1", "2")
      sub("a"; 5)?
      gsub(""; "-")
      [splits("a|b")]
      [splits(", *"; null)]
      ascii_downcase | test("É"; "i")
      capture("(?<a>a)(?<z>z)?")
      [match("(a)(z)?").captures[] | .string]
      [match("").offset]
      [match("a", "b").offset]
      [match("a"; "g", null).offset]
      [scan("(a)(b)?")]
      [scan("c")]
      [scan("a", "b")]
      [scan("[A-Z]"; "i")]
      any(splits("a"); . == "b")
      try test("(") catch "no"
      splits("x")
      [test("a", "b", "c")]
      [.[:1], .[1:], .[-1:], .[0], .[-1], .[10]]
      .[2:4] | length
      [.[0:2], .[:-1]]
      explode | implode
      [explode[] | [.] | implode]
      ascii_upcase, ascii_downcase
      indices("b"), index("b"), rindex("b"), index("é"), indices("")
      ltrimstr("a"), rtrimstr("b"), ltrimstr(""), rtrimstr("")
      startswith("a"), endswith("b"), startswith(""), endswith("")
      split(""), split("b"), split("é")
      @uri, @html, @sh, @base64, @json, @csv "\([.])", @tsv "\([.])"
      (@base64 | @base64d)
      utf8bytelength, length
      tojson, ([.] | tojson)
      . < "b", . == "ab", . + "x"
      contains("a"), inside("xabx")
      [., "a", "é", "😀", "Z", "ﬀ"] | sort
      test("\\\\") , test("[\\]]")`),
  ],
};

const DIRECTIVES = [...'YyCgGmBbhAawuVUWedjkHlIpPMSsfZztn%c+FDxvTXrRLNEOqiJK1'];

const MOMENTS = [
  0,
  1425599621,
  1425599621.678,
  -1,
  -62135596800,
  951782400,
  4102444799,
  1704067200,
  1609459199,
  [2015, 2, 5, 23, 51, 47, 4, 63],
  [2024, 1, 29, 12, 0, 0.25, 0, 0],
  [2023, 12, 31, 0, 60, 61, 9, 999],
  [2015, 2, 5],
  [2015, 2, 5, '1', 2, 3, 4, 5],
  '2015-03-05T23:51:47Z',
  null,
];

const DATES: Group = {
  inputs: MOMENTS,
  programs: [
    ...DIRECTIVES.map((directive) => `strftime(${quoted(`%${directive}`)})`),
    ...words(
      '%-d %_d %0e %^a %#Z %#p %^B %5Y %3d %-5d %_5d %05e %10A %^10b %-H %-l %_H %E %-j %_j %20s %12f %-I %8z %_z %5Z %010Z %3% %--d %^Y %#a %2047d %3 %',
    ).map((format) => `strftime(${quoted(`x${format}y`)}), strftime(${quoted(format)})`),
    ...lines(`
      gmtime
      todate
      mktime
      gmtime | mktime
      gmtime | todate
      localtime
      localtime | mktime
      strflocaltime("%Y-%m-%dT%H:%M:%S%z %Z")
      strflocaltime("%c")
      todateiso8601
      strftime("%A, %B %d, %Y")
      strftime("%a, %d %b %Y %H:%M:%S %Z")
      strftime("%Y-%m-%dT%H:%M:%SZ")
      strftime("")
      strftime("é%Y😀")
      strftime([])
      gmtime | .[5]
      date?
      dateadd("seconds"; 10)?
      now > 0`),
  ],
};

const TEXTS = [
  '2015-03-05T23:51:47Z',
  '2020-10-15T17:30:00-0400',
  '2020-10-15T17:30:00+05:30',
  'Thu, 05 Mar 2015 23:51:47 GMT',
  'thu, 5 mar 2015 3:51:47 PM',
  '2015 064',
  '1425599621',
  '12/31/99',
  '11:59:59 pm',
  '12:00:00 AM',
  ' 5 March 2024',
  '2024-02-30',
  '2015-10',
  '20:15',
  '2015-03-05 23:51:47.123456 UTC',
  '',
];

const TIMES: Group = {
  inputs: [...TEXTS, null, 5],
  programs: [
    ...lines(`
      %Y-%m-%dT%H:%M:%SZ
      %Y-%m-%dT%H:%M:%S%z
      %FT%T%z
      %FT%TZ
      %a, %d %b %Y %H:%M:%S %Z
      %a, %d %b %Y %I:%M:%S %p
      %a, %e %b %Y %l:%M:%S %P
      %A, %d %B %Y
      %Y %j
      %s
      %D
      %x
      %r
      %I:%M:%S %p
      %e %B %Y
      %d %B %Y
      %Y-%m-%d
      %F
      %Y-%m
      %R
      %H:%M
      %k:%M
      %Y-%m-%d %H:%M:%S.%f %Z
      %F %T.%f %Z
      %m/%d/%y
      %C%y-%m
      %G-%V
      %g %U
      %u
      %w
      %n%e %B %Y
      %t%e%t%B%t%Y
      %%
      %
      %Q
      %E
      %c
      %+
      %v
      %X
      %h
      %Y%n%j
      %10Y
      %-d
      x
      %Y-%m-%dT%H:%M:%S`).flatMap((format) => [`strptime(${quoted(format)})`, `strptime(${quoted(format)}) | mktime`]),
    '',
    'strptime("")',
    'strptime(1)',
    'fromdate',
    'fromdateiso8601',
    'strptime("%Y-%m-%dT%H:%M:%SZ") | todate',
    'strptime("%s") | strftime("%F %T")',
    '(strptime("%Y-%m-%dT%H:%M:%S%z") | mktime | todate)?',
    '"10:20" | strptime("%H:%M")',
    '"2015-03-05T23:51:47Z" | fromdate, (strptime("%Y-%m-%dT%H:%M:%SZ") | strftime("%j %U %V %u"))',
  ].filter((program) => program !== ''),
};

/** The corpus by the names of its groups. */
export const CORPUS: Readonly<Record<string, Group>> = {
  functions: FUNCTIONS,
  operators: OPERATORS,
  accesses: ACCESSES,
  order: ORDER,
  numbers: NUMBERS,
  regexes: REGEXES,
  dates: DATES,
  times: TIMES,
};
