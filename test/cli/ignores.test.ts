import { describe, expect, test } from 'vitest';
import { toIgnores } from '../../bin/cli/transfer/ignores.ts';

describe('an ignore file', () => {
  test.each([
    ['*.tmp', { 'a.tmp': true, 'b/a.tmp': true, 'a.tmp.yaml': false, atmp: false }],
    ['/a.yaml', { 'a.yaml': true, 'b/a.yaml': false }],
    ['docs/*.yaml', { 'docs/a.yaml': true, 'docs/b/a.yaml': false, 'x/docs/a.yaml': false }],
    ['**/logs/x', { 'logs/x': true, 'a/b/logs/x': true, 'logs/y/x': false }],
    ['a/**/b', { 'a/b': true, 'a/x/b': true, 'a/x/y/b': true, 'x/a/b': false }],
    ['a/**', { 'a/x': true, 'a/x/y': true, a: false }],
    ['build/', { build: false, 'build/': true, 'x/build/': true }],
    ['?.yaml', { 'a.yaml': true, 'ab.yaml': false }],
    ['# note\n\n\\#x', { '#x': true, '# note': false }],
    ['*.yaml\n!keep.yaml', { 'a.yaml': true, 'keep.yaml': false, 'b/keep.yaml': false }],
    ['!a\na', { a: true }],
    ['\\!a', { '!a': true }],
    ['a.b+c(d)', { 'a.b+c(d)': true, 'aXb+c(d)': false }],
    ['end  ', { end: true }],
    ['a*b?c*', { axxbyc: true, 'x/abbcd': true, axxbc: false, 'a/byc': false }],
    ['**', { a: true, 'a/b': true }],
    ['a/**/b/**/c', { 'a/b/c': true, 'a/x/b/y/z/c': true, 'a/x/c': false }],
  ])('with %j hides what Git would hide', (text, paths) => {
    const ignores = toIgnores(text);
    const found = Object.keys(paths).map((path) => [path, ignores(path.replace(/\/$/, ''), path.endsWith('/'))]);
    expect(Object.fromEntries(found)).toEqual(paths);
  });

  test.each([
    ['*a'.repeat(30), 'a'.repeat(200)],
    [`**/${'**/a/'.repeat(40)}`, 'a/'.repeat(200)],
    [' '.repeat(200_000), ''],
  ])('with many wildcards or spaces is read and matched at once', (pattern, path) => {
    const before = performance.now();
    expect(toIgnores(`${pattern}b`)(`${path}c`, false)).toBe(false);
    expect(performance.now() - before).toBeLessThan(1_000);
  });
});
