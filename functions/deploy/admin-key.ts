import type { CloudFormationCustomResourceEvent } from 'aws-lambda';
import { makeKey, removeKey } from '../../lib/adapters/aws/deploy/admin-key.ts';
import { serve } from '../../lib/adapters/aws/deploy/custom-resource.ts';

/** Custom resource: creates a key with its stack and deletes it with its stack. */
export async function handler(event: CloudFormationCustomResourceEvent): Promise<void> {
  const { name: wanted, kind } = event.ResourceProperties;
  const name = event.RequestType === 'Delete' ? event.PhysicalResourceId : String(wanted);
  await serve(event, name, () =>
    event.RequestType === 'Delete' ? removeKey(name) : makeKey(name, kind === 'root' ? 'root' : 'admin'),
  );
}
