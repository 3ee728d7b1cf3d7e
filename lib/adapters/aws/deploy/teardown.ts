import { DeleteObjectsCommand, paginateListObjectsV2, S3Client } from '@aws-sdk/client-s3';
import { DeleteStateMachineCommand, paginateListStateMachines, SFNClient } from '@aws-sdk/client-sfn';

/** Deletions refill at one a second; who throttles is asked again for as long as a function may run. */
const MOST_TRIES = 20;

/**
 * Deletes the machines whose names begin so, with whatever they run. Safe to repeat. Answers how many there were.
 * A machine that runs is gone when its executions have ended, which AWS sees to.
 */
export async function removeMachines(
  prefix: string,
  client = new SFNClient({ maxAttempts: MOST_TRIES, retryMode: 'adaptive' }),
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

/** Deletes all that is in a bucket: one that holds anything cannot be deleted itself. */
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
