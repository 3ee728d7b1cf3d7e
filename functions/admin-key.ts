import type { CloudFormationCustomResourceEvent } from 'aws-lambda';
import { answer, makeKey, removeKey } from '../lib/adapters/aws/admin-key.ts';

/** CloudFormation waits for an answer, and for an hour if there is none: whatever happens, it gets one. */
export async function handler(event: CloudFormationCustomResourceEvent): Promise<void> {
  const { name: wanted, kind } = event.ResourceProperties;
  const name = event.RequestType === 'Delete' ? event.PhysicalResourceId : String(wanted);
  try {
    await (event.RequestType === 'Delete' ? removeKey(name) : makeKey(name, kind === 'root' ? 'root' : 'admin'));
    await answer(event, name);
  } catch (error) {
    await answer(event, name, error instanceof Error ? error.message : String(error));
  }
}
