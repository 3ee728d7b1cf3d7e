const NS_OF: Readonly<Record<string, number>> = {
  ns: 1,
  us: 1e3,
  µs: 1e3,
  μs: 1e3,
  ms: 1e6,
  s: 1e9,
  m: 6e10,
  h: 3.6e12,
};

const AMOUNT = /(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)/g;
const WHOLE = /^[+-]?(?:0|(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/;
const LONGEST = 100;

/** Reads a duration as Go writes them, `1h30m`, as milliseconds; undefined for anything else. */
export function parseGoDuration(text: string): number | undefined {
  if (text.length > LONGEST || !WHOLE.test(text)) return undefined;
  const amounts = [...text.matchAll(AMOUNT)].map(([, amount, unit = '']) => Number(amount) * (NS_OF[unit] ?? 0));
  const ms = amounts.reduce((sum, ns) => sum + ns, 0) / 1e6;
  return text.startsWith('-') ? -ms : ms;
}
