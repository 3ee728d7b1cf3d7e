/**
 * The functions of jq 1.8, by their number of arguments, and those that gojq alone has. A test compares them with those of
 * the engine.
 */
const BY_ARITY: Readonly<Record<number, string>> = {
  0: [
    'abs acos acosh add all any arrays ascii_downcase ascii_upcase asin asinh atan atanh booleans',
    'builtins cbrt ceil combinations cos cosh debug empty env erf erfc error exp exp10 exp2 explode expm1',
    'fabs finites first flatten floor frexp from_entries fromdate fromdateiso8601 fromjson gamma',
    'get_jq_origin get_prog_origin get_search_list gmtime halt halt_error have_decnum',
    'have_literal_numbers implode infinite input input_filename input_line_number inputs isfinite',
    'isinfinite isnan isnormal iterables j0 j1 keys keys_unsorted last leaf_paths length lgamma lgamma_r localtime',
    'log log10 log1p log2 logb ltrim max min mktime modf modulemeta nan nearbyint normals not now nulls',
    'numbers objects paths pow10 recurse reverse rint round rtrim scalars significand sin sinh sort sqrt stderr',
    'strings tan tanh tgamma to_entries toboolean todate todateiso8601 tojson tonumber tostream tostring',
    'transpose trim trunc type unique utf8bytelength values y0 y1',
  ].join(' '),
  1: [
    'IN INDEX add all any bsearch capture combinations contains debug del delpaths endswith error first',
    'flatten format fromstream getpath group_by halt_error has in index indices inside isempty join last',
    'ltrimstr map map_values match max_by min_by nth path paths pick range recurse repeat rindex rtrimstr',
    'scan select sort_by split splits startswith strflocaltime strftime strptime test trimstr',
    'truncate_stream unique_by walk with_entries',
  ].join(' '),
  2: [
    'IN INDEX JOIN all any atan2 capture copysign drem fdim fmax fmin fmod gsub hypot jn ldexp limit',
    'match nextafter nexttoward nth pow range recurse remainder scalb scalbln scan setpath skip split',
    'splits sub test until while yn',
  ].join(' '),
  3: 'JOIN fma gsub range sub',
  4: 'JOIN',
};

const BUILTINS: ReadonlyMap<string, readonly number[]> = toMap();

function toMap(): Map<string, number[]> {
  const map = new Map<string, number[]>();
  for (const [arity, names] of Object.entries(BY_ARITY)) {
    for (const name of names.split(' ')) map.set(name, [...(map.get(name) ?? []), Number(arity)]);
  }
  return map;
}

/** Returns the numbers of arguments that a function of jq can have; undefined if jq has no such function. */
export const aritiesOf = (name: string): readonly number[] | undefined => BUILTINS.get(name);

/** The names of jq's functions. */
export const builtinNames = (): Iterable<string> => BUILTINS.keys();
