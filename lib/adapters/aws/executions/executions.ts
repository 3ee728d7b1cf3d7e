import {
  type CreateStateMachineCommandInput,
  DescribeExecutionCommand,
  ExecutionAlreadyExists,
  ExecutionDoesNotExist,
  ExecutionLimitExceeded,
  InvalidToken,
  SendTaskFailureCommand,
  SendTaskSuccessCommand,
  SFNClient,
  StartExecutionCommand,
  StateMachineDeleting,
  StateMachineDoesNotExist,
  StateMachineTypeNotSupported,
  StopExecutionCommand,
  TaskDoesNotExist,
  TaskTimedOut,
  ValidationException,
} from '@aws-sdk/client-sfn';
import {
  type Answer,
  DelayedStartError,
  type Executions,
  type Machine,
  NoMachineError,
} from '../../../ports/executions.ts';
import type { Sleep } from '../../portable/retry.ts';
import { defineMachine, removeMachine } from './machines.ts';

/** The resources of the deployment that executions use. */
export interface StepFunctionsOptions {
  /** The ARN of the steps function, or of its alias, which replaces the placeholder in definitions. */
  readonly stepsFunctionArn: string;
  /** The execution role of state machines. */
  readonly roleArn: string;
  /** The log group for errors of EXPRESS executions. */
  readonly logGroupArn?: string;
  /** The prefix of every machine's name. */
  readonly namePrefix?: string;
  /** The tags of machines that are created. */
  readonly tags?: Readonly<Record<string, string>>;
  /** The placeholder of the steps function in definitions; `${steps}` if not given. */
  readonly placeholder?: string;
  readonly client?: SFNClient;
  /** Waits before a retry; by the timer of the system if not given. */
  readonly sleep?: Sleep;
}

/** The same as `STEPS_FUNCTION` of the compiler, which this room must not import. */
const STEPS_FUNCTION = '$' + '{steps}';

/** Limits of the API of Step Functions, characters. */
const MAX_NAME_LENGTH = 80;
const MAX_ERROR_LENGTH = 256;
const MAX_CAUSE_LENGTH = 32_768;

/**
 * Executions in Step Functions. A handle is the ARN of a machine's version. Step Functions can neither stop EXPRESS
 * executions nor keep their names unique.
 */
export function stepFunctions(options: StepFunctionsOptions): Executions {
  const client = options.client ?? stepFunctionsClient();
  return {
    define: (machine, isPatient = true) =>
      defineMachine({ client, ...options, isPatient }, inputOf(options, machine), machineArn(options, machine)),
    remove: (handle) => removeMachine({ client, ...options, isPatient: false }, machineOf(handle)),
    start: (handle, name, input) => start(client, handle, name, input),
    isRunning: (handle, name) => isRunning(client, executionArn(handle, name)),
    stop: (handle, name, error, cause) => stop(client, executionArn(handle, name), error, cause),
    answer: (token, answer) => send(client, token, answer),
  };
}

/** A client with enough retries for a burst that exceeds the quotas of StartExecution and SendTaskSuccess. */
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
    // Only a whole JSON string: as part of a longer text it belongs to the workflow.
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
  if (name.length > MAX_NAME_LENGTH)
    throw new Error(`the machine's name ${name} has more than ${MAX_NAME_LENGTH} characters`);
  return name;
}

/** arn:PARTITION:states:REGION:ACCOUNT:stateMachine:NAME, in the account and region of the steps function. */
function machineArn(options: StepFunctionsOptions, machine: Machine): string {
  const [, partition, , region, account] = options.stepsFunctionArn.split(':');
  return ['arn', partition, 'states', region, account, 'stateMachine', nameOf(options, machine)].join(':');
}

/** The ARN of a machine is that of its version without the number. */
const machineOf = (handle: string): string => handle.split(':').slice(0, 7).join(':');

/** The ARN of an execution has the name of its machine without the version. */
function executionArn(handle: string, name: string): string {
  const [arn, partition, service, region, account, , machine] = handle.split(':');
  return [arn, partition, service, region, account, 'execution', machine, name].join(':');
}

/** Names of errors of the quotas of starts and of open executions. */
const EXHAUSTED: ReadonlySet<string> = new Set([
  'ThrottlingException',
  'TooManyRequestsException',
  ExecutionLimitExceeded.name,
]);

async function start(client: SFNClient, handle: string, name: string, input: unknown): Promise<boolean> {
  const command = new StartExecutionCommand({ stateMachineArn: handle, name, input: JSON.stringify(input) });
  try {
    // A name that a running execution with the same input has is accepted again.
    return await succeedsUnless(client.send(command), [ExecutionAlreadyExists]);
  } catch (error) {
    if (error instanceof StateMachineDoesNotExist || error instanceof StateMachineDeleting) {
      throw new NoMachineError(handle);
    }
    if (error instanceof Error && EXHAUSTED.has(error.name)) {
      throw new DelayedStartError(`Step Functions starts no further execution now: ${error.name}`, { cause: error });
    }
    throw error;
  }
}

async function isRunning(client: SFNClient, execution: string): Promise<boolean> {
  try {
    const { status } = await client.send(new DescribeExecutionCommand({ executionArn: execution }));
    return status === 'RUNNING';
  } catch (error) {
    // The execution of a machine of tier EXPRESS cannot be described.
    if ([ExecutionDoesNotExist, ValidationException].some((expected) => error instanceof expected)) return false;
    throw error;
  }
}

async function stop(client: SFNClient, execution: string, error: string, cause: string): Promise<void> {
  const command = new StopExecutionCommand({
    executionArn: execution,
    error: error.slice(0, MAX_ERROR_LENGTH),
    cause: cause.slice(0, MAX_CAUSE_LENGTH),
  });
  // The command is valid, so a ValidationException means that there is nothing left to stop.
  await succeedsUnless(client.send(command), [
    ExecutionDoesNotExist,
    StateMachineTypeNotSupported,
    ValidationException,
  ]);
}

function send(client: SFNClient, token: string, answer: Answer): Promise<boolean> {
  const sent =
    'output' in answer
      ? client.send(new SendTaskSuccessCommand({ taskToken: token, output: JSON.stringify(answer.output ?? null) }))
      : client.send(
          new SendTaskFailureCommand({
            taskToken: token,
            error: answer.error.slice(0, MAX_ERROR_LENGTH),
            cause: answer.cause.slice(0, MAX_CAUSE_LENGTH),
          }),
        );
  // Each of the three may be the answer to a token that came too late.
  return succeedsUnless(sent, [TaskTimedOut, TaskDoesNotExist, InvalidToken]);
}

type ErrorClass = new (...args: never[]) => Error;

/** True when the request succeeded, false when it failed with one of these errors. Throws any other error. */
async function succeedsUnless(sent: Promise<unknown>, expected: readonly ErrorClass[]): Promise<boolean> {
  try {
    await sent;
    return true;
  } catch (error) {
    if (expected.some((errorClass) => error instanceof errorClass)) return false;
    throw error;
  }
}
