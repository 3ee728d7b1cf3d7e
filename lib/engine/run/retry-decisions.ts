import type { ActionPlan } from '../../compiler/plan/plan.ts';
import { isCrashedCall, retryAfterOf } from '../../domain/runs/call-results.ts';
import type { Run } from '../../domain/runs/runs.ts';
import type { RetryPolicy } from '../../domain/runs/waits.ts';
import { matchesCode } from '../../language/patterns.ts';
import { addDuration, MAX_DELAY_MS, parseDuration } from '../../time/durations.ts';

const DEFAULT_DELAY = 'PT5S';
const DEFAULT_DELAY_MS = 5000;

/** The retry policy of an action; undefined when it has none. */
export function retryPolicyOf({ retries }: ActionPlan): RetryPolicy | undefined {
  if (retries === undefined) return undefined;
  const { codes, maxAttempts, multiplier } = retries;
  const duration = parseDuration(retries.delay ?? DEFAULT_DELAY);
  const delay = duration === undefined ? DEFAULT_DELAY_MS : addDuration(0, duration);
  return { codes, maxAttempts, delay, backoffMultiplier: multiplier || 1 };
}

/**
 * The delay between the failed attempt `k` and the next one, milliseconds; at least its `retryAfterOf`, and at most 100 years:
 * dates end after 270,000.
 */
export const retryDelay = ({ delay, backoffMultiplier }: RetryPolicy, k: number, child: Run): number => {
  // Zero times infinity is no number.
  const own = delay === 0 ? 0 : delay * backoffMultiplier ** k;
  return Math.min(Math.max(own, retryAfterOf(child)), MAX_DELAY_MS);
};

/** The decision after a failed attempt: a retry after `delay` milliseconds, or none. */
export type RetryDecision =
  | { readonly kind: 'retry'; readonly delay: number }
  /** The policy applies, and its attempts are exhausted. */
  | { readonly kind: 'exhausted' }
  | { readonly kind: 'nonRetryable' };

/**
 * Decides whether attempt `k` of a call is retried, from how its child failed (workflow-language reference, 7.5). A
 * crashed container call never is.
 */
export function decideRetry(child: Run, policy: RetryPolicy | undefined, k: number, brand: string): RetryDecision {
  const isRetryable = policy?.codes.some((pattern) => matchesCode(pattern, child.code, brand)) ?? false;
  if (policy === undefined || !isRetryable || isCrashedCall(child)) return { kind: 'nonRetryable' };
  return k < policy.maxAttempts ? { kind: 'retry', delay: retryDelay(policy, k, child) } : { kind: 'exhausted' };
}
