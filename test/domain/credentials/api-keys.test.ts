import { describe, expect, test } from 'vitest';
import { canAccess } from '../../../lib/domain/credentials/api-keys.ts';

const DEMO = { id: 'first', name: 'demo', created: 1000 };
const LATER = { id: 'second', name: 'demo', created: 3000 };

describe('a key', () => {
  test('without namespaces can access each', () => {
    expect(canAccess({ namespaces: [], namespaceIds: [], created: 2000 }, LATER)).toBe(true);
  });

  test('of a namespace cannot access a later one of the same name', () => {
    const key = { namespaces: ['demo'], namespaceIds: ['first'], created: 2000 };
    expect([DEMO, LATER].map((namespace) => canAccess(key, namespace))).toEqual([true, false]);
  });

  test('of an earlier version, which has names only, can access the namespaces that are older than itself', () => {
    const key = { namespaces: ['demo'], namespaceIds: undefined, created: 2000 };
    expect([DEMO, LATER].map((namespace) => canAccess(key, namespace))).toEqual([true, false]);
    expect(canAccess(key, { ...DEMO, name: 'other' })).toBe(false);
  });
});
