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

type Input = CreateStateMachineCommandInput;

/** Names of errors that pass by themselves: the calls that define machines refill at one a second. */
const PASSING = new Set([
  'ThrottlingException',
  'TooManyRequestsException',
  ConflictException.name,
  StateMachineDeleting.name,
]);

/** About 20 seconds of patience, which a request of 29 seconds can afford. */
const MOST_TRIES = 10;
const LONGEST_PAUSE_MS = 4_000;

/**
 * Sees to it that the machine exists just so, and answers the ARN of the version that is just this definition. A call
 * that is cut short is made up for by the next one; the same definition again gives the same version.
 */
export async function defineMachine(client: SFNClient, input: Input, arn: string): Promise<string> {
  for (let tries = 1; ; tries++) {
    try {
      return await defineOnce(client, input, arn);
    } catch (error) {
      const passes = error instanceof Error && PASSING.has(error.name);
      if (!passes || tries >= MOST_TRIES) throw error;
    }
    const longest = Math.min(LONGEST_PAUSE_MS, 100 * 2 ** tries);
    await new Promise((resolve) => setTimeout(resolve, (Math.random() + 0.5) * longest));
  }
}

async function defineOnce(client: SFNClient, input: Input, arn: string): Promise<string> {
  const created = await create(client, input);
  if (created !== undefined) return created;
  const current = await client.send(new DescribeStateMachineCommand({ stateMachineArn: arn }));
  // Publishing a revision twice gives one version; of an update with nothing new nobody promises that.
  return isSame(current, input) ? publish(client, arn, current.revisionId) : update(client, input, arn);
}

/** The version of the machine it made, or had made before with the same input; undefined when another machine has the name. */
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
    // Refused when somebody updated the machine meanwhile. INITIAL stands for the first revision, which has no id.
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
