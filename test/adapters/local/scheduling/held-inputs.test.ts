import { setImmediate as settled } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { FairProcessor } from '../../../../lib/adapters/local/scheduling/fair-processor.ts';

const MIB = 1024 * 1024;

test('large inputs of a tenant begin as soon as there is room beside the others, small ones at once', async () => {
  const processor = new FairProcessor({ now: () => 0 });
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const begin = (name: string, bytes: number): Promise<void> =>
    processor.holdInput(name.charAt(0), bytes, () => {
      begun.push(name);
      return new Promise((resolve) => ends.set(name, resolve));
    });
  const works = [begin('a1', 10 * MIB), begin('a2', 10 * MIB), begin('a3', 1000), begin('b1', 64 * MIB)];
  await settled();
  expect(begun).toEqual(['a3', 'a1', 'b1']);
  ends.get('a1')?.();
  await settled();
  expect(begun).toEqual(['a3', 'a1', 'b1', 'a2']);
  for (const end of ends.values()) end();
  await Promise.all(works);
});
