import { describe, expect, test } from 'vitest';
import { patched } from '../../../lib/engine/requests/start/patching.ts';
import { toJson } from '../../../lib/language/json.ts';
import { parseJson } from '../../../lib/language/json-numbers.ts';

const list = (length: number, of: unknown = 0): unknown[] => Array.from({ length }, () => of);

describe('a patch', () => {
  test('has the operations of RFC 6902, and leaves the data that it was made from as it is', () => {
    const data = { a: { b: [1, 2, 3] }, 'c/d~': 1 };
    const before = structuredClone(data);
    const next = patched(data, [
      { op: 'add', path: '/a/b/-', value: 4 },
      { op: 'add', path: '/a/b/0', value: 0 },
      { op: 'remove', path: '/a/b/1' },
      { op: 'replace', path: '/c~1d~0', value: { e: null } },
      { op: 'copy', from: '/a/b', path: '/f' },
      { op: 'move', from: '/c~1d~0/e', path: '/g' },
      { op: 'test', path: '/f', value: [0, 2, 3, 4] },
    ]);
    expect(next).toEqual({ a: { b: [0, 2, 3, 4] }, 'c/d~': {}, f: [0, 2, 3, 4], g: null });
    expect(data).toEqual(before);
  });

  test('keeps numbers that a double would change, and compares them', () => {
    const [data, value] = ['{"a":[9007199254740993],"b":-0}', '{"id":18446744073709551615}'].map(parseJson);
    const next = patched(data as Record<string, unknown>, [
      { op: 'add', path: '/c', value },
      { op: 'copy', from: '/a', path: '/d' },
      { op: 'test', path: '/d/0', value: parseJson('9007199254740993') },
    ]);
    expect(toJson(next)).toBe('{"a":[9007199254740993],"b":-0,"c":{"id":18446744073709551615},"d":[9007199254740993]}');
    const other = { op: 'test', path: '/a/0', value: 2 ** 53 };
    expect(() => patched(data as Record<string, unknown>, [other])).toThrow('Test failed');
  });

  test.each<[what: string, operation: object, message: string]>([
    ['the length of a list', { op: 'replace', path: '/list/length', value: 4e9 }, "'length' is no index of a list"],
    ['no index of a list', { op: 'copy', from: '/list', path: '/list/x' }, "'x' is no index of a list"],
    ['a place after the end', { op: 'replace', path: '/list/-', value: 1 }, 'nothing is at /list/-'],
    ['what every object has', { op: 'add', path: '/__proto__/x', value: 1 }, "'__proto__' cannot be changed"],
    ['the constructor', { op: 'copy', from: '/constructor', path: '/x' }, "'constructor' cannot be changed"],
    ['an inherited member', { op: 'copy', from: '/toString', path: '/x' }, 'nothing is at /toString'],
    ['a path that is no pointer', { op: 'add', path: 'list', value: 1 }, 'Invalid JSON Pointer: list'],
    ['a source that is no text', { op: 'move', from: 5, path: '/x' }, "'from' is no text"],
    ['a missing source', { op: 'copy', path: '/x' }, "'from' is no text"],
    ['another value than expected', { op: 'test', path: '/list', value: [2] }, 'Test failed'],
    ['an unknown operation', { op: 'grow', path: '/list' }, 'Invalid operation: grow'],
  ])('is rejected for %s', (_, operation, message) => {
    const apply = () => patched({ list: [1] }, [operation]);
    expect(apply).toThrow(expect.objectContaining({ code: 'malformed' }));
    expect(apply).toThrow(`patch[0] cannot be applied: ${message}`);
  });
});

describe('the work of a patch is limited', () => {
  test('for copies that double the data', () => {
    const doubling = list(60, { op: 'copy', from: '/list', path: '/list/0' });
    expect(() => patched({ list: [1] }, doubling)).toThrow('the patch copies more than 500000 values');
  });

  test('for copies of the same large part', () => {
    const copies = list(100, { op: 'copy', from: '/list', path: '/other' });
    expect(() => patched({ list: list(50_000) }, copies)).toThrow('the patch copies more than 500000 values');
  });

  test('for comparisons of long lists, which take a time that grows with their length', () => {
    const value = list(100_000, 1);
    expect(() => patched({ list: list(100_000, 0) }, [{ op: 'test', path: '/list', value }])).toThrow('Test failed');
  });

  test('for the number of operations', () => {
    const many = list(1001, { op: 'add', path: '/list/0', value: 1 });
    expect(() => patched({ list: [] }, many)).toThrow('the patch has 1001 operations; at most 1000 are applied');
  });

  test('for nested values, which are copied by recursion', () => {
    const deep = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`);
    const apply = () => patched({}, [{ op: 'add', path: '/a', value: deep }]);
    expect(apply).toThrow('the patch is nested deeper than 1000 levels');
  });

  test('for data that would exceed the bounds of a run, in a part that was measured before', () => {
    const data = { list: list(400_000) };
    expect(patched(data, [{ op: 'test', path: '/list/0', value: 0 }])).toEqual(data);
    const grown = [{ op: 'add', path: '/list/-', value: list(200_000) }];
    expect(() => patched(data, grown)).toThrow('the patched data is of more than 500000 values');
  });
});
