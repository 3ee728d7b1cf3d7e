import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { digestOf } from './oracle/digest.ts';
import { TEXTS } from './oracle/texts.ts';
import { CASES, meaningOf } from './suite/cases.ts';
import { type Difference, FROM_ORIGINAL, FROM_SUITE, OWN_FROM_ORIGINAL } from './suite/differences.ts';

const { dirname } = import.meta;

/** What yaml.v3 3.0.1 makes of the cases and of our own texts; oracle/record.ts writes it. */
const RECORDED = readFileSync(join(dirname, 'oracle', 'verdicts.txt'), 'utf8')
  .trimEnd()
  .split('\n');

const idsOf = (rows: readonly Difference[]): string[] => rows.flatMap(({ ids }) => ids.split(' ')).sort();

test('402 cases of the official suite have their published meaning, but for a list of 35', () => {
  const differing = CASES.filter(({ yaml, expected }) => {
    const meaning = meaningOf(yaml);
    return expected === 'any' ? meaning === 'error' : meaning !== expected;
  });
  expect(CASES).toHaveLength(402);
  expect(differing.map(({ id }) => id).sort()).toEqual(idsOf(FROM_SUITE));
  expect(differing).toHaveLength(35);
});

test('the cases mean what they mean in yaml.v3, but for a list of 72', () => {
  const differing = CASES.filter(({ yaml }, index) => digestOf(meaningOf(yaml)) !== RECORDED[index]);
  expect(differing.map(({ id }) => id).sort()).toEqual(idsOf(FROM_ORIGINAL));
  expect(differing).toHaveLength(72);
});

test(`${TEXTS.length} texts of our own mean what they mean in yaml.v3, but for a list of two`, () => {
  expect(RECORDED).toHaveLength(CASES.length + TEXTS.length);
  const differing = TEXTS.filter((text, index) => digestOf(meaningOf(text)) !== RECORDED[CASES.length + index]);
  expect(differing).toEqual(OWN_FROM_ORIGINAL.map(({ ids }) => ids));
});
