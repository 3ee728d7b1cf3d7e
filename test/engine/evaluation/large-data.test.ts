import { expect, test } from 'vitest';
import { evaluate } from '../../../lib/engine/evaluation/evaluation.ts';
import { onAccountOf } from '../../../lib/engine/evaluation/tenants.ts';

test.each([
  ['large data', { v: Array.from({ length: 30_000 }, () => 1) }, 'jq(def f: 1; f)', 1],
  ['a large text', { v: 'x'.repeat(4_000_000) }, 'js(return 1)', 1],
  ['small data', { v: [1, 2] }, 'jq(def f: 1; f)', 0],
  ['large data that no script reads', { v: Array.from({ length: 30_000 }, () => 1) }, 'a text', 0],
])('a query over %s', async (_what, data, query, turns) => {
  let taken = 0;
  const takeLargeTurn = async () => {
    taken += 1;
  };
  await onAccountOf({ id: 'a', takeLargeTurn }, () => evaluate(query, data));
  expect(taken).toBe(turns);
});
