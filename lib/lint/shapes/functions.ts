import type { Ast, AstOf } from '../../language/jq/syntax/ast.ts';
import { pathsOf } from './paths.ts';
import {
  ANY,
  ANY_OBJECT,
  arrayOf,
  BOOLEAN,
  closed,
  elementsOf,
  indexedOf,
  NEVER,
  NULL,
  NUMBER,
  type Shape,
  STRING,
  unionOf,
  withoutMember,
} from './shape.ts';

/** How the arguments of a function are evaluated. */
export interface Arguments {
  /** Evaluates an argument; the members that it accesses must exist. */
  readonly strict: (ast: Ast, input: Shape) => Shape;
  /** Evaluates an argument that may test whether members exist. */
  readonly guarded: (ast: Ast, input: Shape) => Shape;
}

/** The result of a function for an input; `first` is its first argument. */
type Result = (input: Shape, first: Ast, args: Arguments) => Shape;

const always =
  (shape: Shape): Result =>
  () =>
    shape;

/** The result is of this shape, whatever the arguments are, which are evaluated on the input. */
const withArgument =
  (shape: Shape): Result =>
  (input, first, { strict }) => {
    strict(first, input);
    return shape;
  };

const same: Result = (input) => input;
const sameList: Result = (input) => (input.kind === 'array' ? input : ANY);
const elementOrNull: Result = (input) => indexedOf(input);

const byKey: Result = (input, first, { guarded }) => {
  guarded(first, elementsOf(input));
  return input.kind === 'array' ? input : ANY;
};

const mapped: Result = (input, first, { strict }) => arrayOf(strict(first, elementsOf(input)));

const selected: Result = (input, first, { guarded }) => {
  guarded(first, input);
  return input;
};

const onElements =
  (shape: Shape): Result =>
  (input, first, { guarded }) => {
    guarded(first, elementsOf(input));
    return shape;
  };

function deleted(input: Shape, first: Ast): Shape {
  const paths = pathsOf(first);
  return paths === undefined ? ANY : paths.reduce((shape, path) => withoutMember(shape, path), input);
}

/** The results of jq's functions by name and number of arguments. Of another function, the result may be anything. */
const RESULTS: ReadonlyMap<string, Result> = new Map<string, Result>([
  ...[
    'length',
    'utf8bytelength',
    'tonumber',
    'floor',
    'ceil',
    'round',
    'sqrt',
    'fabs',
    'now',
    'mktime',
    'fromdate',
  ].map((name) => [`${name}/0`, always(NUMBER)] as const),
  ...[
    'tostring',
    'tojson',
    'ascii_downcase',
    'ascii_upcase',
    'todate',
    'type',
    'trim',
    'ltrim',
    'rtrim',
    'implode',
  ].map((name) => [`${name}/0`, always(STRING)] as const),
  ...['not', 'any', 'all', 'isnan', 'isnormal', 'isinfinite'].map((name) => [`${name}/0`, always(BOOLEAN)] as const),
  ...['has', 'startswith', 'endswith', 'test', 'contains', 'inside', 'in', 'IN'].map(
    (name) => [`${name}/1`, withArgument(BOOLEAN)] as const,
  ),
  ...['join', 'strftime', 'format'].map((name) => [`${name}/1`, withArgument(STRING)] as const),
  ...['values', 'debug'].map((name) => [`${name}/0`, same] as const),
  ...['sort', 'unique', 'reverse'].map((name) => [`${name}/0`, sameList] as const),
  ...['first', 'last', 'min', 'max'].map((name) => [`${name}/0`, elementOrNull] as const),
  ...['sort_by', 'unique_by'].map((name) => [`${name}/1`, byKey] as const),
  ['keys/0', always(arrayOf(unionOf([STRING, NUMBER])))],
  ['to_entries/0', (input) => arrayOf(closed({ key: STRING, value: elementsOf(input) }))],
  ['from_entries/0', always(ANY_OBJECT)],
  ['split/1', withArgument(arrayOf(STRING))],
  ['empty/0', always(NEVER)],
  ['error/0', always(NEVER)],
  ['error/1', withArgument(NEVER)],
  ['range/1', withArgument(NUMBER)],
  ['map/1', mapped],
  ['select/1', selected],
  ['first/1', (input, first, { strict }) => strict(first, input)],
  ['last/1', (input, first, { strict }) => unionOf([strict(first, input), NULL])],
  ['del/1', deleted],
  ['any/1', onElements(BOOLEAN)],
  ['all/1', onElements(BOOLEAN)],
  ['map_values/1', onElements(ANY)],
]);

/** Functions that may have no result although they do not fail. */
const PERHAPS_EMPTY = ['empty/0', 'values/0', 'select/1', 'first/1', 'range/1'];

/** True for a call of a function that has a result whenever it does not fail. */
export function hasResult({ name, args }: AstOf<'call'>): boolean {
  const key = `${name}/${args.length}`;
  return RESULTS.has(key) && !PERHAPS_EMPTY.includes(key);
}

/** Returns the shape of the result of a call. */
export function resultOf({ name, args }: AstOf<'call'>, input: Shape, evaluators: Arguments): Shape {
  const result = RESULTS.get(`${name}/${args.length}`);
  const [first] = args;
  return result === undefined ? ANY : result(input, first ?? { kind: 'identity', from: 0, to: 0 }, evaluators);
}
