import { CALL_DEFINITION } from './hosted-jq.ts';

/** A definition in jq, and the definitions that it uses. */
interface Definition {
  readonly text: string;
  readonly uses?: readonly string[];
}

const define = (text: string, ...uses: readonly string[]): Definition => ({ text, uses });

/** A definition in terms of jq's own function of the same name, which is out of its reach without another name. */
const wrap = (own: string, text: string, ...uses: readonly string[]): Definition => define(`${own} ${text}`, ...uses);

/** The parts of a program that the translation writes as calls of these. */
const PARTS: Readonly<Record<string, Definition>> = {
  // gojq keeps the members of an object in the order of their keys.
  _each: define('def _each(f): f | if type == "object" then .[keys[]] else .[] end;'),
  _each_opt: define('def _each_opt(f): f | if type == "object" then .[keys[]] else .[]? end;'),
  _at: define(
    `def _is_at($k): type == "string" and ($k | type) == "number";
     def _at_text($k): ($k | trunc) as $i | (if $i < 0 then length + $i else $i end) as $i
       | if $i < 0 then "" else .[$i:$i + 1] end;
     def _at(f; k): k as $k | f | if _is_at($k) then _at_text($k) else .[$k] end;`,
  ),
  _at_opt: define('def _at_opt(f; k): k as $k | f | if _is_at($k) then _at_text($k) else .[$k]? end;', '_at'),
  _constant: define('def _constant(f): f;'),
  _keep: define('def _keep(f): . as $state | [f] | if . == [] then $state else .[-1] end;'),
  _sorted: define(
    `def _sorted: if type == "object" then . as $o | reduce keys[] as $k ({}; .[$k] = ($o[$k] | _sorted))
       elif type == "array" then map(_sorted) else . end;`,
  ),
  _call: define(CALL_DEFINITION),
  // jq prints a wrong date for most of them, and takes all memory for some.
  _undated: define(
    `def _undated(f): if type == "number" or (type == "array" and any(.[]; numbers | . < -271821 or . > 275760))
       then error("the \\(type) is no date of the years -271821 to 275760") else f end;`,
  ),
};

