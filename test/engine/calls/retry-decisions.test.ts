import { describe, expect, test } from 'vitest';
import type { Run } from '../../../lib/domain/runs/runs.ts';
import type { RetryPolicy } from '../../../lib/domain/runs/waits.ts';
import { decideRetry, retryDelay, retryPolicyOf } from '../../../lib/engine/run/retry-decisions.ts';

const ACTION = { function: 'f', secrets: [], files: [] };
const POLICY: RetryPolicy = { codes: ['busy.*'], maxAttempts: 2, delay: 1000, backoffMultiplier: 3 };

const failedWith = (code: string, more: Partial<Run> = {}): Run =>
  ({ kind: 'workflow', status: 'failed', code, ...more }) as Run;

describe('the retry policy of an action', () => {
  test('is undefined without retries', () => {
    expect(retryPolicyOf(ACTION)).toBeUndefined();
  });

  test('has its delay in milliseconds', () => {
    const retries = { maxAttempts: 2, delay: 'PT1M', multiplier: 1.5, codes: ['a'] };
    const policy = { codes: ['a'], maxAttempts: 2, delay: 60_000, backoffMultiplier: 1.5 };
    expect(retryPolicyOf({ ...ACTION, retries })).toEqual(policy);
  });

  test('has a delay of five seconds and no backoff by default', () => {
    const retries = { maxAttempts: 1, multiplier: 0, codes: [] };
    expect(retryPolicyOf({ ...ACTION, retries })).toMatchObject({ delay: 5000, backoffMultiplier: 1 });
  });

  test('multiplies the delay after each attempt', () => {
    expect([0, 1, 2].map((k) => retryDelay(POLICY, k, failedWith('busy.now')))).toEqual([1000, 3000, 9000]);
  });
});

describe('a delay beyond dates', () => {
  const CENTURY = 36_500 * 86_400_000;

  test.each([
    ['by its multiplier', { ...POLICY, backoffMultiplier: 1e13 }, 1],
    ['by many attempts', { ...POLICY, backoffMultiplier: 10 }, 500],
    ['by itself', { ...POLICY, delay: 1e300 }, 0],
  ])('%s is a hundred years', (_, policy, k) => {
    expect(retryDelay(policy, k, failedWith('busy.now'))).toBe(CENTURY);
  });

  test('is zero for a delay of zero', () => {
    expect(retryDelay({ ...POLICY, delay: 0, backoffMultiplier: 1e300 }, 2, failedWith('busy.now'))).toBe(0);
  });

  test('that a server asks for is a hundred years too', () => {
    const asking = failedWith('busy.now', { kind: 'call', data: { retryAfter: 1e18 } });
    expect(retryDelay(POLICY, 0, asking)).toBe(CENTURY);
  });
});

describe('a failed attempt', () => {
  test('is retried for a listed code while attempts are left', () => {
    expect(decideRetry(failedWith('busy.now'), POLICY, 1, 'service')).toEqual({ kind: 'retry', delay: 3000 });
  });

  test('is exhausted after the last attempt', () => {
    expect(decideRetry(failedWith('busy.now'), POLICY, 2, 'service')).toEqual({ kind: 'exhausted' });
  });

  test('is not retried for another code', () => {
    expect(decideRetry(failedWith('broken'), POLICY, 0, 'service')).toEqual({ kind: 'nonRetryable' });
  });

  test('is not retried without a policy', () => {
    expect(decideRetry(failedWith('busy.now'), undefined, 0, 'service')).toEqual({ kind: 'nonRetryable' });
  });

  test('is not retried when its container crashed', () => {
    const crashed = failedWith('busy.now', { status: 'crashed', kind: 'call' });
    expect(decideRetry(crashed, POLICY, 0, 'service')).toEqual({ kind: 'nonRetryable' });
  });
});
