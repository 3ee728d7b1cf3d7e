/** The service's end of calls, with a revision that is ready. */
import type { LambdaClient } from '@aws-sdk/client-lambda';
import { invoker } from '../../../../../lib/adapters/aws/containers/calls/function-call.ts';
import { lambdaContainers } from '../../../../../lib/adapters/aws/containers/containers.ts';
import { PROTOCOL_VERSION } from '../../../../../lib/adapters/aws/containers/revisions/records.ts';
import type { OpenedFunction } from '../../../../contract/containers.ts';
import { MemoryTable } from '../../../../contract/memory-table.ts';
import { callOf } from '../../../local/containers/stage/caller.ts';
import type { Bucket } from './bucket.ts';

const ID = 'fast';

/** Calls the one function that the client reaches, as a run does. */
export async function callingLambda(
  bucket: Bucket,
  client: LambdaClient,
): Promise<Pick<OpenedFunction, 'call' | 'cancel'>> {
  const table = new MemoryTable();
  const ready = { id: ID, turn: 1, wanted: 'running', state: 'ready', reason: '', message: '', at: 0 };
  const version = `arn:aws:lambda:eu-test-1:123456789012:function:${ID}:1`;
  const item = { pk: `container#${ID}`, sk: '.', ...ready, revision: '{}', speech: PROTOCOL_VERSION, version };
  await table.write([{ do: 'put', table: 'catalog', item }]);
  const sealer = () => {
    throw new Error('nothing is sealed');
  };
  const places = { table, sealer, machineArn: 'arn', bucket: bucket.name, s3: bucket.client, invoke: invoker(client) };
  const containers = lambdaContainers(places);
  return {
    call: async (input, given) => {
      const { body, failure, outputs } = await containers.call(ID, callOf(input, given));
      const text = Buffer.from(body).toString();
      return { text, failure, outputs, json: () => JSON.parse(text) };
    },
    cancel: (actionId) => containers.cancel(ID, actionId),
  };
}
