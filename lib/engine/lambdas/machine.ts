import { isObject, toJson } from '../../language/json.ts';
import { hasExactNumbers, parseJson } from '../../language/json-numbers.ts';
import { LambdaError, type Lambdas } from '../../ports/callees/lambdas.ts';
import type { NativeContext, Outcome } from '../http/outcome.ts';
import { MACHINE_ERRORS, problemOfMachine } from './codes.ts';
import { contextOf, failed, functionFailed, returned, type Telling } from './invoking.ts';
import type { PreparedInvocation } from './preparation.ts';

/** The most bytes of a payload that passes through a state machine: its data has 256 KB at most. */
const MAX_MACHINE_PAYLOAD = 200 * 1024;

/** The invocation that the machine of a call makes (`lib/compiler/emit/lambda-call.ts`). */
export interface MachineInvocation {
  readonly function: string;
  readonly payload: unknown;
  /** The client context, base64 of JSON. */
  readonly context: string;
  readonly seconds: number;
}

/** The reply of the machine to its invocation. */
export type MachineReply = { readonly result?: unknown } | { readonly error: string; readonly cause?: string };

/**
 * Whether a payload may pass through a state machine: it is small, has no number that the machine would change, and holds
 * no secret, since the history of the execution shows it.
 */
export function mayPassMachine({ payload, secrets }: PreparedInvocation): boolean {
  const text = toJson(payload);
  return secrets.length === 0 && Buffer.byteLength(text) <= MAX_MACHINE_PAYLOAD && !hasExactNumbers(text);
}

/** An invocation as its machine makes it. */
export function toMachineInvocation(
  context: Pick<NativeContext, 'key' | 'traceparent'>,
  { function: name, payload, ms }: PreparedInvocation,
): MachineInvocation {
  const custom = Buffer.from(JSON.stringify({ custom: contextOf(context) })).toString('base64');
  return { function: name, payload, context: custom, seconds: Math.max(Math.ceil(ms / 1000), 1) };
}

/** Returns the outcome of an invocation by the reply of its machine. */
export function outcomeOfMachine(telling: Telling, reply: MachineReply): Outcome {
  if (!('error' in reply)) return returned(telling, reply.result ?? null);
  const { error, cause = '' } = reply;
  const problem = problemOfMachine(error, cause);
  if (problem === undefined) return functionFailed(telling, { type: error, message: messageOf(cause) });
  if (problem === 'timeout') return failed(telling, problem, 'did not answer in time');
  const limit =
    'returned more than the 256 KB that pass through a state machine; return a reference to the data instead';
  if (error === 'States.DataLimitExceeded') return failed(telling, problem, limit);
  return failed(telling, problem, `was not invoked: ${messageOf(cause)}`);
}

/** The cause of a task is JSON of Lambda, or a text. */
function messageOf(cause: string): string {
  try {
    const parsed: unknown = parseJson(cause);
    return isObject(parsed) && typeof parsed['errorMessage'] === 'string' ? parsed['errorMessage'] : cause;
  } catch {
    return cause;
  }
}

/** The error of a task, with the name that a state machine gives it. */
class LambdaCallError extends Error {
  override readonly name: string;
  constructor(name: string, message: string) {
    super(message);
    this.name = name;
  }
}

const MACHINE_MS = 15 * 60_000;

/**
 * Invokes a function as the task `lambda:invoke` of a state machine does, for an interpreter of machines. Returns the
 * result. Throws errors with the names of Step Functions.
 */
export async function invokeAsTask(
  lambdas: Lambdas,
  task: { readonly function: string; readonly payload: unknown; readonly clientContext?: string | undefined },
): Promise<unknown> {
  const { custom = {} } = parseJson(Buffer.from(task.clientContext ?? 'e30=', 'base64').toString()) as {
    readonly custom?: Record<string, string>;
  };
  const payload = Buffer.from(toJson(task.payload));
  const invocation = { function: task.function, payload, context: custom, ms: MACHINE_MS };
  const reply = await lambdas.invoke(invocation).catch((error: unknown) => {
    if (!(error instanceof LambdaError)) throw error;
    const { problem, message } = error;
    const named = Object.entries(MACHINE_ERRORS).find(([, one]) => one === problem)?.[0];
    throw new LambdaCallError(named ?? 'Lambda.ServiceException', message);
  });
  if ('error' in reply) throw new LambdaCallError(reply.error.type || 'Lambda.Unknown', reply.error.message);
  const text = Buffer.from(reply.payload).toString('utf8');
  return text === '' ? null : parseJson(text);
}
