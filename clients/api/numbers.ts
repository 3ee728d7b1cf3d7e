interface Json {
  parse(
    text: string,
    revive: (key: string, value: unknown, context?: { readonly source?: string }) => unknown,
  ): unknown;
  rawJSON(text: string): unknown;
}

/** The types of the language do not have these functions yet; Node 20 has neither. */
const { parse, rawJSON } = JSON as unknown as Json;

/** A number that a double would change. It computes as that double; as a string and as JSON it is the text that came. */
class WrittenNumber extends Number {
  readonly #text: string;

  constructor(text: string) {
    super(text);
    this.#text = text;
  }

  override toString(radix?: number): string {
    return radix === undefined ? this.#text : super.toString(radix);
  }

  toJSON(): unknown {
    return rawJSON(this.#text);
  }
}

/** What every text with a number that a double may change has. */
const LONG = /[\d.]{16}|\d[eE][-+]?\d{3}/;

const digitsOf = (text: string): string => text.replace(/e.*$/i, '').replace(/\D/g, '').replace(/^0+/, '');

function isChanged(source: string): boolean {
  const kept = digitsOf(String(Number(source))).replace(/0+$/, '');
  const digits = digitsOf(source);
  return !digits.startsWith(kept) || /[1-9]/.test(digits.slice(kept.length));
}

/**
 * Parses JSON of users. A number that a double would change, as an integer beyond 2^53, is a `Number` object that keeps
 * its text; in a runtime without `JSON.rawJSON`, it is the nearest double. Throws as `JSON.parse`.
 */
export function parseJson(text: string): unknown {
  if (!LONG.test(text) || rawJSON === undefined) return JSON.parse(text);
  try {
    return parse(text, (_, value, { source = '' } = {}) =>
      typeof value === 'number' && isChanged(source) ? new WrittenNumber(source) : value,
    );
  } catch (error) {
    // A document may be nested deeper than a reviver can reach.
    if (error instanceof RangeError) return JSON.parse(text);
    throw error;
  }
}

/** Formats a value as JSON: as `JSON.stringify`, and a bigint as an integer. */
export const printJson = (value: unknown): string =>
  JSON.stringify(value, (_, member: unknown) => (typeof member === 'bigint' ? rawJSON(String(member)) : member));
