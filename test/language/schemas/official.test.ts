import { describe, expect, test } from 'vitest';
import { schemaProblem, violations } from '../../../lib/language/schemas/violations.ts';
import { DIFFERENCES } from './official/differences.ts';
import { type Case, casesOf, jsonSchemaSuite } from './official/suite.ts';

const DRAFTS = [
  { draft: 'draft4', $schema: 'http://json-schema.org/draft-04/schema#', cases: 863 },
  { draft: 'draft6', $schema: 'http://json-schema.org/draft-06/schema#', cases: 1149 },
  { draft: 'draft7', $schema: 'http://json-schema.org/draft-07/schema#', cases: 1465 },
] as const;

/** Whether the value is valid; undefined if the schema is rejected. */
function verdict(schema: unknown, value: unknown): boolean | undefined {
  return schemaProblem(schema) === undefined ? violations(schema, value).length === 0 : undefined;
}

const withDraft = (schema: unknown, $schema: string): unknown =>
  typeof schema === 'object' ? { $schema, ...schema } : schema;

const folder = jsonSchemaSuite();

test.runIf(process.env['CI'] !== undefined)('the official suite is present where the whole check runs', () => {
  expect(folder).toBeDefined();
});

describe.skipIf(folder === undefined)('the official suite (skipped: `npm test` could not fetch it)', () => {
  describe.each(DRAFTS)('of $draft, $cases cases', ({ draft, $schema, cases }) => {
    const all = folder === undefined ? [] : casesOf(folder, draft);

    /** The figures of the suite: a listed case differs for a reason of the list, a wrong one for none. */
    function figures(schemaOf: (schema: unknown) => unknown): object {
      const differing = all.filter((one) => verdict(schemaOf(one.schema), one.value) !== one.isValid);
      const rows = DIFFERENCES.map(({ cases, count }) => ({ cases, listed: count[draft] }));
      const isListed = ({ name }: Case): boolean => rows.some((row) => row.cases.test(name));
      return {
        cases: all.length,
        listed: rows.map((row) => differing.filter(({ name }) => row.cases.test(name)).length),
        wrong: differing.filter((one) => !isListed(one)).map(({ name }) => name),
      };
    }

    const expected = { cases, listed: DIFFERENCES.map(({ count }) => count[draft]), wrong: [] };

    test('has the published verdicts where a schema names its draft', () => {
      expect(figures((schema) => withDraft(schema, $schema))).toEqual(expected);
    });

    test('has the published verdicts where a schema names no draft', () => {
      expect(figures((schema) => schema)).toEqual(expected);
    });
  });
});