/** The functions that jq defines in another way than gojq, or not at all, by name and number of arguments. */
const FUNCTIONS: Readonly<Record<string, Definition>> = {
  'recurse/0': define('def recurse: def r: ., (_each_opt(.) | r); r;', '_each_opt'),
  'map/1': define('def map(f): [_each(.) | f];', '_each'),
  'add/0': wrap(
    'def _jq_add: add;',
    'def add: if type == "object" then [_each(.)] | _jq_add else _jq_add end;',
    '_each',
  ),
  'to_entries/0': define('def to_entries: [keys[] as $k | {key: $k, value: .[$k]}];'),
  'with_entries/1': define('def with_entries(f): to_entries | map(f) | from_entries;', 'to_entries/0'),
  'paths/0': define('def paths: path(recurse) | select(length > 0);', 'recurse/0'),
  'paths/1': define('def paths(f): . as $all | paths | select(. as $p | $all | getpath($p) | f);', 'paths/0'),
  'leaf_paths/0': define('def leaf_paths: paths(scalars);', 'paths/1'),
  'tostream/0': define(
    `def tostream: path(def r: (_each_opt(.) | r), .; r) as $p | getpath($p)
       | reduce path(_each_opt(.)) as $q ([$p, .]; [$p + $q]);`,
    '_each_opt',
  ),
  'flatten/0': wrap(
    'def _jq_flatten: flatten;',
    'def flatten: if type == "object" then [_each(.)] | _jq_flatten else _jq_flatten end;',
    '_each',
  ),
  'flatten/1': wrap(
    'def _jq_flatten($n): flatten($n);',
    'def flatten($n): if type == "object" then [_each(.)] | _jq_flatten($n) else _jq_flatten($n) end;',
    '_each',
  ),
  'combinations/0': define(
    `def combinations: if length == 0 then [] else
       _each(.[0]) as $x | (.[1:] | combinations) as $rest | [$x] + $rest end;`,
    '_each',
  ),
  'combinations/1': define('def combinations(n): [range(n) as $i | .] | combinations;', 'combinations/0'),
  'first/0': define('def first: _at(.; 0);', '_at'),
  'last/0': define('def last: _at(.; -1);', '_at'),
  'nth/1': define('def nth($n): _at(.; $n);', '_at'),
  'last/1': wrap('def _jq_last(f): last(f);', 'def last(f): if isempty(f) then null else _jq_last(f) end;'),
  'keys_unsorted/0': define('def keys_unsorted: keys;'),
  'INDEX/2': define('def INDEX(f; index): reduce f as $row ({}; .[$row | index | tostring] |= $row);', 'tostring/0'),
  'INDEX/1': define('def INDEX(index): INDEX(_each(.); index);', 'INDEX/2', '_each'),
  'limit/2': wrap(
    'def _jq_limit($n; f): limit($n; f);',
    'def limit($n; f): if $n < 0 then f else _jq_limit($n; f) end;',
  ),
  'indices/1': wrap(
    'def _jq_indices($x): indices($x);',
    'def indices($x): if . == null then null elif _is_at($x) then _at_text($x) else _jq_indices($x) end;',
    '_at',
  ),
  'index/1': define('def index($x): indices($x) | _at(.; 0);', 'indices/1'),
  'rindex/1': define('def rindex($x): indices($x) | _at(.; -1);', 'indices/1'),
  'ltrimstr/1': wrap(
    'def _jq_ltrimstr($x): ltrimstr($x);',
    'def ltrimstr($x): if type == "string" and ($x | type) == "string" then _jq_ltrimstr($x) else . end;',
  ),
  'rtrimstr/1': wrap(
    'def _jq_rtrimstr($x): rtrimstr($x);',
    'def rtrimstr($x): if type == "string" and ($x | type) == "string" then _jq_rtrimstr($x) else . end;',
  ),
  'rint/0': define('def rint: round;'),
  'nearbyint/0': define('def nearbyint: round;'),
  // After the end of the input, jq would read no replies.
  'input/0': define('def input: error("break");', '_call'),
  'inputs/0': define('def inputs: empty;', '_call'),
  'pow10/0': define('def pow10: exp10;'),
  'gamma/0': define('def gamma: tgamma;'),
  'tojson/0': wrap('def _jq_tojson: tojson;', 'def tojson: _sorted | _jq_tojson;', '_sorted'),
  'tostring/0': wrap('def _jq_tostring: tostring;', 'def tostring: _sorted | _jq_tostring;', '_sorted'),
  'format/1': wrap(
    'def _jq_format($f): format($f);',
    `def format($f): _sorted | _jq_format($f) | if $f == "uri" then . / "%20" | join("+") else . end;`,
    '_sorted',
  ),
  'split/1': wrap(
    'def _jq_split($x): split($x);',
    'def split($x): if . == "" and $x != "" and ($x | type) == "string" then [""] else _jq_split($x) end;',
  ),
  'split/2': wrap(
    'def _jq_split($re; $flags): split($re; $flags);',
    'def split($re; $flags): _call("split"; [., $re, $flags]) // _jq_split($re; $flags);',
    '_call',
  ),
  'splits/1': define('def splits($re): split($re; null)[];', 'split/2'),
  'splits/2': define('def splits($re; $flags): split($re; $flags)[];', 'split/2'),
  'test/2': wrap(
    'def _jq_test($re; $flags): test($re; $flags);',
    `def test($re; $flags): . as $in | _call("match"; [., $re, $flags, true])
       | if . == null then $in | _jq_test($re; $flags) else . end;`,
    '_call',
  ),
  'test/1': wrap(
    'def _jq_test($re): test($re);',
    'def test($re): if ($re | type) == "string" then test($re; null) else _jq_test($re) end;',
    'test/2',
  ),
  'match/2': wrap(
    'def _jq_match($re; $flags): match($re; $flags);',
    `def match($re; $flags): . as $in | _call("match"; [., $re, $flags, false])
       | if . == null then $in | _jq_match($re; $flags) else .[] end;`,
    '_call',
  ),
  'match/1': wrap(
    'def _jq_match($re): match($re);',
    'def match($re): if ($re | type) == "string" then match($re; null) else _jq_match($re) end;',
    'match/2',
  ),
  _named: define('def _named: reduce (.captures[] | select(.name != null)) as $c ({}; .[$c.name] = $c.string);'),
  'capture/1': define('def capture($re): match($re) | _named;', 'match/1', '_named'),
  'capture/2': define('def capture($re; $flags): match($re; $flags) | _named;', 'match/2', '_named'),
  'scan/2': define(
    `def scan($re; $flags): match($re; "g" + $flags)
       | if .captures == [] then .string else [.captures[].string] end;`,
    'match/2',
  ),
  'scan/1': define('def scan($re): scan($re; null);', 'scan/2'),
  'sub/3': define(
    `def sub($re; str; $flags): . as $in
       | reduce match($re; $flags) as $m ({texts: [], at: 0};
           $in[.at:$m.offset] as $gap | [$m | _named | str] as $inserts
           | if $inserts == [] then . else
               reduce range($inserts | length) as $i (.; .texts[$i] += $gap + $inserts[$i])
               | .at = $m.offset + $m.length
             end)
       | .at as $at | if .texts == [] then $in else .texts[] + $in[$at:] end;`,
    'match/2',
    '_named',
  ),
  'sub/2': define('def sub($re; str): sub($re; str; null);', 'sub/3'),
  'gsub/2': define('def gsub($re; str): sub($re; str; "g");', 'sub/3'),
  'gsub/3': define('def gsub($re; str; $flags): sub($re; str; $flags + "g");', 'sub/3'),
  'strftime/1': wrap(
    'def _jq_strftime($f): strftime($f);',
    'def strftime($f): _call("strftime"; [., $f]) // _undated(_jq_strftime($f));',
    '_call',
    '_undated',
  ),
  'strflocaltime/1': define(
    'def strflocaltime($f): if type == "number" then localtime else . end | strftime($f);',
    'strftime/1',
  ),
  'strptime/1': wrap(
    'def _jq_strptime($f): strptime($f);',
    `def strptime($f): if type == "string" and ($f | type) == "string"
       then _call("strptime"; [., $f]) // error("date \\(tojson) does not match format \\($f | tojson)")
       else _jq_strptime($f) end;`,
    '_call',
  ),
  'gmtime/0': wrap(
    'def _jq_gmtime: gmtime;',
    'def gmtime: _call("gmtime"; [.]) // _undated(_jq_gmtime);',
    '_call',
    '_undated',
  ),
  'mktime/0': wrap(
    'def _jq_mktime: mktime;',
    'def mktime: _call("mktime"; [.]) // _undated(_jq_mktime);',
    '_call',
    '_undated',
  ),
  'todate/0': define('def todate: strftime("%Y-%m-%dT%H:%M:%SZ");', 'strftime/1'),
  'todateiso8601/0': define('def todateiso8601: todate;', 'todate/0'),
  'fromdate/0': define('def fromdate: strptime("%Y-%m-%dT%H:%M:%SZ") | mktime;', 'strptime/1', 'mktime/0'),
  'fromdateiso8601/0': define('def fromdateiso8601: fromdate;', 'fromdate/0'),
};

