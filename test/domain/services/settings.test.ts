import { describe, expect, test } from 'vitest';
import { ServiceError } from '../../../lib/domain/errors.ts';
import { toSettings } from '../../../lib/domain/services/settings.ts';

const LIMITS = { settings: { maxScale: 3 } };
const INPUT = { image: 'example/a', cmd: '', size: 0, minScale: 0, envs: {} };
const read = (input: object) => toSettings(LIMITS, { ...INPUT, ...input });

function errorOf(input: object): ServiceError {
  try {
    read(input);
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
  throw new Error('it was accepted');
}

describe('a size', () => {
  test.each([
    ['small', 0],
    ['Medium', 1],
    ['LARGE', 2],
    ['2', 2],
    [1, 1],
    [7, 0],
    ['', 0],
  ])('%j is %i', (size, known) => {
    expect(read({ size }).size).toBe(known);
  });

  test.each(['huge', 'constructor', '__proto__', 'valueof', '-1'])('%j is invalid', (size) => {
    expect(errorOf({ size }).message).toBe(`size is '${size}'; it is small, medium or large, or 0, 1 or 2`);
  });
});

describe('a very long value', () => {
  const LONG = 'x '.repeat(5_000_000);

  test.each([
    ['cmd', { cmd: LONG }, 'too-large'],
    ['size', { size: LONG }, 'invalid'],
    ['image', { image: LONG }, 'invalid'],
    ['an environment variable', { envs: { [LONG]: '' } }, 'invalid'],
  ])('is rejected with a short message: %s', (_what, input, code) => {
    const error = errorOf(input);
    expect(error.code).toBe(code);
    expect(error.message.length).toBeLessThan(300);
  });

  test('is rejected before its quotes are parsed', () => {
    expect(errorOf({ cmd: `'${LONG}` }).code).toBe('too-large');
  });
});
