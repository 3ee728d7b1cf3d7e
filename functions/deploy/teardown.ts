import type { CloudFormationCustomResourceEvent } from 'aws-lambda';
import { removeFunctions } from '../../lib/adapters/aws/containers/teardown.ts';
import { serve } from '../../lib/adapters/aws/deploy/custom-resource.ts';
import { emptyBucket, removeMachines } from '../../lib/adapters/aws/deploy/teardown.ts';

/** What was made while the service ran, and must go before what CloudFormation made can go. */
async function tearDown({ prefix, containers, bucket }: Record<string, unknown>): Promise<void> {
  if (typeof prefix === 'string') await removeMachines(prefix);
  if (typeof containers === 'string') await removeFunctions(containers);
  if (typeof bucket === 'string') await emptyBucket(bucket);
}

/** Has nothing to do before the stack is deleted. */
export async function handler(event: CloudFormationCustomResourceEvent): Promise<void> {
  const { prefix, name = prefix } = event.ResourceProperties;
  await serve(event, String(name), async () => {
    if (event.RequestType === 'Delete') await tearDown(event.ResourceProperties);
  });
}
