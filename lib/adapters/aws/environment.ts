import { parseJson } from '../../language/json-numbers.ts';

/** The value of a variable. Throws Error if it is missing or empty. */
export function setting(name: string): string {
  const value = process.env[name];
  if (value === undefined || value === '') throw new Error(`the function has no ${name} in its environment`);
  return value;
}

/** The settings in a variable, as JSON; undefined if it is missing or empty. */
export function jsonIn<T>(name: string): T | undefined {
  const text = process.env[name] ?? '';
  return text === '' ? undefined : (parseJson(text) as T);
}

/** The number in a variable; undefined if it is missing or empty. */
export function numberOf(name: string): number | undefined {
  const text = process.env[name] ?? '';
  return text === '' ? undefined : Number(text);
}
