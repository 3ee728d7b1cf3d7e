import { describe, expect, test } from 'vitest';
import { canAccess } from '../../../lib/domain/credentials/api-keys.ts';

const DEMO = { id: 'first' };
const LATER = { id: 'second' };

describe('a key', () => {
  test('without namespaces can access each', () => {
    expect(canAccess({ namespaceIds: [] }, LATER)).toBe(true);
  });

  test('of a namespace cannot access a later one of the same name', () => {
    const key = { namespaceIds: ['first'] };
    expect([DEMO, LATER].map((namespace) => canAccess(key, namespace))).toEqual([true, false]);
  });
});
