import { addDuration, parseDuration } from '../../time/durations.ts';
import type { FunctionPlan } from './plan.ts';

/** A name, or an ARN with or without a qualifier, as Lambda accepts them. */
const NAME = /^(?:arn:aws[\w-]*:lambda:[\w-]+:\d{12}:function:)?[\w-]{1,64}$/;
const QUALIFIED_ARN = /^arn:aws[\w-]*:lambda:[\w-]+:\d{12}:function:[\w-]{1,64}:(?:\$LATEST|[\w-]{1,128})$/;
const QUALIFIER = /^(?:\$LATEST|[\w-]{1,128})$/;

/** Whether a value names a Lambda function: its name, or its ARN. */
export const isLambdaName = (value: unknown): value is string =>
  typeof value === 'string' && (NAME.test(value) || QUALIFIED_ARN.test(value));

/** Whether an ARN names a version or an alias itself. */
export const isQualified = (name: string): boolean => QUALIFIED_ARN.test(name);

/** Whether a value names a version or an alias; a version may be written as a number. */
export const isLambdaQualifier = (value: unknown): boolean =>
  QUALIFIER.test(typeof value === 'string' ? value : Number.isInteger(value) ? `${value as number}` : '');

/** How long an invocation may take where the function has no `timeout`, milliseconds. */
export const DEFAULT_LAMBDA_MS = 30_000;

/** An invocation that may take longer is made by a state machine, milliseconds: none waits in a step for more. */
export const MAX_LAMBDA_MS_IN_STEP = 30_000;

/** Whether a state machine makes the invocations of a function, by the plan: its `timeout` is long. */
export function isLongLambda(plan: FunctionPlan): boolean {
  if (plan.type !== 'lambda' || typeof plan.invocation.timeout !== 'string') return false;
  const duration = parseDuration(plan.invocation.timeout);
  return duration !== undefined && addDuration(0, duration) > MAX_LAMBDA_MS_IN_STEP;
}
