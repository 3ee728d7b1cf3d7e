import type { Retrier } from '../../../../compiler/emit/asl.ts';
import type { Command } from './command.ts';
import type { EvaluationContext } from './evaluation-context.ts';
import { fromStoredError, isUncatchable, matchesErrorEquals, type StatesError, toErrorOutput } from './states-error.ts';

/** The defaults of a retrier (States Language, "Retrying after error"). */
const DEFAULTS = { attempts: 3, intervalSeconds: 1, backoffRate: 2 } as const;

/**
 * Applies the state's Retry and then its Catch to its error, which is the text that the journal stores. Returns
 * undefined where neither matches.
 * @throws StatesError when the Assign or the Output of the Catch fails.
 */
export async function handleError(context: EvaluationContext, storedError: string): Promise<Command | undefined> {
  const error = fromStoredError(storedError);
  if (isUncatchable(error)) return undefined;
  return retry(context, error) ?? caught(context, error);
}

/** The first matching rule decides: when its attempts are exhausted, Catch applies and later rules do not. */
function retry(context: EvaluationContext, error: StatesError): Command | undefined {
  const { retry: rules } = context.state;
  const { retries } = context.thread.details;
  const index = rules.findIndex((rule) => matchesErrorEquals(rule.ErrorEquals, error));
  const rule = rules[index];
  if (!rule) return undefined;
  const attempts = retries[index] ?? 0;
  if (attempts >= (rule.MaxAttempts ?? DEFAULTS.attempts)) return undefined;
  return {
    kind: 'retry',
    due: context.clock.now() + delaySeconds(rule, attempts) * 1000,
    retries: rules.map((_, at) => (retries[at] ?? 0) + (at === index ? 1 : 0)),
  };
}

/** Exponential backoff, with full jitter where the rule asks for it. */
function delaySeconds(rule: Retrier, attempts: number): number {
  const { IntervalSeconds = DEFAULTS.intervalSeconds, BackoffRate = DEFAULTS.backoffRate, MaxDelaySeconds } = rule;
  const seconds = Math.min(IntervalSeconds * BackoffRate ** attempts, MaxDelaySeconds ?? Number.POSITIVE_INFINITY);
  return rule.JitterStrategy === 'FULL' ? Math.random() * seconds : seconds;
}

async function caught(context: EvaluationContext, error: StatesError): Promise<Command | undefined> {
  const rule = context.state.catch.find(({ errors }) => matchesErrorEquals(errors, error));
  if (!rule) return undefined;
  const errorOutput = toErrorOutput(error);
  const { templates, next } = rule;
  return context.leave({ templates, next, fallback: JSON.stringify(errorOutput), bindings: { errorOutput } });
}
