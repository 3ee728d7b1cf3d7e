import { describe, expect, test } from 'vitest';
import { changesBetween, watchObjects } from '../../../lib/api/streams/watchers.ts';
import { ServiceError } from '../../../lib/domain/errors.ts';

const objects = (named: Record<string, object>) => new Map(Object.entries(named));

describe('the changes between two snapshots', () => {
  test('are the added, the modified and the deleted objects, these as they last were', () => {
    const before = objects({ a: { n: 1 }, b: { n: 1 }, c: { n: 1 } });
    const after = objects({ b: { n: 2 }, c: { n: 1 }, d: { n: 3 } });
    expect(changesBetween(before, after)).toEqual([
      { event: 'MODIFIED', n: 2 },
      { event: 'ADDED', n: 3 },
      { event: 'DELETED', n: 1 },
    ]);
  });

  test('of equal snapshots are none', () => {
    expect(changesBetween(objects({ a: { n: 1 } }), objects({ a: { n: 1 } }))).toEqual([]);
  });
});

describe('a watcher', () => {
  const snapshots = (...steps: (ReadonlyMap<string, object> | Error)[]) => {
    const { begin } = watchObjects<'listGlobalServices'>(async () => {
      const step = steps.shift();
      if (step instanceof Map) return step;
      throw step;
    });
    const read = begin();
    return () => read({} as never, {} as never);
  };
  const gone = new ServiceError('not-found', 'gone');

  test('begins with all objects', async () => {
    const read = snapshots(objects({ a: { n: 1 } }), objects({ a: { n: 1 } }));
    expect(await read()).toEqual([{ event: 'ADDED', n: 1 }]);
    expect(await read()).toEqual([]);
  });

  test('reports its objects as deleted before it ends', async () => {
    const read = snapshots(objects({ a: { n: 1 } }), gone, gone);
    await read();
    expect(await read()).toEqual([{ event: 'DELETED', n: 1 }]);
    await expect(read()).rejects.toThrow('gone');
  });

  test('does not begin for a missing parent', async () => {
    await expect(snapshots(gone)()).rejects.toThrow('gone');
  });

  test('throws any other error', async () => {
    const read = snapshots(objects({ a: { n: 1 } }), new Error('broken'));
    await read();
    await expect(read()).rejects.toThrow('broken');
  });

  test('keeps the last snapshot of each stream separately', async () => {
    const watcher = watchObjects<'listGlobalServices'>(async () => objects({ a: { n: 1 } }));
    const [one, other] = [watcher.begin(), watcher.begin()];
    expect(await one({} as never, {} as never)).toHaveLength(1);
    expect(await other({} as never, {} as never)).toHaveLength(1);
  });
});
