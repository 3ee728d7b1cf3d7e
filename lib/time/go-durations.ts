/** Nanoseconds in each unit of Go's duration strings. */
const UNIT_NS: ReadonlyMap<string, number> = new Map([
  ['ns', 1],
  ['us', 1e3],
  ['µs', 1e3],
  ['μs', 1e3],
  ['ms', 1e6],
  ['s', 1e9],
  ['m', 6e10],
  ['h', 3.6e12],
]);

const AMOUNT = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)/g;
const DURATION = /^[+-]?(?:0|(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/;

/** A longer text is rejected before it is parsed. */
const MAX_CHARACTERS = 1000;

/**
 * Parses a duration in the notation of Go's `time.ParseDuration`, for example `1h30m`, `-1.5h` or `0`, and returns it
 * in milliseconds, with fractions. Returns undefined for any other text. Never throws.
 */
export function parseGoDuration(text: string): number | undefined {
  if (text.length > MAX_CHARACTERS || !DURATION.test(text)) return undefined;
  let ns = 0;
  // Each amount is rounded to whole nanoseconds, as in Go, so that 0.1s900000µs is exactly one second.
  for (const [, amount, unit = ''] of text.matchAll(AMOUNT))
    ns += Math.round(Number(amount) * (UNIT_NS.get(unit) ?? 0));
  return text.startsWith('-') ? 0 - ns / 1e6 : ns / 1e6;
}
