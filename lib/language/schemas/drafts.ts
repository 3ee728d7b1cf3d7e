/** A draft of JSON Schema. A schema that names none, or another, may use the keywords of any, as in the original. */
export type Draft = 4 | 6 | 7 | 'any';

const NAMES: readonly (readonly [name: RegExp, draft: Draft])[] = [
  [/draft-04/, 4],
  [/draft-06/, 6],
  [/draft-07/, 7],
];

/** Returns the draft that the root of a schema names by `$schema`. */
export function draftOf(schema: object): Draft {
  const named: unknown = '$schema' in schema ? schema.$schema : undefined;
  const row = typeof named === 'string' ? NAMES.find(([name]) => name.test(named)) : undefined;
  return row?.[1] ?? 'any';
}
