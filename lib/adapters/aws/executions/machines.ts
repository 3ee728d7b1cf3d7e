import {
  ConflictException,
  CreateStateMachineCommand,
  type CreateStateMachineCommandInput,
  DescribeStateMachineCommand,
  type DescribeStateMachineCommandOutput,
  PublishStateMachineVersionCommand,
  type SFNClient,
  StateMachineAlreadyExists,
  StateMachineDeleting,
  UpdateStateMachineCommand,
} from '@aws-sdk/client-sfn';
import { retry } from '../../portable/retry.ts';

type Input = CreateStateMachineCommandInput;

/** Names of transient errors: the quota of the requests that define machines is one a second. */
const TRANSIENT = new Set([
  'ThrottlingException',
  'TooManyRequestsException',
  ConflictException.name,
  StateMachineDeleting.name,
]);

/** About 20 seconds in all, which fit into a request of 29 seconds. */
const MAX_ATTEMPTS = 10;
const FIRST_DELAY_MS = 200;
const MAX_DELAY_MS = 4_000;

/**
 * Creates the machine or updates it, and returns the ARN of the version with exactly this definition. An interrupted
 * call is completed by the next one. The same definition returns the same version.
 */
export function defineMachine(client: SFNClient, input: Input, arn: string): Promise<string> {
  return retry(() => defineOnce(client, input, arn), {
    isTransient: (error) => error instanceof Error && TRANSIENT.has(error.name),
    maxAttempts: MAX_ATTEMPTS,
    firstDelayMs: FIRST_DELAY_MS,
    maxDelayMs: MAX_DELAY_MS,
  });
}

async function defineOnce(client: SFNClient, input: Input, arn: string): Promise<string> {
  const created = await create(client, input);
  if (created !== undefined) return created;
  const current = await client.send(new DescribeStateMachineCommand({ stateMachineArn: arn }));
  // Publishing a revision twice returns one version; for an update without a change that is not documented.
  return isSame(current, input) ? publish(client, arn, current.revisionId) : update(client, input, arn);
}

/**
 * The version of the machine that was created, now or before with the same input; undefined when it exists with
 * another.
 */
async function create(client: SFNClient, input: Input): Promise<string | undefined> {
  try {
    const { stateMachineVersionArn } = await client.send(new CreateStateMachineCommand(input));
    return stateMachineVersionArn;
  } catch (error) {
    if (error instanceof StateMachineAlreadyExists) return undefined;
    throw error;
  }
}

async function publish(client: SFNClient, arn: string, revisionId: string | undefined): Promise<string> {
  const command = new PublishStateMachineVersionCommand({
    stateMachineArn: arn,
    // Rejected when another process updated the machine meanwhile. INITIAL is the first revision, which has no id.
    revisionId: revisionId ?? 'INITIAL',
  });
  return need((await client.send(command)).stateMachineVersionArn, arn);
}

async function update(client: SFNClient, input: Input, arn: string): Promise<string> {
  const { definition, roleArn, loggingConfiguration } = input;
  const command = new UpdateStateMachineCommand({
    stateMachineArn: arn,
    definition,
    roleArn,
    ...(loggingConfiguration && { loggingConfiguration }),
    publish: true,
  });
  return need((await client.send(command)).stateMachineVersionArn, arn);
}

function isSame(current: DescribeStateMachineCommandOutput, input: Input): boolean {
  const [now, then] = [current.loggingConfiguration, input.loggingConfiguration];
  const group = (logging: typeof now) => logging?.destinations?.[0]?.cloudWatchLogsLogGroup?.logGroupArn;
  return current.definition === input.definition && current.roleArn === input.roleArn && group(now) === group(then);
}

function need(version: string | undefined, arn: string): string {
  if (version === undefined) throw new Error(`Step Functions published no version of ${arn}`);
  return version;
}
