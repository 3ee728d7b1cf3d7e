import { DeleteObjectsCommand, paginateListObjectsV2, S3Client } from '@aws-sdk/client-s3';
import { DeleteStateMachineCommand, paginateListStateMachines, SFNClient } from '@aws-sdk/client-sfn';

/** The quota of deletions is one a second; throttled requests are repeated for as long as a function may run. */
const MAX_TRIES = 20;

/**
 * Deletes the machines whose names begin with the prefix. Idempotent. Returns their number. Step Functions stops their
 * executions, and deletes each machine when they have ended.
 */
export async function removeMachines(
  prefix: string,
  client = new SFNClient({ maxAttempts: MAX_TRIES, retryMode: 'adaptive' }),
): Promise<number> {
  let count = 0;
  for await (const { stateMachines = [] } of paginateListStateMachines({ client }, { maxResults: 1000 })) {
    for (const { name, stateMachineArn } of stateMachines) {
      if (!name?.startsWith(prefix)) continue;
      await client.send(new DeleteStateMachineCommand({ stateMachineArn }));
      count += 1;
    }
  }
  return count;
}

/** Deletes all objects of a bucket: only an empty bucket can be deleted. */
export async function emptyBucket(bucket: string, client = new S3Client()): Promise<void> {
  for await (const { Contents = [] } of paginateListObjectsV2({ client }, { Bucket: bucket })) {
    if (Contents.length === 0) continue;
    const Objects = Contents.map(({ Key }) => ({ Key: Key ?? '' }));
    const { Errors = [] } = await client.send(
      new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects, Quiet: true } }),
    );
    const [first] = Errors;
    if (first !== undefined) throw new Error(`${first.Key} in ${bucket} cannot be deleted: ${first.Message}`);
  }
}
