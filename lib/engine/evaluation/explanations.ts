import { isObject } from '../../language/json.ts';
import { isNumber } from '../../language/json-numbers.ts';
import { closestName } from '../../language/suggestions.ts';
import type { Evaluated } from './failures.ts';

const MAX_EXPRESSION = 500;
const MAX_SAMPLE = 200;
const MAX_HINTS = 3;
const MAX_KEYS_SHOWN = 8;

/** Why a state failed, as far as it is known. */
export interface Explanation {
  /** The text of the expression that failed. */
  readonly expression?: string;
  /** The type of the value that the expression saw or returned, and the beginning of its JSON text. */
  readonly saw?: { readonly type: string; readonly sample: string };
  /** For each name that the value lacks: "the value has `order`, not `ordr`"; and further hints. */
  readonly near?: readonly string[];
}

const cut = (text: string, length: number): string => (text.length > length ? `${text.slice(0, length)}…` : text);

function typeOf(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  return isNumber(value) ? 'number' : Array.isArray(value) ? 'array' : typeof value;
}

/** The data as it may be shown: without the secrets of an action, and without private members. */
function shown(data: unknown): unknown {
  if (!isObject(data)) return data;
  const { secrets: _secrets, private: _private, ...rest } = data;
  return rest;
}

/** A path of member names in a jq or JavaScript text: `.order.id`, `."order.placed".id`, `.["order.placed"]`. */
const PATH = /(?<![\w)\]"'])(?:data|input)?((?:\.[A-Za-z_]\w*|\."[^"\\]+"|\.?\["[^"\\]+"\])+)/g;
const NAME = /[A-Za-z_]\w*|"[^"\\]+"/g;

const namesOf = (path: string): string[] => [...path.matchAll(NAME)].map(([name]) => name.replaceAll('"', ''));

/** Why a value lacks a path: the first name that it lacks; undefined if it has them all. */
function hintFor(path: string, data: unknown): string | undefined {
  let value = data;
  let parent = '';
  for (const name of namesOf(path)) {
    if (parent !== '' && (value === null || value === undefined)) return `\`${parent}\` is null and has no \`${name}\``;
    if (!isObject(value)) return undefined;
    if (!Object.hasOwn(value, name)) return lackOf(name, Object.keys(value));
    value = (value as Record<string, unknown>)[name];
    parent = `${parent}.${name}`;
  }
  return undefined;
}

function lackOf(name: string, keys: readonly string[]): string {
  const near = closestName(name, keys);
  if (near !== undefined) return `the value has \`${near}\`, not \`${name}\``;
  const listed = keys.slice(0, MAX_KEYS_SHOWN).map((key) => `\`${cut(key, 40)}\``);
  return `the value has no \`${name}\`; it has ${listed.length === 0 ? 'no members' : listed.join(', ')}`;
}

/** Whether a path without a name before it begins at another value than the data: in `.a | .b`, and in `map(.b)`. */
const isRelative = (before: string): boolean =>
  /\|/.test(before) || /(?<!\bj[qs])(?<=\w)\([^()]*$/.test(before.replace(/^\s*j[qs]\(/, ''));

/** The paths of members of the data in an expression. */
function pathsIn(expression: string): string[] {
  const found = [...expression.matchAll(PATH)].filter(
    ({ 0: text, index }) => !text.startsWith('.') || !isRelative(expression.slice(0, index)),
  );
  return [...new Set(found.map(([, path = '']) => path))];
}

/** The names that an expression takes from the data and that the data lacks. */
function missingNames(expression: string, data: unknown): string[] {
  const value = shown(data);
  return pathsIn(expression.slice(0, MAX_EXPRESSION))
    .map((path) => hintFor(path, value))
    .filter((hint) => hint !== undefined);
}

function seen(value: unknown): NonNullable<Explanation['saw']> {
  const visible = shown(value);
  return { type: typeOf(value), sample: cut(JSON.stringify(visible) ?? 'null', MAX_SAMPLE) };
}

/** Explains a failure. Values of secrets and private members are not part of it. */
export function explain(evaluated: Evaluated): Explanation {
  const { query, data, result, hints = [] } = evaluated;
  const text = typeof query === 'string' ? query.trim() : JSON.stringify(query);
  const value = 'result' in evaluated ? result : data;
  const isSeen = 'result' in evaluated || 'data' in evaluated;
  const missed = text === undefined || data === undefined ? [] : missingNames(text, data);
  const near = [...new Set([...missed, ...hints.map((hint) => cut(hint, MAX_EXPRESSION))])].slice(0, MAX_HINTS);
  return {
    ...(text === undefined ? {} : { expression: cut(text, MAX_EXPRESSION) }),
    ...(isSeen ? { saw: seen(value) } : {}),
    ...(near.length === 0 ? {} : { near }),
  };
}
