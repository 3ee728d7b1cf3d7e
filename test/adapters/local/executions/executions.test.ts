import { describe, expect, test } from 'vitest';
import { executionsContract } from '../../../contract/executions.ts';
import { openBench } from '../bench.ts';

describe('local executions, by the contract of the port', () => {
  executionsContract(async () => openBench());
});

test('definitions are compiled one after the other: a small one waits for the large one before it', async () => {
  const { executions } = openBench();
  const pass = (count: number) => ({
    ...{ QueryLanguage: 'JSONata', StartAt: 's0' },
    States: Object.fromEntries(
      Array.from({ length: count }, (_, at) => [
        `s${at}`,
        { Type: 'Pass', Output: '{% 1 + 1 %}', ...(at + 1 < count ? { Next: `s${at + 1}` } : { End: true }) },
      ]),
    ),
  });
  const defined: string[] = [];
  const define = async (name: string, count: number): Promise<void> => {
    await executions.define({ name, definition: JSON.stringify(pass(count)), tier: 'STANDARD' }, true);
    defined.push(name);
  };
  await Promise.all([define('large', 500), define('small', 1)]);
  expect(defined).toEqual(['large', 'small']);
});
