import {
  DeleteParameterCommand,
  ParameterAlreadyExists,
  ParameterNotFound,
  PutParameterCommand,
  SSMClient,
} from '@aws-sdk/client-ssm';
import type { CloudFormationCustomResourceEvent } from 'aws-lambda';
import { systemClock } from './clock.ts';

/** Makes the encrypted parameter that the vault reads, with a new key; one that is there already stays as it is. */
export async function makeKey(name: string, client = new SSMClient()): Promise<void> {
  const command = new PutParameterCommand({
    Name: name,
    Type: 'SecureString',
    Value: JSON.stringify({ apikey: systemClock().secret() }),
    Description: 'The administrative key of the interface',
    Overwrite: false,
  });
  await client.send(command).catch((error: unknown) => {
    if (!(error instanceof ParameterAlreadyExists)) throw error;
  });
}

/** Removes the parameter; one that is not there is removed already. */
export async function removeKey(name: string, client = new SSMClient()): Promise<void> {
  await client.send(new DeleteParameterCommand({ Name: name })).catch((error: unknown) => {
    if (!(error instanceof ParameterNotFound)) throw error;
  });
}

/** Tells CloudFormation how it went: well, or why not. */
export async function answer(
  event: Pick<CloudFormationCustomResourceEvent, 'ResponseURL' | 'StackId' | 'RequestId' | 'LogicalResourceId'>,
  name: string,
  reason?: string,
): Promise<void> {
  const { ResponseURL, StackId, RequestId, LogicalResourceId } = event;
  const outcome = reason === undefined ? { Status: 'SUCCESS' } : { Status: 'FAILED', Reason: reason };
  const body = JSON.stringify({ ...outcome, PhysicalResourceId: name, StackId, RequestId, LogicalResourceId });
  const response = await fetch(ResponseURL, { method: 'PUT', body });
  if (!response.ok) throw new Error(`CloudFormation did not take the answer: ${response.status}`);
}
