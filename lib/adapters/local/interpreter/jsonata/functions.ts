import { createHash, randomUUID } from 'node:crypto';
import { parseJson } from '../../../../language/json-numbers.ts';

const ALGORITHMS: Readonly<Record<string, string>> = {
  MD5: 'md5',
  'SHA-1': 'sha1',
  'SHA-256': 'sha256',
  'SHA-384': 'sha384',
  'SHA-512': 'sha512',
};

/** Step Functions returns at most so many elements from $range. */
const MAX_RANGE = 1000;

/**
 * The functions that Step Functions adds to JSONata (developer guide, "Transforming data with JSONata"). They return
 * undefined for an undefined first argument, as JSONata's own functions do.
 */
export const AWS_FUNCTIONS: Readonly<Record<string, (...args: never[]) => unknown>> = {
  partition,
  range,
  hash,
  random,
  uuid: () => randomUUID(),
  parse: (text: unknown) => (text === undefined ? undefined : parseJson(String(text))),
};

function partition(array: unknown, size: unknown): unknown {
  if (array === undefined) return undefined;
  const items = Array.isArray(array) ? array : [array];
  const step = wholeNumber('$partition', size);
  if (step < 1) throw new RangeError('$partition: the size must be at least 1');
  return Array.from({ length: Math.ceil(items.length / step) }, (_, i) => items.slice(i * step, (i + 1) * step));
}

function range(first: unknown, last: unknown, by: unknown): unknown {
  const [from, to, step] = [first, last, by ?? 1].map((value) => wholeNumber('$range', value)) as [
    number,
    number,
    number,
  ];
  if (step === 0) throw new RangeError('$range: the step must not be 0');
  const length = Math.max(Math.floor((to - from) / step) + 1, 0);
  if (length > MAX_RANGE) throw new RangeError(`$range: more than ${MAX_RANGE} elements`);
  return Array.from({ length }, (_, i) => from + i * step);
}

function hash(text: unknown, algorithm: unknown): unknown {
  if (text === undefined) return undefined;
  const name = ALGORITHMS[String(algorithm ?? 'SHA-256')];
  if (!name) throw new RangeError(`$hash: ${String(algorithm)} is none of ${Object.keys(ALGORITHMS).join(', ')}`);
  return createHash(name).update(String(text)).digest('hex');
}

/** A number from 0 to 1; the same seed returns the same number. */
function random(seed: unknown): number {
  if (seed === undefined) return Math.random();
  const digest = createHash('sha256')
    .update(`seed ${wholeNumber('$random', seed)}`)
    .digest();
  return digest.readUIntBE(0, 6) / 2 ** 48;
}

function wholeNumber(name: string, value: unknown): number {
  if (typeof value !== 'number') throw new TypeError(`${name}: a number is needed`);
  return Math.round(value);
}
