import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { schemaProblem, violations } from '../../../lib/language/schemas/violations.ts';
import { SCHEMAS, VALUES } from './oracle/corpus.ts';
import { DIFFERENCES } from './oracle/differences.ts';

const { dirname } = import.meta;

/** What gojsonschema 1.2.0 says, a line a schema, a letter a value; oracle/record.ts writes it. */
const RECORDED = readFileSync(join(dirname, 'oracle', 'verdicts.txt'), 'utf8')
  .trimEnd()
  .split('\n');

/** A letter for each value: valid, invalid, or an error of the schema. */
function verdicts(schema: unknown): string {
  if (schemaProblem(schema) !== undefined) return 'e'.repeat(VALUES.length);
  return VALUES.map((value) => (violations(schema, JSON.parse(value)).length === 0 ? 'v' : 'i')).join('');
}

function differing(schema: unknown, recorded: string): readonly string[] | 'all' {
  const letters = verdicts(schema);
  const values = VALUES.filter((_, index) => letters[index] !== recorded[index]);
  return /^e+$/.test(letters) && values.length > 0 ? 'all' : values;
}

test(`${SCHEMAS.length} schemas judge ${VALUES.length} values as gojsonschema does, but for a list of differences`, () => {
  expect(RECORDED).toHaveLength(SCHEMAS.length);
  const found = SCHEMAS.map((schema, index) => ({
    schema: JSON.stringify(schema),
    values: differing(schema, RECORDED[index] ?? ''),
  }));
  expect(found.filter(({ values }) => values.length > 0)).toEqual(
    DIFFERENCES.map(({ schema, values }) => ({ schema, values })),
  );
});
