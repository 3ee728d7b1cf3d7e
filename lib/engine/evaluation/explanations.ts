import { closestName } from '../../language/suggestions.ts';
import type { Evaluated } from './failures.ts';

const MAX_EXPRESSION = 500;
const MAX_SAMPLE = 200;
const MAX_HINTS = 3;
const MAX_KEYS_SHOWN = 8;

/** Why an expression failed: its text, the value that it was applied to, and names that the value lacks. */
export interface Explanation {
  readonly expression: string;
  /** The type of the value and the beginning of its JSON text. */
  readonly saw: { readonly type: string; readonly sample: string };
  /** For each name that the value lacks: "the value has `order`, not `ordr`". */
  readonly near: readonly string[];
}

const cut = (text: string, length: number): string => (text.length > length ? `${text.slice(0, length)}…` : text);

function typeOf(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

/** The data as it may be shown: without the secrets of an action, and without private members. */
function shown(data: unknown): unknown {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return data;
  const { secrets: _secrets, private: _private, ...rest } = data as Record<string, unknown>;
  return rest;
}

/** A path of member names in a jq or JavaScript text: `.order.id`. */
const PATH = /(?<![\w)\]"'])(?:data|input)?((?:\.[A-Za-z_]\w*)+)/g;

/** The first name of a path that the value lacks, and the names that it has there. */
function missing(path: string, data: unknown): { readonly name: string; readonly keys: readonly string[] } | undefined {
  let value = data;
  for (const name of path.split('.').slice(1)) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    if (!Object.hasOwn(value, name)) return { name, keys: Object.keys(value) };
    value = (value as Record<string, unknown>)[name];
  }
  return undefined;
}

function hintFor(path: string, data: unknown): string | undefined {
  const lack = missing(path, data);
  if (lack === undefined) return undefined;
  const { name, keys } = lack;
  const near = closestName(name, keys);
  if (near !== undefined) return `the value has \`${near}\`, not \`${name}\``;
  const listed = keys.slice(0, MAX_KEYS_SHOWN).map((key) => `\`${cut(key, 40)}\``);
  return `the value has no \`${name}\`; it has ${listed.length === 0 ? 'no members' : listed.join(', ')}`;
}

/** Explains a failed evaluation. Values of secrets and private members are not part of it. */
export function explain({ query, data }: Evaluated): Explanation {
  const expression = typeof query === 'string' ? query.trim() : JSON.stringify(query);
  const value = shown(data);
  const paths = [...expression.slice(0, MAX_EXPRESSION).matchAll(PATH)].map(([, path = '']) => path);
  const hints = [...new Set(paths)].map((path) => hintFor(path, value)).filter((hint) => hint !== undefined);
  return {
    expression: cut(expression, MAX_EXPRESSION),
    saw: { type: typeOf(value), sample: cut(JSON.stringify(value) ?? 'null', MAX_SAMPLE) },
    near: [...new Set(hints)].slice(0, MAX_HINTS),
  };
}
