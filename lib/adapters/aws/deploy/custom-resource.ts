import type { CloudFormationCustomResourceEvent } from 'aws-lambda';

type Asked = Pick<CloudFormationCustomResourceEvent, 'ResponseURL' | 'StackId' | 'RequestId' | 'LogicalResourceId'>;

/**
 * Does what CloudFormation asks for, and tells it how that went: it waits for an hour if nobody does. Throws when the
 * answer does not arrive, which is no failure of the work: Lambda calls again.
 */
export async function serve(event: Asked, name: string, work: () => Promise<unknown>): Promise<void> {
  const reason = await work().then(
    () => undefined,
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
  await answer(event, name, reason);
}

/** Tells CloudFormation how it went: well, or why not. */
async function answer(event: Asked, name: string, reason?: string): Promise<void> {
  const { ResponseURL, StackId, RequestId, LogicalResourceId } = event;
  const outcome = reason === undefined ? { Status: 'SUCCESS' } : { Status: 'FAILED', Reason: reason };
  const body = JSON.stringify({ ...outcome, PhysicalResourceId: name, StackId, RequestId, LogicalResourceId });
  const response = await fetch(ResponseURL, { method: 'PUT', body });
  if (!response.ok) throw new Error(`CloudFormation did not take the answer: ${response.status}`);
}
