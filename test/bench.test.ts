import { describe, expect, test } from 'vitest';
import { countCalls } from '../bench/calls.ts';

describe('the calls of each operation', () => {
  test('are those of bench/calls.json', async () => {
    const text = `${JSON.stringify(await countCalls(), null, 2)}\n`;
    await expect(text).toMatchFileSnapshot('../bench/calls.json');
  });
});
