import { InvokeCommand, LambdaClient, ListTagsCommand, TagResourceCommand } from '@aws-sdk/client-lambda';
import { DeleteObjectsCommand, ListObjectVersionsCommand, S3Client } from '@aws-sdk/client-s3';
import {
  DeleteStateMachineCommand,
  ExecutionDoesNotExist,
  paginateListExecutions,
  paginateListStateMachines,
  SFNClient,
  StateMachineDoesNotExist,
  type StateMachineListItem,
  StateMachineTypeNotSupported,
  StopExecutionCommand,
} from '@aws-sdk/client-sfn';
import { SERVICE_REMOVED } from '../../../ports/executions.ts';

/** The quota of deletions is one a second; throttled requests are repeated for as long as a function may run. */
const MAX_TRIES = 20;

/** Whether there is time for more before the function is stopped. */
export type HasTime = () => boolean;

/** Whether everything is deleted; false: there was no time for the rest. */
export type IsDone = boolean;

/**
 * Deletes the machines whose names begin with the prefix, after their executions were stopped: Step Functions deletes a
 * machine when they have ended, and one that waits could wait for a year. Idempotent.
 */
export async function removeMachines(
  prefix: string,
  hasTime: HasTime,
  client = new SFNClient({ maxAttempts: MAX_TRIES, retryMode: 'adaptive' }),
): Promise<IsDone> {
  // All pages are read first: a deletion may change the contents of the next one.
  const found: StateMachineListItem[] = [];
  for await (const { stateMachines = [] } of paginateListStateMachines({ client }, { maxResults: 1000 })) {
    found.push(...stateMachines.filter(({ name }) => name?.startsWith(prefix)));
  }
  for (const { type, stateMachineArn } of found) {
    const isStopped = type === 'EXPRESS' || (await stopExecutions(client, stateMachineArn, hasTime));
    if (!isStopped || !hasTime()) return false;
    await client.send(new DeleteStateMachineCommand({ stateMachineArn }));
  }
  return true;
}

const isGone = (error: unknown): boolean =>
  error instanceof ExecutionDoesNotExist ||
  error instanceof StateMachineDoesNotExist ||
  error instanceof StateMachineTypeNotSupported;

async function stopExecutions(
  client: SFNClient,
  stateMachineArn: string | undefined,
  hasTime: HasTime,
): Promise<IsDone> {
  const query = { stateMachineArn, statusFilter: 'RUNNING', maxResults: 1000 } as const;
  try {
    for await (const { executions = [] } of paginateListExecutions({ client }, query)) {
      for (const { executionArn } of executions) {
        if (!hasTime()) return false;
        const stop = new StopExecutionCommand({
          executionArn,
          error: SERVICE_REMOVED,
          cause: 'the service is deleted',
        });
        await client.send(stop).catch((error: unknown) => {
          if (!isGone(error)) throw error;
        });
      }
    }
  } catch (error) {
    if (!isGone(error)) throw error;
  }
  return true;
}

/** Deletes all objects of a bucket with their versions and delete markers: only an empty bucket can be deleted. */
export async function emptyBucket(bucket: string, hasTime: HasTime, client = new S3Client()): Promise<IsDone> {
  // The first page again and again: what it listed is deleted.
  for (;;) {
    const listed = await client.send(new ListObjectVersionsCommand({ Bucket: bucket }));
    const { Versions = [], DeleteMarkers = [] } = listed;
    const Objects = [...Versions, ...DeleteMarkers].map(({ Key = '', VersionId }) => ({ Key, VersionId }));
    if (Objects.length === 0) return true;
    if (!hasTime()) return false;
    const { Errors = [] } = await client.send(
      new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects, Quiet: true } }),
    );
    const [first] = Errors;
    if (first !== undefined) throw new Error(`${first.Key} in ${bucket} cannot be deleted: ${first.Message}`);
  }
}

/** Calls the function again with this event, asynchronously. */
export async function callAgain(functionName: string, event: object, client = new LambdaClient()): Promise<void> {
  const Payload = Buffer.from(JSON.stringify(event));
  await client.send(new InvokeCommand({ FunctionName: functionName, InvocationType: 'Event', Payload }));
}

/** The tag of the function whose stack is being deleted. */
const UNFINISHED = 'weft:unfinished-deletion';

/** Notes, in a tag of the function, that it has deleted a part. */
export async function noteUnfinished(functionArn: string, client = new LambdaClient()): Promise<void> {
  await client.send(new TagResourceCommand({ Resource: functionArn, Tags: { [UNFINISHED]: 'true' } }));
}

/** Whether `noteUnfinished` was called for the function. */
export async function isUnfinished(functionArn: string, client = new LambdaClient()): Promise<boolean> {
  const { Tags = {} } = await client.send(new ListTagsCommand({ Resource: functionArn }));
  return Tags[UNFINISHED] !== undefined;
}
