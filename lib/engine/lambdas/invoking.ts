import { toJson } from '../../language/json.ts';
import { parseJson } from '../../language/json-numbers.ts';
import { type InvocationReply, LambdaError } from '../../ports/callees/lambdas.ts';
import { resultProblem, textProblem } from '../evaluation/bounds.ts';
import { mask } from '../http/masks.ts';
import type { NativeContext, NativeFunction, Outcome } from '../http/outcome.ts';
import { codeOfError, LAMBDA_CODES, type LambdaCause } from './codes.ts';
import type { PreparedInvocation } from './preparation.ts';

/** The context of a call for the function, which reads it in `context.clientContext.custom`. */
export const contextOf = ({
  key,
  traceparent,
}: Pick<NativeContext, 'key' | 'traceparent'>): Record<string, string> => ({
  idempotencyKey: key,
  traceparent,
});

/** The invocation of an outcome: the brand of its error codes, the name of the function, and the secrets to mask. */
export interface Telling {
  readonly brand: string;
  readonly invocation: Pick<PreparedInvocation, 'function' | 'secrets'>;
}

/** The failure of an invocation for one of Weft's causes. */
export const failed = ({ brand, invocation }: Telling, cause: LambdaCause, text: string): Outcome =>
  failedWith({ brand, invocation }, LAMBDA_CODES[cause], text);

function failedWith({ brand, invocation }: Telling, code: string, text: string): Outcome {
  const message = `the Lambda function '${invocation.function}' ${text}`;
  return { failure: { code: `${brand}.${code}`, message: mask(message, invocation.secrets) } };
}

const MAX_MESSAGE = 1000;

/** The failure for an error that the function threw. */
export function functionFailed(telling: Telling, { type, message }: { type: string; message: string }): Outcome {
  const code = codeOfError(type, message);
  const text = message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE)}…` : message;
  return failedWith(telling, code, `failed: ${type === '' ? text : `${type}: ${text}`}`);
}

/** The result of a function; a value that a run cannot hold is a failure. */
export function returned(telling: Telling, value: unknown): Outcome {
  const problem = resultProblem(value);
  return problem === undefined ? { value } : failed(telling, 'tooLarge', `returned a value that is ${problem}`);
}

function outcomeOf(telling: Telling, reply: InvocationReply): Outcome {
  if ('error' in reply) return functionFailed(telling, reply.error);
  const excess = textProblem(reply.payload);
  if (excess !== undefined) return failed(telling, 'tooLarge', `returned a value that is ${excess}`);
  const text = Buffer.from(reply.payload).toString('utf8');
  try {
    return returned(telling, text === '' ? null : parseJson(text));
  } catch {
    return failed(telling, 'response', 'returned what is no JSON');
  }
}

/** Invokes a function within its deadline. Never throws for a fault of Lambda or the function. */
export const lambda: NativeFunction = async (context, input): Promise<Outcome> => {
  const outcome = await invoke(context, input as PreparedInvocation);
  return { ...outcome, sent: sentBy(input as PreparedInvocation) };
};

/** The destination of an invocation, for the record of the run. */
export const sentBy = ({ function: name, secrets }: Telling['invocation']): Outcome['sent'] & object => ({
  kind: 'lambda',
  to: mask(name, secrets),
});

async function invoke(context: NativeContext, invocation: PreparedInvocation): Promise<Outcome> {
  const { ports, until, signal } = context;
  const telling = { brand: ports.settings.brand, invocation };
  try {
    const reply = await ports.lambdas.invoke({
      function: invocation.function,
      payload: Buffer.from(toJson(invocation.payload)),
      context: contextOf(context),
      ms: Math.max(Math.min(invocation.ms, until - ports.clock.now()), 1),
      ...(signal && { signal }),
    });
    return outcomeOf(telling, reply);
  } catch (error) {
    if (!(error instanceof LambdaError)) throw error;
    return failed(telling, error.problem, `did not answer: ${error.message}`);
  }
}
