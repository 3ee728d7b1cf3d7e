import {
  ConflictException,
  CreateStateMachineCommand,
  type CreateStateMachineCommandInput,
  DeleteStateMachineCommand,
  DeleteStateMachineVersionCommand,
  DescribeStateMachineCommand,
  type DescribeStateMachineCommandOutput,
  ListStateMachineVersionsCommand,
  PublishStateMachineVersionCommand,
  ServiceQuotaExceededException,
  type SFNClient,
  StateMachineAlreadyExists,
  StateMachineDeleting,
  StateMachineDoesNotExist,
  StateMachineLimitExceeded,
  type StateMachineVersionListItem,
  UpdateStateMachineCommand,
} from '@aws-sdk/client-sfn';
import { BusyError, MachineLimitError } from '../../../ports/executions.ts';
import { retry, type Sleep } from '../../portable/retry.ts';

type Input = CreateStateMachineCommandInput;

/** How machines are defined. */
export interface DefiningOptions {
  readonly client: SFNClient;
  /** Waits until Step Functions accepts a definition, for about 20 seconds. */
  readonly isPatient: boolean;
  /** Waits before a retry; by the timer of the system if not given. */
  readonly sleep?: Sleep;
}

/** Names of errors of the quota of requests that define machines: one a second, after a burst of a hundred. */
const THROTTLED = new Set(['ThrottlingException', 'TooManyRequestsException']);
/** Names of errors that pass when another process has completed its request. */
const CONFLICTS: ReadonlySet<string> = new Set([ConflictException.name, StateMachineDeleting.name]);

const isThrottled = (error: unknown): boolean => error instanceof Error && THROTTLED.has(error.name);

/** About 20 seconds in all, which fit into a request of 29 seconds. */
const MAX_ATTEMPTS = 10;
const FIRST_DELAY_MS = 200;
const MAX_DELAY_MS = 4_000;

/** Repeats a request while Step Functions cannot serve it. Throws BusyError when it is still throttled in the end, MachineLimitError. */
async function retried<T>({ isPatient, sleep }: DefiningOptions, work: () => Promise<T>): Promise<T> {
  const isConflict = (error: unknown): boolean => error instanceof Error && CONFLICTS.has(error.name);
  try {
    return await retry(work, {
      isTransient: (error) => isConflict(error) || (isPatient && isThrottled(error)),
      maxAttempts: MAX_ATTEMPTS,
      firstDelayMs: FIRST_DELAY_MS,
      maxDelayMs: MAX_DELAY_MS,
      ...(sleep && { sleep }),
    });
  } catch (error) {
    if (error instanceof StateMachineLimitExceeded) {
      const message =
        'the account has as many state machines as Step Functions allows: delete workflows, or raise the quota';
      throw new MachineLimitError(message, { cause: error });
    }
    if (!isThrottled(error)) throw error;
    const message = 'Step Functions defines one state machine a second in an account, and more are waiting';
    throw new BusyError(message, { cause: error });
  }
}

/**
 * Creates the machine or updates it, and returns the ARN of the version with exactly this definition. An interrupted
 * call is completed by the next one. The same definition returns the same version. A machine with as many versions as
 * Step Functions allows loses its oldest ones: their executions continue, and a start of such a version defines it again.
 */
export function defineMachine(options: DefiningOptions, input: Input, arn: string): Promise<string> {
  const { client } = options;
  return retried(options, async () => {
    try {
      return await defineOnce(client, input, arn);
    } catch (error) {
      if (!(error instanceof ServiceQuotaExceededException)) throw error;
      await removeOldest(client, arn);
      return defineOnce(client, input, arn);
    }
  });
}

/** Deletes a machine with all its versions; one that does not exist is deleted already. */
export async function removeMachine(options: DefiningOptions, arn: string): Promise<void> {
  await retried(options, async () => {
    try {
      await options.client.send(new DeleteStateMachineCommand({ stateMachineArn: arn }));
    } catch (error) {
      // AWS documents no such error for this call; a purge that it stops would be tried for ever.
      if (!(error instanceof StateMachineDoesNotExist)) throw error;
    }
  });
}

/** The versions that are deleted at once, so that the next definitions need not delete one each. */
const REMOVED_AT_ONCE = 10;

/** The number of a version, the last part of its ARN. */
const numberOf = ({ stateMachineVersionArn }: StateMachineVersionListItem): number =>
  Number(stateMachineVersionArn?.split(':').at(-1));

async function removeOldest(client: SFNClient, arn: string): Promise<void> {
  const all: StateMachineVersionListItem[] = [];
  for (let nextToken: string | undefined; ; ) {
    const page = await client.send(new ListStateMachineVersionsCommand({ stateMachineArn: arn, nextToken }));
    all.push(...(page.stateMachineVersions ?? []));
    nextToken = page.nextToken;
    if (nextToken === undefined) break;
  }
  const oldest = all.toSorted((one, other) => numberOf(one) - numberOf(other)).slice(0, REMOVED_AT_ONCE);
  for (const { stateMachineVersionArn } of oldest) {
    await client.send(new DeleteStateMachineVersionCommand({ stateMachineVersionArn }));
  }
}

async function defineOnce(client: SFNClient, input: Input, arn: string): Promise<string> {
  const created = await create(client, input);
  if (created !== undefined) return created;
  const current = await client.send(new DescribeStateMachineCommand({ stateMachineArn: arn }));
  // Publishing a revision twice returns one version. Whether an update without a change does so is not documented.
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
