import { toJson } from './json.ts';
import { type ExactNumber, isLongInteger, isNumber } from './json-numbers.ts';
import { ownMember } from './own-members.ts';

interface Verb {
  readonly flags: string;
  readonly width: number;
  readonly precision: number | undefined;
}

type Print = (value: unknown, verb: Verb) => string;

const asText: Print = (value, { precision }) => {
  const text = typeof value === 'string' ? value : toJson(value);
  return precision === undefined || typeof value !== 'string' ? text : [...text].slice(0, precision).join('');
};

/** Prints numbers in a form of their own, and any other value as text. */
const numeric =
  (print: (value: number | ExactNumber, verb: Verb) => string): Print =>
  (value, verb) => {
    if (!isNumber(value)) return asText(value, verb);
    const text = print(value, verb);
    return verb.flags.includes('+') && !text.startsWith('-') ? `+${text}` : text;
  };

/** Each digit of a long integer counts. */
const inRadix = (radix: number): Print =>
  numeric((value) =>
    (isLongInteger(String(value)) ? BigInt(String(value)) : Math.trunc(Number(value))).toString(radix),
  );

/** The exponent has at least two digits. */
const exponential = numeric((value, { precision = 6 }) =>
  Number(value)
    .toExponential(precision)
    .replace(/([+-])(\d)$/, '$10$2'),
);

const fixed = numeric((value, { precision = 6 }) => Number(value).toFixed(precision));

const hexadecimal: Print = (value, verb) =>
  typeof value === 'string' ? Buffer.from(value).toString('hex') : inRadix(16)(value, verb);

/** The verbs of Go's fmt; any other letter prints text. */
const VERBS: Readonly<Record<string, Print>> = {
  d: inRadix(10),
  b: inRadix(2),
  o: inRadix(8),
  x: hexadecimal,
  X: (value, verb) => hexadecimal(value, verb).toUpperCase(),
  f: fixed,
  F: fixed,
  e: exponential,
  E: (value, verb) => exponential(value, verb).toUpperCase(),
  q: (value, verb) => (typeof value === 'string' ? JSON.stringify(value) : asText(value, verb)),
};

function padded(text: string, value: unknown, { flags, width }: Verb): string {
  if (flags.includes('-')) return text.padEnd(width);
  if (!flags.includes('0') || !isNumber(value)) return text.padStart(width);
  const [sign = '', digits = ''] = /^[+-]/.test(text) ? [text.slice(0, 1), text.slice(1)] : ['', text];
  return sign + digits.padStart(width - sign.length, '0');
}

/** The widest field and the most decimals: a message cannot be made longer by its format. */
const MAX_WIDTH = 100;
const bounded = (digits: string): number => Math.min(Number(digits), MAX_WIDTH);

/**
 * Replaces each verb of a printf format by an argument, as in Go: flags, width, precision and a letter, such as `%s`, `%05d`
 * and `%.2f`; `%%` is a percent sign. Values that are no text print as JSON. A verb without an argument becomes
 * `%!s(MISSING)`; an argument without a verb is left out.
 */
export function formatText(format: string, args: readonly unknown[]): string {
  let next = 0;
  return format.replace(/%(?:%|([-+# 0]*)(\d*)(?:\.(\d*))?([a-zA-Z]))/g, (...found: string[]) => {
    const [whole, flags = '', width = '', precision, letter = ''] = found;
    if (whole === '%%') return '%';
    if (next >= args.length) return `%!${letter}(MISSING)`;
    const value = args[next++];
    const verb = { flags, width: bounded(width), precision: precision === undefined ? undefined : bounded(precision) };
    return padded((ownMember(VERBS, letter) ?? asText)(value, verb), value, verb);
  });
}
