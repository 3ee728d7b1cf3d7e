import type { LambdaProblem } from '../../ports/callees/lambdas.ts';
import type { KIND_OF } from '../evaluation/failures.ts';

/** The causes for which an invocation fails, beside an error of the function itself (docs/lambda.md). */
export type LambdaCause = LambdaProblem | 'response' | 'failed';

/** The error code of each cause, without the brand. */
export const LAMBDA_CODES: Readonly<Record<LambdaCause, keyof typeof KIND_OF>> = {
  request: 'lambda.request',
  notFound: 'lambda.notFound',
  access: 'lambda.access',
  throttled: 'lambda.throttled',
  timeout: 'lambda.timeout',
  tooLarge: 'lambda.tooLarge',
  service: 'lambda.service',
  response: 'lambda.response',
  failed: 'lambda.failed',
};

const TYPE = /^[\w.$-]{1,100}$/;
const TIMED_OUT = /\btask timed out after\b/i;

/**
 * The code for an error of a function, without the brand: `lambda.` and its type. Lambda reports a function that took too
 * long as an error of it.
 */
export function codeOfError(type: string, message: string): string {
  if (type === 'Sandbox.Timedout' || TIMED_OUT.test(message)) return LAMBDA_CODES.timeout;
  return TYPE.test(type) ? `lambda.${type}` : LAMBDA_CODES.failed;
}

/** The errors by which a state machine names the problem of an invocation. */
export const MACHINE_ERRORS: Readonly<Record<string, LambdaProblem>> = {
  'Lambda.InvalidParameterValueException': 'request',
  'Lambda.InvalidRequestContentException': 'request',
  'Lambda.ResourceNotFoundException': 'notFound',
  'Lambda.AccessDeniedException': 'access',
  'Lambda.TooManyRequestsException': 'throttled',
  'Lambda.EC2ThrottledException': 'throttled',
  'Lambda.RequestTooLargeException': 'tooLarge',
  'States.DataLimitExceeded': 'tooLarge',
  'States.Timeout': 'timeout',
  'Lambda.ServiceException': 'service',
};

const UNAUTHORIZED = /not authorized|AccessDenied/;

/** The problem that a state machine reports; undefined for an error that the function itself threw. */
export function problemOfMachine(error: string, cause: string): LambdaProblem | undefined {
  const known = Object.hasOwn(MACHINE_ERRORS, error) ? MACHINE_ERRORS[error] : undefined;
  if (known !== undefined) return known;
  if (!/^(Lambda|States)\./.test(error)) return undefined;
  // The error of a function that ended without a result, for which Lambda has no name.
  if (error === 'Lambda.Unknown') return undefined;
  return UNAUTHORIZED.test(cause) ? 'access' : 'service';
}
