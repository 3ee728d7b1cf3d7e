// Replaces the package bn.js in bundles by the integers of the runtime: the members that the AWS Encryption SDK calls, for
// numbers that are not negative.

/** A number whose powers are remainders of a modulus. */
class Remainder {
  readonly #value: bigint;
  readonly #modulus: bigint;

  constructor(value: bigint, modulus: bigint) {
    this.#value = value;
    this.#modulus = modulus;
  }

  redPow({ value: exponent }: BigNumber): Remainder {
    let power = 1n;
    for (const bit of exponent.toString(2)) {
      power = (power * power) % this.#modulus;
      if (bit === '1') power = (power * this.#value) % this.#modulus;
    }
    return new Remainder(power, this.#modulus);
  }

  fromRed(): BigNumber {
    return new BigNumber(this.#value);
  }
}

const hexOf = (bytes: readonly number[]): string =>
  bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('') || '0';

/** An integer of any size; of a list of bytes, the most significant is the first. */
// biome-ignore lint/style/noDefaultExport: the package has one
export default class BigNumber {
  readonly value: bigint;

  constructor(given: bigint | number | readonly number[] | string, base = 10) {
    if (typeof given === 'string') this.value = BigInt(base === 16 ? `0x${given}` : given);
    else this.value = typeof given === 'object' ? BigInt(`0x${hexOf(given)}`) : BigInt(given);
  }

  /** The modulus for `toRed`. */
  static mont(modulus: BigNumber): BigNumber {
    return modulus;
  }

  toRed({ value: modulus }: BigNumber): Remainder {
    return new Remainder(this.value % modulus, modulus);
  }

  add = ({ value }: BigNumber): BigNumber => new BigNumber(this.value + value);
  sub = ({ value }: BigNumber): BigNumber => new BigNumber(this.value - value);
  mul = ({ value }: BigNumber): BigNumber => new BigNumber(this.value * value);
  div = ({ value }: BigNumber): BigNumber => new BigNumber(this.value / value);
  mod = ({ value }: BigNumber): BigNumber => new BigNumber(this.value % value);
  pow = ({ value }: BigNumber): BigNumber => new BigNumber(this.value ** value);
  eq = ({ value }: BigNumber): boolean => this.value === value;
  bitLength = (): number => (this.value === 0n ? 0 : this.value.toString(2).length);

  /** Throws for a number beyond 2^53, as bn.js does. */
  toNumber(): number {
    const number = Number(this.value);
    if (!Number.isSafeInteger(number)) throw new Error('Number can only safely store up to 53 bits');
    return number;
  }

  /** The bytes in this order, with zeros up to the length. Throws if they are more, as bn.js does. */
  toArray(order: 'be', length: number): number[] {
    if (order !== 'be') throw new Error(`the order ${order} is not supported here`);
    const hex = this.value.toString(16);
    const bytes = [...Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex')];
    if (bytes.length > length) throw new Error('byte array longer than desired length');
    return [...Array<number>(length - bytes.length).fill(0), ...bytes];
  }
}
