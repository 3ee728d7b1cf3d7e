import { schemaProblem } from '../../language/schemas.ts';
import type { Json } from '../../language/yaml/parser.ts';
import { defineState, ONWARD, toExit } from '../parts/state.ts';
import { given } from '../read/given.ts';
import { MOST_SCHEMA_PARTS, refuse } from '../read/reading.ts';
import { needed, query, type Shape, text } from '../read/shape.ts';

/** A validator costs this many parts more than its schema has, however small that is. */
const COST_OF_A_VALIDATOR = 25;

const schema: Shape<unknown> = (node, place, reading) => {
  if (node === undefined) return undefined;
  const { allowance } = reading;
  allowance.schemaParts = countParts(node.value, allowance.schemaParts - COST_OF_A_VALIDATOR);
  const isLarge = allowance.schemaParts < 0;
  const problem = isLarge
    ? `the document's schemas have more than ${MOST_SCHEMA_PARTS} parts`
    : schemaProblem(node.value);
  if (problem !== undefined) refuse(reading, node, `invalid schema: ${problem}`);
  return query(node, place, reading);
};

/** What is left of the allowance after counting every value; negative when it did not last. */
function countParts(value: Json, allowance: number): number {
  if (typeof value !== 'object' || value === null) return allowance - 1;
  let left = allowance - 1;
  for (const part of Object.values(value)) {
    if (left < 0) return left;
    left = countParts(part, left);
  }
  return left;
}

/** Holds the data against a JSON Schema (workflow-language 10.8). */
export const validate = defineState(
  'validate',
  { schema: needed(schema), subject: text, ...ONWARD },
  ({ schema: wanted, subject, ...state }) => ({
    work: { do: 'validate', schema: wanted, ...given({ subject }) },
    exit: toExit(state),
  }),
);
