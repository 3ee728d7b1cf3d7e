import type { CloudFormationCustomResourceEvent } from 'aws-lambda';
import { answer } from '../lib/adapters/aws/admin-key.ts';
import { removeFunctions } from '../lib/adapters/aws/containers/teardown.ts';
import { emptyBucket, removeMachines } from '../lib/adapters/aws/teardown.ts';

/** What was made while the service ran, and must go before what CloudFormation made can go. */
async function tearDown({ prefix, containers, bucket }: Record<string, unknown>): Promise<void> {
  if (typeof prefix === 'string') await removeMachines(prefix);
  if (typeof containers === 'string') await removeFunctions(containers);
  if (typeof bucket === 'string') await emptyBucket(bucket);
}

/** Has nothing to do before the stack is deleted. CloudFormation gets an answer, whatever happens. */
export async function handler(event: CloudFormationCustomResourceEvent): Promise<void> {
  const { prefix, name = prefix } = event.ResourceProperties;
  try {
    if (event.RequestType === 'Delete') await tearDown(event.ResourceProperties);
    await answer(event, String(name));
  } catch (error) {
    await answer(event, String(name), error instanceof Error ? error.message : String(error));
  }
}
