import { expect, test } from 'vitest';
import { compileFast, UnknownOutcomeError } from '../../lib/language/jq/subset/fast-jq.ts';
import { JqError } from '../../lib/language/jq/subset/values/errors.ts';
import { parseJq } from '../../lib/language/jq/syntax/parser.ts';
import { isObject } from '../../lib/language/json.ts';
import { evaluate } from '../../lib/lint/shapes/evaluation.ts';
import { ANY, arrayOf, closed, membersWithout, type Shape, unionOf } from '../../lib/lint/shapes/shape.ts';
import { cases, SEED } from '../effort.ts';
import fc from '../fast-check.ts';
import { document, program } from '../language/jq/subset/programs.ts';
import { typedDocument, typedProgram } from '../language/jq/subset/typed-programs.ts';

/** The shape of exactly this value. */
function shapeOf(value: unknown): Shape {
  if (value === null) return { kind: 'null' };
  if (Array.isArray(value)) return arrayOf(unionOf(value.map(shapeOf)));
  if (isObject(value))
    return closed(Object.fromEntries(Object.entries(value).map(([key, one]) => [key, shapeOf(one)])));
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    return { kind: typeof value as 'string' };
  return ANY;
}

/** True if a value can have the shape. */
function admits(shape: Shape, value: unknown): boolean {
  if (shape.kind === 'any') return true;
  if (shape.kind === 'union') return shape.options.some((one) => admits(one, value));
  if (shape.kind === 'null') return value === null;
  if (shape.kind === 'array') return Array.isArray(value) && value.every((one) => admits(shape.items, one));
  if (shape.kind !== 'object') return typeof value === shape.kind;
  if (!isObject(value)) return false;
  const areKnown = Object.entries(value).every(([key, one]) => {
    const member = shape.members.get(key);
    return member === undefined ? shape.isOpen : admits(member.shape, one);
  });
  return areKnown && [...shape.members].every(([key, { isOptional }]) => isOptional || Object.hasOwn(value, key));
}

function outputsOf(source: string, data: unknown): readonly unknown[] {
  try {
    return compileFast(source)?.(data) ?? [];
  } catch (error) {
    if (error instanceof JqError || error instanceof UnknownOutcomeError) return [];
    throw error;
  }
}

/** The outputs of a program that its shape does not admit. */
function unsound(source: string, data: unknown): readonly unknown[] {
  const outputs = outputsOf(source, data);
  if (outputs.length === 0) return [];
  const scope = {
    variables: new Map(),
    functions: new Set<string>(),
    isGuarded: false,
    onAccess: () => {},
    budget: { steps: 10_000 },
  };
  const shape = evaluate(parseJq(source), shapeOf(data), scope);
  return outputs.filter((output) => !admits(shape, output));
}

test.each([
  ['any', fc.record({ source: program, data: document })],
  ['typed', fc.record({ source: typedProgram, data: typedDocument })],
])(`the shape of a jq program admits each of its outputs: %s programs, seed ${SEED}`, (_, pair) => {
  const pairs = fc.sample<{ source: string; data: unknown }>(pair, { numRuns: cases(4_000, 15_000), seed: SEED });
  const wrong = pairs.flatMap(({ source, data }) => (unsound(source, data).length > 0 ? [{ source, data }] : []));
  const [smallest] = wrong.toSorted((a, b) => a.source.length - b.source.length);
  expect(smallest).toBeUndefined();
});

test('a member that a value has is never reported as missing', () => {
  const values = fc.sample(fc.object({ maxDepth: 3 }), { numRuns: 500, seed: SEED });
  for (const value of values) {
    for (const key of Object.keys(value)) expect(membersWithout(shapeOf(value), key)).toBeUndefined();
  }
});
