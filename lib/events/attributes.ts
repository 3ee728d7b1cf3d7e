import { isScalar } from '../language/json-numbers.ts';
import { textOf } from '../language/own-members.ts';

/** The supported versions of CloudEvents. */
const VERSIONS = ['1.0', '0.3'];

/** The attributes that these versions define; all are texts. */
const CORE = new Set([
  'specversion',
  'id',
  'source',
  'type',
  'subject',
  'time',
  'datacontenttype',
  'dataschema',
  'schemaurl',
  'datacontentencoding',
]);

const NAME = /^[a-z0-9]+$/;

export type Attributes = Readonly<Record<string, unknown>>;

/** The attributes, or the problem with them, in texts that existing clients know (rest-api 15.2). */
export type Checked = { readonly attributes: Record<string, unknown> } | { readonly problem: string };

/**
 * Checks the attributes of an event without its payload, and returns them as they are stored: names of extensions in
 * lower case, values as sent, a new id where there is none, without a malformed `dataschema` (rest-api 15.1). A null
 * attribute is absent.
 */
export function checkAttributes(given: Attributes, newId: () => string): Checked {
  const problem = versionProblem(given['specversion']);
  if (problem !== undefined) return { problem };
  const attributes: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(given)) {
    if (value === null || (name === 'id' && value === '')) continue;
    const wrong = attributeProblem(name, value);
    if (wrong !== undefined) return { problem: wrong };
    if (SCHEMAS.has(name) && !isReference(textOf(value))) continue;
    attributes[name.toLowerCase()] = typeof value === 'string' ? value.toWellFormed() : value;
  }
  attributes['id'] ??= newId();
  const missing = REQUIRED.flatMap(([name, text]) => (isBlank(attributes[name]) ? [`${name}: ${text}\n`] : []));
  const empty = NEVER_EMPTY.filter((name) => Object.hasOwn(attributes, name) && isBlank(attributes[name]));
  const wrong = [...missing, ...empty.map((name) => `${name}: if present, MUST be a non-empty string\n`)].join('');
  return wrong === '' ? { attributes } : { problem: wrong };
}

const REQUIRED = [
  ['id', 'MUST be a non-empty string'],
  ['source', 'REQUIRED'],
  ['type', 'MUST be a non-empty string'],
] as const;

const NEVER_EMPTY = ['subject', 'datacontenttype'];
const SCHEMAS = new Set(['dataschema', 'schemaurl']);

const isBlank = (value: unknown): boolean => typeof value !== 'string' || value.trim() === '';

function versionProblem(version: unknown): string | undefined {
  if (version === undefined || version === null || version === '') return 'specversion: no specversion\n';
  if (typeof version === 'string' && VERSIONS.includes(version)) return undefined;
  return `specversion: unknown version, write one of ${VERSIONS.join(', ')}\n`;
}

/** A name is ambiguous, and invalid, if it equals a core attribute or `data` only after conversion to lower case. */
function attributeProblem(name: string, value: unknown): string | undefined {
  if (CORE.has(name)) {
    if (typeof value !== 'string') return `${name}: MUST be a string\n`;
    return name === 'time' && !isTime(value)
      ? `cannot convert ${JSON.stringify(cut(value))} to time.Time: not in RFC3339 format`
      : undefined;
  }
  const lowered = name.toLowerCase();
  if (!NAME.test(lowered) || lowered === 'data' || CORE.has(lowered)) {
    return `${cut(name)}: attribute names MUST consist of letters and digits, and differ from those of the specification\n`;
  }
  return isScalar(value) ? undefined : `${cut(name)}: extensions MUST be a string, a number or a boolean\n`;
}

/** Shortens a name or value, which can be as long as the request, for a message. */
const cut = (text: string): string => (text.length > 60 ? `${text.slice(0, 59)}…` : text).toWellFormed();

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/i;

function isTime(value: string): boolean {
  // Further digits of the fraction are stored, but Date.parse need not accept more than three.
  return TIME.test(value) && !Number.isNaN(Date.parse(value.toUpperCase().replace(/(\.\d{3})\d+/, '$1')));
}

function isReference(value: string): boolean {
  return /^[^\s\p{Cc}]+$/u.test(value) && !/^#*$/.test(value) && !/%(?![0-9a-f]{2})/i.test(value);
}
