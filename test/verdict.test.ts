import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { KNOWN_FLAKY, type KnownFlaky } from './known-flaky.ts';
import type { Report } from './runner.ts';
import { filesToRepeat, judge } from './verdict.ts';

/** A report of files and their tests, true: passed. */
function reportOf(files: Readonly<Record<string, Readonly<Record<string, boolean>>>>): Report {
  const testResults = Object.entries(files).map(([name, tests]) => ({
    name: resolve(name),
    status: Object.values(tests).every(Boolean) ? 'passed' : 'failed',
    message: '',
    assertionResults: Object.entries(tests).map(([fullName, isPassed]) => ({
      fullName,
      status: isPassed ? 'passed' : 'failed',
    })),
  }));
  return { numPendingTests: 0, testResults };
}

const FIRST = reportOf({ 'test/a.test.ts': { one: false, two: true }, 'test/b.test.ts': { three: true } });
const ONE: KnownFlaky = { test: 'test/a.test.ts one', cause: 'a slow disk', since: '2026-11-22' };

test('only files with a failed test are repeated', () => {
  expect(filesToRepeat(FIRST)).toEqual(['test/a.test.ts']);
});

describe('a test that failed', () => {
  test('and passes when it is repeated is a failure, with a note', () => {
    const verdict = judge(FIRST, reportOf({ 'test/a.test.ts': { one: true, two: true } }), []);
    const failures = ['test/a.test.ts one (it passed when its file ran again)'];
    expect(verdict).toEqual({ passed: 2, failures, flaky: [] });
  });

  test('and fails again is a failure, even if it is known as flaky', () => {
    const verdict = judge(FIRST, reportOf({ 'test/a.test.ts': { one: false, two: true } }), [ONE]);
    expect(verdict).toEqual({ passed: 2, failures: ['test/a.test.ts one'], flaky: [] });
  });

  test('and passes when it is repeated is counted as passed and printed, if it is known as flaky', () => {
    const verdict = judge(FIRST, reportOf({ 'test/a.test.ts': { one: true, two: true } }), [ONE]);
    const flaky = ['test/a.test.ts one (known since 2026-11-22: a slow disk)'];
    expect(verdict).toEqual({ passed: 3, failures: [], flaky });
  });
});

test('a test that passed first and failed in the repetition is a failure', () => {
  const verdict = judge(FIRST, reportOf({ 'test/a.test.ts': { one: true, two: false } }), [ONE]);
  expect(verdict).toMatchObject({ passed: 2, failures: ['test/a.test.ts two'] });
});

test('the list of known flaky tests has at most five entries, each with a cause and the day it was first seen', () => {
  expect(KNOWN_FLAKY.length).toBeLessThanOrEqual(5);
  for (const { test: name, cause, since } of KNOWN_FLAKY) {
    expect(name).toMatch(/^test\/\S+\.test\.ts ./);
    expect(existsSync(name.split(' ')[0] ?? '')).toBe(true);
    expect(cause).toMatch(/\w+ \w+/);
    expect(new Date(since).toISOString().slice(0, 10)).toBe(since);
  }
});
