import { createRequire } from 'node:module';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import BigNumber from '../../bin/functions/big-numbers.ts';

/** The package, which has no types. */
const Library = createRequire(import.meta.url)('bn.js') as typeof BigNumber;

/** Names of the operations with two numbers whose result is one. */
const BINARY = ['add', 'mul', 'mod', 'div'] as const;

const bytesOf = (number: BigNumber): number[] => number.toArray('be', 400);
const attempt = (run: () => unknown): unknown => {
  try {
    return run();
  } catch (error) {
    return (error as Error).message;
  }
};

/** What the operations make of two numbers, which are given as bytes. */
function resultsOf(Made: typeof BigNumber, a: readonly number[], b: readonly number[]): unknown {
  const [one, other] = [new Made(a), new Made(b).add(new Made(1))];
  const odd = other.mul(new Made(2)).add(new Made(1));
  return [
    ...BINARY.map((name) => bytesOf(one[name](other))),
    bytesOf(one.add(other).sub(other)),
    bytesOf(one.pow(new Made(3))),
    bytesOf(one.mod(odd).toRed(Made.mont(odd)).redPow(other).fromRed()),
    [one.eq(other), one.eq(new Made(a)), one.bitLength()],
    attempt(() => one.toNumber()),
    attempt(() => one.toArray('be', 8)),
  ];
}

const bytes = fc.array(fc.integer({ min: 0, max: 255 }), { minLength: 1, maxLength: 48 });

test('the numbers that replace bn.js in bundles compute as it does', () => {
  fc.assert(
    fc.property(bytes, bytes, (a, b) => {
      expect(resultsOf(BigNumber, a, b)).toEqual(resultsOf(Library, a, b));
    }),
    { numRuns: 300 },
  );
});

test('texts are read in the base that is given', () => {
  for (const [text, base] of [
    ['ff', 16],
    ['255', 10],
  ] as const)
    expect(bytesOf(new BigNumber(text, base))).toEqual(bytesOf(new Library(text, base)));
});
