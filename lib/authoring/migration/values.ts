/** Whether a value is an object with fields. */
export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Every value inside a value, with the name of the field that holds it; of a list, that of the list. */
export function* valuesIn(value: unknown, name = ''): Generator<readonly [name: string, value: unknown]> {
  if (name !== '') yield [name, value];
  if (Array.isArray(value)) for (const item of value) yield* valuesIn(item, `${name}[]`);
  if (isRecord(value)) for (const [key, item] of Object.entries(value)) yield* valuesIn(item, key);
}
