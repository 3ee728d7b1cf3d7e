import { describe, expect, test } from 'vitest';
import { FairQueue, QueueFullError } from '../../../lib/language/sandbox/fair-queue.ts';

/** A queue whose works end when the test ends them, and the order in which they began. */
class Trial {
  readonly begun: string[] = [];
  private readonly ends = new Map<string, () => void>();
  private readonly queue: FairQueue;

  constructor(total: number, perTenant: number) {
    this.queue = new FairQueue({ total, perTenant });
  }

  add(name: string, maxWaiting?: number, weight = 1): Promise<void> {
    const work = () => {
      this.begun.push(name);
      return new Promise<void>((resolve) => this.ends.set(name, resolve));
    };
    return this.queue.run(name.charAt(0), work, { maxWaiting, weight });
  }

  async end(...names: string[]): Promise<void> {
    for (const name of names) {
      this.ends.get(name)?.();
      await settled();
    }
  }
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('a fair queue', () => {
  test('lets tenants take turns, whatever the number of their works', async () => {
    const trial = new Trial(1, 1);
    const works = ['a1', 'a2', 'a3', 'a4', 'b1', 'c1', 'b2'].map((name) => trial.add(name));
    await settled();
    await trial.end('a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4');
    await Promise.all(works);
    expect(trial.begun).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4']);
  });

  test('keeps places free that one tenant may not have', async () => {
    const trial = new Trial(4, 2);
    const works = ['a1', 'a2', 'a3'].map((name) => trial.add(name));
    await settled();
    expect(trial.begun).toEqual(['a1', 'a2']);
    works.push(trial.add('b1'));
    await settled();
    expect(trial.begun).toEqual(['a1', 'a2', 'b1']);
    await trial.end('b1', 'a2');
    expect(trial.begun).toEqual(['a1', 'a2', 'b1', 'a3']);
    await trial.end('a1', 'a3');
    await Promise.all(works);
  });

  test('rejects a work when too many of its tenant wait, and no other', async () => {
    const trial = new Trial(2, 1);
    const works = [trial.add('a1', 1), trial.add('a2', 1)];
    await expect(trial.add('a3', 1)).rejects.toThrow(QueueFullError);
    works.push(trial.add('b1', 1));
    await settled();
    await trial.end('a1', 'a2', 'b1');
    await Promise.all(works);
    expect(trial.begun).toEqual(['a1', 'b1', 'a2']);
  });

  test('gives a work as many places as it needs, at most those of its tenant', async () => {
    const trial = new Trial(4, 3);
    const works = [trial.add('a1', undefined, 2), trial.add('a2', undefined, 2), trial.add('b1', undefined, 9)];
    await settled();
    expect(trial.begun).toEqual(['a1']);
    // `b1` needs three places: free places are kept for it.
    works.push(trial.add('c1'));
    await settled();
    expect(trial.begun).toEqual(['a1']);
    await trial.end('a1');
    expect(trial.begun).toEqual(['a1', 'b1', 'c1']);
    await trial.end('b1', 'c1', 'a2');
    await Promise.all(works);
    expect(trial.begun).toEqual(['a1', 'b1', 'c1', 'a2']);
  });

  test('frees the place of a work that fails', async () => {
    const queue = new FairQueue({ total: 1, perTenant: 1 });
    await expect(queue.run('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await queue.run('a', async () => 'yes')).toBe('yes');
  });
});
