import type { CloudFormationCustomResourceEvent } from 'aws-lambda';

type ResourceEvent = Pick<
  CloudFormationCustomResourceEvent,
  'ResponseURL' | 'StackId' | 'RequestId' | 'LogicalResourceId'
>;

/**
 * Does the work of a custom resource and reports the result to CloudFormation, which otherwise waits for an hour.
 * @throws Error when the report fails; Lambda then calls the function again.
 */
export async function serve(event: ResourceEvent, name: string, work: () => Promise<unknown>): Promise<void> {
  const reason = await work().then(
    () => undefined,
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
  await report(event, name, reason);
}

/** Reports success, or the reason of the failure. */
async function report(event: ResourceEvent, name: string, reason?: string): Promise<void> {
  const { ResponseURL, StackId, RequestId, LogicalResourceId } = event;
  const outcome = reason === undefined ? { Status: 'SUCCESS' } : { Status: 'FAILED', Reason: reason };
  const body = JSON.stringify({ ...outcome, PhysicalResourceId: name, StackId, RequestId, LogicalResourceId });
  // The URL is signed for a request without a type; `fetch` sends one for a text, and none for bytes.
  const response = await fetch(ResponseURL, { method: 'PUT', body: Buffer.from(body) });
  if (!response.ok) throw new Error(`CloudFormation rejected the response: ${response.status}`);
}
