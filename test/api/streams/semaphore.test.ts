import { expect, test } from 'vitest';
import { Semaphore } from '../../../lib/api/streams/semaphore.ts';

test('at most as many tasks as permits run at once, the others follow in order, and a failed task releases its permit', async () => {
  const semaphore = new Semaphore(2);
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const work = (name: string) =>
    semaphore.run(() => {
      begun.push(name);
      return new Promise<string>((resolve, reject) => {
        ends.set(name, () => (name === 'b' ? reject(new Error(name)) : resolve(name)));
      });
    });
  const works = ['a', 'b', 'c', 'd'].map(work);
  const failed = expect(works[1]).rejects.toThrow('b');
  await new Promise(setImmediate);
  expect(begun).toEqual(['a', 'b']);
  ends.get('b')?.();
  await failed;
  expect(begun).toEqual(['a', 'b', 'c']);
  ends.get('a')?.();
  ends.get('c')?.();
  expect([await works[0], await works[2]]).toEqual(['a', 'c']);
  ends.get('d')?.();
  expect(await works[3]).toBe('d');
});