/** A comparison as gojq makes it: not-a-number is greater than every number, and than itself. */
const comparison = (name: string, operator: string, test: string): Definition =>
  wrap(
    `def _jq${name}(a; b): a ${operator} b;`,
    `def ${name}(a; b): b as $b | a as $a
       | if ($a | type) == "number" and ($b | type) == "number" and (($a | isnan) or ($b | isnan))
         then ${test} else _jq${name}($a; $b) end;`,
  );

/** The functions that jq calls for its operators. */
const OPERATORS: Readonly<Record<string, Definition>> = {
  '*': wrap(
    'def _jq_multiply(a; b): a * b;',
    `def _repeat($text; $n): if $n <= 0 then null elif $n < 1 then $text else _jq_multiply($text; $n) end;
     def _multiply(a; b): b as $b | a as $a
       | if ($a | type) == "string" and ($b | type) == "number" then _repeat($a; $b)
         elif ($a | type) == "number" and ($b | type) == "string" then _repeat($b; $a)
         else _jq_multiply($a; $b) end;`,
  ),
  '/': wrap(
    'def _jq_divide(a; b): a / b;',
    'def _divide(a; b): b as $b | a as $a | if $a == 0 and $b == 0 then nan else _jq_divide($a; $b) end;',
  ),
  '<': comparison('_less', '<', 'false'),
  '<=': comparison('_lesseq', '<=', 'false'),
  '>': comparison('_greater', '>', 'true'),
  '>=': comparison('_greatereq', '>=', 'true'),
};

const ALL: ReadonlyMap<string, Definition> = new Map(Object.entries({ ...PARTS, ...FUNCTIONS, ...OPERATORS }));

/** Returns the definitions of so many names, and those that they use, in the order in which jq can read them. */
export function definitionsOf(names: Iterable<string>): string {
  const texts = new Map<string, string>();
  const add = (name: string): void => {
    const definition = ALL.get(name);
    if (definition === undefined || texts.has(name)) return;
    for (const used of definition.uses ?? []) add(used);
    texts.set(name, definition.text);
  };
  for (const name of names) add(name);
  return [...texts.values()].join(' ').replaceAll(/\s*\n\s*/g, ' ');
}
