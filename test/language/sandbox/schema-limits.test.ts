import { afterAll, describe, expect, test } from 'vitest';
import { createSandbox } from '../../../lib/language/sandbox/sandbox.ts';
import { createThread } from '../../../lib/language/sandbox/thread.ts';

const patient = createSandbox({ memoryMiB: 64 });
const hasty = createSandbox({ deadlineMs: 500, memoryMiB: 64 });
afterAll(() => Promise.all([patient.close(), hasty.close()]));

/** Each level of the value doubles the work of this schema. */
const DOUBLING = {
  definitions: {
    a: {
      type: ['array', 'integer'],
      allOf: [{ items: { $ref: '#/definitions/a' } }, { items: { $ref: '#/definitions/a' } }],
    },
  },
  $ref: '#/definitions/a',
};

function nested(levels: number): unknown {
  let value: unknown = 0;
  for (let level = 0; level < levels; level += 1) value = [value];
  return value;
}

const distinct = (count: number) => Array.from({ length: count }, (_, n) => ({ n, inner: { n } }));

const ticksDuring = async (work: Promise<unknown>): Promise<number> => {
  let ticks = 0;
  const timer = setInterval(() => {
    ticks += 1;
  }, 10);
  await work.catch(() => undefined);
  clearInterval(timer);
  return ticks;
};

describe('a validation by a JSON Schema in the sandbox', () => {
  test('returns the violations in the order of the schema', async () => {
    const schema = { properties: { z: { type: 'string' }, a: { type: 'string' } } };
    expect(await patient.violations(schema, { a: 1, z: 2 })).toEqual([
      'z: Invalid type. Expected: string, given: integer',
      'a: Invalid type. Expected: string, given: integer',
    ]);
    expect(await patient.violations(true, 1)).toEqual([]);
    expect(await patient.violations(false, 1)).toEqual(['(root): nothing is allowed']);
  });

  test('ends at the deadline for a schema whose work doubles with each level', async () => {
    await expect(hasty.violations(DOUBLING, nested(60))).rejects.toThrow(
      'the JSON Schema could not be applied: timeout after 0.5 s',
    );
    expect(await patient.violations({ type: 'object' }, {})).toEqual([]);
  });

  // Comparisons of every two of them would take minutes.
  test('finds 30,000 objects unique without a comparison of every two', async () => {
    expect(await patient.violations({ uniqueItems: true }, distinct(30_000))).toEqual([]);
  });

  test('leaves the calling thread free', async () => {
    expect(await ticksDuring(hasty.violations(DOUBLING, nested(60)))).toBeGreaterThan(10);
  });

  test.each([
    ['each in its place', { items: { allOf: Array.from({ length: 40 }, (_, n) => ({ const: n + 1 })) } }],
    [
      'found by schemas that are referred to',
      {
        definitions: { a: { items: { const: 1 } } },
        allOf: Array.from({ length: 3 }, () => ({ $ref: '#/definitions/a' })),
      },
    ],
  ])('fails before its violations fill the memory, %s, and the next one runs', async (_, schema) => {
    const value = Array.from({ length: 200_000 }, () => 0);
    await expect(patient.violations(schema, value)).rejects.toThrow(
      'the JSON Schema could not be applied: more than 20000 violations',
    );
    expect(await patient.violations({ type: 'object' }, {})).toEqual([]);
  });

  test('leaves its thread running when there are too many violations', async () => {
    const thread = createThread({ memoryMiB: 64, resultBytes: 1000 });
    const item = { $ref: '#/definitions/a' };
    const definitions = { a: { type: 'array', anyOf: [{ items: item }, { items: item }] } };
    const job = { kind: 'schema', sources: [JSON.stringify({ definitions, ...item })], deadlineMs: 10_000 } as const;
    const { results } = await thread.run({ ...job, data: JSON.stringify(nested(60)) });
    expect(results).toEqual([{ error: 'the JSON Schema could not be applied: more than 20000 violations' }]);
    expect(thread.isStarted).toBe(true);
    await thread.close();
  });

  test('returns at most 1,000 violations', async () => {
    const value = Array.from({ length: 5000 }, () => 0);
    expect(await patient.violations({ items: { type: 'string' } }, value)).toHaveLength(1000);
  });
});
