import { type ExactNumber, numberOf } from '../json-numbers.ts';

/**
 * The meaning of a YAML scalar: the forms of the YAML 1.2 core schema and those of YAML 1.1 on which existing workflows rely
 * (workflow-language 1.1): 014 is twelve, 1_000 is a thousand, a date is its RFC 3339 text.
 */
export interface Scalar {
  /** Short tag: !!str, !!int, !!float, !!bool, !!null, !!timestamp, !!binary or !!merge. */
  readonly tag: string;
  /** May be NaN or an infinity, which the parser rejects because JSON does not have them. */
  readonly value: string | number | boolean | null | ExactNumber;
}

const WORDS = new Map<string, Scalar>([
  ...words('!!null', null, ['', '~', 'null', 'Null', 'NULL']),
  ...words('!!bool', true, ['true', 'True', 'TRUE']),
  ...words('!!bool', false, ['false', 'False', 'FALSE']),
  ...words('!!float', Number.NaN, ['.nan', '.NaN', '.NAN']),
  ...words('!!float', Number.POSITIVE_INFINITY, ['.inf', '.Inf', '.INF', '+.inf', '+.Inf', '+.INF']),
  ...words('!!float', Number.NEGATIVE_INFINITY, ['-.inf', '-.Inf', '-.INF']),
  ...words('!!merge', '<<', ['<<']),
]);

/** Tested in this order, after the underscores between digits are removed. */
const INTEGERS: readonly { form: RegExp; base: number }[] = [
  { form: /^([-+]?)0[xX]([0-9a-fA-F]+)$/, base: 16 },
  { form: /^([-+]?)0[bB]([01]+)$/, base: 2 },
  { form: /^([-+]?)0[oO]?([0-7]+)$/, base: 8 },
  { form: /^([-+]?)(0|[1-9][0-9]*)$/, base: 10 },
];
const FLOAT = /^[-+]?(?=\.?[0-9])([0-9]*)(?:\.([0-9]*))?([eE][-+]?[0-9]+)?$/;

/** Resolves an unquoted scalar without a tag. A scalar of no other type is text. */
export function resolvePlain(text: string): Scalar {
  const word = WORDS.get(text);
  if (word !== undefined) return word;
  if (!/^[-+.0-9]/.test(text)) return { tag: '!!str', value: text };
  return timestamp(text) ?? number(text) ?? { tag: '!!str', value: text };
}

/** The tags that give a text a meaning other than text. An application's own tag gives it none, as in the original. */
const MEANINGS: ReadonlySet<string> = new Set(
  ['null', 'bool', 'int', 'float', 'timestamp', 'merge', 'binary'].map((name) => `!!${name}`),
);

/** Resolves a scalar with a short tag; undefined if the text has no such meaning. */
export function resolveTagged(tag: string, text: string): Scalar | undefined {
  if (!MEANINGS.has(tag)) return { tag: '!!str', value: text };
  if (tag === '!!binary') return binary(text);
  const plain = resolvePlain(text);
  if (tag === '!!float' && plain.tag === '!!int') return { tag, value: plain.value };
  return plain.tag === tag ? plain : undefined;
}

function words(tag: string, value: Scalar['value'], spellings: readonly string[]): [string, Scalar][] {
  return spellings.map((spelling) => [spelling, { tag, value }]);
}

function number(text: string): Scalar | undefined {
  // Underscores are separators only after a digit or a sign; `.1_0` is text.
  const plain = text.startsWith('.') ? text : text.replaceAll('_', '');
  for (const { form, base } of INTEGERS) {
    const parts = form.exec(plain);
    if (parts !== null) return integer(parts[1] === '-', parts[2] ?? '', base) ?? float(plain);
  }
  return float(plain);
}

/** Undefined for more than 64 bits: such a number is a float. */
function integer(negative: boolean, written: string, base: number): Scalar | undefined {
  const digits = written.replace(/^0+(?=.)/, '');
  if (digits.length > 64) return undefined;
  const prefix = { 2: '0b', 8: '0o', 16: '0x' }[base] ?? '';
  const size = BigInt(`${prefix}${digits}`);
  if (size >= 2n ** (negative ? 63n : 64n)) return undefined;
  return { tag: '!!int', value: numberOf(`${negative && size > 0n ? '-' : ''}${size}`) };
}

function float(plain: string): Scalar | undefined {
  const [found, whole = '', fraction = '', exponent = ''] = FLOAT.exec(plain) ?? [];
  if (found === undefined || !Number.isFinite(Number(plain))) return undefined;
  const size = `${whole.replace(/^0+(?=.)/, '') || '0'}${fraction && '.'}${fraction}${exponent}`;
  const value = numberOf(plain.startsWith('-') ? `-${size}` : size);
  return { tag: '!!float', value: value === 0 ? 0 : value };
}

const DATE = /^(\d{4})-(\d\d?)-(\d\d?)$/;
const TIMES = [
  /^(\d{4})-(\d\d?)-(\d\d?)[Tt](\d\d?):(\d\d?):(\d\d?)(?:[.,](\d+))?(Z|[-+]\d\d:\d\d)$/,
  /^(\d{4})-(\d\d?)-(\d\d?) (\d\d?):(\d\d?):(\d\d?)(?:[.,](\d+))?()$/,
];

function timestamp(text: string): Scalar | undefined {
  if (text[4] !== '-') return undefined;
  const parts = [DATE, ...TIMES].map((form) => form.exec(text)).find((found) => found !== null);
  if (!parts) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts
    .slice(1, 7)
    .map((part) => Number(part ?? 0));
  const inDay = hour < 24 && minute < 60 && second < 60;
  if (!inDay || month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return undefined;
  const date = [String(year).padStart(4, '0'), two(month), two(day)].join('-');
  const time = [two(hour), two(minute), two(second)].join(':');
  return { tag: '!!timestamp', value: `${date}T${time}${fraction(parts[7])}${zone(parts[8])}` };
}

function daysIn(year: number, month: number): number {
  const date = new Date(Date.UTC(2000, month, 0));
  // Not Date.UTC(year, ...), which maps the years 0 to 99 to 1900 to 1999.
  date.setUTCFullYear(year, month, 0);
  return date.getUTCDate();
}

function fraction(digits = ''): string {
  const kept = digits.slice(0, 9).replace(/0+$/, '');
  return kept === '' ? '' : `.${kept}`;
}

function zone(offset = ''): string {
  return /^([-+]00:00|)$/.test(offset) ? 'Z' : offset;
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}

function binary(text: string): Scalar | undefined {
  const compact = text.replace(/\s/g, '');
  if (!/^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(compact)) return undefined;
  const bytes = Uint8Array.from(atob(compact), (letter) => letter.charCodeAt(0));
  return { tag: '!!binary', value: new TextDecoder().decode(bytes) };
}
