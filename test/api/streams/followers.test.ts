import { describe, expect, test } from 'vitest';
import { differences, following } from '../../../lib/api/streams/followers.ts';
import { ServiceError } from '../../../lib/domain/errors.ts';

const objects = (named: Record<string, object>) => new Map(Object.entries(named));

describe('the differences of two readings', () => {
  test('are what is new, what is another, and what is gone as it last was', () => {
    const before = objects({ a: { n: 1 }, b: { n: 1 }, c: { n: 1 } });
    const after = objects({ b: { n: 2 }, c: { n: 1 }, d: { n: 3 } });
    expect(differences(before, after)).toEqual([
      { event: 'MODIFIED', n: 2 },
      { event: 'ADDED', n: 3 },
      { event: 'DELETED', n: 1 },
    ]);
  });

  test('of equal readings are none', () => {
    expect(differences(objects({ a: { n: 1 } }), objects({ a: { n: 1 } }))).toEqual([]);
  });
});

describe('a follower', () => {
  const readings = (...steps: (ReadonlyMap<string, object> | Error)[]) => {
    const { follow } = following<'listGlobalServices'>(async () => {
      const step = steps.shift();
      if (step instanceof Map) return step;
      throw step;
    });
    const read = follow();
    return () => read({} as never, {} as never);
  };
  const gone = new ServiceError('not-found', 'gone');

  test('begins with all that is there', async () => {
    const read = readings(objects({ a: { n: 1 } }), objects({ a: { n: 1 } }));
    expect(await read()).toEqual([{ event: 'ADDED', n: 1 }]);
    expect(await read()).toEqual([]);
  });

  test('tells of the end of what it followed before it ends', async () => {
    const read = readings(objects({ a: { n: 1 } }), gone, gone);
    await read();
    expect(await read()).toEqual([{ event: 'DELETED', n: 1 }]);
    await expect(read()).rejects.toThrow('gone');
  });

  test('does not begin where nothing is', async () => {
    await expect(readings(gone)()).rejects.toThrow('gone');
  });

  test('takes no other fault for an end', async () => {
    const read = readings(objects({ a: { n: 1 } }), new Error('broken'));
    await read();
    await expect(read()).rejects.toThrow('broken');
  });

  test('remembers for each stream by itself', async () => {
    const follower = following<'listGlobalServices'>(async () => objects({ a: { n: 1 } }));
    const [one, other] = [follower.follow(), follower.follow()];
    expect(await one({} as never, {} as never)).toHaveLength(1);
    expect(await other({} as never, {} as never)).toHaveLength(1);
  });
});
