import { describe, expect, test } from 'vitest';
import { countCalls } from '../bench/calls.ts';

describe('the cost of operations', () => {
  test('is what bench/calls.json says: calls, units, transitions', async () => {
    const text = `${JSON.stringify(await countCalls(), null, 2)}\n`;
    await expect(text).toMatchFileSnapshot('../bench/calls.json');
  });
});
