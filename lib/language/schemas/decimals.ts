/** A decimal number: `digits` times ten to the power of `exponent`. */
interface Decimal {
  readonly digits: bigint;
  readonly exponent: number;
}

/** The number that the shortest text of a double stands for, which is the one that was written in JSON. */
function decimalOf(value: number): Decimal {
  const [mantissa = '0', exponent = '0'] = String(value).split('e');
  const [whole = '0', fraction = ''] = mantissa.split('.');
  return { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length };
}

/**
 * True if a number is an integral multiple of another, both finite, as they are written in decimals: 19.99 is one of 0.01,
 * although the remainder of the doubles is not zero. The divisor is not zero.
 */
export function isMultipleOf(value: number, divisor: number): boolean {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(divisor)) return value % divisor === 0;
  const [dividend, unit] = [decimalOf(value), decimalOf(divisor)];
  const least = Math.min(dividend.exponent, unit.exponent);
  const scaled = ({ digits, exponent }: Decimal): bigint => digits * 10n ** BigInt(exponent - least);
  return scaled(dividend) % scaled(unit) === 0n;
}
