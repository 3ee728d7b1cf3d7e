import { _, type Ajv, type FormatDefinition, type FuncKeywordDefinition, type KeywordErrorDefinition, str } from 'ajv';
import formats, { type FormatName } from 'ajv-formats';
import { toJson } from '../json.ts';
import { isMultipleOf } from './decimals.ts';

/** Two values are equal in JSON Schema if their canonical texts are: the order of keys and the sign of zero do not count. */
function canonical(value: unknown): string {
  const text = toJson(value);
  return text.includes('-0') ? toJson(JSON.parse(JSON.stringify(value))) : text;
}

/** The positions of two equal items; undefined if all differ. */
function duplicate(items: readonly unknown[]): { readonly i: number; readonly j: number } | undefined {
  const seen = new Map<string, number>();
  for (const [i, item] of items.entries()) {
    const text = canonical(item);
    const j = seen.get(text);
    if (j !== undefined) return { i, j };
    seen.set(text, i);
  }
  return undefined;
}

/** Ajv's error of a keyword, with its schema as the only parameter. */
function errorWith(parameter: string, message: KeywordErrorDefinition['message']): KeywordErrorDefinition {
  return { message, params: ({ schemaCode }) => _`{${_`${parameter}`}: ${schemaCode}}` };
}

/**
 * Keywords of Ajv that are replaced. Its own compare doubles by their remainder, and values by a function that calls
 * `valueOf` and `toString`, which may be members of the value.
 */
const KEYWORDS: readonly FuncKeywordDefinition[] = [
  {
    keyword: 'multipleOf',
    type: 'number',
    schemaType: 'number',
    validate: (divisor: number, value: number) => isMultipleOf(value, divisor),
    error: errorWith('multipleOf', ({ schemaCode }) => str`must be multiple of ${schemaCode}`),
  },
  {
    keyword: 'const',
    compile: (allowed: unknown) => {
      const text = canonical(allowed);
      return (value: unknown) => canonical(value) === text;
    },
    error: errorWith('allowedValue', 'must be equal to constant'),
  },
  {
    keyword: 'enum',
    schemaType: 'array',
    compile: (allowed: readonly unknown[]) => {
      const texts = new Set(allowed.map(canonical));
      return (value: unknown) => texts.has(canonical(value));
    },
    error: errorWith('allowedValues', 'must be equal to one of the allowed values'),
  },
  {
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    validate: (isWanted: boolean, items: readonly unknown[]) => !isWanted || duplicate(items) === undefined,
    error: errorWith('uniqueItems', 'must NOT have duplicate items'),
  },
];

/** The formats of drafts 4 to 7 that the library has; and `uuid`, which the original checks too. Others are not checked. */
const FORMATS: FormatName[] = [
  'date',
  'time',
  'date-time',
  'uri',
  'uri-reference',
  'uri-template',
  'email',
  'hostname',
  'ipv4',
  'ipv6',
  'regex',
  'uuid',
  'json-pointer',
  'relative-json-pointer',
];

const NOT_ASCII = /[\u0080-\u{10ffff}]/gu;

/** Formats of which all but the characters beyond ASCII is that of another. */
const INTERNATIONAL: readonly { format: string; like: FormatName; letter: string }[] = [
  { format: 'idn-email', like: 'email', letter: 'x' },
  { format: 'iri', like: 'uri', letter: '%20' },
  { format: 'iri-reference', like: 'uri-reference', letter: '%20' },
];

function matches(format: unknown, text: string): boolean {
  if (format instanceof RegExp) return format.test(text);
  if (typeof format === 'function') return Boolean(format(text));
  const { validate } = format as FormatDefinition<string>;
  return matches(validate, text);
}

/** An address is valid with a host without a dot too, such as `localhost`. */
const isEmail = (text: string): boolean =>
  [text, `${text}.localdomain`].some((address) => matches(formats.default.get('email'), address));

/** Adds the keywords that differ from Ajv's own, and the formats, to an instance of Ajv. */
export function addKeywords(ajv: Ajv): void {
  for (const definition of KEYWORDS) {
    ajv.removeKeyword(String(definition.keyword));
    ajv.addKeyword(definition);
  }
  formats.default(ajv, FORMATS);
  ajv.addFormat('email', isEmail);
  for (const { format, like, letter } of INTERNATIONAL)
    ajv.addFormat(format, (text: string) => matches(ajv.formats[like], text.replace(NOT_ASCII, letter)));
}
