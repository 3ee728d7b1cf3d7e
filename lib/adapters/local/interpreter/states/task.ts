import { INVOKE_AND_WAIT } from '../../../../compiler/emit/asl.ts';
import type { Command } from '../context/command.ts';
import { type EvaluationContext, wholeNumber, wrongType } from '../context/evaluation-context.ts';
import { textWithin } from '../context/limits.ts';
import { ERRORS } from '../context/states-error.ts';
import { completeWithResult, type StateHandler } from './handler.ts';

/** The call of a function. It is stored in the journal, so that it is repeated unchanged after a restart. */
export interface TaskCall {
  readonly function: string;
  readonly payload: unknown;
  /** Base64 of JSON. */
  readonly clientContext?: string;
}

/** Calls a function; with the integration pattern `waitForTaskToken` it then waits for the callback. */
export const task: StateHandler = {
  events: { work: 2, result: 1 },
  enter: async (context) => {
    const token = context.state.resource === INVOKE_AND_WAIT ? context.clock.secret() : undefined;
    context.token = token;
    const call = callOf(context, await context.value('Arguments'));
    textWithin(context.limits.bytes, 'the payload', call.payload);
    const timeout = await timeoutOf(context);
    return { kind: 'invoke', work: JSON.stringify(call), ...(token ? { token } : {}), ...timeout };
  },
  complete: completeWithResult,
};

interface CallArguments {
  readonly FunctionName?: unknown;
  readonly Payload?: unknown;
  readonly ClientContext?: unknown;
}

function callOf(context: EvaluationContext, value: unknown): TaskCall {
  const { FunctionName: name, Payload: payload = {}, ClientContext: clientContext } = (value ?? {}) as CallArguments;
  if (typeof name !== 'string') throw wrongType(context, 'Arguments.FunctionName', 'text');
  if (clientContext === undefined) return { function: name, payload };
  if (typeof clientContext !== 'string') throw wrongType(context, 'Arguments.ClientContext', 'text');
  return { function: name, payload, clientContext };
}

type Timeout = Pick<Extract<Command, { kind: 'invoke' }>, 'due' | 'dueError'>;

/** The port Executions has no heartbeats, so HeartbeatSeconds is a second timeout, which counts when it is shorter. */
async function timeoutOf(context: EvaluationContext): Promise<Timeout> {
  const timeout = await wholeNumber(context, 'TimeoutSeconds', 1);
  const heartbeat = await wholeNumber(context, 'HeartbeatSeconds', 1);
  const [seconds, dueError] =
    heartbeat !== undefined && heartbeat < (timeout ?? Number.POSITIVE_INFINITY)
      ? [heartbeat, ERRORS.heartbeat]
      : [timeout, ERRORS.timeout];
  return seconds === undefined ? {} : { due: context.clock.now() + seconds * 1000, dueError };
}
