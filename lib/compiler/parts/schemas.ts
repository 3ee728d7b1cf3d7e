import { schemaProblem } from '../../language/schemas/violations.ts';
import type { Json } from '../../language/yaml/parser.ts';
import { MAX_SCHEMA_PARTS, reportInvalid } from '../decoding/context.ts';
import { createDecoder, query } from '../decoding/decoders.ts';

/** The cost of a validator beside its parts, in parts: even a small one takes time to compile. */
const VALIDATOR_COST = 25;

/** A JSON Schema. The schemas of a document together have a limit: the time to compile validators grows with them. */
export const schema = createDecoder<unknown>({ kind: 'schema' }, (node, field, context) => {
  if (node === undefined) return undefined;
  const { budget } = context;
  budget.schemaParts = countParts(node.value, budget.schemaParts - VALIDATOR_COST);
  const isTooLarge = budget.schemaParts < 0;
  const problem = isTooLarge
    ? `the document's schemas have more than ${MAX_SCHEMA_PARTS} parts`
    : schemaProblem(node.value);
  if (problem !== undefined) reportInvalid(context, node, `invalid schema: ${problem}`);
  return query(node, field, context);
});

/** Keywords whose validator takes time that grows with the square of their schemas. */
const SQUARE = new Set(['anyOf', 'oneOf']);
/** The square of so many schemas counts as one part. */
const SQUARE_PER_PART = 10;

/** Subtracts the number of values from the budget. Returns a negative number, without counting on, if it is exceeded. */
function countParts(value: Json, budget: number): number {
  if (typeof value !== 'object' || value === null) return budget - 1;
  let left = budget - 1;
  for (const [key, part] of Object.entries(value)) {
    if (left < 0) return left;
    if (SQUARE.has(key) && Array.isArray(part)) left -= part.length ** 2 / SQUARE_PER_PART;
    left = countParts(part, left);
  }
  return left;
}
