import type { CloudFormationCustomResourceEvent } from 'aws-lambda';
import { removeFunctions } from '../../lib/adapters/aws/containers/teardown.ts';
import { serve } from '../../lib/adapters/aws/deploy/custom-resource.ts';
import { emptyBucket, removeMachines } from '../../lib/adapters/aws/deploy/teardown.ts';

/** Deletes the resources that the service created at run time, which block the deletion of its stacks. */
async function tearDown({ prefix, containers, bucket }: Record<string, unknown>): Promise<void> {
  if (typeof prefix === 'string') await removeMachines(prefix);
  if (typeof containers === 'string') await removeFunctions(containers);
  if (typeof bucket === 'string') await emptyBucket(bucket);
}

/** Custom resource: acts only when its stack is deleted. */
export async function handler(event: CloudFormationCustomResourceEvent): Promise<void> {
  const { prefix, name = prefix } = event.ResourceProperties;
  await serve(event, String(name), async () => {
    if (event.RequestType === 'Delete') await tearDown(event.ResourceProperties);
  });
}
