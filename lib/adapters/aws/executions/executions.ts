import {
  type CreateStateMachineCommandInput,
  ExecutionAlreadyExists,
  ExecutionDoesNotExist,
  InvalidToken,
  SendTaskFailureCommand,
  SendTaskSuccessCommand,
  SFNClient,
  StartExecutionCommand,
  StateMachineTypeNotSupported,
  StopExecutionCommand,
  TaskDoesNotExist,
  TaskTimedOut,
  ValidationException,
} from '@aws-sdk/client-sfn';
import type { Answer, Executions, Machine } from '../../../ports/executions.ts';
import { defineMachine } from './machines.ts';

export interface StepFunctionsOptions {
  /** The Lambda function, or its alias, that takes the placeholder's place. */
  readonly stepsFunctionArn: string;
  /** What state machines run as. */
  readonly roleArn: string;
  /** Where EXPRESS executions log their errors. */
  readonly logGroupArn?: string;
  /** Stands before every machine's name, as it is. */
  readonly namePrefix?: string;
  /** On every machine that is made from now on. */
  readonly tags?: Readonly<Record<string, string>>;
  /** The value in a definition that stands for the steps function; `${steps}` unless said. */
  readonly placeholder?: string;
  readonly client?: SFNClient;
}

/** What the compiler writes for the steps function (`STEPS_FUNCTION` in compiler/emit, a room closed to adapters). */
const STEPS_FUNCTION = '$' + '{steps}';

/** Limits of Step Functions' API, characters. */
const LONGEST_NAME = 80;
const LONGEST_ERROR = 256;
const LONGEST_CAUSE = 32_768;

/**
 * Executions in Step Functions. A handle is the ARN of a machine's version. An EXPRESS execution cannot be stopped and
 * does not keep its name to itself: Step Functions has neither for that tier.
 */
export function stepFunctions(options: StepFunctionsOptions): Executions {
  const client = options.client ?? stepFunctionsClient();
  return {
    define: (machine) => defineMachine(client, inputOf(options, machine), machineArn(options, machine)),
    start: (handle, name, input) => start(client, handle, name, input),
    stop: (handle, name, error, cause) => stop(client, executionArn(handle, name), error, cause),
    answer: (token, answer) => send(client, token, answer),
  };
}

/** A client with the patience that start and answer need when a burst empties their buckets. */
export function stepFunctionsClient(): SFNClient {
  return new SFNClient({ retryMode: 'standard', maxAttempts: 6 });
}

function inputOf(options: StepFunctionsOptions, machine: Machine): CreateStateMachineCommandInput & { name: string } {
  const { stepsFunctionArn, roleArn, logGroupArn, tags = {}, placeholder = STEPS_FUNCTION } = options;
  const pairs = Object.entries(tags).map(([key, value]) => ({ key, value }));
  const logs =
    logGroupArn === undefined || machine.tier === 'STANDARD' ? undefined : logGroupArn.replace(/(:\*)?$/, ':*');
  return {
    name: nameOf(options, machine),
    // Only where it is a whole value: part of a longer text is the workflow's own.
    definition: machine.definition.replaceAll(JSON.stringify(placeholder), () => JSON.stringify(stepsFunctionArn)),
    type: machine.tier,
    roleArn,
    publish: true,
    ...(pairs.length > 0 && { tags: pairs }),
    ...(logs && {
      loggingConfiguration: { level: 'ERROR', destinations: [{ cloudWatchLogsLogGroup: { logGroupArn: logs } }] },
    }),
  };
}

function nameOf({ namePrefix = '' }: StepFunctionsOptions, machine: Machine): string {
  const name = namePrefix + machine.name;
  if (name.length > LONGEST_NAME)
    throw new Error(`the machine's name ${name} has more than ${LONGEST_NAME} characters`);
  return name;
}

/** arn:PARTITION:states:REGION:ACCOUNT:stateMachine:NAME, beside the steps function. */
function machineArn(options: StepFunctionsOptions, machine: Machine): string {
  const [, partition, , region, account] = options.stepsFunctionArn.split(':');
  return ['arn', partition, 'states', region, account, 'stateMachine', nameOf(options, machine)].join(':');
}

/** An execution's ARN names its machine without the version. */
function executionArn(handle: string, name: string): string {
  const [arn, partition, service, region, account, , machine] = handle.split(':');
  return [arn, partition, service, region, account, 'execution', machine, name].join(':');
}

async function start(client: SFNClient, handle: string, name: string, input: unknown): Promise<void> {
  const command = new StartExecutionCommand({ stateMachineArn: handle, name, input: JSON.stringify(input) });
  await unless(client.send(command), [ExecutionAlreadyExists]);
}

async function stop(client: SFNClient, execution: string, error: string, cause: string): Promise<void> {
  const command = new StopExecutionCommand({
    executionArn: execution,
    error: error.slice(0, LONGEST_ERROR),
    cause: cause.slice(0, LONGEST_CAUSE),
  });
  // All of the command is in order, so a validation that fails means that there is nothing left to stop.
  await unless(client.send(command), [ExecutionDoesNotExist, StateMachineTypeNotSupported, ValidationException]);
}

function send(client: SFNClient, token: string, answer: Answer): Promise<boolean> {
  const sent =
    'output' in answer
      ? client.send(new SendTaskSuccessCommand({ taskToken: token, output: JSON.stringify(answer.output ?? null) }))
      : client.send(
          new SendTaskFailureCommand({
            taskToken: token,
            error: answer.error.slice(0, LONGEST_ERROR),
            cause: answer.cause.slice(0, LONGEST_CAUSE),
          }),
        );
  // All three are said of a token that came too late.
  return unless(sent, [TaskTimedOut, TaskDoesNotExist, InvalidToken]);
}

/** True when it was done, false when it was refused in one of these ways; any other refusal is thrown. */
async function unless(sent: Promise<unknown>, refusals: readonly (new (...of: never[]) => Error)[]): Promise<boolean> {
  try {
    await sent;
    return true;
  } catch (error) {
    if (refusals.some((refusal) => error instanceof refusal)) return false;
    throw error;
  }
}
