import { isObject } from '../../language/json.ts';
import { ExactNumber } from '../../language/json-numbers.ts';

/** A part of a value that is not as expected. */
export interface Difference {
  /** From the root: `.order.items[2].price`; empty for the whole value. */
  readonly path: string;
  /** Undefined: there must be no value. */
  readonly expected: unknown;
  /** Undefined: there is no value. */
  readonly actual: unknown;
}

const NAME = /^[A-Za-z_$][\w$-]*$/;
const member = (path: string, key: string): string =>
  `${path}${NAME.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`}`;

const isSameScalar = (one: unknown, other: unknown): boolean =>
  one === other || (one instanceof ExactNumber && other instanceof ExactNumber && one.text === other.text);

/** Differences reported of one value at most. */
const MAX_DIFFERENCES = 20;

/**
 * Compares a value with the expected one: of an object, the expected members; a list has the expected length, and
 * each item is compared in the same way. Null expects null or no value. Numbers are compared by value.
 */
export function differences(expected: unknown, actual: unknown, path = ''): readonly Difference[] {
  if (isObject(expected) && isObject(actual)) {
    const found = Object.entries(expected).flatMap(([key, value]) =>
      differences(value, Object.hasOwn(actual, key) ? actual[key] : undefined, member(path, key)),
    );
    return found.slice(0, MAX_DIFFERENCES);
  }
  if (Array.isArray(expected) && Array.isArray(actual) && expected.length === actual.length) {
    return expected
      .flatMap((one, index) => differences(one, actual[index], `${path}[${index}]`))
      .slice(0, MAX_DIFFERENCES);
  }
  const isSame = expected === null ? (actual ?? null) === null : isSameScalar(expected, actual);
  return isSame ? [] : [{ path, expected, actual }];
}

/** As `differences`, where the value must have no other members either. */
export function changes(before: unknown, after: unknown, path = ''): readonly Difference[] {
  if (isObject(before) && isObject(after)) {
    const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...keys].flatMap((key) => changes(before[key], after[key], member(path, key))).slice(0, MAX_DIFFERENCES);
  }
  if (Array.isArray(before) && Array.isArray(after) && before.length === after.length) {
    return before.flatMap((one, index) => changes(one, after[index], `${path}[${index}]`)).slice(0, MAX_DIFFERENCES);
  }
  return isSameScalar(before, after) ? [] : [{ path, expected: before, actual: after }];
}

/** A value as reports show it, in one line. */
export function shown(value: unknown): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  return text.length > 200 ? `${text.slice(0, 199)}…` : text;
}

const MIDNIGHT = 'T00:00:00Z';

/** The hint for a date that was written without quotes, which YAML reads as a time; empty for other differences. */
const dateHint = ({ expected, actual }: Difference): string =>
  typeof actual === 'string' && expected === `${actual}${MIDNIGHT}`
    ? `; YAML reads a date without quotes as a time: write '${actual}' in quotes`
    : '';

/** A difference in one line, with its mend where that is known. */
export const differenceText = (difference: Difference, root: string): string => {
  const { path, expected, actual } = difference;
  return `${root}${path}: expected ${shown(expected)}, found ${shown(actual)}${dateHint(difference)}`;
};
