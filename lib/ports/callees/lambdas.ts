/** Why an invocation has no result of its function. */
export type LambdaProblem =
  /** Lambda does not accept the name, or the content of the request. */
  | 'request'
  | 'notFound'
  /** The service has no right to invoke it, or no credentials. */
  | 'access'
  /** More invocations than the function or the account may have. */
  | 'throttled'
  /** The function, or the invocation, took longer than it may. */
  | 'timeout'
  | 'tooLarge'
  /** Lambda itself is at fault, or cannot be reached. */
  | 'service';

/** An invocation has no result; the message names the cause for the user. */
export class LambdaError extends Error {
  override readonly name = 'LambdaError';
  readonly problem: LambdaProblem;
  constructor(problem: LambdaProblem, message: string) {
    super(message);
    this.problem = problem;
  }
}

/** An invocation of a function of users. */
export interface Invocation {
  /** Its name or ARN, with a version or an alias after a colon if it has one. */
  readonly function: string;
  /** JSON. */
  readonly payload: Uint8Array;
  /** The member `custom` of the function's `context.clientContext`: texts, 3 KB in all. */
  readonly context: Readonly<Record<string, string>>;
  /** Milliseconds. */
  readonly ms: number;
  readonly signal?: AbortSignal;
}

/** The result of a function, or the error that it threw. */
export type InvocationReply =
  | { readonly payload: Uint8Array }
  | { readonly error: { readonly type: string; readonly message: string } };

/** Functions of AWS Lambda that users name. */
export interface Lambdas {
  /** Invokes a function and waits for its result. It is never repeated here. Throws LambdaError. */
  invoke(invocation: Invocation): Promise<InvocationReply>;
}
